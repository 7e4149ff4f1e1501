/**
 * `npm run bench -- cluster [--scale 1] [--rounds 3]`: ten million hits
 * brought to one and to two shards of Debian's ClickHouse, and what questions cost there and embedded: time, and
 * the processor time of everything that takes part. Every answer is compared. All of it runs on this machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { clickHouseEngine } from '../src/cluster/clickhouse-engine.ts';
import { readShards } from '../src/model/shards.ts';
import { dayMs } from '../src/model/time.ts';
import { type Servers, startServers } from '../test/cluster/servers.ts';
import { builtProgram } from '../test/tools/build.ts';
import { hasEnded, memoryOf } from '../test/tools/children.ts';
import { withCopyOf, withDirectory } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { median, rounded } from '../test/tools/statistics.ts';
import { usualPages } from './generate.ts';
import { type Case, casesFor, type Row } from './query-cases.ts';
import { sealedData } from './query-data.ts';
import { daybookOver, type Engine, openEngine } from './query-engines.ts';

const firstDay = 20_000;
const days = 30;
const window = { from: firstDay * dayMs, to: (firstDay + days) * dayMs };
const deadlineMs = 300_000;
/** Those of the benchmark of questions that stand for the others. */
const asked = [
  'by path',
  'by country',
  'by event',
  'by path where country = BK',
  'by path where country is not BK',
  'table by path',
  'all metrics by day',
  'totals',
  'totals where country = BK',
  '2 goals',
  'series of days',
  'list of events',
  'funnel of 3 steps',
  'pages after a page',
  'latest 50 visits',
];

export const run = async (args: readonly string[]): Promise<void> => {
  const { scale, rounds, isFull } = optionsOf(args, { scale: 1, rounds: 3 });
  const hits = 10_000_000 * scale;
  const data = sealedData({ seed: 1, hits, days, firstDay, cookies: 0, pages: usualPages });
  const embedded = await askEmbedded(data, rounds);
  const clusters = [await askCluster(data, 1, rounds), await askCluster(data, 2, rounds)];
  const machineText = `All on one machine: ${machine(Date.now())}`;
  publish('cluster-import', `${importTable(clusters)}\n\n${machineText}`, isFull);
  publish('cluster-questions', `${questionTable(embedded, clusters)}\n\n${machineText}`, isFull);
};

interface Asking {
  name: string;
  rows: Row[];
  ms: number;
  /** Of everything that takes part. */
  processorMs: number;
}

interface Imported {
  shards: number;
  hits: number;
  seconds: number;
  /** Processor seconds of Daybook and of ClickHouse. */
  daybook: number;
  clickHouse: number;
  daybookBytes: number;
  storedBytes: number;
}

const askEmbedded = async (data: string, rounds: number): Promise<Asking[]> => {
  const engine = await openEngine('daybook', { data, competitors: '', packages: '' });
  try {
    return await ask(engine, rounds, ownSeconds);
  } finally {
    await engine.close();
  }
};

const askCluster = (data: string, shards: number, rounds: number): Promise<{ imported: Imported; asked: Asking[] }> =>
  withCopyOf(data, copy =>
    withDirectory(async dir => {
      const servers = await startServers(dir, shards, 1);
      try {
        const imported = await importInto(servers, copy);
        const engine = clickHouseEngine(readShards(servers.address)!, deadlineMs);
        const asked = await ask(
          await daybookOver(engine, copy, async () => {}),
          rounds,
          () => ownSeconds() + processorSeconds(servers),
        );
        return { imported, asked };
      } finally {
        await servers.close();
      }
    }),
  );

