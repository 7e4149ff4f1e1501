/**
 * What a running server does for its data on the side: it seals days after midnight UTC and those
 * that were missed, drops their rows, and keeps the log short. Slow work happens in worker threads.
 * This thread only commits, a few milliseconds at a time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { garbageCollector } from '../../garbage-collector.ts';
import { type Log, reasonOf } from '../../log.ts';
import { utcDayName, utcDayOf } from '../../model/time.ts';
import { type Database, logState } from '../database.ts';
import type { SiteDay } from '../day/open/open-days.ts';
import type { EncodedPart } from '../day/part-store.ts';
import { sealer } from '../day/seal.ts';
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
  /**
   * Called at the start and when a UTC day begins, before the ended day is sealed. Called again a
   * moment later if it throws.
   */
  onNewDay: () => void;
  /** Where pages that leave the log are noted (copies/page-watch.ts); null without copies. */
  changed?: SharedArrayBuffer | null;
  /** Whether days that are over are sealed. */
  seals?: boolean;
  /** How often it looks at the clock and at the log. */
  tickMs?: number;
  /**
   * Pages of log (4 KiB each) above which commits pause for the rest of a checkpoint, so that the
   * log starts over.
   */
  logPagesMax?: number;
  /**
   * How long new questions may wait, at first, for running ones, where the log can be emptied in no
   * other way.
   */
  patienceMinMs?: number;
  /** How long to rest when that wait did not help, as a multiple of it. */
  restFactor?: number;
  /** After this long a day that could not be sealed is tried again. */
  sealRetryMs?: number;
  /** Hits of the parts that days are sealed in, about. */
  partHitsMax?: number;
}

const tickMsDefault = 1000;
/** 64 MiB: half a minute of a very busy server. */
const logPagesMaxDefault = 16_384;
/** Longer than nearly every question takes. */
const patienceMinMsDefault = 1000;
/** Questions wait for a tenth of the time at most. */
const restFactorDefault = 10;
const sealRetryMsDefault = 30_000;
/**
 * Rest between two steps of dropping rows: a day of a million hits takes a minute, and no hit
 * waits.
 */
const trimRestMs = 10;

export const startMaintenance = (options: MaintenanceOptions) => {
  const { db, dataDir, now, commits, questions, log, onNewDay } = options;
  const { logPagesMax = logPagesMaxDefault, patienceMinMs = patienceMinMsDefault } = options;
  const { tickMs = tickMsDefault, restFactor = restFactorDefault } = options;
  /** A day that is being encoded is read, which keeps the log from being emptied. */
  const alone = serialQueue();
  const checkpointer = maintenanceThread(dataDir, { changed: options.changed ?? null });
  const collectGarbage = garbageCollector();
  let isResting = false;
  const checkpoints = keepLogShort({
    copy(truncate) {
      isResting = false;
      return checkpointer.checkpoint(truncate);
    },
    logState: () => logState(db),
    rest() {
      // V8 gives back what a start or a load took only while it allocates more.
      if (!isResting) collectGarbage();
      isResting = true;
      // Where pages are noted, each start of the thread would leave a descriptor open
      // (copies/wal.ts).
      if (!options.changed) void checkpointer.close();
    },
    ...{ commits, questions, alone, log, logPagesMax, patienceMinMs, restFactor },
  });
  const sealing = startSealing(options, alone);
  let isClosed = false;
  /** The newest day that was begun. */
  let day = Number.NEGATIVE_INFINITY;
  const checkpointing = coalesced(async () => {
    if (!isClosed) await checkpoints.run();
  });

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
    if (options.seals ?? true) sealing.start();
  };

  const tick = (): void => {
    const today = utcDayOf(now());
    if (today > day) beginDay(today);
    checkpointing().catch(error => {
      // A log that could not be copied is tried again at the next tick.
      if (!isClosed) log('maintenance-failed', { what: 'checkpoint', reason: reasonOf(error) });
    });
  };
  // The log is left alone for a second, in which the first hits are waited for.
  beginDay(utcDayOf(now()));
  const timer = setInterval(tick, tickMs);

  return {
    /** Stops after the step at hand. */
    async close() {
      isClosed = true;
      clearInterval(timer);
      await Promise.allSettled([sealing.close(), checkpointing()]);
      await checkpointer.close();
    },
  };
};

/**
 * Encodes days in a thread of its own: commits may wait for the end of a checkpoint, and must not
 * wait for that.
 */
const startSealing = (options: MaintenanceOptions, alone: ReturnType<typeof serialQueue>) => {
  const { db, dataDir, now, commits, log, sealRetryMs = sealRetryMsDefault, partHitsMax } = options;
  const seal = sealer(db);
  const encoder = maintenanceThread(dataDir, { partHitsMax });
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  const sealDay = async (siteDay: SiteDay): Promise<void> => {
    const sealing = seal.begin(siteDay);
    const parts = encoder.encode(siteDay);
    const nextPart = (): Promise<IteratorResult<EncodedPart, void>> => alone(() => parts.next());
    for (let part = await nextPart(); !part.done; part = await nextPart()) {
      for (const _ of sealing.write(part.value)) {
        if (isClosed) return;
        await wait(0);
      }
      if (isClosed) return;
    }
    const { siteId, day, hits, visits, bytes } = sealing.finish(now());
    log('sealed', { site: siteId, day: utcDayName(day), hits, visits, bytes });
  };

  const sealFinished = async (): Promise<void> => {
    if (isClosed) return;
    await commits.idle();
    let failed: unknown;
    for (const siteDay of seal.pending(utcDayOf(now()))) {
      try {
        await sealDay(siteDay);
      } catch (error) {
        // One day that cannot be sealed must not keep the others open.
        const { siteId, day } = siteDay;
        log('seal-failed', { site: siteId, day: utcDayName(day), reason: reasonOf(error) });
        failed = error;
      }
      if (isClosed) return;
    }
    // It is needed once a day, and what it read is large.
    await encoder.close();
    if (failed !== undefined) throw failed;
    for (const _ of seal.trim()) {
      await wait(trimRestMs);
      if (isClosed) return;
    }
  };

  const sealing = coalesced(sealFinished);
  const start = (): void => {
    clearTimeout(retry);
    sealing().catch(error => {
      if (isClosed) return;
      retry = setTimeout(start, sealRetryMs).unref();
      log('maintenance-failed', { what: 'seal', reason: reasonOf(error) });
    });
  };
  return {
    /**
     * Seals every finished day and drops its rows, after what is being sealed already. A day that
     * fails is tried again.
     */
    start,
    /** Stops after the step at hand. */
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await Promise.allSettled([sealing()]);
      await encoder.close();
    },
  };
};
