/**
 * The collector's answers while an import of one day runs beside the server, by what the import brings:
 *
 *     npm run bench -- import-beside [--rows 1000000] [--rate 500] [--only vitals|crawls|hits]
 *
 * Both are the built program, in processes of their own. Hits of another site are due at fixed times, from before
 * the import to its end. Prints how many were refused, and how long answers took.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { builtProgram } from '../test/tools/build.ts';
import { endChild } from '../test/tools/children.ts';
import { startLoad } from '../test/tools/load.ts';
import { optionsOf } from '../test/tools/options.ts';
import { markdownTable } from '../test/tools/results.ts';
import { quantile, rounded } from '../test/tools/statistics.ts';
import { endlessTraffic } from '../test/tools/traffic.ts';
import { startProgram } from './program.ts';

const connections = 64;
const linesAtOnce = 1000;
const [settleMs, aloneMs] = [2000, 5000];
const overallMs = 15 * 60_000;

type LineOf = (i: number, rows: number) => string;
const hitLine = (i: number, rows: number, hit: object): string => {
  const at = new Date(Date.UTC(2026, 5, 1) + Math.floor((86_400_000 * i) / rows)).toISOString();
  return JSON.stringify({ at, visitor: `v${i % 50_000}`, device: 'mobile', hit });
};

const kinds: Record<string, LineOf> = {
  vitals: (i, rows) =>
    hitLine(i, rows, { t: 'vitals', u: `https://past.example/${i % 5000}`, p: { lcp: 1000 + (i % 900) } }),
  crawls: i =>
    `66.249.66.1 - - [01/Jun/2026:12:00:00 +0000] "GET /${i} HTTP/1.1" 200 5 "-" "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"`,
  hits: (i, rows) => hitLine(i, rows, { u: `https://past.example/${i % 5000}` }),
};

export const run = async (args: readonly string[]): Promise<void> => {
  const { rows, rate, only } = optionsOf(args, { rows: 1_000_000, rate: 500 }, { only: '' });
  const found: string[][] = [];
  for (const [kind, lineOf] of Object.entries(kinds))
    if (only === '' || only === kind) found.push([kind, ...(await measure(rows, rate, lineOf))]);
  const headings = [
    `import of ${rows.toLocaleString('en')}`,
    'seconds',
    'hits taken',
    'refused',
    'p50 ms',
    'p99',
    'max',
  ];
  console.log(`${markdownTable(headings, found)}\n\n${rate} hits a second meanwhile.`);
};

const measure = async (rows: number, rate: number, lineOf: LineOf): Promise<string[]> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-beside-'));
  const daybook = (...words: string[]): string =>
    execFileSync(process.execPath, [builtProgram, ...words, '--data', dataDir]).toString();
  daybook('site', 'add', 'past.example');
  daybook('site', 'add', 'live.example');
  const sites: { domain: string; publicKey: string }[] = JSON.parse(daybook('site', 'list', '--json'));
  const file = join(dataDir, 'past.txt');
  write(file, rows, lineOf);
  const program = await startProgram(dataDir);
  const next = endlessTraffic(sites.find(({ domain }) => domain === 'live.example')!.publicKey);
  const load = startLoad({ url: program.url, perSecond: rate, connections, next });
  try {
    await wait(settleMs);
    load.take();
    await wait(aloneMs);
    const alone = load.take().times;
    const began = performance.now();
    const importing = [builtProgram, 'import', file, '--site', 'past.example', '--data', dataDir];
    const child = spawn(process.execPath, importing, { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await Promise.race([once(child, 'exit'), wait(overallMs, ['too late'], { ref: false })]);
    await endChild(child);
    if (code !== 0) throw new Error(`The import ended with ${code}.`);
    const seconds = (performance.now() - began) / 1000;
    const { times, accepted, others } = load.take();
    const [p99Alone, ...beside] = [quantile(alone, 0.99), ...[0.5, 0.99, 1].map(part => quantile(times, part))].map(
      ms => `${rounded(ms)}`,
    );
    return [`${rounded(seconds)}`, `${accepted}`, `${others}`, ...beside, p99Alone!];
  } finally {
    await load.stop();
    await program.stop();
    rmSync(dataDir, { recursive: true });
  }
};

const write = (file: string, rows: number, lineOf: LineOf): void => {
  const out = openSync(file, 'w');
  for (let from = 0; from < rows; from += linesAtOnce) {
    const some = Array.from({ length: Math.min(linesAtOnce, rows - from) }, (_, i) => `${lineOf(from + i, rows)}\n`);
    writeSync(out, some.join(''));
  }
  closeSync(out);
};
