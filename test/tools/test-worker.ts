/** Worker threads of the tests' own. */
import { Worker } from 'node:worker_threads';
import { bundled } from './build.ts';

/** Starts a TypeScript file below test/ as a thread. */
export const startTestWorker = (source: string, workerData: unknown): Worker =>
  // As src/start-worker.ts has it.
  new Worker(bundledOnce(`test/${source}`), { trackUnmanagedFds: false, workerData });

const files = new Map<string, string>();

const bundledOnce = (source: string): string => {
  const file = files.get(source) ?? bundled(source);
  files.set(source, file);
  return file;
};
