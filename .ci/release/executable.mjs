/**
 * Makes the single executable: Node itself, stripped, with the program, its threads and everything
 * in dist/ as Node's "single executable application". It runs on the Node that runs this.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { programs } from '../programs.mjs';

const postject = 'postject@1.0.0-alpha.6';
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const addon = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';

const bindings = {
  name: 'bindings',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^bindings$/ }, () => ({ path: fileURLToPath(new URL('addon.cjs', import.meta.url)) })),
};

/**
 * Writes it to a file, with the manifest (package.json) that names its version; `scratch` takes what
 * it is made of. Gives the bytes of its parts by name.
 */
export const makeExecutable = async (file, { scratch, manifest }) => {
  mkdirSync(scratch, { recursive: true });
  await build({
    entryPoints: programs,
    outdir: scratch,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    // The places where files are looked for beside the code, which the executable never comes to.
    define: { 'import.meta.url': '"file:///"', 'import.meta.resolve': 'undefined' },
    plugins: [bindings],
    legalComments: 'none',
    logLevel: 'warning',
  });
  execFileSync('strip', ['--strip-all', '-o', join(scratch, 'better_sqlite3.node'), addon]);
  writeFileSync(join(scratch, 'assets.json'), JSON.stringify(readdirSync('dist/assets')));

  const { daybook: _, ...workers } = programs;
  const shipped = [
    ['package.json', manifest],
    ...['schema.sql', 'dist/networks'].map(path => [path, path]),
    ...readdirSync('dist')
      .filter(name => /^[a-z]+\.js$/.test(name) && name !== 'daybook.js')
      .map(name => [`dist/${name}`, `dist/${name}`]),
    ...readdirSync('dist/assets').map(name => [`dist/assets/${name}`, `dist/assets/${name}`]),
    ...Object.keys(workers).map(name => [`dist/${name}.cjs`, join(scratch, `${name}.cjs`)]),
    ['dist/assets', join(scratch, 'assets.json')],
    ['better_sqlite3.node', join(scratch, 'better_sqlite3.node')],
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  const [config, blob] = [join(scratch, 'sea.json'), join(scratch, 'sea.blob')];
  writeFileSync(
    config,
    JSON.stringify({
      // The executable holds this name, so it must be the same wherever it is made.
      main: 'daybook.cjs',
      output: blob,
      disableExperimentalSEAWarning: true,
      assets: Object.fromEntries(shipped.map(([name, file]) => [name, resolve(file)])),
    }),
  );
  const options = { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync(process.execPath, ['--experimental-sea-config', config], options);
  copyFileSync(process.execPath, file);
  execFileSync('strip', ['--strip-all', file]);
  const node = readFileSync(file).length;
  execFileSync('npx', ['--yes', postject, file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  chmodSync(file, 0o755);
  const size = path => readFileSync(path).length;
  return {
    node,
    code: size(join(scratch, 'daybook.cjs')),
    blob: size(blob),
    addon: size(join(scratch, 'better_sqlite3.node')),
  };
};
