/**
 * The threads that answer queries, so that the collector never waits for one. Owns who works on what: a bounded queue, a deadline
 * per job, cancelation, and the replacement of workers that died or no longer react.
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { type LRU, lru } from 'tiny-lru';
import { Histogram } from '../model/histogram.ts';
import { startWorker } from '../start-worker.ts';
import { createCoreSlots } from './core-slots.ts';
import { QueryBusy, QueryCanceled, type QueryError, QueryFailed, QueryTimeout } from './errors.ts';
import { watchMainThread } from './main-thread.ts';
import type { Introduction, Job, Reply, ReportTask, ResultOf, Results, Task, WorkerSettings } from './messages.ts';
import { type SentReport, unpackReport } from './parcels.ts';
import type { Query, Report } from './query.ts';
import { sharesWith, uniteQueries } from './unite-queries.ts';

export interface QueryPoolOptions {
  dataDir: string;
  /** Threads, all started by the first question: a start and an idle server should not pay for them. */
  workers: number;
  /** For what all workers together keep of sealed days, in bytes. */
  cacheBytesMax: number;
  /** From the call of `run` to its answer. */
  deadlineMs: number;
  /** Jobs that wait for a worker; one more is refused with QueryBusy. */
  waitingMax: number;
  /** How long a worker may take to notice that its job was canceled before it is replaced. */
  graceMs?: number;
  /** Starts another kind of worker; for tests. */
  startThread?: (settings: WorkerSettings) => Worker;
}

/** What the pool has done since it started; the histogram is its own and goes on counting. */
export interface PoolStats {
  waiting: number;
  running: number;
  outcomes: Record<'answered' | 'timeout' | 'canceled' | 'busy' | 'failed', number>;
  /** Seconds from the call to the answer, waiting included. */
  times: Histogram;
}

export interface QueryPool {
  /** Rejects with a QueryError: QueryTimeout, QueryCanceled (the signal), QueryBusy or QueryFailed. */
  run(query: Query, signal?: AbortSignal): Promise<Report>;
  /** `run` for any kind of task. */
  perform<T extends Task>(task: T, signal?: AbortSignal): Promise<ResultOf<T>>;
  stats(): PoolStats;
  /**
   * Hands out no job until `release`, so that no thread reads the file. Resolves with true when what runs has ended; with false when
   * it has not within `patienceMs`, and then holds nothing any more. Jobs that wait meanwhile keep their deadlines.
   */
  hold(patienceMs: number): Promise<boolean>;
  release(): void;
  /** Cancels what still runs and ends the threads. */
  close(): Promise<void>;
}

const graceDefaultMs = 2_000;

interface Waiting {
  task: Task;
  /** Names what is asked: equal for the same question. */
  key: string;
  /** Equal for questions that are answered together where they wait together; null for one that is answered alone. */
  shared: string | null;
  /** Nobody waits for it any more. */
  abandoned: boolean;
  settle(reply: Reply): void;
  fail(error: QueryError): void;
}

/** A job that a thread works on, and who waits for what of it. */
interface Run {
  id: number;
  members: readonly Waiting[];
  /** The results of the members, of that of the job. */
  split(result: Results[Task['kind']]): Results[Task['kind']][];
}

interface Thread {
  /** No other's ever. */
  id: number;
  /** From 0; days belong to a thread by its number, and so to another one that takes its place. */
  number: number;
  worker: Worker;
  canceled: Int32Array<SharedArrayBuffer>;
  /** The newest job it was given. */
  newest: number;
  /** Keys of the questions it answered lately, of which it may have kept the answers. */
  answered: LRU<true>;
  running: Run | undefined;
  /** Set while the running job is canceled and the thread has not said so yet. */
  grace: NodeJS.Timeout | undefined;
}

/** Questions a thread is remembered to have answered, some 200 bytes each. */
const answeredMax = 1000;

/** As long for a long question as for a short one. */
const keyOf = (task: Task): string => createHash('sha256').update(JSON.stringify(task)).digest('base64');

const isIdle = (thread: Thread): boolean => thread.running === undefined;
const isLookingUp = ({ running, answered }: Thread): boolean =>
  running?.members.every(({ key }) => answered.has(key)) ?? false;

/** Has two threads know each other. */
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

const startQueryThread = (settings: WorkerSettings): Worker =>
  startWorker('query-worker', 'src/query/worker.ts', settings);

