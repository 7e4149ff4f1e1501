/**
 * What stands before whatever answers queries: each asker has a share of those that run and of
 * those that wait, and each query a deadline.
 */
import { Histogram } from '../../model/histogram.ts';
import { QueryBusy, QueryCanceled } from '../errors.ts';
import type { QueryEngine } from '../query-engine.ts';
import { createFairQueue } from './fair-queue.ts';
import { beginTask, type PendingTask, type TaskOutcome } from './pending-task.ts';

export interface QueueBounds {
  /** From the call of `run` to its answer. */
  deadlineMs: number;
  /** Tasks that wait, of which each asker has a share; one more is refused with QueryBusy. */
  waitingMax: number;
}

/** What works on the tasks. */
export interface Tasks {
  running(): PendingTask[];
  /** Begins to work on one, which it settles. */
  begin(pending: PendingTask): void;
  /** Tells that nobody waits any more for one that may be running. */
  abandon(pending: PendingTask): void;
  /** Whether none is to begin for now. */
  isHeld?(): boolean;
}

/** What came of all tasks so far; `outcomes` and `times` go on counting. */
export interface QueueStats {
  waiting: number;
  running: number;
  outcomes: Record<TaskOutcome | 'busy', number>;
  /** Seconds from the call to the answer, waiting included. */
  times: Histogram;
}

export interface TaskQueue extends QueryEngine {
  stats(): QueueStats;
  /** Begins what may run now. To be called whenever a task has ended. */
  handOut(): void;
  /** Lets a task that was begun wait again. */
  putBack(pending: PendingTask): void;
  /** Cancels what runs and what waits. */
  close(): void;
}

export const createTaskQueue = ({ deadlineMs, waitingMax }: QueueBounds, tasks: Tasks): TaskQueue => {
  const outcomes = { answered: 0, timeout: 0, 'too-large': 0, canceled: 0, busy: 0, failed: 0 };
  const times = new Histogram();
  const waiting = createFairQueue(waitingMax);
  let nextId = 1;
  let isClosed = false;

  const handOut = (): void => {
    while (!tasks.isHeld?.()) {
      const next = waiting.next(tasks.running());
      if (next === undefined) return;
      tasks.begin(next);
    }
  };

  return {
    run: (query, asker, signal) =>
      new Promise((resolve, reject) => {
        if (isClosed || signal?.aborted) return reject(new QueryCanceled());
        if (!waiting.hasRoom(asker)) {
          outcomes.busy++;
          return reject(new QueryBusy(waiting.size()));
        }
        const errand = { id: nextId++, asker, canceled: new SharedArrayBuffer(4) };
        const onEnd = (outcome: TaskOutcome, seconds: number): void => {
          outcomes[outcome]++;
          if (outcome === 'answered') times.observe(seconds);
        };
        const onAbandon = (pending: PendingTask): void => {
          waiting.takeOut(pending);
          tasks.abandon(pending);
        };
        waiting.push(beginTask(errand, query, { deadlineMs, signal, resolve, reject, onEnd, onAbandon }));
        handOut();
      }),
    stats: () => ({ waiting: waiting.size(), running: tasks.running().length, outcomes, times }),
    handOut,
    putBack: waiting.push,
    close() {
      isClosed = true;
      for (const pending of [...waiting.clear(), ...tasks.running()]) pending.fail(new QueryCanceled());
    },
  };
};
