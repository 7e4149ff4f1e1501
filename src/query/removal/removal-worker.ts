/**
 * The thread that removes hits, or puts them back, for the dashboard: as the command does it, with
 * a connection of its own and in short transactions.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { lockRemovals, openDatabase } from '../../store/database.ts';
import { putBack } from '../../store/removal/put-back.ts';
import { removals } from '../../store/removal/removals.ts';
import type { Progress } from '../../store/removal/take-out.ts';
import { runSteps } from '../../store/run-steps.ts';
import { type RemovalTask, removeSteps } from './remove-hits.ts';

export type RemovalWork = { kind: 'remove'; task: RemovalTask } | { kind: 'undo'; removalId: number };

export interface RemovalWorkerData {
  dataDir: string;
  work: RemovalWork;
  /** UTC milliseconds. */
  now: number;
}

export type RemovalMessage = { kind: 'progress'; progress: Progress } | { kind: 'failed'; message: string };

class Stopped extends Error {}

const { dataDir, work, now } = workerData as RemovalWorkerData;
const port = parentPort!;
const say = (message: RemovalMessage): void => port.postMessage(message);
let isStopped = false;
port.once('message', () => {
  isStopped = true;
});

const run = async (): Promise<void> => {
  const unlock = lockRemovals(dataDir);
  try {
    const db = openDatabase(dataDir);
    try {
      const steps: Generator<Progress, unknown> =
        work.kind === 'remove' ? removeSteps(db, work.task, () => now) : putBack(db, removals(db).byId(work.removalId));
      await runSteps(steps, progress => {
        say({ kind: 'progress', progress });
        if (isStopped) throw new Stopped();
      });
    } finally {
      db.close();
    }
  } finally {
    unlock();
  }
};

run()
  .catch(error => {
    // The next try goes on where it was stopped.
    if (!(error instanceof Stopped)) say({ kind: 'failed', message: (error as Error).message });
  })
  .finally(() => port.close());