export const createQueryPool = (options: QueryPoolOptions): QueryPool => {
  const { dataDir, deadlineMs, waitingMax, graceMs = graceDefaultMs } = options;
  const startThread = options.startThread ?? startQueryThread;
  const cacheBytesMax = Math.floor(options.cacheBytesMax / options.workers);
  const threads: Thread[] = [];
  const queue: Waiting[] = [];
  let nextId = 1;
  let closed = false;
  /** A look at the queue is due at the end of this turn. */
  let isDue = false;
  /** Ends the waiting of who holds the pool; set while it is held. */
  let endHold: ((idle: boolean) => void) | undefined;
  const outcomes: PoolStats['outcomes'] = { answered: 0, timeout: 0, canceled: 0, busy: 0, failed: 0 };
  const times = new Histogram();
  const slots = createCoreSlots(options.workers);
  const lookAtMainThread = watchMainThread({
    threads: options.workers,
    allow: slots.allow,
    isNeeded: () => !closed && threads.some(thread => !isIdle(thread)),
  });

  const start = (): void => {
    const canceled = new SharedArrayBuffer(4);
    const count = options.workers;
    const number = Array.from({ length: count }, (_, i) => i).find(i => threads.every(thread => thread.number !== i))!;
    const worker = startThread({ dataDir, cacheBytesMax, count, slots: slots.words, canceled });
    worker.unref();
    const thread: Thread = {
      id: worker.threadId, // which the worker itself forgets when it ends
      number,
      worker,
      canceled: new Int32Array(canceled),
      newest: 0,
      answered: lru(answeredMax),
      running: undefined,
      grace: undefined,
    };
    worker.on('message', (reply: Reply) => finish(thread, reply));
    worker.on('error', (error: Error) => drop(thread, error.message));
    worker.on('exit', code => drop(thread, `the worker ended with code ${code}`));
    for (const other of threads) introduce(thread, other);
    threads.push(thread);
  };

  /** Starts the threads that are missing. Throws where there would be none at all: the system has no thread to give. */
  const startMissing = (): void => {
    while (threads.length < options.workers) {
      try {
        start();
      } catch (error) {
        if (threads.length === 0) throw error;
        return;
      }
    }
  };

  const finish = (thread: Thread, reply: Reply): void => {
    // All jobs have failed by now, and the thread must keep the process until it has ended.
    if (closed) return;
    const run = thread.running;
    clearTimeout(thread.grace);
    thread.running = undefined;
    thread.worker.unref();
    if (run !== undefined && run.members.length > 1 && !reply.ok && !reply.canceled) retrySingly(run.members);
    else if (run !== undefined) settle(thread, run, reply);
    next();
  };

  /** What one of several questions ran into need not concern the others. */
  const retrySingly = (members: readonly Waiting[]): void => {
    for (const member of members) member.shared = null;
    queue.unshift(...members.filter(({ abandoned }) => !abandoned));
  };

  const settle = (thread: Thread, { members, split }: Run, reply: Reply): void => {
    const results = reply.ok ? split(reply.result) : [];
    members.forEach((member, i) => {
      if (reply.ok) thread.answered.set(member.key, true);
      member.settle(reply.ok ? { ...reply, result: results[i]! } : reply);
    });
  };

  /**
   * Ends a thread that died or hangs; its job is lost. Another is started when a job needs one, so that a thread that
   * cannot even start fails one job each time and not forever.
   */
  const drop = (thread: Thread, reason: string): void => {
    const at = threads.indexOf(thread);
    if (at < 0 || closed) return;
    threads.splice(at, 1);
    clearTimeout(thread.grace);
    void thread.worker.terminate().then(() => slots.free(thread.id));
    const members = thread.running?.members ?? [];
    if (members.length > 1) retrySingly(members);
    else for (const member of members) member.fail(new QueryFailed(reason));
    next();
  };

  /**
   * An idle thread: one that answered the question before, else the one that had none for longest, so that all keep answers. None where it is
   * worth waiting for one that answered it before, because that one is only looking up what it knows.
   */
  const threadFor = ({ key }: Waiting): Thread | undefined => {
    const knowing = threads.filter(thread => thread.answered.has(key));
    const free = knowing.find(isIdle);
    if (free !== undefined || knowing.some(isLookingUp)) return free;
    return threads.filter(isIdle).sort((a, b) => a.newest - b.newest)[0];
  };

  const isKnown = ({ key }: Waiting): boolean => threads.some(({ answered }) => answered.has(key));

  /**
   * A question and those that wait with it for answers about the same slices. Those that some thread has answered before are left to it.
   */
  const withCompanions = (waiting: Waiting): Waiting[] => {
    if (waiting.shared === null || isKnown(waiting)) return [waiting];
    return queue.filter(other => other.shared === waiting.shared && !isKnown(other));
  };

  const runOf = (members: readonly Waiting[]): Run & { task: Task } => {
    const id = nextId++;
    const { task } = members[0]!;
    if (members.length === 1) return { id, members, task, split: result => [result] };
    const { query, split } = uniteQueries(members.map(member => (member.task as ReportTask).query));
    return { id, members, task: { kind: 'report', query }, split: result => split(result as SentReport) };
  };

  /** Hands jobs to threads in their order, past those that wait for a certain thread; none while the pool is held. */
  const next = (): void => {
    if (closed) return;
    if (endHold !== undefined) {
      if (threads.every(isIdle)) endHold(true);
      return;
    }
    for (const waiting of [...queue]) {
      if (!queue.includes(waiting)) continue;
      try {
        startMissing();
      } catch (error) {
        // It costs the one question that needs it.
        queue.splice(queue.indexOf(waiting), 1);
        waiting.fail(new QueryFailed((error as Error).message));
        continue;
      }
      if (!threads.some(isIdle)) return;
      const thread = threadFor(waiting);
      if (thread === undefined) continue;
      const members = withCompanions(waiting);
      for (const member of members) queue.splice(queue.indexOf(member), 1);
      const { task, ...run } = runOf(members);
      thread.newest = run.id;
      thread.running = run;
      thread.worker.ref();
      thread.worker.postMessage({ id: run.id, task } satisfies Job);
      lookAtMainThread();
    }
  };

  /** What arrives within one turn of the event loop, as a page's questions do, is looked at together. */
  const nextSoon = (): void => {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      next();
    });
  };

  /** Nobody waits for it any more: takes it from the queue, or tells its thread when nobody waits for anything of its job. */
  const abandon = (waiting: Waiting): void => {
    waiting.abandoned = true;
    const place = queue.indexOf(waiting);
    if (place >= 0) queue.splice(place, 1);
    const thread = threads.find(one => one.running?.members.includes(waiting));
    if (thread?.running?.members.every(({ abandoned }) => abandoned) !== true) return;
    Atomics.store(thread.canceled, 0, thread.running.id);
    thread.grace = setTimeout(() => drop(thread, 'the worker did not react'), graceMs);
    thread.grace.unref();
  };

  const perform = <T extends Task>(task: T, signal?: AbortSignal): Promise<ResultOf<T>> =>
    new Promise((resolve, reject) => {
      if (closed || signal?.aborted) return reject(new QueryCanceled());
      if (queue.length >= waitingMax) next();
      if (queue.length >= waitingMax) {
        outcomes.busy++;
        return reject(new QueryBusy(queue.length));
      }
      const began = performance.now();
      const giveUp = (error: QueryError): void => {
        waiting.fail(error);
        abandon(waiting);
      };
      const abort = (): void => giveUp(new QueryCanceled());
      const deadline = setTimeout(() => giveUp(new QueryTimeout(deadlineMs)), deadlineMs);
      // A job that was given up is ended once more when its thread says that it stopped.
      let ended = false;
      const end = (outcome: keyof PoolStats['outcomes']): void => {
        if (ended) return;
        ended = true;
        outcomes[outcome]++;
        if (outcome === 'answered') times.observe((performance.now() - began) / 1000);
        clearTimeout(deadline);
        signal?.removeEventListener('abort', abort);
      };
      const waiting: Waiting = {
        task,
        key: keyOf(task),
        shared: task.kind === 'report' ? sharesWith(task.query) : null,
        abandoned: false,
        settle(reply) {
          end(reply.ok ? 'answered' : reply.canceled ? 'canceled' : 'failed');
          if (reply.ok) resolve(reply.result as ResultOf<T>);
          else reject(reply.canceled ? new QueryCanceled() : new QueryFailed(reply.message));
        },
        fail(error) {
          end(outcomeOf(error));
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      queue.push(waiting);
      nextSoon();
    });

  const hold = (patienceMs: number): Promise<boolean> =>
    new Promise(resolve => {
      if (closed) return resolve(false);
      const giveUp = setTimeout(() => {
        resolve(false);
        release();
      }, patienceMs);
      endHold = idle => {
        clearTimeout(giveUp);
        resolve(idle);
      };
      next();
    });

  const release = (): void => {
    endHold = undefined;
    next();
  };

  return {
    run: async (query, signal) => unpackReport(await perform({ kind: 'report', query }, signal)),
    perform,
    stats: () => ({
      waiting: queue.length,
      running: threads.filter(thread => thread.running !== undefined).length,
      outcomes,
      times,
    }),
    hold,
    release,
    async close() {
      closed = true;
      endHold?.(false);
      for (const waiting of queue.splice(0)) waiting.fail(new QueryCanceled());
      for (const thread of threads) {
        clearTimeout(thread.grace);
        for (const member of thread.running?.members ?? []) member.fail(new QueryCanceled());
      }
      await Promise.all(threads.map(thread => thread.worker.terminate()));
    },
  };
};

const outcomeOf = (error: QueryError): keyof PoolStats['outcomes'] => {
  if (error instanceof QueryTimeout) return 'timeout';
  return error instanceof QueryCanceled ? 'canceled' : 'failed';
};
