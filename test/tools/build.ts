/** The built program, and bundles of programs that stand beside it. `npm run build` makes dist/ first; every npm script does. */
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { packageRoot } from '../../src/package-root.ts';

/** What people run. */
export const builtProgram = join(packageRoot, 'dist', 'daybook.js');

/** The environment that `npm start` runs it in (docs/operations.md, "Limits"). */
export const allocatorSettings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144' };

/**
 * Bundles a program as Daybook itself is, whose worker threads it starts from dist/. From the sources everything is slower, since
 * each function is given its name when it is made, and starting takes a second. Returns where the bundle is.
 */
export const bundled = (source: string): string => {
  const outfile = join(packageRoot, 'dist', source.replace(/\.ts$/, '.js'));
  buildSync({
    entryPoints: [join(packageRoot, source)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  });
  return outfile;
};
