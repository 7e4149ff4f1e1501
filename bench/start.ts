/**
 * What a server costs that does nothing, and how soon one takes hits that has ten million of them:
 *
 *     npm run bench -- start [--hits 10000000] [--trials 5]
 *
 * Resident memory is the kernel's figure for the whole process, a minute after the start. Time
 * runs from starting the process, Node's own start included, to the first hit that is acknowledged.
 * The last day is open, as rows; the others are sealed. A run with less than the defaults is
 * printed alone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dayMs, utcDayOf } from '../src/model/time.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { recorder } from '../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, visitRecord } from '../test/helpers.ts';
import { allocatorSettings, builtProgram } from '../test/tools/build.ts';
import { endChild, hasEnded, memoryOf } from '../test/tools/children.ts';
import { withDirectory } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { median } from '../test/tools/statistics.ts';
import { usualPages } from './generate.ts';
import { fillSealed } from './query-data.ts';

const days = 30;
/** Half a minute after the last commit, the thread that copies the log has ended. */
const idleMs = 60_000;
const port = 18_431;
const noGeo = '/dev/null';

export const run = (args: readonly string[]): Promise<void> => withDirectory(dir => measureIn(dir, args));

const measureIn = async (dir: string, args: readonly string[]): Promise<void> => {
  const { hits, trials, isFull } = optionsOf(args, { hits: 10_000_000, trials: 5 });
  const [empty, full] = [join(dir, 'empty'), join(dir, 'full')];
  makeSite(empty);
  const [withGeo, without] = [await idleMemory(empty, ''), await idleMemory(empty, noGeo)];
  const openRows = fill(full, hits);
  const [emptyStart, fullStart] = [await startTime(empty, trials), await startTime(full, trials)];
  const rows: [string, string][] = [
    ['resident memory when idle, with the city database', `${withGeo} MB`],
    ['resident memory when idle, without', `${without} MB`],
    ['start to first acknowledged hit, no hits stored', `${emptyStart} ms`],
    [
      `start to first acknowledged hit, ${hits.toLocaleString('en-US')} hits stored, ${openRows.toLocaleString('en-US')} of them today`,
      `${fullStart} ms`,
    ],
  ];
  const table = markdownTable(['', 'measured'], rows);
  publish('start', `${table}\n\nTimes are medians of ${trials}. ${machine(Date.now())}`, isFull);
};

const makeSite = (dataDir: string): void => {
  const db = openDatabase(dataDir);
  addSite(db);
  db.close();
};

/**
 * Fills a database with days that end today, the last of them open; returns the number of today's
 * hits.
 */
const fill = (dataDir: string, hits: number): number => {
  const today = utcDayOf(Date.now());
  const ofToday = Math.round(hits / days);
  const sealedDays = days - 1;
  fillSealed(dataDir, {
    seed: 1,
    hits: hits - ofToday,
    days: sealedDays,
    firstDay: today - sealedDays,
    cookies: 0.05,
    pages: usualPages,
  });
  const db = openDatabase(dataDir);
  fillToday(db, today, ofToday);
  db.pragma('wal_checkpoint(truncate)');
  db.close();
  return ofToday;
};

const hitsPerVisit = 3;

const fillToday = (db: Database, day: number, hits: number): void => {
  const { write } = recorder(db);
  for (let from = 0; from < hits; from += 9000) {
    const count = Math.min(9000, hits - from);
    write(
      Array.from({ length: count }, (_, i) => {
        const number = from + i;
        const visitId = Math.floor(number / hitsPerVisit) + 1;
        const of = { siteId: 1, day, visitId, at: day * dayMs + Math.floor((number / hits) * (Date.now() % dayMs)) };
        const begins = number % hitsPerVisit === 0;
        const visitor = createHash('sha256').update(String(visitId)).digest().subarray(0, 8);
        const visit = visitRecord({ siteId: 1, day, id: visitId, visitor, country: 'DE' });
        return recordedEntry(hitRecord({ ...of, path: `/page-${number % 5000}` }), begins ? visit : undefined);
      }),
    );
  }
};

const serve = (dataDir: string, geoDb: string): ChildProcess =>
  spawn(process.execPath, [builtProgram, 'serve', '--data', dataDir, '--port', String(port)], {
    env: { ...process.env, ...allocatorSettings, GEO_DB: geoDb },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/** Throws for a server that has ended, which has said why. */
const checkRuns = (server: ChildProcess): void => {
  if (hasEnded(server)) throw new Error('The server ended.');
};

/** Megabytes. */
const idleMemory = async (dataDir: string, geoDb: string): Promise<number> => {
  const server = serve(dataDir, geoDb);
  await wait(idleMs);
  checkRuns(server);
  const { resident } = memoryOf(server);
  await endChild(server);
  return Math.round(resident / 1e6);
};

/** Milliseconds, the median of some trials after one that does not count. */
const startTime = async (dataDir: string, trials: number): Promise<number> => {
  const times: number[] = [];
  for (let trial = 0; trial <= trials; trial++) {
    const began = performance.now();
    const server = serve(dataDir, '');
    while (!(await isAcknowledged())) {
      checkRuns(server);
      await wait(2);
    }
    if (trial > 0) times.push(performance.now() - began);
    await endChild(server);
  }
  return Math.round(median(times));
};

const isAcknowledged = (): Promise<boolean> =>
  new Promise(resolve => {
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
    const sent = request({ port, method: 'POST', path: '/e', headers }, response => {
      response.resume().on('end', () => resolve(response.headers['x-daybook'] === 'recorded'));
    });
    sent.on('error', () => resolve(false));
    // The first site of every test has this key.
    sent.end(JSON.stringify({ s: `pk_live_${'1'.padStart(24, '0')}`, u: 'https://site1.example/' }));
  });
