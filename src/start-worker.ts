/** Starts worker threads. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { isExecutable, packageRoot, readShipped } from './package-root.ts';

/** Whether this runs from the TypeScript sources, as in tests, and not from the bundle. */
const fromSources = import.meta.url.endsWith('.ts');

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
 * Starts a worker thread. From the bundle its entry is `dist/<name>.js`, as .ci/build.mjs names it.
 * The single executable holds it as one script, `dist/<name>.cjs`.
 * From the sources it is `source`, relative to the package, behind tsx, which Node 20 does not hand
 * down to threads by itself. `nurseryMb` is for a thread that makes much and keeps little.
 */
export const startWorker = (name: string, source: string, workerData: unknown, nurseryMb?: number): Worker => {
  const options =
    nurseryMb === undefined ? usual : { ...usual, resourceLimits: { maxYoungGenerationSizeMb: nurseryMb } };
  setFlagsFromString(compileAlone);
  if (isExecutable) {
    const code = readShipped(`dist/${name}.cjs`).toString();
    return new Worker(code, { ...options, eval: true, workerData });
  }
  if (!fromSources) return new Worker(join(packageRoot, 'dist', `${name}.js`), { ...options, workerData });
  const entry = pathToFileURL(join(packageRoot, source)).href;
  const loader = import.meta.resolve('tsx/esm/api');
  const program = `import('${loader}').then(tsx => { tsx.register(); return import('${entry}'); })`;
  return new Worker(program, { ...options, eval: true, workerData });
};
