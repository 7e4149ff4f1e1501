/** Finds files that ship beside the code (schema.sql, dist/): the same from the sources and from the bundle. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const findRoot = (from: string): string => (existsSync(join(from, 'package.json')) ? from : findRoot(dirname(from)));

export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

/** Whether this runs from the TypeScript sources, as in tests, and not from the bundle. */
export const fromSources = import.meta.url.endsWith('.ts');

/**
 * The entry file of a worker thread. From the sources it is `source`, relative to the package; from the bundle it
 * is `dist/<name>.js`, as .ci/build.mjs names it.
 */
export const workerFile = (name: string, source: string): string =>
  fromSources ? join(packageRoot, source) : join(packageRoot, 'dist', `${name}.js`);
