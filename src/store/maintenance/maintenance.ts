/**
 * What a running server does for its data on the side: seals days after midnight UTC and those that were missed, drops their rows,
 * and keeps the log short. Slow work happens in a worker thread; this thread only commits, a few milliseconds at a time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Log, reasonOf } from '../../log.ts';
import { utcDayName, utcDayOf } from '../../model/time.ts';
import { type Database, logBytes } from '../database.ts';
import { type EncodedDay, sealedBytes, sealer } from '../day/seal.ts';
import { coalesced, serialQueue } from '../serial-queue.ts';
import { type CommitGate, keepLogShort, type QuestionGate } from './checkpoints.ts';
import { maintenanceThread } from './maintenance-thread.ts';

export interface MaintenanceOptions {
  db: Database;
  dataDir: string;
  now: () => number;
  commits: CommitGate;
  questions: QuestionGate;
  log: Log;
  /** Called at the start and when a UTC day begins, before the day that ended is sealed; called again a moment later when it throws. */
  onNewDay: () => void;
  /** How often it looks at the clock and at the log. */
  tickMs?: number;
  /** Pages of log (4 KiB each) above which commits are held for the moment that the rest of a checkpoint takes, so that the log starts anew. */
  logPagesMax?: number;
  /** How long questions may wait, at first, for those that run to end, where the log can be emptied in no other way. */
  patienceMinMs?: number;
  /** After such a wait in vain, the rest before the next one, in times of it: 10 keeps questions waiting for a tenth of the time at most. */
  restFactor?: number;
  /** After this long a day that could not be sealed is tried again. */
  sealRetryMs?: number;
}

export interface Maintenance {
  /** Stops after the step at hand. */
  close(): Promise<void>;
}

const tickMsDefault = 1000;
/** 64 MiB: half a minute of a very busy server. */
const logPagesMaxDefault = 16_384;
/** Longer than nearly every question takes. */
const patienceMinMsDefault = 1000;
const sealRetryMsDefault = 30_000;
/** Rest between two steps of dropping rows: a day of a million hits is trimmed within a minute and nobody notices. */
const trimRestMs = 10;

export const startMaintenance = (options: MaintenanceOptions): Maintenance => {
  const { db, dataDir, now, commits, questions, log, onNewDay } = options;
  const { logPagesMax = logPagesMaxDefault, patienceMinMs = patienceMinMsDefault, restFactor = 10 } = options;
  const { tickMs = tickMsDefault, sealRetryMs = sealRetryMsDefault } = options;
  const seal = sealer(db);
  // Two threads, because commits may wait for the end of a checkpoint, and must not wait for a day to be encoded.
  const encoder = maintenanceThread(dataDir);
  const checkpointer = maintenanceThread(dataDir);
  /** A day that is being encoded is read, which keeps the log from being emptied. */
  const alone = serialQueue();
  const checkpoints = keepLogShort({
    copy: checkpointer.checkpoint,
    logBytes: () => logBytes(db),
    commits,
    questions,
    alone,
    log,
    logPagesMax,
    patienceMinMs,
    restFactor,
  });
  let closed = false;
  /** The newest day that was begun. */
  let day = Number.NEGATIVE_INFINITY;
  let retry: NodeJS.Timeout | undefined;

  const sealDay = async (encoded: EncodedDay): Promise<void> => {
    const started = now();
    for (const _ of seal.write(encoded, started)) {
      await wait(0);
      if (closed) return;
    }
    const { siteId, day, hits, visits } = encoded.facts;
    log('sealed', { site: siteId, day: utcDayName(day), hits, visits, bytes: sealedBytes(encoded.columns) });
  };

  const sealFinished = async (): Promise<void> => {
    if (closed) return;
    await commits.idle();
    let failed: unknown;
    for (const siteDay of seal.pending(utcDayOf(now()))) {
      try {
        const encoded = await alone(() => encoder.encode(siteDay));
        if (closed) return;
        await sealDay(encoded);
      } catch (error) {
        // One day that cannot be sealed must not keep the others open.
        const { siteId, day } = siteDay;
        log('seal-failed', { site: siteId, day: utcDayName(day), reason: reasonOf(error) });
        failed = error;
      }
      if (closed) return;
    }
    // It is needed once a day, and what it read is large.
    await encoder.close();
    if (failed !== undefined) throw failed;
    for (const _ of seal.trim()) {
      await wait(trimRestMs);
      if (closed) return;
    }
  };

  const checkpoint = async (): Promise<void> => {
    if (!closed) await checkpoints.run();
  };

  const sealing = coalesced(sealFinished);
  const checkpointing = coalesced(checkpoint);
  const inBackground = (name: string, work: Promise<void>): void => {
    work.catch(error => {
      if (!closed) log('maintenance-failed', { what: name, reason: reasonOf(error) });
    });
  };
  /** A day that could not be sealed stays open and is tried again, as is a log that could not be copied at the next tick. */
  const sealSoon = (): void => {
    clearTimeout(retry);
    const work = sealing().catch(error => {
      if (!closed) retry = setTimeout(sealSoon, sealRetryMs).unref();
      throw error;
    });
    inBackground('seal', work);
  };

  const beginDay = (today: number): void => {
    try {
      onNewDay();
    } catch (error) {
      // Nothing of the new day can be written yet: the next tick tries again.
      log('maintenance-failed', { what: 'new-day', reason: reasonOf(error) });
      return;
    }
    day = today;
    // The log may still hold the page with an old salt: it is emptied once.
    checkpoints.emptySoon();
    sealSoon();
  };

  const tick = (): void => {
    const today = utcDayOf(now());
    if (today > day) beginDay(today);
    inBackground('checkpoint', checkpointing());
  };
  // The log is left alone for a second, in which the first hits are waited for.
  beginDay(utcDayOf(now()));
  const timer = setInterval(tick, tickMs);

  return {
    async close() {
      closed = true;
      clearInterval(timer);
      clearTimeout(retry);
      await Promise.allSettled([sealing(), checkpointing()]);
      await Promise.all([encoder.close(), checkpointer.close()]);
    },
  };
};