const importInto = async (servers: Servers, data: string): Promise<Imported> => {
  const [began, before] = [performance.now(), processorSeconds(servers)];
  const child = spawn(
    process.execPath,
    [builtProgram, 'cluster', 'import', '--data', data, '--clickhouse', servers.address],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  let [daybook, daybookBytes] = [0, 0];
  const timer = setInterval(() => {
    if (hasEnded(child)) return;
    try {
      daybook = secondsOf(child);
      daybookBytes = memoryOf(child).peak;
    } catch {} // It is ending.
  }, 50);
  if (!hasEnded(child)) await once(child, 'exit');
  clearInterval(timer);
  if (child.exitCode !== 0) throw new Error(`cluster import ended with ${child.exitCode}`);
  const seconds = (performance.now() - began) / 1000;
  console.error(`brought in ${Math.round(seconds)} s`);
  const counts = await sumsOf(servers, 'select count() from daybook.hit');
  const sizes = await sumsOf(
    servers,
    `select sum(bytes_on_disk) from system.parts where database = 'daybook' and active`,
  );
  return {
    ...{ shards: counts.length, hits: counts.reduce((sum, of) => sum + of, 0), seconds, daybook, daybookBytes },
    clickHouse: processorSeconds(servers) - before,
    storedBytes: sizes.reduce((sum, of) => sum + of, 0),
  };
};

const ask = async (engine: Engine, rounds: number, seconds: () => number): Promise<Asking[]> => {
  const cases = casesFor(window, { country: 'BK', path: '/blog/page-5' }).filter(({ name }) => asked.includes(name));
  const answers: Asking[] = [];
  for (const question of cases) answers.push(await askOne(engine, question, rounds, seconds));
  return answers;
};

const askOne = async (engine: Engine, question: Case, rounds: number, seconds: () => number): Promise<Asking> => {
  let rows = (await engine.ask(question)).rows;
  const times: number[] = [];
  const before = seconds();
  for (let i = 0; i < rounds; i++) {
    const begun = performance.now();
    rows = (await engine.ask(question)).rows;
    times.push(performance.now() - begun);
  }
  return { name: question.name, rows, ms: median(times), processorMs: ((seconds() - before) * 1000) / rounds };
};

const ticksPerSecond = 100;

const secondsOf = ({ pid }: ChildProcess): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};

const processorSeconds = ({ programs }: Servers): number =>
  programs.reduce((sum, program) => sum + secondsOf(program.process()), 0);

const ownSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** What a statement says of each server. */
const sumsOf = ({ address }: Servers, sql: string): Promise<number[]> =>
  Promise.all(
    address.split(';').map(async of => Number(await (await fetch(of, { method: 'POST', body: sql })).text())),
  );

const importTable = (clusters: readonly { imported: Imported }[]): string =>
  markdownTable(
    [
      ...['into', 'hits', 'hits a second', 'µs of Daybook’s processor a hit', 'µs of ClickHouse’s'],
      ...['bytes a hit stored', 'Daybook’s peak memory, MB'],
    ],
    clusters.map(({ imported: { shards, hits, seconds, daybook, clickHouse, storedBytes, daybookBytes } }) => [
      shards === 1 ? '1 shard' : `${shards} shards`,
      hits,
      Math.round(hits / seconds),
      rounded((daybook / hits) * 1e6),
      rounded((clickHouse / hits) * 1e6),
      rounded(storedBytes / hits),
      Math.round(daybookBytes / 1e6),
    ]),
  );

const questionTable = (embedded: readonly Asking[], clusters: readonly { asked: readonly Asking[] }[]): string => {
  const rows = embedded.map((own, i) => {
    const others = clusters.map(({ asked }) => asked[i]!);
    for (const { rows } of others)
      if (!isDeepStrictEqual(rows, own.rows)) throw new Error(`The answers to ${own.name} differ.`);
    return { own, others };
  });
  const ratio = median(rows.map(({ own, others }) => others[0]!.processorMs / own.processorMs));
  return `${markdownTable(
    [...['', 'embedded, ms', 'processor ms', '1 shard, ms', 'processor ms'], ...['2 shards, ms', 'processor ms']],
    rows.map(({ own, others }) => [
      own.name,
      ...[own, ...others].flatMap(of => [rounded(of.ms), rounded(of.processorMs)]),
    ]),
  )}

Every answer was the same. Of the processor ClickHouse took ${rounded(ratio)} times what the embedded engine took (median).`;
};
