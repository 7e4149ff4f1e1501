/**
 * What answers queries, in threads (query-threads.ts), so that the collector never waits for one. Owns who works on what: a bounded queue, which
 * thread is given which question, and which questions are answered together.
 */
import { Histogram } from '../../model/histogram.ts';
import { QueryBusy, QueryCanceled, QueryFailed } from '../errors.ts';
import type { Query, Report } from '../query.ts';
import type { Reply, ReportTask, ResultOf, Task } from './messages.ts';
import { beginTask, type PendingTask, type TaskOutcome } from './pending-task.ts';
import { createQueryThreads, isIdle, type QueryThreadsOptions, type Run, type Thread } from './query-threads.ts';
import type { RecordTask } from './record-tasks.ts';
import { uniteQueries } from './unite-queries.ts';

export interface QueryPoolOptions {
  dataDir: string;
  /** Threads, all started by the first question: a start and an idle server should not pay for them. */
  workers: number;
  /** For what all threads together keep of sealed days, in bytes. */
  cacheBytesMax: number;
  /** From the call of `run` or `perform` to its answer. */
  deadlineMs: number;
  /** Tasks that wait for a thread; one more is refused with QueryBusy. */
  waitingMax: number;
  /** How long a thread may take to notice that its job was canceled before it is replaced. */
  graceMs?: number;
  /** Starts another kind of worker; for tests. */
  startThread?: QueryThreadsOptions['startThread'];
}

/** What the pool has done since it started; `outcomes` and `times` are its own and go on counting. */
export interface PoolStats {
  waiting: number;
  running: number;
  outcomes: Record<TaskOutcome | 'busy', number>;
  /** Seconds from the call to the answer, waiting included. */
  times: Histogram;
}

