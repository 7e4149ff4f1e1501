/**
 * Answers queries in threads, so that the collector never waits for one. Tasks wait in a bounded
 * queue until a thread is idle.
 */
import { Histogram } from '../../model/histogram.ts';
import { QueryBusy, QueryCanceled, QueryFailed } from '../errors.ts';
import type { Query, Report } from '../query.ts';
import { beginTask, type PendingTask, type TaskOutcome } from './pending-task.ts';
import { createQueryThreads, type QueryThreads, type QueryThreadsOptions } from './query-threads.ts';

export interface QueryPoolOptions {
  dataDir: string;
  /**
   * Threads, all started by the first question: a start and an idle server should not pay for them.
   */
  workers: number;
  /** For what all threads together keep of sealed days, in bytes. */
  cacheBytesMax: number;
  /** From the call of `run` to its answer. */
  deadlineMs: number;
  /** Tasks that wait for a thread; one more is refused with QueryBusy. */
  waitingMax: number;
  /** How long a thread may take to notice that its task was canceled before it is replaced. */
  graceMs?: number;
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

export interface QueryPool {
  /**
   * Rejects with a QueryError: QueryTimeout, QueryCanceled (the signal), QueryBusy or QueryFailed.
   */
  run(query: Query, signal?: AbortSignal): Promise<Report>;
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

export const createQueryPool = (options: QueryPoolOptions): QueryPool => {
  const { deadlineMs, waitingMax, workers: count, graceMs = graceDefaultMs, startThread } = options;
  const outcomes: PoolStats['outcomes'] = { answered: 0, timeout: 0, canceled: 0, busy: 0, failed: 0 };
  const times = new Histogram();
  const threads = createQueryThreads({ ...options, count, graceMs, startThread, onIdle: () => queue.handOut() });
  const queue = createQueue(threads);
  let nextId = 1;
  let closed = false;

  const run: QueryPool['run'] = (query, signal) =>
    new Promise((resolve, reject) => {
      if (closed || signal?.aborted) return reject(new QueryCanceled());
      if (queue.waiting.length >= waitingMax) {
        outcomes.busy++;
        return reject(new QueryBusy(queue.waiting.length));
      }
      const onEnd = (outcome: TaskOutcome, seconds: number): void => {
        outcomes[outcome]++;
        if (outcome === 'answered') times.observe(seconds);
      };
      const onAbandon = (pending: PendingTask): void => {
        queue.takeOut(pending);
        threads.cancel(pending);
      };
      queue.waiting.push(beginTask(nextId++, query, { deadlineMs, signal, resolve, reject, onEnd, onAbandon }));
      queue.handOut();
    });

  return {
    run,
    stats: () => ({ waiting: queue.waiting.length, running: threads.running().length, outcomes, times }),
    hold: patienceMs => (closed ? Promise.resolve(false) : queue.hold(patienceMs)),
    release: queue.release,
    async close() {
      closed = true;
      const unfinished = [...queue.waiting.splice(0), ...threads.running()];
      queue.close();
      for (const pending of unfinished) pending.fail(new QueryCanceled());
      await threads.close();
    },
  };
};

interface Queue {
  /** Oldest first. */
  waiting: PendingTask[];
  takeOut(pending: PendingTask): void;
  /** Gives what waits to idle threads; nothing while they are held. */
  handOut(): void;
  /** As in `QueryPool`. */
  hold(patienceMs: number): Promise<boolean>;
  release(): void;
  /** Ends a hold that waits. */
  close(): void;
}

const createQueue = (threads: QueryThreads): Queue => {
  const waiting: PendingTask[] = [];
  /** Resolves the hold of the threads; set while they are held. */
  let endHold: ((idle: boolean) => void) | undefined;

  const handOut = (): void => {
    if (endHold !== undefined) {
      if (threads.running().length === 0) endHold(true);
      return;
    }
    while (waiting.length > 0) {
      const [pending] = waiting;
      try {
        if (!threads.give(pending!)) return;
      } catch (error) {
        // It costs the one task that needs it; the next one tries again.
        pending!.fail(new QueryFailed((error as Error).message));
      }
      waiting.shift();
    }
  };

  const release = (): void => {
    endHold = undefined;
    handOut();
  };
  return {
    waiting,
    takeOut(pending) {
      const at = waiting.indexOf(pending);
      if (at >= 0) waiting.splice(at, 1);
    },
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
