/**
 * The query threads: starts those that are missing, connects them with each other, and gives each
 * task to one of them.
 */
import { statSync } from 'node:fs';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startWorker } from '../../start-worker.ts';
import { databaseFile } from '../../store/database.ts';
import { QueryFailed } from '../errors.ts';
import { cancel, errorOf, send, type TaskReply, type ThreadOrder, type WorkerSettings } from './messages.ts';
import type { PendingTask } from './pending-task.ts';

export interface QueryThreadsOptions {
  dataDir: string;
  count: number;
  /** For what all threads together keep of sealed days, in bytes. */
  cacheBytesMax: number;
  /** What all threads together may find out for one query, in bytes. */
  foundBytesMax: number;
  /** How long a thread may take to notice that its task was canceled before it is replaced. */
  graceMs: number;
  /** After this long without a task all threads end. */
  restMs: number;
  /** One thread alone answers, one question at a time, where the database has at most that. */
  smallBytes: number;
  /** Starts another kind of worker; for tests. */
  startThread: ((settings: WorkerSettings) => Worker) | undefined;
  /** Called when a task was settled, or a thread has ended and may be replaced. */
  onSettled(): void;
  /** Called with a task that lost its thread by no fault of its own: it begins again elsewhere. */
  onLost(pending: PendingTask): void;
}

export interface QueryThreads {
  /** The tasks that threads work on. */
  running(): PendingTask[];
  /**
   * Gives a task to the thread with the fewest, which settles it. Starts the threads that it
   * needs, and throws when there would be none at all because the system has no thread to give.
   */
  give(pending: PendingTask): void;
  /** Tells the thread that works on a task, if any, that nobody waits for it. */
  cancel(pending: PendingTask): void;
  /** Ends all of them. */
  close(): Promise<void>;
}

export const createQueryThreads = (options: QueryThreadsOptions): QueryThreads => {
  const { dataDir, count, graceMs, restMs, smallBytes, startThread = startQueryThread, onLost } = options;
  const [cacheBytesMax, foundBytesMax] = [options.cacheBytesMax, options.foundBytesMax].map(bytes =>
    Math.floor(bytes / count),
  ) as [number, number];
  /** By number; one that ended leaves its place to another. */
  const threads = new Map<number, QueryThread>();
  let rest: NodeJS.Timeout | undefined;

  const running = (): PendingTask[] => [...threads.values()].flatMap(thread => thread.running());
  const endAll = async (): Promise<void> => {
    const ending = [...threads.values()];
    threads.clear();
    await Promise.all(ending.map(thread => thread.close()));
  };
  const onSettled = (): void => {
    clearTimeout(rest);
    if (running().length === 0) rest = setTimeout(() => void endAll(), restMs).unref();
    options.onSettled();
  };

  const start = (number: number): void => {
    const arrivals = new SharedArrayBuffer(4);
    const worker = startThread({ dataDir, cacheBytesMax, foundBytesMax, count, arrivals });
    const onEnd = (lost: readonly PendingTask[]): void => {
      threads.delete(number);
      lost.forEach(onLost);
      onSettled();
    };
    const thread = createQueryThread({ number, worker, arrivals, graceMs, onSettled, onEnd });
    for (const other of threads.values()) connect(thread, other);
    threads.set(number, thread);
  };

  /**
   * Only when a task needs one: a thread that cannot even start fails one task each time and does
   * not start forever.
   */
  const startMissing = (): void => {
    const needed = running().length === 0 && isSmall(dataDir, smallBytes) ? 1 : count;
    for (let number = 0; number < needed; number++)
      try {
        if (!threads.has(number)) start(number);
      } catch (error) {
        if (threads.size === 0 && number === needed - 1) throw error;
      }
  };

  return {
    running,
    give(pending) {
      clearTimeout(rest);
      startMissing();
      // The first of those that are idle: it is likely to have answered the same question before,
      // and to have kept the answer.
      const inOrder = [...threads.values()].sort((a, b) => a.number - b.number);
      const fewest = Math.min(...inOrder.map(thread => thread.running().length));
      inOrder.find(thread => thread.running().length === fewest)!.answer(pending);
    },
    cancel(pending) {
      for (const thread of threads.values()) if (thread.running().includes(pending)) thread.cancel(pending);
    },
    async close() {
      clearTimeout(rest);
      await endAll();
    },
  };
};

