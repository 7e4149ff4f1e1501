/**
 * Puts a queue before an engine that takes any number of queries, and is somewhere else: each asker
 * has a share of those that run and of those that wait, as with the threads of this machine.
 */
import { Histogram } from '../model/histogram.ts';
import { QueryBusy, QueryCanceled, type QueryError } from './errors.ts';
import type { QueryEngine } from './query-engine.ts';
import { createFairQueue } from './threads/fair-queue.ts';
import { beginTask, type PendingTask } from './threads/pending-task.ts';
import type { PoolStats } from './threads/pool.ts';

export interface QueuedEngine extends QueryEngine {
  stats(): PoolStats;
  /** Cancels what runs and what waits. */
  close(): void;
}

export interface QueueBounds {
  /** From the call of `run` to its answer. */
  deadlineMs: number;
  /** Queries that wait, of which each asker has a share; one more is refused with QueryBusy. */
  waitingMax: number;
}

export const queuedEngine = (engine: QueryEngine, { deadlineMs, waitingMax }: QueueBounds): QueuedEngine => {
  const outcomes: PoolStats['outcomes'] = {
    ...{ answered: 0, timeout: 0, 'too-large': 0, canceled: 0, busy: 0, failed: 0 },
  };
  const times = new Histogram();
  const waiting = createFairQueue(waitingMax);
  /** What runs, and what stops it. */
  const running = new Map<PendingTask, AbortController>();
  let nextId = 1;
  let isClosed = false;

  const begin = async (pending: PendingTask): Promise<void> => {
    const stop = new AbortController();
    running.set(pending, stop);
    try {
      pending.succeed(await engine.run(pending.query, pending.errand.asker, stop.signal));
    } catch (error) {
      pending.fail(error as QueryError);
    }
    running.delete(pending);
    handOut();
  };
  const handOut = (): void => {
    for (let next = waiting.next([...running.keys()]); next !== undefined; next = waiting.next([...running.keys()]))
      void begin(next);
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
        const onEnd = (outcome: keyof typeof outcomes, seconds: number): void => {
          outcomes[outcome]++;
          if (outcome === 'answered') times.observe(seconds);
        };
        const onAbandon = (pending: PendingTask): void => {
          waiting.takeOut(pending);
          running.get(pending)?.abort();
        };
        waiting.push(beginTask(errand, query, { deadlineMs, signal, resolve, reject, onEnd, onAbandon }));
        handOut();
      }),
    stats: () => ({ waiting: waiting.size(), running: running.size, outcomes, times }),
    close() {
      isClosed = true;
      for (const pending of [...waiting.clear(), ...running.keys()]) pending.fail(new QueryCanceled());
      for (const stop of running.values()) stop.abort();
    },
  };
};
