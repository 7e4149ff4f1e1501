/** Finds files that ship beside the code (schema.sql, dist/): the same from the sources and from the bundle. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const findRoot = (from: string): string => (existsSync(join(from, 'package.json')) ? from : findRoot(dirname(from)));

export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Daybook's own version. */
export const version: string = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version;

/** Whether this runs from the TypeScript sources, as in tests, and not from the bundle. */
const fromSources = import.meta.url.endsWith('.ts');

/**
 * Threads make much that is gone the next moment, and little of it is small: a small nursery is emptied often, and gives back the large
 * buffers that hang on it.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 3 };

/**
 * Starts a worker thread. From the bundle its entry is `dist/<name>.js`, as .ci/build.mjs names it. From the sources it is
 * `source`, relative to the package, behind tsx, which Node 20 does not hand down to threads by itself.
 */
export const startWorker = (name: string, source: string, workerData: unknown): Worker => {
  if (!fromSources) return new Worker(join(packageRoot, 'dist', `${name}.js`), { workerData, resourceLimits });
  const entry = pathToFileURL(join(packageRoot, source)).href;
  const loader = import.meta.resolve('tsx/esm/api');
  const program = `import('${loader}').then(tsx => { tsx.register(); return import('${entry}'); })`;
  return new Worker(program, { eval: true, workerData, resourceLimits });
};
