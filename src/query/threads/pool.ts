/**
 * Answers queries in threads, so that the collector never waits for one. Each asker has some tasks
 * running, which work in turns (turns.ts), and others that wait for them.
 */
import { Histogram } from '../../model/histogram.ts';
import { QueryBusy, QueryCanceled, QueryFailed } from '../errors.ts';
import type { QueryEngine } from '../query-engine.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import { beginTask, type PendingTask, type TaskOutcome } from './pending-task.ts';
import { createQueryThreads, type QueryThreads, type QueryThreadsOptions } from './query-threads.ts';

export interface QueryPoolOptions {
  dataDir: string;
  /** Threads at most. The first question starts them: an idle server should not pay for them. */
  workers: number;
  /**
   * Bytes of the database's file up to which one thread is as fast as all, and the others start
   * with a question that comes while it works. 0 if missing.
   */
  smallBytes?: number;
  /** For what all threads together keep of sealed days, in bytes. */
  cacheBytesMax: number;
  /**
   * What all threads together may find out for one query before it is merged, in bytes; beyond it
   * the query is a QueryTooLarge. Any size if missing.
   */
  foundBytesMax?: number;
  /** From the call of `run` to its answer. */
  deadlineMs: number;
  /** Tasks that wait, of which each asker has a share; one more is refused with QueryBusy. */
  waitingMax: number;
  /** How long a thread may take to notice that its task was canceled before it is replaced. */
  graceMs?: number;
  /** So long after the last question threads end with all they keep. By default ten minutes. */
  restMs?: number;
  /** Starts another kind of worker; for tests. */
  startThread?: QueryThreadsOptions['startThread'];
}

/**
 * What the pool has done since it started; `outcomes` and `times` are its own and go on counting.
 */
export interface PoolStats {
  waiting: number;
  running: number;
  outcomes: Record<TaskOutcome | 'busy', number>;
  /** Seconds from the call to the answer, waiting included. */
  times: Histogram;
}

export interface QueryPool extends QueryEngine {
  stats(): PoolStats;
  /**
   * Hands out no task until `release`, so that no thread reads the file. Resolves with true when
   * what runs has ended. Resolves with false when it has not within `patienceMs`, and then holds
   * nothing any more. Tasks that wait meanwhile keep their deadlines.
   */
  hold(patienceMs: number): Promise<boolean>;
  release(): void;
  /** Cancels what still runs and ends the threads. */
  close(): Promise<void>;
}

const graceDefaultMs = 2_000;
/** Then the next question waits for their start, a tenth of a second. */
const restDefaultMs = 10 * 60_000;

export const createQueryPool = (options: QueryPoolOptions): QueryPool => {
  const { deadlineMs, waitingMax, workers: count, startThread } = options;
  const { graceMs = graceDefaultMs, restMs = restDefaultMs } = options;
  const { foundBytesMax = Number.POSITIVE_INFINITY, smallBytes = 0 } = options;
  const outcomes: PoolStats['outcomes'] = {
    ...{ answered: 0, timeout: 0, 'too-large': 0, canceled: 0, busy: 0, failed: 0 },
  };
  const times = new Histogram();
  const waiting = createFairQueue(waitingMax);
  const onSettled = (): void => handout.handOut();
  const threads = createQueryThreads({
    ...options,
    foundBytesMax,
    count,
    graceMs,
    restMs,
    smallBytes,
    startThread,
    onSettled,
    onLost: waiting.push,
  });
  const handout = createHandout(waiting, threads);
  let nextId = 1;
  let closed = false;

  const run: QueryPool['run'] = (query, asker, signal) =>
    new Promise((resolve, reject) => {
      if (closed || signal?.aborted) return reject(new QueryCanceled());
      if (!waiting.hasRoom(asker)) {
        outcomes.busy++;
        return reject(new QueryBusy(waiting.size()));
      }
      const onEnd = (outcome: TaskOutcome, seconds: number): void => {
        outcomes[outcome]++;
        if (outcome === 'answered') times.observe(seconds);
      };
      const onAbandon = (pending: PendingTask): void => {
        waiting.takeOut(pending);
        threads.cancel(pending);
      };
      const errand = { id: nextId++, asker, canceled: new SharedArrayBuffer(4) };
      waiting.push(beginTask(errand, query, { deadlineMs, signal, resolve, reject, onEnd, onAbandon }));
      handout.handOut();
    });

  return {
    run,
    stats: () => ({ waiting: waiting.size(), running: threads.running().length, outcomes, times }),
    hold: patienceMs => (closed ? Promise.resolve(false) : handout.hold(patienceMs)),
    release: handout.release,
    async close() {
      closed = true;
      const unfinished = [...waiting.clear(), ...threads.running()];
      handout.close();
      for (const pending of unfinished) pending.fail(new QueryCanceled());
      await threads.close();
    },
  };
};

interface Handout {
  /** Gives what waits to the threads; nothing while they are held. */
  handOut(): void;
  /** As in `QueryPool`. */
  hold(patienceMs: number): Promise<boolean>;
  release(): void;
  /** Ends a hold that waits. */
  close(): void;
}

const createHandout = (waiting: FairQueue, threads: QueryThreads): Handout => {
  /** Resolves the hold of the threads; set while they are held. */
  let endHold: ((idle: boolean) => void) | undefined;

  const handOut = (): void => {
    if (endHold !== undefined) {
      if (threads.running().length === 0) endHold(true);
      return;
    }
    while (true) {
      const pending = waiting.next(threads.running());
      if (pending === undefined) return;
      try {
        threads.give(pending);
      } catch (error) {
        // It costs the one task that needs it; the next one tries again.
        pending.fail(new QueryFailed((error as Error).message));
      }
    }
  };

  const release = (): void => {
    endHold = undefined;
    handOut();
  };
  return {
    handOut,
    hold: patienceMs =>
      new Promise(resolve => {
        const giveUp = setTimeout(() => {
          resolve(false);
          release();
        }, patienceMs);
        endHold = idle => {
          clearTimeout(giveUp);
          resolve(idle);
        };
        handOut();
      }),
    release,
    close: () => endHold?.(false),
  };
};
