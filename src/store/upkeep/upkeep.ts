/**
 * What a running server does for its data on the side: seals days after midnight UTC and those that were missed, drops their rows,
 * and keeps the log short. Slow work happens in a worker thread; this thread only commits, a few milliseconds at a time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { type Log, reasonOf } from '../../log.ts';
import { utcDayName, utcDayOf } from '../../model/time.ts';
import { startWorker } from '../../package-root.ts';
import type { Database } from '../database.ts';
import { type EncodedDay, sealer } from '../day/seal.ts';
import type { UpkeepReply, UpkeepRequest } from './upkeep-worker.ts';

/** How the upkeep gets the collector's writer out of its way. */
export interface CommitGate {
  /** Resolves when every hit that arrived so far is committed. */
  idle(): Promise<void>;
  /** Commits wait, hits gather, until `resume`. */
  pause(): void;
  resume(): void;
}

export interface UpkeepOptions {
  db: Database;
  dataDir: string;
  now: () => number;
  gate: CommitGate;
  log: Log;
  /** Called at the start and when a UTC day begins, before the day that ended is sealed; called again a moment later when it throws. */
  onNewDay: () => void;
  /** Pages of log (4 KiB each) above which commits are held for the moment that the rest of a checkpoint takes, so that the log starts anew. */
  logPagesMax?: number;
  /** After this long a day that could not be sealed is tried again. */
  sealRetryMs?: number;
}

export interface Upkeep {
  /** Stops after the step at hand. */
  close(): Promise<void>;
}

/** How often the clock and the log are looked at. */
const tickMs = 1000;
/** 64 MiB: half a minute of a very busy server. */
const logPagesMaxDefault = 16_384;
const sealRetryMsDefault = 30_000;
/** Rest between two steps of dropping rows: a day of a million hits is trimmed within a minute and nobody notices. */
const trimRestMs = 10;

export const startUpkeep = (options: UpkeepOptions): Upkeep => {
  const { db, dataDir, now, gate, log, onNewDay } = options;
  const { logPagesMax = logPagesMaxDefault, sealRetryMs = sealRetryMsDefault } = options;
  const seal = sealer(db);
  // Two threads, because commits may wait for the end of a checkpoint, and must not wait for a day to be encoded.
  const encoder = upkeepThread(dataDir);
  const checkpointer = upkeepThread(dataDir);
  let closed = false;
  /** The newest day that was begun. */
  let day = Number.NEGATIVE_INFINITY;
  let truncateSoon = false;
  let retry: NodeJS.Timeout | undefined;

  const sealDay = async (encoded: EncodedDay): Promise<void> => {
    const started = now();
    for (const _ of seal.write(encoded, started)) {
      await wait(0);
      if (closed) return;
    }
    const { siteId, day, hits, visits } = encoded.facts;
    const bytes = encoded.columns.reduce((sum, { data }) => sum + data.byteLength, 0);
    log('sealed', { site: siteId, day: utcDayName(day), hits, visits, bytes });
  };

  const sealFinished = async (): Promise<void> => {
    if (closed) return;
    await gate.idle();
    let failed: unknown;
    for (const siteDay of seal.pending(utcDayOf(now()))) {
      try {
        const encoded = await encoder.encode(siteDay);
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
    if (closed) return;
    // The log starts anew only when every page of it is copied at the moment of a commit, which under load is never.
    const logPages = await checkpointer.checkpoint(false);
    if ((logPages === null || logPages <= logPagesMax) && !truncateSoon) return;
    gate.pause();
    try {
      const last = await checkpointer.checkpoint(truncateSoon);
      if (last !== null) truncateSoon = false;
    } finally {
      gate.resume();
    }
  };

  const sealing = coalesce(sealFinished);
  const checkpointing = coalesce(checkpoint);
  const inBackground = (name: string, work: Promise<void>): void => {
    work.catch(error => {
      if (!closed) log('upkeep-failed', { what: name, reason: reasonOf(error) });
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
      log('upkeep-failed', { what: 'new-day', reason: reasonOf(error) });
      return;
    }
    day = today;
    // The log may still hold the page with an old salt: it is emptied once.
    truncateSoon = true;
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

/** Runs work one call after the other; calls that come while one is waiting share it. */
const coalesce = (work: () => Promise<void>): (() => Promise<void>) => {
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  return () => {
    // A failure belongs to the caller of the call that failed; the next one runs all the same.
    waiting ??= last
      .catch(() => {})
      .then(() => {
        waiting = undefined;
        last = work();
        return last;
      });
    return waiting;
  };
};

interface UpkeepThread {
  encode(siteDay: { siteId: number; day: number }): Promise<EncodedDay>;
  checkpoint(truncate: boolean): Promise<number | null>;
  close(): Promise<void>;
}

/** The worker, started when it is first needed and anew after it died. It answers in the order it is asked. */
const upkeepThread = (dataDir: string): UpkeepThread => {
  let worker: Worker | undefined;
  const start = (): Worker => {
    const started = startWorker('upkeep-worker', 'src/store/upkeep/upkeep-worker.ts', { dataDir });
    started.once('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  };

  let last: Promise<unknown> = Promise.resolve();
  const ask = (request: UpkeepRequest): Promise<UpkeepReply> => {
    const reply = last.then(() => exchange(request));
    last = reply.catch(() => {});
    return reply;
  };

  const exchange = (request: UpkeepRequest): Promise<UpkeepReply> =>
    new Promise((resolve, reject) => {
      worker ??= start();
      const asked = worker;
      const settle = (result: UpkeepReply | Error): void => {
        asked.off('message', settle);
        asked.off('error', settle);
        asked.off('exit', onExit);
        if (result instanceof Error) reject(result);
        else if (result.kind === 'failed') reject(new Error(result.message));
        else resolve(result);
      };
      const onExit = (code: number): void => settle(new Error(`the upkeep thread ended with code ${code}`));
      asked.on('message', settle);
      asked.on('error', settle);
      asked.on('exit', onExit);
      asked.postMessage(request);
    });

  return {
    async encode(siteDay) {
      const reply = await ask({ kind: 'encode', siteDay });
      if (reply.kind !== 'encoded') throw new Error(`unexpected reply ${reply.kind}`);
      return reply.encoded;
    },
    async checkpoint(truncate) {
      const reply = await ask({ kind: 'checkpoint', truncate });
      if (reply.kind !== 'checkpointed') throw new Error(`unexpected reply ${reply.kind}`);
      return reply.logPages;
    },
    async close() {
      const ending = worker;
      if (ending === undefined) return;
      const ended = new Promise<void>(resolve => ending.once('exit', () => resolve()));
      ending.postMessage({ kind: 'close' } satisfies UpkeepRequest);
      await ended;
    },
  };
};
