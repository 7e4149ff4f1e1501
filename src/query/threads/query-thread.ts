/**
 * One query thread, as the pool sees it: it works on one task at a time, and ends when it dies or
 * no longer reacts.
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import { QueryCanceled, QueryFailed } from '../errors.ts';
import type { Order, TaskReply, WorkerSettings } from './messages.ts';
import type { PendingTask } from './pending-task.ts';

export interface QueryThread {
  /** From 0. Days belong to a thread by its number, and so to the one that takes its place. */
  number: number;
  canceled: WorkerSettings['canceled'];
  /** What it works on; undefined while it is idle. */
  running(): PendingTask | undefined;
  /** Gives it a task, which it settles. It must be idle. */
  answer(pending: PendingTask): void;
  /** Tells it that nobody waits for its task. If it does not stop within `graceMs`, it ends. */
  cancel(): void;
  tell(order: Order, port: MessagePort): void;
  close(): Promise<unknown>;
}

export interface QueryThreadOptions {
  number: number;
  worker: Worker;
  canceled: WorkerSettings['canceled'];
  graceMs: number;
  /** Called when it has settled a task. */
  onIdle(): void;
  /** Called once when it ended by itself, after its task was failed. */
  onEnd(): void;
}

export const createQueryThread = (options: QueryThreadOptions): QueryThread => {
  const { number, worker, canceled, graceMs, onIdle, onEnd } = options;
  let running: PendingTask | undefined;
  /** Set while its task is canceled and it has not said that it stopped. */
  let grace: NodeJS.Timeout | undefined;
  let ended = false;

  const finish = (reply: TaskReply): void => {
    const pending = running;
    if (ended || pending === undefined) return;
    clearTimeout(grace);
    running = undefined;
    worker.unref();
    if (reply.kind === 'done') pending.succeed(reply.result);
    else pending.fail(reply.canceled ? new QueryCanceled() : new QueryFailed(reply.message));
    onIdle();
  };

  /** Resolves when the thread is gone; until then it keeps the process. */
  const stop = (): Promise<unknown> => {
    ended = true;
    clearTimeout(grace);
    return worker.terminate();
  };

  const end = (reason: string): void => {
    if (ended) return;
    void stop();
    running?.fail(new QueryFailed(reason));
    onEnd();
  };

  worker.unref();
  worker.on('message', finish);
  worker.on('error', (error: Error) => end(error.message));
  worker.on('exit', code => end(`the worker ended with code ${code}`));
  const tell = (order: Order, ...ports: MessagePort[]): void => worker.postMessage(order, ports);
  return {
    number,
    canceled,
    running: () => running,
    answer(pending) {
      running = pending;
      worker.ref();
      tell({ kind: 'task', id: pending.id, query: pending.query });
    },
    cancel() {
      Atomics.store(new Int32Array(canceled), 0, running!.id);
      grace = setTimeout(() => end('the worker did not react'), graceMs).unref();
    },
    tell,
    close: stop,
  };
};
