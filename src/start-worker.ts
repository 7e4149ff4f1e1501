/** Starts worker threads. */
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { isExecutable, packageRoot, readShipped } from './package-root.ts';

/**
 * V8 frees the large buffers of what was short-lived sooner with a small nursery: questions about
 * 10 million hits take 80 MB less.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 3 };

/**
 * A thread that ends must not close what it opened of the database: that would drop the locks that
 * SQLite holds for the whole process.
 */
const usual = { resourceLimits, trackUnmanagedFds: false };

/**
 * A thread compiles its own code. Otherwise V8's shared threads compile while it goes on with slow
 * code: the first answers of each kind take up to twice as long. What runs before the first thread
 * starts is not concerned.
 */
const compileAlone = '--no-concurrent-recompilation';

/**
 * Starts a worker thread, `dist/<name>.js` as .ci/build.mjs names it, from the sources as well: a
 * thread that had to compile them would take half a second to start. The single executable holds it
 * as one script, `dist/<name>.cjs`. `nurseryMb` is for a thread that makes much and keeps little.
 */
export const startWorker = (name: string, workerData: unknown, nurseryMb?: number): Worker => {
  const options =
    nurseryMb === undefined ? usual : { ...usual, resourceLimits: { maxYoungGenerationSizeMb: nurseryMb } };
  setFlagsFromString(compileAlone);
  if (!isExecutable) return new Worker(join(packageRoot, 'dist', `${name}.js`), { ...options, workerData });
  return new Worker(readShipped(`dist/${name}.cjs`).toString(), { ...options, eval: true, workerData });
};
