/** Worker threads of the tests' own. */
import { Worker } from 'node:worker_threads';

/** Starts a TypeScript file below test/ as a thread, behind tsx, which Node 20 does not hand down to threads by itself. */
export const startTestWorker = (source: string, workerData: unknown): Worker => {
  const entry = new URL(`../${source}`, import.meta.url).href;
  const loader = import.meta.resolve('tsx/esm/api');
  const program = `import('${loader}').then(tsx => { tsx.register(); return import('${entry}'); })`;
  // As src/start-worker.ts has it.
  return new Worker(program, { eval: true, trackUnmanagedFds: false, workerData });
};
