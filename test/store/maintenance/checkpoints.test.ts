/** The log's length where somebody always reads from it: real hits, real threads, and a real other program. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createWriter } from '../../../src/collect/writer.ts';
import { dayMs } from '../../../src/model/time.ts';
import { packageRoot } from '../../../src/package-root.ts';
import { createQueryPool, type QueryPool } from '../../../src/query/threads/pool.ts';
import { databaseFile } from '../../../src/store/database.ts';
import { openLogSync } from '../../../src/store/log-sync.ts';
import type { QuestionGate } from '../../../src/store/maintenance/checkpoints.ts';
import { diskCheck } from '../../../src/store/maintenance/disk-check.ts';
import { startMaintenance } from '../../../src/store/maintenance/maintenance.ts';
import { recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';
import { until } from '../../tools/conditions.ts';
import { startTestWorker } from '../../tools/test-worker.ts';

const day = 20_000;
const logPagesMax = 100;
/** What the log may hold before questions wait; four times `logPagesMax`. */
const largeBytes = 4 * logPagesMax * 4096;

interface Load {
  dataDir: string;
  pool: QueryPool;
  logBytes: () => number;
  /** Events of the maintenance's log. */
  logged: string[];
  /** Size of the log each time that questions went on after a wait. */
  afterHolds: number[];
  /** Hits by how they ended, and questions that were answered. */
  counts: { recorded: number; refused: number; answered: number };
  /** Throws when a question failed. */
  stop(): Promise<void>;
}

/** Hits that never stop, and three askers whose questions overlap, so that the log never finds a moment without a reader. */
const startEverything = async (): Promise<Load> => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const logged: string[] = [];
  const counts = { recorded: 0, refused: 0, answered: 0 };
  const afterHolds: number[] = [];
  const logBytes = (): number => statSync(`${databaseFile(dataDir)}-wal`).size;
  const writer = createWriter({
    recorder: recorder(db),
    logSync: openLogSync(db),
    diskCheck: diskCheck(db),
    queueMax: 1000,
    queueBytesMax: 1e6,
    onVisitLost: () => {},
    log: event => logged.push(event),
  });
  const pool = createQueryPool({
    dataDir,
    workers: 3,
    cacheBytesMax: 1e6,
    deadlineMs: 30_000,
    waitingMax: 10,
    startThread: settings => startTestWorker('store/maintenance/reading-worker.ts', settings),
  });
  const questions: QuestionGate = {
    hold: pool.hold,
    release() {
      afterHolds.push(logBytes());
      pool.release();
    },
  };
  const maintenance = startMaintenance({
    db,
    dataDir,
    now: () => day * dayMs,
    tickMs: 50,
    commits: writer,
    questions,
    log: event => logged.push(event),
    onNewDay: () => {},
    logPagesMax,
    patienceMinMs: 10_000,
    restFactor: 0.02,
  });

  let id = 0;
  const hits = setInterval(() => {
    id++;
    const visitor = Buffer.alloc(8);
    visitor.writeUInt32BE(id);
    const hit = hitRecord({ siteId, day, visitId: id, at: day * dayMs + id, path: `/${id}` });
    writer.submit(recordedEntry(hit, visitRecord({ siteId, day, id, visitor })), 100, outcome => {
      counts[outcome === 'recorded' ? 'recorded' : 'refused']++;
    });
  }, 2);
  let asking = true;
  const ask = async (lane: number): Promise<void> => {
    await wait(lane * 17);
    for (let n = 0; asking; n++) {
      await pool.run(
        { siteId, currency: `${lane} ${n}`, minorRates: {}, slices: [] },
        { accountId: 1, isPublic: false },
      );
      counts.answered++;
    }
  };
  const askers = [0, 1, 2].map(ask);
  return {
    dataDir,
    pool,
    logBytes,
    logged,
    afterHolds,
    counts,
    async stop() {
      asking = false;
      clearInterval(hits);
      await Promise.all(askers);
      await maintenance.close();
      await writer.close();
      await pool.close();
      db.close();
    },
  };
};

/** A program that reads from the log until it is killed, such as a copy to elsewhere that does not get on. */
const startForeignReader = async (dataDir: string): Promise<ChildProcess> => {
  const program = `
    const db = new (require('better-sqlite3'))(${JSON.stringify(databaseFile(dataDir))}, { readonly: true });
    db.exec('begin');
    db.prepare('select count(*) from hit').get();
    console.log('reading');
    setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['-e', program], { cwd: packageRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout!, 'data');
  return child;
};

test('a log that always has a reader is emptied all the same, and no hit is refused', async () => {
  const load = await startEverything();
  // The first time is that of a day that begins, with a short log.
  for (let times = 2; times <= 3; times++) {
    await until('the log is large', () => load.logBytes() > largeBytes);
    await until('questions were held', () => load.afterHolds.length >= times);
  }
  await until('hits and questions go on', () => load.counts.answered > 30 && load.counts.recorded > 300);
  await load.stop();
  for (const bytes of load.afterHolds) assert.ok(bytes < largeBytes / 4, `${bytes} bytes were left`);
  assert.is(load.counts.refused, 0);
  assert.equal(load.logged, []);
});

test('another program that reads for ever stalls neither hits nor questions, and is logged once', async () => {
  const load = await startEverything();
  await until('the day has begun', () => load.afterHolds.length === 1);
  const foreign = await startForeignReader(load.dataDir);
  await until('it is noticed', () => load.logged.length > 0);
  const before = { ...load.counts };
  const holds = load.afterHolds.length;
  await until('it was tried again', () => load.afterHolds.length > holds);
  await until(
    'hits and questions go on',
    () => load.counts.recorded > before.recorded + 100 && load.counts.answered > before.answered + 10,
  );
  assert.equal(load.logged, ['log-held']);
  assert.ok(load.logBytes() > largeBytes);
  foreign.kill('SIGKILL');
  await until('the log is emptied', () => load.logged.length > 1);
  assert.equal(load.logged, ['log-held', 'log-emptied']);
  assert.ok(load.logBytes() < largeBytes);
  await load.stop();
  assert.is(load.counts.refused, 0);
});

test.run();