const isSmall = (dataDir: string, smallBytes: number): boolean =>
  smallBytes > 0 && (statSync(databaseFile(dataDir), { throwIfNoEntry: false })?.size ?? 0) <= smallBytes;

const startQueryThread = (settings: WorkerSettings): Worker => startWorker('query-worker', settings);

const connect = (one: QueryThread, other: QueryThread): void => {
  const { port1, port2 } = new MessageChannel();
  one.tell({ kind: 'connect', number: other.number, arrivals: other.arrivals, port: port1 }, port1);
  other.tell({ kind: 'connect', number: one.number, arrivals: one.arrivals, port: port2 }, port2);
};

/** A thread works on its tasks in turns, and ends when it dies or no longer reacts. */
interface QueryThread {
  /** From 0. Days belong to a thread by its number, and so to the one that takes its place. */
  number: number;
  arrivals: WorkerSettings['arrivals'];
  /** What it works on. */
  running(): readonly PendingTask[];
  /** Gives it a task, which it settles. */
  answer(pending: PendingTask): void;
  /** Tells it that nobody waits for its task. If it does not stop within `graceMs`, it is ended. */
  cancel(pending: PendingTask): void;
  tell(order: ThreadOrder, port: MessagePort): void;
  close(): Promise<unknown>;
}

interface QueryThreadOptions {
  number: number;
  worker: Worker;
  arrivals: WorkerSettings['arrivals'];
  graceMs: number;
  /** Called when it has settled a task. */
  onSettled(): void;
  /**
   * Called once when it ended by itself. Its tasks were failed, but for those that another one made
   * it lose.
   */
  onEnd(lost: readonly PendingTask[]): void;
}

const createQueryThread = (options: QueryThreadOptions): QueryThread => {
  const { number, worker, arrivals, graceMs, onSettled, onEnd } = options;
  /** By the id of their errand. */
  const running = new Map<number, PendingTask>();
  /** Set while a task is canceled and the thread has not said that it stopped; by the same id. */
  const graces = new Map<number, NodeJS.Timeout>();
  let ended = false;

  const finish = (reply: TaskReply): void => {
    const pending = running.get(reply.id);
    if (ended || pending === undefined) return;
    clearTimeout(graces.get(reply.id));
    graces.delete(reply.id);
    running.delete(reply.id);
    if (running.size === 0) worker.unref();
    if (reply.kind === 'done') pending.succeed(reply.result);
    else pending.fail(errorOf(reply));
    onSettled();
  };

  /** Resolves when the thread is gone; until then it keeps the process. */
  const stop = (): Promise<unknown> => {
    ended = true;
    for (const grace of graces.values()) clearTimeout(grace);
    return worker.terminate();
  };

  const end = (reason: string, lost: readonly PendingTask[] = []): void => {
    if (ended) return;
    void stop();
    for (const pending of running.values()) if (!lost.includes(pending)) pending.fail(new QueryFailed(reason));
    onEnd(lost);
  };

  const giveUp = (): void => {
    const others = [...running.values()].filter(({ errand }) => !graces.has(errand.id));
    end('the worker did not react', others);
  };

  const tell = (order: ThreadOrder, ...ports: MessagePort[]): void => send(worker, arrivals, order, ...ports);

  worker.unref();
  worker.on('message', finish);
  worker.on('error', (error: Error) => end(error.message));
  worker.on('exit', code => end(`the worker ended with code ${code}`));
  return {
    number,
    arrivals,
    running: () => [...running.values()],
    answer(pending) {
      running.set(pending.errand.id, pending);
      worker.ref();
      tell({ kind: 'task', errand: pending.errand, query: pending.query });
    },
    cancel({ errand }) {
      cancel(errand);
      graces.set(errand.id, setTimeout(giveUp, graceMs).unref());
    },
    tell,
    close: stop,
  };
};
