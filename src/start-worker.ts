/** Starts worker threads, which compile their own code. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { packageRoot } from './package-root.ts';

/** Whether this runs from the TypeScript sources, as in tests, and not from the bundle. */
const fromSources = import.meta.url.endsWith('.ts');

/**
 * Threads make much that is gone the next moment, and little of it is small: a small nursery is emptied often, and gives back the large
 * buffers that hang on it.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 3 };

/**
 * Has a thread compile its own code. V8 would have it done in threads that all threads share, which have the priority of the one that takes hits:
 * several of them at once kept hits waiting while a question was answered. A thread that answers questions has stepped back, and so has what
 * it does itself. And code stays compiled though some garbage collections have not seen it run: large arrays come and go so fast here that there are
 * several a second. What runs already when the first thread is started goes on compiling as before.
 */
const flags = ['--no-concurrent-recompilation', '--no-flush-bytecode'];

/**
 * Starts a worker thread. From the bundle its entry is `dist/<name>.js`, as .ci/build.mjs names it. From the sources it is
 * `source`, relative to the package, behind tsx, which Node 20 does not hand down to threads by itself.
 */
export const startWorker = (name: string, source: string, workerData: unknown): Worker => {
  for (const flag of flags) setFlagsFromString(flag);
  if (!fromSources) return new Worker(join(packageRoot, 'dist', `${name}.js`), { workerData, resourceLimits });
  const entry = pathToFileURL(join(packageRoot, source)).href;
  const loader = import.meta.resolve('tsx/esm/api');
  const program = `import('${loader}').then(tsx => { tsx.register(); return import('${entry}'); })`;
  return new Worker(program, { eval: true, workerData, resourceLimits });
};
