/**
 * Long work on the hits of sites: bringing days from a cluster, putting removed hits back,
 * importing files, taking imports back. Each is done in a thread of its own, two at a time; what
 * comes then waits for its turn. An account has one at a time, so none makes the others wait long.
 */
import type { Worker } from 'node:worker_threads';
import type { ImportReport } from '../import/import-report.ts';
import { type Log, reasonOf } from '../log.ts';
import type { Random } from '../model/ids.ts';
import { startWorker } from '../start-worker.ts';
import { lockImports } from '../store/database.ts';
import { dropStopRequest, isStopRequested } from '../store/stop-request.ts';
import { type ImportGeo, randomMax, type Work, type WorkerData, type WorkMessage, type WorkProgress } from './work.ts';

export interface WorkState {
  siteId: number;
  work: Work;
  progress: WorkProgress;
  /** It has not ended; and whether it waits for its turn. */
  isRunning: boolean;
  isWaiting: boolean;
  /** Why it failed, a sentence; null where it did not. */
  failure: string | null;
  /** What an import, or the try of one, found; null before its end. */
  report: ImportReport | null;
}

export type SiteWork = ReturnType<typeof createSiteWork>;

export interface SiteWorkOptions {
  dataDir: string;
  /** Databases of places in place of those that ship, or null. */
  geo: ImportGeo;
  now: () => number;
  random: Random;
  log: Log;
}

const doneEvents = {
  undo: 'hits-put-back',
  import: 'import-done',
  'undo-import': 'import-taken-back',
} as const;

/** An import reads in two more threads, and may take half a gigabyte. */
const runningMax = 2;
/** Work that tells nothing for so long is ended. */
const silenceMs = 10 * 60_000;
const lookEveryMs = 500;

interface Job {
  accountId: number;
  state: WorkState;
  onEnd: (state: WorkState) => void;
  /** Undefined while it waits. */
  worker?: Worker;
  ended?: Promise<void>;
  toldAt: number;
}