export interface QueryPool {
  /** Rejects with a QueryError: QueryTimeout, QueryCanceled (the signal), QueryBusy or QueryFailed. */
  run(query: Query, signal?: AbortSignal): Promise<Report>;
  /** Answers a question about what is recorded besides hits; rejects as `run`. */
  perform<T extends RecordTask>(task: T, signal?: AbortSignal): Promise<ResultOf<T>>;
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

const isLookingUp = ({ running, answered }: Thread): boolean =>
  running?.members.every(({ key }) => answered.has(key)) ?? false;

export const createQueryPool = (options: QueryPoolOptions): QueryPool => {
  const { dataDir, cacheBytesMax, deadlineMs, waitingMax, graceMs = graceDefaultMs } = options;
  let queue: PendingTask[] = [];
  let nextId = 1;
  let closed = false;
  /** A look at the queue is due at the end of this turn. */
  let isDue = false;
  /** Ends the waiting of who holds the pool; set while it is held. */
  let endHold: ((idle: boolean) => void) | undefined;
  const outcomes: PoolStats['outcomes'] = { answered: 0, timeout: 0, canceled: 0, busy: 0, failed: 0 };
  const times = new Histogram();
  const threads = createQueryThreads({
    dataDir,
    count: options.workers,
    cacheBytesMax,
    graceMs,
    startThread: options.startThread,
    onReply(thread, run, reply) {
      if (run.members.length > 1 && !reply.ok && !reply.canceled) retrySingly(run.members);
      else settle(thread, run, reply);
      next();
    },
    onThreadEnd(run, reason) {
      const members = run?.members ?? [];
      if (members.length > 1) retrySingly(members);
      else for (const member of members) member.fail(new QueryFailed(reason));
      next();
    },
  });

  const takeOut = (gone: readonly PendingTask[]): void => {
    queue = queue.filter(waiting => !gone.includes(waiting));
  };

  /** What one of several questions ran into need not concern the others. */
  const retrySingly = (members: readonly PendingTask[]): void => {
    for (const member of members) member.uniteKey = null;
    queue = [...members.filter(({ abandoned }) => !abandoned), ...queue];
  };

  const settle = (thread: Thread, { members, split }: Run, reply: Reply): void => {
    if (!reply.ok) {
      for (const member of members) member.fail(reply.canceled ? new QueryCanceled() : new QueryFailed(reply.message));
      return;
    }
    split(reply.result).forEach((result, i) => {
      thread.answered.set(members[i]!.key, true);
      members[i]!.succeed(result);
    });
  };

  /**
   * An idle thread: one that answered the question before, else the one that had none for longest, so that all keep answers. None where it is
   * worth waiting for one that answered it before, because that one is only looking up what it knows.
   */
  const threadFor = ({ key }: PendingTask): Thread | undefined => {
    const knowing = threads.list.filter(thread => thread.answered.has(key));
    const free = knowing.find(isIdle);
    if (free !== undefined || knowing.some(isLookingUp)) return free;
    return threads.list.filter(isIdle).sort((a, b) => a.newestJobId - b.newestJobId)[0];
  };

  const isKnown = ({ key }: PendingTask): boolean => threads.list.some(({ answered }) => answered.has(key));

  /**
   * A question and those that wait with it for answers about the same slices. Those that some thread has answered before are left to it.
   */
  const withCompanions = (waiting: PendingTask): PendingTask[] => {
    if (waiting.uniteKey === null || isKnown(waiting)) return [waiting];
    return queue.filter(other => other.uniteKey === waiting.uniteKey && !isKnown(other));
  };

  const runOf = (members: readonly PendingTask[]): Run => {
    const id = nextId++;
    const { task } = members[0]!;
    if (members.length === 1) return { id, members, task, split: result => [result] };
    const { query, split } = uniteQueries(members.map(member => (member.task as ReportTask).query));
    return { id, members, task: { kind: 'report', query }, split: result => split(result as Report) };
  };

  /** Hands jobs to threads in their order, past those that wait for a certain thread; none while the pool is held. */
  const next = (): void => {
    if (closed) return;
    if (endHold !== undefined) {
      if (threads.list.every(isIdle)) endHold(true);
      return;
    }
    for (const waiting of queue) {
      if (!queue.includes(waiting)) continue; // went with a companion
      try {
        threads.startMissing();
      } catch (error) {
        // It costs the one task that needs it; the next one tries again.
        takeOut([waiting]);
        waiting.fail(new QueryFailed((error as Error).message));
        continue;
      }
      if (!threads.list.some(isIdle)) return;
      const thread = threadFor(waiting);
      if (thread === undefined) continue;
      const members = withCompanions(waiting);
      takeOut(members);
      threads.give(thread, runOf(members));
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
  const abandon = (waiting: PendingTask): void => {
    takeOut([waiting]);
    const thread = threads.list.find(one => one.running?.members.includes(waiting));
    if (thread?.running?.members.every(({ abandoned }) => abandoned) === true) threads.cancel(thread);
  };

  const perform = <T extends Task>(task: T, signal?: AbortSignal): Promise<ResultOf<T>> =>
    new Promise((resolve, reject) => {
      if (closed || signal?.aborted) return reject(new QueryCanceled());
      // It may be full only because tasks are handed out at the end of the turn.
      if (queue.length >= waitingMax) next();
      if (queue.length >= waitingMax) {
        outcomes.busy++;
        return reject(new QueryBusy(queue.length));
      }
      const onEnd = (outcome: TaskOutcome, seconds: number): void => {
        outcomes[outcome]++;
        if (outcome === 'answered') times.observe(seconds);
      };
      queue.push(beginTask(task, { deadlineMs, signal, resolve, reject, onEnd, onAbandon: abandon }));
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
    run: (query, signal) => perform({ kind: 'report', query }, signal),
    perform,
    stats: () => ({
      waiting: queue.length,
      running: threads.list.filter(thread => !isIdle(thread)).length,
      outcomes,
      times,
    }),
    hold,
    release,
    async close() {
      closed = true;
      endHold?.(false);
      for (const waiting of queue.splice(0)) waiting.fail(new QueryCanceled());
      for (const { running } of threads.list)
        for (const member of running?.members ?? []) member.fail(new QueryCanceled());
      await threads.close();
    },
  };
};
