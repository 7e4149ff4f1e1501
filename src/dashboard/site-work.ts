/**
 * Long work on the hits of sites: removing some, putting them back, importing files, taking imports
 * back. One piece of work at a time, in a thread of its own.
 */
import type { Worker } from 'node:worker_threads';
import type { ImportReport } from '../import/import-report.ts';
import { type Log, reasonOf } from '../log.ts';
import type { Random } from '../model/ids.ts';
import { startWorker } from '../start-worker.ts';
import { type Geo, randomMax, type Work, type WorkerData, type WorkMessage, type WorkProgress } from './work.ts';

export interface WorkState {
  siteId: number;
  work: Work;
  progress: WorkProgress;
  isRunning: boolean;
  /** Why it failed, a sentence; null where it did not. */
  failure: string | null;
  /** What an import, or the try of one, found; null before its end. */
  report: ImportReport | null;
}

export interface SiteWork {
  /** The newest work for a site since the server started. */
  stateOf(siteId: number): WorkState | undefined;
  /**
   * Begins work in its thread. False, and nothing done, while other work is under way. `onEnd` is
   * called when it has ended, whichever way.
   */
  start(siteId: number, work: Work, onEnd?: (state: WorkState) => void): boolean;
  /** Stops a site's work after the step at hand, if there is any under way. */
  stop(siteId: number): void;
  /** Stops after the step at hand; the same work, begun again, goes on. */
  close(): Promise<void>;
}

export interface SiteWorkOptions {
  dataDir: string;
  /** Databases of places in place of those that ship, or null. */
  geo: Geo;
  /** As the setting has it; null without a cluster. */
  clickhouse: string | null;
  now: () => number;
  random: Random;
  log: Log;
}

const doneEvents = {
  remove: 'hits-removed',
  undo: 'hits-put-back',
  import: 'import-done',
  'undo-import': 'import-taken-back',
} as const;

export const createSiteWork = ({ dataDir, geo, clickhouse, now, random, log }: SiteWorkOptions): SiteWork => {
  const states = new Map<number, WorkState>();
  let running: { siteId: number; worker: Worker; ended: Promise<void> } | undefined;

  const fail = (state: WorkState, message: string): void => {
    state.failure = message;
    log('work-failed', { site: state.siteId, what: state.work.kind, reason: reasonOf(new Error(message)) });
  };

  const follow = (worker: Worker, state: WorkState): Promise<void> =>
    new Promise(resolve => {
      let isStopped = false;
      worker.on('message', (message: WorkMessage) => {
        if (message.kind === 'progress') state.progress = message.progress;
        else if (message.kind === 'report') state.report = message.report;
        else if (message.kind === 'stopped') isStopped = true;
        else fail(state, message.message);
      });
      worker.on('error', error => fail(state, error.message));
      worker.once('exit', () => {
        state.isRunning = false;
        running = undefined;
        const { siteId, work, progress, failure } = state;
        if (isStopped) log('work-stopped', { site: siteId, what: work.kind });
        else if (failure === null)
          log(doneEvents[work.kind], {
            site: siteId,
            ...(work.kind === 'undo-import' ? {} : { hits: progress.hits }),
            ...(work.kind === 'import' && work.dryRun && { dryRun: true }),
          });
        resolve();
      });
    });

  return {
    stateOf: siteId => states.get(siteId),
    start(siteId, work, onEnd = () => {}) {
      if (running !== undefined) return false;
      const progress = { done: 0, of: 0, hits: 0, part: null };
      const state: WorkState = { siteId, work, progress, isRunning: true, failure: null, report: null };
      states.set(siteId, state);
      const data: WorkerData = {
        ...{ dataDir, siteId, work, geo, clickhouse },
        ...{ now: now(), random: random(randomMax) },
      };
      const worker = startWorker('work-worker', data);
      running = { siteId, worker, ended: follow(worker, state).then(() => onEnd(state)) };
      return true;
    },
    stop(siteId) {
      if (running?.siteId === siteId) running.worker.postMessage('stop');
    },
    async close() {
      running?.worker.postMessage('stop');
      await running?.ended;
    },
  };
};