export const createSiteWork = (options: SiteWorkOptions) => {
  const states = new Map<number, WorkState>();
  const { jobs, add, stop } = jobRunner(options);
  return {
    /** The newest work for a site since the server started. */
    stateOf: (siteId: number): WorkState | undefined => states.get(siteId),
    /**
     * Begins work, or lets it wait for its turn. False, and nothing done, while other work of the
     * account is under way or waits. `onEnd` is called when it has ended, whichever way.
     */
    start(
      { siteId, accountId }: { siteId: number; accountId: number },
      work: Work,
      onEnd: (state: WorkState) => void = () => {},
    ): boolean {
      if ([...jobs].some(job => job.accountId === accountId)) return false;
      const progress = { done: 0, of: 0, hits: 0, part: null };
      const state: WorkState = {
        ...{ siteId, work, progress, isRunning: true, isWaiting: true, failure: null, report: null },
      };
      states.set(siteId, state);
      add({ accountId, state, onEnd, toldAt: options.now() });
      return true;
    },
    /** Stops a site's work after the step at hand, if there is any under way. */
    stop(siteId: number): void {
      for (const job of jobs) if (job.state.siteId === siteId) stop(job);
    },
    /** Stops after the step at hand; the same work, begun again, goes on. */
    async close(): Promise<void> {
      const all = [...jobs];
      // Those that wait first, or they would begin.
      for (const job of all.reverse()) stop(job);
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
};

const jobRunner = (options: SiteWorkOptions) => {
  const { dataDir, now } = options;
  /** Those that have not ended, the oldest first. */
  const jobs = new Set<Job>();
  /** Held while any work is under way, so no command changes days. A site has one account. */
  let unlock: (() => void) | undefined;
  let looks: NodeJS.Timeout | undefined;
  const telling = tellers(options);
  const running = (): Job[] => [...jobs].filter(({ worker }) => worker !== undefined);

  const end = (job: Job): void => {
    jobs.delete(job);
    Object.assign(job.state, { isRunning: false, isWaiting: false });
    if (running().length === 0) {
      unlock?.();
      unlock = undefined;
    }
    if (jobs.size === 0) {
      clearInterval(looks);
      looks = undefined;
    }
    // Whoever starts work that fails at once hears of the end after the start.
    queueMicrotask(() => job.onEnd(job.state));
    beginNext();
  };
  const begin = (job: Job): void => {
    try {
      unlock ??= lockImports(dataDir);
    } catch (error) {
      telling.fail(job.state, (error as Error).message);
      end(job);
      return;
    }
    job.state.isWaiting = false;
    job.toldAt = now();
    job.worker = startWorker('work-worker', dataOf(job.state, options));
    job.ended = telling.follow(job, job.worker).then(() => end(job));
  };
  const beginNext = (): void => {
    const waiting = [...jobs].find(({ worker }) => worker === undefined);
    if (waiting !== undefined && running().length < runningMax) begin(waiting);
  };
  const stopJob = (job: Job): void => {
    if (job.worker !== undefined) {
      job.worker.postMessage('stop');
      return;
    }
    telling.ended(job.state, true);
    end(job);
  };

  return {
    jobs,
    add(job: Job): void {
      dropStopRequest(dataDir, job.state.siteId);
      looks ??= setInterval(() => lookAt(jobs, stopJob, telling.fail, options), lookEveryMs).unref();
      jobs.add(job);
      beginNext();
    },
    stop: stopJob,
  };
};

/** Stops what the operator wants stopped, and ends what is silent. */
const lookAt = (
  jobs: ReadonlySet<Job>,
  stop: (job: Job) => void,
  fail: (state: WorkState, message: string) => void,
  { dataDir, now }: SiteWorkOptions,
): void => {
  for (const job of jobs) {
    const { worker, state, toldAt } = job;
    if (isStopRequested(dataDir, state.siteId)) {
      dropStopRequest(dataDir, state.siteId);
      stop(job);
    } else if (worker !== undefined && now() - toldAt > silenceMs) {
      fail(state, 'It made no progress for ten minutes, so it was ended.');
      void worker.terminate();
    }
  }
};

const dataOf = ({ siteId, work }: WorkState, { dataDir, geo, now, random }: SiteWorkOptions): WorkerData => ({
  ...{ dataDir, siteId, work, geo },
  ...{ now: now(), random: random(randomMax) },
});

/** What work tells of itself goes to its state, and how it ends to the log. */
const tellers = ({ log, now }: SiteWorkOptions) => {
  const fail = (state: WorkState, message: string): void => {
    state.failure = message;
    log('work-failed', { site: state.siteId, what: state.work.kind, reason: reasonOf(new Error(message)) });
  };
  const ended = ({ siteId, work, progress, failure }: WorkState, isStopped: boolean): void => {
    if (isStopped) log('work-stopped', { site: siteId, what: work.kind });
    else if (failure === null)
      log(doneEvents[work.kind], {
        site: siteId,
        ...(work.kind === 'undo-import' ? {} : { hits: progress.hits }),
        ...(work.kind === 'import' && work.dryRun && { dryRun: true }),
      });
  };
  /** Resolves when the work has ended. */
  const follow = (job: Job, worker: Worker): Promise<void> =>
    new Promise(resolve => {
      const { state } = job;
      let isStopped = false;
      worker.on('message', (message: WorkMessage) => {
        job.toldAt = now();
        if (message.kind === 'progress') state.progress = message.progress;
        else if (message.kind === 'report') state.report = message.report;
        else if (message.kind === 'stopped') isStopped = true;
        else fail(state, message.message);
      });
      worker.on('error', error => fail(state, error.message));
      worker.once('exit', () => {
        ended(state, isStopped);
        resolve();
      });
    });
  return { fail, ended, follow };
};
