// Bundles dist/: the program, its worker threads, and the tracker. Packages stay outside the bundle, in node_modules.
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });

await build({
  entryPoints: {
    daybook: 'src/main.ts',
    'query-worker': 'src/query/worker.ts',
    'upkeep-worker': 'src/store/upkeep-worker.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
});
chmodSync('dist/daybook.js', 0o755);

await build({
  entryPoints: { t: 'tracker/main.ts' },
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: ['chrome100', 'firefox100', 'safari15.4'],
  legalComments: 'none',
  logLevel: 'warning',
});
