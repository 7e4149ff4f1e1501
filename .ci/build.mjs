// Makes dist/: the program, its worker threads, the tracker, the dashboard's app, and the table of networks. Packages stay outside the bundle, in node_modules.
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildDashboard } from './dashboard.mjs';
import { shippedNetworks } from './networks.mjs';
import { programs } from './programs.mjs';
import { bundleTracker } from './tracker.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });

await build({
  entryPoints: programs,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  packages: 'external',
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
});
chmodSync('dist/daybook.js', 0o755);

const trackers = {
  't.js': 'main',
  'script.js': 'script',
  'plausible.js': 'plausible',
  'count.js': 'goatcounter',
  'matomo.js': 'matomo',
};
for (const [file, entry] of Object.entries(trackers))
  writeFileSync(`dist/${file}`, await bundleTracker(`tracker/${entry}.ts`));

writeFileSync('dist/networks', shippedNetworks());

await buildDashboard('dist/assets');
