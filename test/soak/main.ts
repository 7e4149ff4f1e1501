/**
 * A server under a steady load of hits and questions for a long time, through several midnights:
 *
 *     npm run soak [-- --minutes 30] [--days 6] [--rate 1000] [--questions 5] [--heap 0] [--restless 0]
 *
 * With `--heap` V8 has that many megabytes for what lives long and hardly any for what does not, so that it collects all the time. With
 * `--restless` the server's threads are ended every so many seconds, and the past is imported beside it. Neither is published.
 *
 * The server's clock is set from here: each simulated day is as many minutes as there are, and then it is midnight. What should be flat is
 * measured for each day, and at the end the stored hits are counted. A run with less than the defaults is printed alone.
 */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { dayMs } from '../../src/model/time.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { openDatabase, openReader } from '../../src/store/database.ts';
import { databaseStats } from '../../src/store/read/database-stats.ts';
import { type Server, start } from '../faults/server-process.ts';
import { problemsOf } from '../faults/stored.ts';
import { addSite } from '../helpers.ts';
import { withDirectory } from '../tools/directories.ts';
import { type Load, loadTickMs, startLoad } from '../tools/load.ts';
import { optionsOf } from '../tools/options.ts';
import { machine, markdownTable, publish } from '../tools/results.ts';
import { quantile, tenths } from '../tools/statistics.ts';
import { endlessTraffic } from '../tools/traffic.ts';
import { type Asking, startAsking } from './asking.ts';
import { startRestless } from './restless.ts';

const connections = 64;
const sampleMs = 2000;
const warmUpMs = 10_000;
/** So little that it is full before long: memory that still grows after that would grow for ever. */
const cacheMegabytes = 32;
const domain = 'soak.example';
const key = `tk_live_${'s'.repeat(32)}`;

const measureIn = async (dir: string): Promise<void> => {
  const { isFull, ...plan } = optionsOf(process.argv.slice(2), {
    ...{ minutes: 30, days: 6, rate: 1000, questions: 5 },
    ...{ heap: 0, restless: 0 },
  });
  const { minutes, days, rate, questions, heap, restless } = plan;
  const dataDir = join(dir, 'data');
  const site = makeSite(dataDir);
  // Half an hour after a midnight, so that no real one comes between.
  const offsetMs = dayMs - (Date.now() % dayMs) + dayMs / 48;
  const server = await start({
    dataDir,
    offsetMs,
    env: { GEO_DB: '', QUERY_CACHE_MB: String(cacheMegabytes), ...(heap > 0 ? smallHeap(heap) : {}) },
  });
  const unrest = restless > 0 ? startRestless(server, dataDir, domain, restless * 1000) : undefined;
  const load = startLoad({ url: server.url, perSecond: rate, connections, next: endlessTraffic(site) });
  const asking = startAsking({ url: server.url, site, key, perSecond: questions });
  // Code is compiled and caches fill once in a server's life.
  await wait(warmUpMs);
  let { accepted } = load.take();
  asking.take();
  const lateness = monitorEventLoopDelay({ resolution: loadTickMs });
  lateness.enable();
  const rows: Row[] = [];
  for (let day = 1; day <= days; day++) {
    if (!server.alive()) throw new Error(server.log());
    rows.push(await measureDay(server, (minutes * 60_000) / days, load, asking, day));
    accepted += rows.at(-1)!.accepted;
    console.log(JSON.stringify(rows.at(-1)));
    if (day < days) await server.advance(dayMs);
  }
  await load.stop();
  await asking.stop();
  accepted += load.take().accepted;
  const { threads, imported } = (await unrest?.stop()) ?? { threads: 0, imported: 0 };
  if (unrest !== undefined) console.log(`${threads} threads were ended, and ${imported} hits imported.`);
  accepted += imported;
  await server.stop();
  const stored = storedHits(dataDir);
  if (stored < accepted) throw new Error(`${accepted} hits were acknowledged and ${stored} are stored.`);
  const problems = problemsOf(dataDir);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const lateP99 = tenths(lateness.percentile(99) / 1e6);
  publish('soak', report(rows, { ...plan, accepted, stored, lateP99 }), isFull && heap === 0 && restless === 0);
};

