/**
 * The query threads: starts those that are missing, connects them with each other, and gives each
 * task to one of them.
 */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startWorker } from '../../start-worker.ts';
import { QueryCanceled, QueryFailed } from '../errors.ts';
import type { Order, TaskReply, WorkerSettings } from './messages.ts';
import type { PendingTask } from './pending-task.ts';

export interface QueryThreadsOptions {
  dataDir: string;
  count: number;
  /** For what all threads together keep of sealed days, in bytes. */
  cacheBytesMax: number;
  /** How long a thread may take to notice that its task was canceled before it is replaced. */
  graceMs: number;
  /** Starts another kind of worker; for tests. */
  startThread: ((settings: WorkerSettings) => Worker) | undefined;
  /** Called when a thread has become idle, or has ended and may be replaced. */
  onIdle(): void;
}

export interface QueryThreads {
  /** The tasks that threads work on. */
  running(): PendingTask[];
  /**
   * Gives a task to an idle thread, which settles it. False when all are busy. Starts the threads
   * that are missing, and throws when there would be none at all because the system has no thread
   * to give.
   */
  give(pending: PendingTask): boolean;
  /** Tells the thread that works on a task, if any, that nobody waits for it. */
  cancel(pending: PendingTask): void;
  /** Ends all of them. */
  close(): Promise<void>;
}

export const createQueryThreads = (options: QueryThreadsOptions): QueryThreads => {
  const { dataDir, count, graceMs, startThread = startQueryThread, onIdle } = options;
  const cacheBytesMax = Math.floor(options.cacheBytesMax / count);
  /** By number; one that ended leaves its place to another. */
  const threads = new Map<number, QueryThread>();

  const start = (number: number): void => {
    const canceled = new SharedArrayBuffer(4);
    const worker = startThread({ dataDir, cacheBytesMax, count, canceled });
    const onEnd = (): void => {
      threads.delete(number);
      onIdle();
    };
    const thread = createQueryThread({ number, worker, canceled, graceMs, onIdle, onEnd });
    for (const other of threads.values()) connect(thread, other);
    threads.set(number, thread);
  };

  /**
   * Only when a task needs one: a thread that cannot even start fails one task each time and does
   * not start forever.
   */
  const startMissing = (): void => {
    for (let number = 0; number < count; number++)
      try {
        if (!threads.has(number)) start(number);
      } catch (error) {
        if (threads.size === 0 && number === count - 1) throw error;
      }
  };

  return {
    running: () => [...threads.values()].flatMap(thread => thread.running() ?? []),
    give(pending) {
      startMissing();
      // The first that is idle: it is likely to have answered the same question before, and to have
      // kept the answer.
      const thread = [...threads.values()].find(thread => thread.running() === undefined);
      thread?.answer(pending);
      return thread !== undefined;
    },
    cancel(pending) {
      for (const thread of threads.values()) if (thread.running() === pending) thread.cancel();
    },
    async close() {
      await Promise.all([...threads.values()].map(thread => thread.close()));
    },
  };
};

const startQueryThread = (settings: WorkerSettings): Worker =>
  startWorker('query-worker', 'src/query/threads/worker.ts', settings);

const connect = (one: QueryThread, other: QueryThread): void => {
  const { port1, port2 } = new MessageChannel();
  one.tell({ kind: 'connect', number: other.number, canceled: other.canceled, port: port1 }, port1);
  other.tell({ kind: 'connect', number: one.number, canceled: one.canceled, port: port2 }, port2);
};

/** A thread works on one task at a time, and ends when it dies or no longer reacts. */
interface QueryThread {
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

interface QueryThreadOptions {
  number: number;
  worker: Worker;
  canceled: WorkerSettings['canceled'];
  graceMs: number;
  /** Called when it has settled a task. */
  onIdle(): void;
  /** Called once when it ended by itself, after its task was failed. */
  onEnd(): void;
}

const createQueryThread = (options: QueryThreadOptions): QueryThread => {
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
