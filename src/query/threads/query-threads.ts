/** The query threads: starts them, introduces them to each other, gives them jobs, and ends those that died or no longer react. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { type LRU, lru } from 'tiny-lru';
import { startWorker } from '../../start-worker.ts';
import { createCoreSlots } from './core-slots.ts';
import { watchMainThread } from './main-thread.ts';
import type { Introduction, Job, Reply, ResultOf, Task, WorkerSettings } from './messages.ts';
import type { PendingTask } from './pending-task.ts';

/** A job, and the tasks that it answers together. */
export interface Run extends Job {
  members: readonly PendingTask[];
  /** Divides the job's result into those of the members, in their order. */
  split(result: ResultOf<Task>): ResultOf<Task>[];
}

export interface Thread {
  /** Node's own, never given again: slots are held under it. */
  id: number;
  /** From 0; days belong to a thread by its number, and so to another one that takes its place. */
  number: number;
  worker: Worker;
  /** As in `WorkerSettings`. */
  canceled: Int32Array<SharedArrayBuffer>;
  /** Of the jobs it was given; 0 before the first. */
  newestJobId: number;
  /** Keys of the questions it answered lately, of which it may have kept the answers. */
  answered: LRU<true>;
  running: Run | undefined;
  /** Set while the running job is canceled and the thread has not said so yet. */
  grace: NodeJS.Timeout | undefined;
}

export interface QueryThreadsOptions {
  dataDir: string;
  count: number;
  /** For what all threads together keep of sealed days, in bytes. */
  cacheBytesMax: number;
  /** How long a thread may take to notice that its job was canceled before it is replaced. */
  graceMs: number;
  /** Starts another kind of worker; for tests. */
  startThread: ((settings: WorkerSettings) => Worker) | undefined;
  /** A thread says how its job ended, and is idle now. */
  onReply(thread: Thread, run: Run, reply: Reply): void;
  /** A thread has died or no longer reacted, in the middle of a job unless it was idle. */
  onThreadEnd(run: Run | undefined, reason: string): void;
}

export interface QueryThreads {
  /** Those that live. */
  list: readonly Thread[];
  /** Starts the threads that are missing. Throws where there would be none at all: the system has no thread to give. */
  startMissing(): void;
  /** Gives a job to an idle thread. */
  give(thread: Thread, run: Run): void;
  /** Tells a thread that nobody waits for its job. */
  cancel(thread: Thread): void;
  /** Ends all of them. */
  close(): Promise<void>;
}

/** Questions a thread is remembered to have answered, some 200 bytes each. */
const answeredMax = 1000;

export const isIdle = (thread: Thread): boolean => thread.running === undefined;

const startQueryThread = (settings: WorkerSettings): Worker =>
  startWorker('query-worker', 'src/query/threads/worker.ts', settings);

export const createQueryThreads = (options: QueryThreadsOptions): QueryThreads => {
  const { dataDir, count, graceMs, startThread = startQueryThread, onReply, onThreadEnd } = options;
  const cacheBytesMax = Math.floor(options.cacheBytesMax / count);
  const threads: Thread[] = [];
  let closed = false;
  const slots = createCoreSlots(count);
  const lookAtMainThread = watchMainThread({
    threads: count,
    allow: slots.allow,
    isNeeded: () => !closed && threads.some(thread => !isIdle(thread)),
  });

  const start = (): void => {
    const canceled = new SharedArrayBuffer(4);
    const number = Array.from({ length: count }, (_, i) => i).find(i => threads.every(thread => thread.number !== i))!;
    const worker = startThread({ dataDir, cacheBytesMax, count, slots: slots.words, canceled });
    worker.unref();
    const thread: Thread = {
      id: worker.threadId, // which the worker itself forgets when it ends
      number,
      worker,
      canceled: new Int32Array(canceled),
      newestJobId: 0,
      answered: lru(answeredMax),
      running: undefined,
      grace: undefined,
    };
    worker.on('message', (reply: Reply) => finish(thread, reply));
    worker.on('error', (error: Error) => end(thread, error.message));
    worker.on('exit', code => end(thread, `the worker ended with code ${code}`));
    for (const other of threads) introduce(thread, other);
    threads.push(thread);
  };

  const finish = (thread: Thread, reply: Reply): void => {
    const run = thread.running;
    // None where the thread was given up already. And once all are ended, each must keep the process until it has.
    if (closed || run === undefined) return;
    clearTimeout(thread.grace);
    thread.grace = undefined;
    thread.running = undefined;
    thread.worker.unref();
    onReply(thread, run, reply);
  };

  /** Another is started when a job needs one, so that a thread that cannot even start fails one job each time and not forever. */
  const end = (thread: Thread, reason: string): void => {
    const at = threads.indexOf(thread);
    if (at < 0 || closed) return;
    threads.splice(at, 1);
    clearTimeout(thread.grace);
    void thread.worker.terminate().then(() => slots.free(thread.id));
    const run = thread.running;
    thread.running = undefined;
    onThreadEnd(run, reason);
  };

  return {
    list: threads,
    startMissing() {
      while (threads.length < count) {
        try {
          start();
        } catch (error) {
          if (threads.length === 0) throw error;
          return;
        }
      }
    },
    give(thread, run) {
      const { id, task } = run;
      thread.newestJobId = id;
      thread.running = run;
      thread.worker.ref();
      thread.worker.postMessage({ id, task } satisfies Job);
      lookAtMainThread();
    },
    cancel(thread) {
      Atomics.store(thread.canceled, 0, thread.newestJobId);
      thread.grace = setTimeout(() => end(thread, 'the worker did not react'), graceMs);
      thread.grace.unref();
    },
    async close() {
      closed = true;
      for (const thread of threads) clearTimeout(thread.grace);
      await Promise.all(threads.map(thread => thread.worker.terminate()));
    },
  };
};

/** Introduces two threads to each other. */
const introduce = (one: Thread, other: Thread): void => {
  const { port1, port2 } = new MessageChannel();
  const order = ({ number, canceled }: Thread, port: MessagePort): Introduction => ({
    number,
    port,
    canceled: canceled.buffer,
  });
  one.worker.postMessage(order(other, port1), [port1]);
  other.worker.postMessage(order(one, port2), [port2]);
};