const smallHeap = (megabytes: number): Record<string, string> => ({
  NODE_OPTIONS: `--max-old-space-size=${megabytes} --max-semi-space-size=1`,
});

const makeSite = (dataDir: string): string => {
  const db = openDatabase(dataDir);
  const { publicKey } = addSite(db, { timezone: 'Europe/Berlin', domain });
  apiKeys(db).add(accounts(db).named('default', 0).id, 'soak', key, 0);
  db.close();
  return publicKey;
};

interface Row {
  day: number;
  accepted: number;
  others: number;
  hitP50: number;
  hitP99: number;
  hitMax: number;
  askP50: number;
  askP99: number;
  /** Megabytes: the highest of the day, as is the log's. */
  rss: number;
  log: number;
}

const measureDay = async (server: Server, forMs: number, load: Load, asking: Asking, day: number): Promise<Row> => {
  let [rss, log] = [0, 0];
  for (const end = performance.now() + forMs; performance.now() < end; ) {
    await wait(Math.min(sampleMs, end - performance.now()));
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
    rss = Math.max(rss, value('process_resident_memory_bytes'));
    log = Math.max(log, value('daybook_log_bytes'));
  }
  const hits = load.take();
  const asked = asking.take();
  return {
    day,
    accepted: hits.accepted,
    others: hits.others + asked.others,
    hitP50: shownQuantile(hits.times, 0.5),
    hitP99: shownQuantile(hits.times, 0.99),
    hitMax: shownQuantile(hits.times, 1),
    askP50: shownQuantile(asked.times, 0.5),
    askP99: shownQuantile(asked.times, 0.99),
    rss: Math.round(rss / 1e6),
    log: Math.round(log / 1e6),
  };
};

/** 0 where nothing was measured. */
const shownQuantile = (values: readonly number[], part: number): number => tenths(quantile(values, part) || 0);

const storedHits = (dataDir: string): number => {
  const db = openReader(dataDir);
  const { sealedHits, openRows } = databaseStats(db)();
  const imported = db
    .prepare<[], number>('select coalesce(sum(hits), 0) from day_part where import_id > 0')
    .pluck()
    .get()!;
  db.close();
  return sealedHits + openRows + imported;
};

interface Summary {
  minutes: number;
  days: number;
  rate: number;
  questions: number;
  accepted: number;
  stored: number;
  /** Milliseconds by which the load itself, in its own process, was late: what it adds to the times. */
  lateP99: number;
}

const report = (
  rows: readonly Row[],
  { minutes, days, rate, questions, accepted, stored, lateP99 }: Summary,
): string => {
  const table = markdownTable(
    ['day', 'hits', 'errors', 'hit p50 ms', 'p99', 'max', 'question p50 ms', 'p99', 'memory MB', 'log MB'],
    rows.map(row => [
      row.day,
      row.accepted,
      row.others,
      row.hitP50,
      row.hitP99,
      row.hitMax,
      row.askP50,
      row.askP99,
      row.rss,
      row.log,
    ]),
  );
  const facts = `${minutes} minutes at ${rate} hits and ${questions} questions a second, over ${connections} connections, through ${days - 1} midnights. Acknowledged ${accepted.toLocaleString('en-US')}, stored ${stored.toLocaleString('en-US')}. The cache of questions was ${cacheMegabytes} MiB, so that it was soon full. The load ran on the same machine, at most ${lateP99} ms late in 99 % of its turns, which the times of hits include.`;
  return `${table}\n\n${facts} ${machine(Date.now())}`;
};

await withDirectory(measureIn);
