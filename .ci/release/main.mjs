/**
 * `npm run release`: makes everything that is published of a version, in release/. It is made as of
 * SOURCE_DATE_EPOCH, or else of the commit.
 *
 *     npm run release [-- --version 0.2.0] [--out DIR] [--sign KEY]
 *
 * `--version` makes another version of the same code, so that an upgrade can be tried. `--sign`
 * names a private key of OpenSSH, which signs the checksums.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleClient, describedApi, typePackages, typesOf } from '../client.mjs';
import { isBundled } from '../programs.mjs';
import { bundleTracker } from '../tracker.mjs';
import { makeDebian, tables } from './debian.mjs';
import { executableMaker, nodeVersion, processors } from './executable.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
process.chdir(root);

const run = (command, args, options = {}) => execFileSync(command, args, { encoding: 'utf8', ...options });
const MB = bytes => `${(bytes / 1e6).toFixed(1)} MB`;
const bytesOf = file => statSync(file).size;

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { values } = parseArgs({
  options: {
    version: { type: 'string', default: manifest.version },
    out: { type: 'string', default: 'release' },
    sign: { type: 'string' },
  },
});
const { version } = values;
const madeAt = Number(process.env.SOURCE_DATE_EPOCH ?? run('git', ['log', '-1', '--format=%ct']).trim());
const out = resolve(values.out);
const scratch = join(out, 'scratch');
rmSync(out, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });

run(process.execPath, ['.ci/build.mjs'], { stdio: 'inherit' });

/** A directory to pack for npm, with a manifest of this version. */
const packed = (dir, given, files) => {
  const target = join(scratch, dir);
  for (const [from, to] of Object.entries(files)) cpSync(from, join(target, to), { recursive: true });
  writeFileSync(join(target, 'package.json'), `${JSON.stringify({ ...given, version }, null, 2)}\n`);
  return target;
};
const pack = dir => run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], { cwd: dir });

// In a clone, npx first installs and builds.
const published = { ...manifest, bin: { daybook: 'dist/daybook.js' } };
const server = packed('daybook', published, {
  ...{ dist: 'dist', 'schema.sql': 'schema.sql', LICENSE: 'LICENSE' },
  ...{ 'README.md': 'README.md', 'CHANGELOG.md': 'CHANGELOG.md' },
});
pack(server);
const tracker = packed('tracker', JSON.parse(readFileSync('tracker/npm/package.json', 'utf8')), {
  'tracker/npm/index.d.ts': 'index.d.ts',
  'tracker/npm/README.md': 'README.md',
  LICENSE: 'LICENSE',
});
writeFileSync(join(tracker, 'index.js'), await bundleTracker('tracker/npm/module.ts', 'esm'));
pack(tracker);
const client = packed('client', JSON.parse(readFileSync('client/package.json', 'utf8')), {
  'client/index.d.ts': 'index.d.ts',
  'client/README.md': 'README.md',
  LICENSE: 'LICENSE',
});
const typing = join(scratch, 'client-types');
mkdirSync(typing);
writeFileSync(join(typing, 'package.json'), JSON.stringify({ private: true, dependencies: typePackages }));
run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: typing });
writeFileSync(join(client, 'index.js'), await bundleClient());
writeFileSync(join(client, 'api.d.ts'), await typesOf(await describedApi(), typing));
pack(client);

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
/** Every package whose code or data is in what is published, as package-lock.json names it. */
const included = Object.keys(packages)
  .filter(
    path => path !== '' && (!packages[path].dev || isBundled(path) || /web-vitals$|uqr$|ip-location-db\//.test(path)),
  )
  .sort();

/** What is in it, as CycloneDX: the packages with the digests of npm, and Node. */
const billOfMaterials = () => {
  const component = (name, componentVersion, more = {}) => ({
    ...{ type: 'library', name, version: componentVersion, purl: `pkg:npm/${encodeURI(name)}@${componentVersion}` },
    ...more,
  });
  const components = included.map(path => {
    const { version: componentVersion, license, integrity } = packages[path];
    const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    return component(path.replace(/^.*node_modules\//, ''), componentVersion, {
      ...(license && { licenses: [{ expression: license }] }),
      hashes: [{ alg: 'SHA-512', content }],
    });
  });
  const node = { type: 'platform', name: 'node', version: nodeVersion, purl: `pkg:generic/node@${nodeVersion}` };
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    metadata: {
      timestamp: new Date(madeAt * 1000).toISOString(),
      component: { type: 'application', name: 'daybook', version, licenses: [{ expression: manifest.license }] },
    },
    components: [...components, node],
  };
};

const licenses = () => {
  const texts = included.flatMap(path =>
    readdirSync(path)
      .filter(file => /licen[cs]e/i.test(file))
      .map(file => `${path.replace('node_modules/', '')}\n\n${readFileSync(join(path, file), 'utf8').trim()}`),
  );
  const node = `Node.js ${nodeVersion}, and the libraries in it: https://github.com/nodejs/node/blob/v${nodeVersion}/LICENSE`;
  return [`Daybook\n\n${readFileSync('LICENSE', 'utf8').trim()}`, node, ...texts].join(`\n\n${'-'.repeat(80)}\n\n`);
};
const archive = (file, contents) =>
  run('bash', [
    '-c',
    `tar -C "$1" --sort=name --mtime=@${madeAt} --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw -cf - "\${@:3}" | gzip -9n > "$2"`,
    'archive',
    out,
    file,
    ...contents,
  ]);
/** The archive and the Debian package for a processor. Gives what its parts weigh, in bytes. */
const makeFor = (processor, makeExecutable) => {
  const name = `daybook-${version}-linux-${processor}`;
  const dir = join(out, name);
  mkdirSync(dir);
  const parts = makeExecutable(processor, join(dir, 'daybook'));
  for (const table of tables) cpSync(join('dist', table), join(dir, table));
  for (const file of ['README.md', 'CHANGELOG.md']) cpSync(file, join(dir, file));
  writeFileSync(join(dir, 'LICENSES'), `${licenses()}\n`);
  archive(join(out, `${name}.tar.gz`), [name]);
  const { debian: architecture } = processors[processor];
  makeDebian(join(out, `daybook_${version}_${architecture}.deb`), { dir, scratch, version, madeAt, architecture });
  rmSync(dir, { recursive: true });
  return parts;
};

const makeExecutable = await executableMaker({ scratch, manifest: join(server, 'package.json') });
const weights = Object.keys(processors).map(processor => [processor, makeFor(processor, makeExecutable)]);

writeFileSync(join(out, `daybook-${version}.cdx.json`), `${JSON.stringify(billOfMaterials(), null, 1)}\n`);
const results = readdirSync(out, { withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => entry.name)
  .sort();
const digest = file =>
  createHash('sha256')
    .update(readFileSync(join(out, file)))
    .digest('hex');
writeFileSync(join(out, 'SHA256SUMS'), results.map(file => `${digest(file)}  ${file}\n`).join(''));
if (values.sign !== undefined)
  run('ssh-keygen', ['-q', '-Y', 'sign', '-f', resolve(values.sign), '-n', 'daybook', join(out, 'SHA256SUMS')]);
for (const file of results) console.log(`${MB(bytesOf(join(out, file))).padStart(9)}  ${file}`);
for (const [processor, { node, addon, code, all }] of weights)
  console.log(`
${processor}: before compression the executable holds:
${MB(node)} Node ${nodeVersion}, stripped
${MB(addon)} SQLite's addon
${MB(code)} the program
${MB(all)} all that is Daybook's, these two included (dashboard, tracker, threads)`);
rmSync(scratch, { recursive: true });
