/**
 * Answers queries in threads, so that the collector never waits for one. Each asker has some tasks
 * running, which work in turns (turns.ts), and others that wait for them.
 */
import { QueryFailed } from '../errors.ts';
import type { PendingTask } from './pending-task.ts';
import { createQueryThreads, type QueryThreadsOptions } from './query-threads.ts';
import { createTaskQueue, type QueueBounds, type TaskQueue } from './task-queue.ts';

export interface QueryPoolOptions extends QueueBounds {
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
  /** How long a thread may take to notice that its task was canceled before it is replaced. */
  graceMs?: number;
  /** So long after the last question threads end with all they keep. By default ten minutes. */
  restMs?: number;
  /** Starts another kind of worker; for tests. */
  startThread?: QueryThreadsOptions['startThread'];
}

export interface QueryPool extends Pick<TaskQueue, 'run' | 'stats'> {
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
  const { workers: count, startThread, graceMs = graceDefaultMs, restMs = restDefaultMs } = options;
  const { foundBytesMax = Number.POSITIVE_INFINITY, smallBytes = 0 } = options;
  /** Resolves the hold of the threads; set while they are held. */
  let endHold: ((idle: boolean) => void) | undefined;
  let isClosed = false;

  const endHoldIfIdle = (): void => {
    if (threads.running().length === 0) endHold?.(true);
  };
  const threads = createQueryThreads({
    ...options,
    ...{ foundBytesMax, count, graceMs, restMs, smallBytes, startThread },
    onSettled() {
      endHoldIfIdle();
      queue.handOut();
    },
    onLost: pending => queue.putBack(pending),
  });
  const begin = (pending: PendingTask): void => {
    try {
      threads.give(pending);
    } catch (error) {
      // It costs the one task that needs it; the next one tries again.
      pending.fail(new QueryFailed((error as Error).message));
    }
  };
  const isHeld = (): boolean => endHold !== undefined;
  const queue = createTaskQueue(options, { running: threads.running, begin, abandon: threads.cancel, isHeld });

  const release = (): void => {
    endHold = undefined;
    queue.handOut();
  };
  const hold = (patienceMs: number): Promise<boolean> =>
    new Promise(resolve => {
      const giveUp = setTimeout(() => {
        resolve(false);
        release();
      }, patienceMs);
      endHold = idle => {
        clearTimeout(giveUp);
        resolve(idle);
      };
      endHoldIfIdle();
    });

  return {
    run: queue.run,
    stats: queue.stats,
    hold: patienceMs => (isClosed ? Promise.resolve(false) : hold(patienceMs)),
    release,
    async close() {
      isClosed = true;
      endHold?.(false);
      queue.close();
      await threads.close();
    },
  };
};
