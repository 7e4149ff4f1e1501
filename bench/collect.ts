/**
 * How many hits a second Daybook takes, with every one of them committed and synced before it is
 * answered, beside what bare `node:http` does with the same requests. Both run as fresh processes,
 * take turns, and are driven by wrk.
 *
 *     npm run bench -- collect [--rounds 5] [--seconds 8] [--connections 64]
 *
 * Daybook is the built program with its defaults: city look-ups, one site, a proxy on this machine
 * that reports the clients' addresses. At the end the hits it stored are counted: there must be at
 * least as many as were acknowledged. A run with less than the defaults is printed alone.
 */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { openReader } from '../src/store/database.ts';
import { builtProgram, bundled } from '../test/tools/build.ts';
import { endChild, memoryOf } from '../test/tools/children.ts';
import { withDirectory } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish, publishInShort } from '../test/tools/results.ts';
import { median, tenths } from '../test/tools/statistics.ts';
import { makeTraffic } from '../test/tools/traffic.ts';
import { drive, type Load, loadScript } from './collect-load.ts';
import { type StartedServer, startServer } from './program.ts';

/**
 * Different requests; each time round they come from other addresses, so that there are always new
 * visitors.
 */
const requestsMade = 50_000;
const seed = 1;

export const run = (args: readonly string[]): Promise<void> => withDirectory(dir => measureIn(dir, args));

const measureIn = async (dir: string, args: readonly string[]): Promise<void> => {
  const { rounds, seconds, connections, isFull } = optionsOf(args, { rounds: 5, seconds: 8, connections: 64 });
  const servers: Server[] = [];
  try {
    const { daybook, dataDir, siteKey } = prepare(dir);
    const { requests, visits } = makeTraffic(requestsMade, siteKey, seed);
    const trafficFile = join(dir, 'traffic');
    writeFileSync(trafficFile, requests.join('\0'));
    const scriptFile = join(dir, 'load.lua');
    writeFileSync(scriptFile, loadScript);

    const bare = await start('bare `node:http`', [bundled('bench/collect-bare.ts')]);
    servers.push(bare);
    const own = await start('Daybook', [daybook, 'serve', '--data', dataDir, '--port', '0']);
    servers.push(own);
    // The first round warms both up and does not count. Each begins where the one before cannot
    // have come to.
    for (let round = 0; round <= rounds; round++) {
      for (const server of servers) {
        const options = { trafficFile, scriptFile, firstAddress: round * 25, seconds, connections };
        await measure(server, () => drive(server.url, options));
      }
    }
    const table = markdownTable(headings, servers.map(rowOf));
    const ratio = median(own.trials.map((trial, i) => trial.perSecond / bare.trials[i]!.perSecond));
    await endChild(own.process);
    const stored = checkStored(dataDir, own.acknowledged);

    const text = `${table}

Daybook takes ${ratio.toFixed(2)} of the requests that the bare server takes (median of ${rounds} rounds of ${seconds} s, in turns; wrk, ${connections}
connections). Of ${stored.acknowledged.toLocaleString('en-US')} hits acknowledged, all are stored. ${requestsMade.toLocaleString('en-US')} different requests, from other addresses each time round,
${(requestsMade / visits).toFixed(1)} to a visit; ${stored.pragmas}. ${machine(Date.now())}`;
    publish('collect', text, isFull);
    publishInShort('collect', inShort(median(own.trials.map(({ perSecond }) => perSecond)), ratio), isFull);
  } finally {
    for (const { process } of servers) await endChild(process);
  }
};

const inShort = (perSecond: number, ratio: number): string =>
  `On ${cpus().length} cores, which the load shares, Daybook takes ${Math.round(perSecond).toLocaleString('en-US')} hits a second and syncs each to disk before it answers.
That is ${ratio.toFixed(2)} of what a bare \`node:http\` server answers there.`;

/** Builds the program, and makes a database with a site. */
const prepare = (dir: string): { daybook: string; dataDir: string; siteKey: string } => {
  const daybook = builtProgram;
  const dataDir = join(dir, 'data');
  const add = ['site', 'add', 'www.example.com', '--json', '--data', dataDir];
  const { publicKey } = JSON.parse(execFileSync(process.execPath, [daybook, ...add]).toString()) as {
    publicKey: string;
  };
  return { daybook, dataDir, siteKey: publicKey };
};

interface Trial extends Load {
  /**
   * Microseconds that the server's main thread worked for each request: less shaken than the rest
   * when others use the machine too.
   */
  mainThreadUs: number;
}

interface Server extends StartedServer {
  name: string;
  /** Those that count. */
  trials: Trial[];
  /** Requests answered with 2xx, in every round. */
  acknowledged: number;
  rounds: number;
}

const start = async (name: string, args: readonly string[]): Promise<Server> => ({
  ...(await startServer(args)),
  name,
  trials: [],
  acknowledged: 0,
  rounds: 0,
});

const measure = async (server: Server, work: () => Promise<Load>): Promise<void> => {
  const before = mainThreadMs(server.process);
  const load = await work();
  if (load.late > 0) console.error(`${server.name}: ${load.late} answers took more than 2 s`);
  if (load.failed > 0) throw new Error(`${server.name}: ${load.failed} requests failed`);
  server.acknowledged += load.requests;
  const mainThreadUs = ((mainThreadMs(server.process) - before) / load.requests) * 1000;
  if (server.rounds++ > 0) server.trials.push({ ...load, mainThreadUs });
};

/**
 * Milliseconds that a process's main thread has worked since it started. The kernel counts them in
 * hundredths of a second.
 */
const mainThreadMs = ({ pid }: ChildProcess): number => {
  const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

const headings = ['server', 'requests/s', 'p50 ms', 'p99 ms', 'main thread µs/request', 'peak RSS MiB'];

const rowOf = ({ name, process, trials }: Server): (string | number)[] => {
  const of = (field: keyof Trial): number => median(trials.map(trial => trial[field]));
  return [
    name,
    Math.round(of('perSecond')),
    tenths(of('p50')),
    tenths(of('p99')),
    tenths(of('mainThreadUs')),
    Math.round(memoryOf(process).peak / 2 ** 20),
  ];
};

/**
 * Throws when a hit that was acknowledged is not there, or when the counts disagree with the rows.
 */
const checkStored = (dataDir: string, acknowledged: number): { acknowledged: number; pragmas: string } => {
  const db = openReader(dataDir);
  const count = (sql: string): number => db.prepare(sql).pluck().get() as number;
  // Some are sealed already when midnight came in between.
  const hits = count(
    'select (select count(*) from hit) + (select coalesce(sum(hits), 0) from day_part where sealed_at is not null)',
  );
  const recorded = count(`select coalesce(sum(hits), 0) from outcome where outcome = 'recorded'`);
  const pragma = (name: string): unknown => db.pragma(name, { simple: true });
  const pragmas = `journal_mode ${pragma('journal_mode')}, page_size ${pragma('page_size')}, one \`fdatasync\` a batch`;
  db.close();
  if (hits < acknowledged || hits !== recorded)
    throw new Error(`${acknowledged} hits were acknowledged, ${recorded} counted, ${hits} stored`);
  return { acknowledged, pragmas };
};
