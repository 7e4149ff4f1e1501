/**
 * How fast are questions answered? The same hits are asked the same questions in Daybook (one worker thread), in ClickHouse (chdb,
 * in-process, all cores) and in DuckDB (all cores), each in a process of its own, and every answer must agree.
 *
 *     npm run bench -- query [--hits 10000000] [--seed 1] [--cookies 0] [--rounds 5] [--engines daybook,clickhouse,duckdb]
 *
 * Data and the peers' packages are made once and kept in a folder under the system's temporary one. For each question: `warm` is the
 * median of the answers after the first one; for Daybook each asks with another filter that lets every hit pass, so that nothing kept of an
 * earlier answer is of use; `again` is the very same question once more, of which Daybook keeps what sealed days contribute. `cold` is
 * the first answer of a fresh process, with the file in the system's cache.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { dayMs } from '../src/model/time.ts';
import { packageRoot } from '../src/package-root.ts';
import { openReader } from '../src/store/database.ts';
import { installPeers, makeData, placesIn } from './query-data.ts';
import type { EngineName } from './query-engines.ts';
import type { TrialResult, TrialSettings } from './query-trial.ts';
import { machine, markdownTable, publish } from './results.ts';

const hitsDefault = 10_000_000;
const days = 30;
const firstDay = 20_000;
/** Asked cold too. */
const coldQuestions = ['by path', 'by country', 'by path where country = BK'];

export const run = async (): Promise<void> => {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      hits: { type: 'string', default: String(hitsDefault) },
      seed: { type: 'string', default: '1' },
      cookies: { type: 'string', default: '0' },
      rounds: { type: 'string', default: '5' },
      engines: { type: 'string', default: 'daybook,clickhouse,duckdb' },
    },
  });
  const [hits, seed, cookies] = [Number(values.hits), Number(values.seed), Number(values.cookies)];
  const engines = values.engines.split(',') as EngineName[];
  const home = join(tmpdir(), 'daybook-bench');
  const peers = join(home, 'peers');
  const dir = join(home, `hits-${hits}-${seed}-${cookies}-${sourceDigest()}`);
  if (engines.length > 1 || engines[0] !== 'daybook') installPeers(peers);
  makeData(dir, { seed, hits, days, firstDay, cookies });

  const settings = {
    dir,
    peers,
    window: { from: firstDay * dayMs, to: (firstDay + days) * dayMs },
    words: { country: 'BK', path: '/blog/page-5' },
  };
  const trials: Trial[] = [];
  for (const engine of engines) {
    // The first process makes the engine's data, so that no trial pays for it.
    await trial({ ...settings, engine, only: ['by device'], rounds: 0 });
    const warm = await trial({ ...settings, engine, only: [], rounds: Number(values.rounds) });
    const cold: TrialResult[] = [];
    for (const question of coldQuestions) {
      cold.push(...(await trial({ ...settings, engine, only: [question], rounds: 0 })).results);
    }
    trials.push({ engine, ...warm, cold });
  }
  checkAgreement(trials);
  // The page is about the full size; smaller runs are for trying things out.
  const table = report(trials, dir);
  if (hits < hitsDefault) console.log(table);
  else publish('query', table);
};

/** Of the programs that make the data: when they change, it is made anew. */
const sourceDigest = (): string => {
  const digest = createHash('sha256');
  for (const file of ['bench/generate.ts', 'bench/query-data.ts', 'src/store/day/column-codec.ts', 'schema.sql']) {
    digest.update(readFileSync(join(packageRoot, file)));
  }
  return digest.digest('hex').slice(0, 8);
};

interface Trial {
  engine: EngineName;
  version: string;
  rss: number;
  results: TrialResult[];
  cold: TrialResult[];
}

/** Runs one process and gathers what it prints. */
const trial = async (settings: TrialSettings): Promise<Pick<Trial, 'version' | 'rss' | 'results'>> => {
  const program = join(packageRoot, 'bench', 'query-trial.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (settings.rounds > 0) process.stderr.write('.');
    lines.push(line);
  }
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`${settings.engine} ended with ${child.exitCode}`);
  const { version, rss } = JSON.parse(lines.pop()!) as { version: string; rss: number };
  return { version, rss, results: lines.map(line => JSON.parse(line) as TrialResult) };
};

/** Throws where two engines answered differently. */
const checkAgreement = ([first, ...others]: Trial[]): void => {
  for (const other of others) {
    other.results.forEach(({ name, rows }, i) => {
      if (isDeepStrictEqual(rows, first!.results[i]!.rows)) return;
      throw new Error(
        `${name}: ${first!.version} says ${JSON.stringify(first!.results[i]!.rows)}, ${other.version} says ${JSON.stringify(rows)}`,
      );
    });
  }
};

const report = (trials: Trial[], dir: string): string => {
  const round = (ms: number): number => (ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms));
  const rows = trials[0]!.results.map(({ name }, i) => [
    name,
    ...trials.flatMap(({ engine, results }) =>
      engine === 'daybook' ? [round(results[i]!.warm), round(results[i]!.again!)] : [round(results[i]!.warm)],
    ),
  ]);
  const headings = trials.flatMap(({ engine, version }) => (engine === 'daybook' ? [version, 'again'] : [version]));
  const cold = coldQuestions.map((name, i) => [name, ...trials.map(trial => round(trial.cold[i]!.first))]);
  return [
    markdownTable(['warm, ms', ...headings], rows),
    markdownTable(['cold, ms', ...trials.map(({ version }) => version)], cold),
    `${sizes(dir)} Resident memory at the end: ${trials.map(({ version, rss }) => `${version} ${Math.round(rss / 1e6)} MB`).join(', ')}.`,
    `Every answer of every engine was the same. ${machine(Date.now())}`,
  ].join('\n\n');
};

/** What is stored, and how large it is without texts. */
const sizes = (dir: string): string => {
  const db = openReader(placesIn(dir).daybook);
  const { hits, visits, bytes } = db
    .prepare('select sum(hits) as hits, sum(visits) as visits, sum(bytes) as bytes from sealed_day')
    .get() as { hits: number; visits: number; bytes: number };
  db.close();
  const count = (value: number): string => value.toLocaleString('en-US');
  return `${count(hits)} hits in ${count(visits)} visits over ${days} days; sealed, ${(bytes / hits).toFixed(1)} bytes a hit without texts.`;
};
