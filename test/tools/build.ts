/** Builds the program, and programs that measure it. The build empties dist/, so it comes once, and before the bundles of the others. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { packageRoot } from '../../src/package-root.ts';
import { lazy } from '../../src/query/remember.ts';

const buildMs = 60_000;

/** Builds the program when it is first asked for; returns where it is. */
export const buildProgram = lazy((): string => {
  execFileSync(process.execPath, ['.ci/build.mjs'], { cwd: packageRoot, stdio: 'inherit', timeout: buildMs });
  return join(packageRoot, 'dist', 'daybook.js');
});

/**
 * Bundles a program like Daybook itself, whose worker threads it starts from dist/: from the sources everything is slower, since
 * each function is given its name when it is made. Returns where it is.
 */
export const buildBench = (source: string): string => {
  buildProgram();
  const outfile = join(packageRoot, 'dist', source.replace(/\.ts$/, '.js'));
  buildSync({
    entryPoints: [join(packageRoot, source)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: true,
    logLevel: 'warning',
  });
  return outfile;
};
