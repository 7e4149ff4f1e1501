/**
 * What it costs to keep copies while hits come:
 *
 *     npm run bench -- copies [--minutes 6] [--rate 1000]
 *
 * Two thirds of the time are one day and the rest the next, so that a day is sealed in between. The time of the copying threads is
 * the kernel's. What was sent is compared with what the database grew by, rows and sealed day.
 * At the end the newest copy is restored, and its hits are counted. A run with less than the
 * defaults is printed alone.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dayMs } from '../src/model/time.ts';
import { databaseFile, openDatabase, openReader } from '../src/store/database.ts';
import { databaseStats } from '../src/store/read/database-stats.ts';
import { runProgram, type Server, start } from '../test/faults/server-process.ts';
import { addSite } from '../test/helpers.ts';
import { builtProgram } from '../test/tools/build.ts';
import { withDirectory } from '../test/tools/directories.ts';
import { startLoad } from '../test/tools/load.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { endlessTraffic } from '../test/tools/traffic.ts';

const connections = 64;
const sampleMs = 1000;
/** The niceness of the threads that copy (src/store/copies/copy-worker.ts); no other thread has it. */
const niceness = 10;
const tickMs = 10;

export const run = (args: readonly string[]): Promise<void> => withDirectory(dir => measureIn(dir, args));

const measureIn = async (dir: string, args: readonly string[]): Promise<void> => {
  const { minutes, rate, isFull } = optionsOf(args, { minutes: 6, rate: 1000 });
  const [dataDir, to] = [join(dir, 'data'), join(dir, 'copies')];
  const db = openDatabase(dataDir);
  const { publicKey } = addSite(db);
  db.close();
  const offsetMs = dayMs - (Date.now() % dayMs) + dayMs / 48;
  const server = await start({ dataDir, offsetMs, env: { BACKUP_TO: to, GEO_DB: '' } });
  await wait(5000);
  const before = await sentBytes(server);
  const load = startLoad({ url: server.url, perSecond: rate, connections, next: endlessTraffic(publicKey) });
  const threads = new Map<string, number>();
  const begun = performance.now();
  await sampleFor((minutes * 60_000 * 2) / 3, server.pid, threads);
  server.advance(dayMs);
  await sampleFor((minutes * 60_000) / 3, server.pid, threads);
  const seconds = (performance.now() - begun) / 1000;
  await load.stop();
  const { accepted } = load.take();
  await wait(35_000);
  const sent = (await sentBytes(server)) - before;
  await server.stop();
  const grown = pagesOf(dataDir);
  const restored = join(dir, 'restored');
  const { code, said } = await runProgram(builtProgram, ['restore', '--from', to, '--data', restored]);
  if (code !== 0) throw new Error(said);
  const [stored, there] = [hitsIn(dataDir), hitsIn(restored)];
  if (stored < accepted || there !== stored)
    throw new Error(`${accepted} hits taken, ${stored} stored, ${there} copied.`);
  const busy = [...threads.values()].reduce((sum, ms) => sum + ms, 0) / 1000;
  const rows: [string, string][] = [
    ['hits taken, stored, and in the copy', stored.toLocaleString('en-US')],
    ['processor time of the copying threads', `${((100 * busy) / seconds).toFixed(1)} % of a core`],
    ['the database grew by', `${(grown / 1e6).toFixed(1)} MB`],
    ['sent', `${(sent / 1e6).toFixed(1)} MB, ${(sent / grown).toFixed(2)} of that`],
  ];
  const text = `${rate.toLocaleString('en-US')} hits a second for ${minutes} minutes, a midnight in between.`;
  publish('copies', `${markdownTable(['copies', ''], rows)}\n\n${text} ${machine(Date.now())}`, isFull);
};

const sentBytes = async (server: Server): Promise<number> => {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^daybook_backup_sent_bytes_total (\S+)$/m.exec(metrics)![1]);
};

/** Notes the processor time of each copying thread, in milliseconds; threads that ended keep their last. */
const sampleFor = async (ms: number, pid: number, threads: Map<string, number>): Promise<void> => {
  for (const end = performance.now() + ms; performance.now() < end; await wait(sampleMs)) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const fields = statOf(pid, thread);
      if (fields !== null && Number(fields[16]) === niceness)
        threads.set(thread, (Number(fields[11]) + Number(fields[12])) * tickMs);
    }
  }
};

/** The fields after the name in proc_pid_stat(5); null for a thread that has just ended. */
const statOf = (pid: number, thread: string): string[] | null => {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .trim()
      .split(' ');
  } catch {
    return null;
  }
};

const pagesOf = (dataDir: string): number => {
  const header = readFileSync(databaseFile(dataDir)).subarray(0, 100);
  return header.readUInt32BE(28) * header.readUInt16BE(16);
};

const hitsIn = (dataDir: string): number => {
  const db = openReader(dataDir);
  const { sealedHits, openRows } = databaseStats(db)();
  db.close();
  return sealedHits + openRows;
};
