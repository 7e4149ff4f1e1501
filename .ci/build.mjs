// Makes dist/: the program, its worker threads, the tracker, the dashboard's app, and the tables of cities and networks. Dependencies stay outside the bundle, in node_modules; other packages come
// into it, as pieces of their own that are loaded when they are needed (programs.mjs lists them).
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildDashboard } from './dashboard.mjs';
import { programs } from './programs.mjs';
import { compiledTables } from './shipped-tables.mjs';
import { bundleTracker } from './tracker.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });

const tables = compiledTables();

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
await build({
  entryPoints: programs,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  external: Object.keys(dependencies),
  // What it gives Node asks for its parts by require, which is none of a module's.
  alias: { yaml: fileURLToPath(new URL('../node_modules/yaml/browser/index.js', import.meta.url)) },
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

await buildDashboard('dist/assets');

for (const { name, file } of await tables) copyFileSync(file, `dist/${name}`);
