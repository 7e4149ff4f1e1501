/** The server's side of the thread that removes hits and puts them back: one piece of work at a time. */
import type { Worker } from 'node:worker_threads';
import { type Log, reasonOf } from '../../log.ts';
import { startWorker } from '../../start-worker.ts';
import type { Progress } from '../../store/removal/take-out.ts';
import type { RemovalMessage, RemovalWork, RemovalWorkerData } from './removal-worker.ts';

export interface RemovalState {
  siteId: number;
  kind: RemovalWork['kind'];
  progress: Progress;
  isRunning: boolean;
  /** Why it failed, a sentence; null where it did not. */
  failure: string | null;
}

export interface RemovalRunner {
  /** The newest work for a site since the server started. */
  stateOf(siteId: number): RemovalState | undefined;
  /** Begins work in its thread. False, and nothing done, while other work is under way. */
  start(siteId: number, work: RemovalWork): boolean;
  /** Stops after the day at hand; the same work, begun again, goes on. */
  close(): Promise<void>;
}

export interface RemovalRunnerOptions {
  dataDir: string;
  now: () => number;
  log: Log;
}

export const createRemovalRunner = ({ dataDir, now, log }: RemovalRunnerOptions): RemovalRunner => {
  const states = new Map<number, RemovalState>();
  let running: { worker: Worker; ended: Promise<void> } | undefined;

  const fail = (state: RemovalState, message: string): void => {
    state.failure = message;
    log('removal-failed', { site: state.siteId, what: state.kind, reason: reasonOf(new Error(message)) });
  };

  const follow = (worker: Worker, state: RemovalState): Promise<void> =>
    new Promise(resolve => {
      worker.on('message', (message: RemovalMessage) => {
        if (message.kind === 'progress') state.progress = message.progress;
        else fail(state, message.message);
      });
      worker.on('error', error => fail(state, error.message));
      worker.once('exit', () => {
        state.isRunning = false;
        running = undefined;
        const { siteId, kind, progress, failure } = state;
        if (failure === null)
          log(kind === 'remove' ? 'hits-removed' : 'hits-put-back', { site: siteId, hits: progress.hits });
        resolve();
      });
    });

  return {
    stateOf: siteId => states.get(siteId),
    start(siteId, work) {
      if (running !== undefined) return false;
      const state: RemovalState = {
        siteId,
        kind: work.kind,
        progress: { done: 0, of: 0, hits: 0 },
        isRunning: true,
        failure: null,
      };
      states.set(siteId, state);
      const data: RemovalWorkerData = { dataDir, work, now: now() };
      const worker = startWorker('removal-worker', 'src/query/removal/removal-worker.ts', data);
      running = { worker, ended: follow(worker, state) };
      return true;
    },
    async close() {
      running?.worker.postMessage('stop');
      await running?.ended;
    },
  };
};
