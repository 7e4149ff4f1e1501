/**
 * Puts a queue before an engine that takes any number of queries, and is somewhere else: each asker
 * has a share, as with the threads of this machine.
 */
import type { QueryError } from './errors.ts';
import type { QueryEngine } from './query-engine.ts';
import type { PendingTask } from './threads/pending-task.ts';
import { createTaskQueue, type QueueBounds, type TaskQueue } from './threads/task-queue.ts';

export type QueuedEngine = Pick<TaskQueue, 'run' | 'stats' | 'close'>;

export const queuedEngine = (engine: QueryEngine, bounds: QueueBounds): QueuedEngine => {
  /** What runs, and what stops it. */
  const running = new Map<PendingTask, AbortController>();
  const work = async (pending: PendingTask): Promise<void> => {
    const stop = new AbortController();
    running.set(pending, stop);
    try {
      pending.succeed(await engine.run(pending.query, pending.errand.asker, stop.signal));
    } catch (error) {
      pending.fail(error as QueryError);
    }
    running.delete(pending);
    queue.handOut();
  };
  const queue = createTaskQueue(bounds, {
    running: () => [...running.keys()],
    begin: pending => void work(pending),
    abandon: pending => running.get(pending)?.abort(),
  });
  return {
    run: queue.run,
    stats: queue.stats,
    close() {
      queue.close();
      for (const stop of running.values()) stop.abort();
    },
  };
};
