/**
 * `npm run test:release`: installs what `npm run release` makes in bare Debian roots and uses it,
 * from the first hit to a question, a SIGTERM, and an upgrade from the version before.
 *
 *     npm run test:release [-- --before DIR] [--release DIR] [--base DIR] [--only archive|deb|npm|arm64]
 *
 * DIRs are what `npm run release -- --out` made, and a Debian that debootstrap made; what is not
 * given is made. It needs root, debootstrap, qemu-user and the binutils of both processors; lintian
 * is run where it is installed. What is for arm64 runs under emulation, with Debian's libraries.
 */
import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withDirectory } from '../tools/directories.ts';
import { copyOf, here, makeBase, type Root, unpackBase } from './root.ts';
import { hasPages, pagesOf, type Serving, visit } from './serving.ts';

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    release: { type: 'string' },
    base: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
/** A version that no release has, and that all releases come after. */
const versionBefore = '0.0.1';

/** How one kind of package is used in a root. */
interface Kind {
  install(root: Root, release: string): void;
  serve(root: Root): Promise<Serving>;
  /** Shell words that run a command of the program beside the server. */
  command: string;
  /** What must hold after the upgrade, and after it is removed. */
  end?(root: Root): void;
}

const fileIn = (dir: string, pattern: RegExp): string => {
  const name = readdirSync(dir).find(file => pattern.test(file));
  assert.ok(name, `${dir} has no ${pattern}`);
  return join(dir, name);
};

const asNobody = 'exec setpriv --reuid=65534 --regid=65534 --clear-groups';

const archive: Kind = {
  install(root, release) {
    copyFileSync(fileIn(release, /-linux-x64\.tar\.gz$/), join(root.dir, 'srv/daybook.tar.gz'));
    root.run('cd /srv; rm -rf app; tar xzf daybook.tar.gz; mv daybook-*/ app; mkdir -p work; chown 65534:65534 work');
  },
  // Nothing but the program's name; the data is in ./data, and where the program lies nobody may write.
  serve: root => root.serve(`cd /srv/work; ${asNobody} ../app/daybook`),
  command: `cd /srv/work; ${asNobody} ../app/daybook`,
  end(root) {
    root.run('head -c -1000 /srv/app/daybook > /srv/cut; chmod +x /srv/cut');
    for (const command of ['--version', 'serve', 'site list'])
      assert.equal(
        root.run(`/srv/cut ${command} 2>&1 || true`),
        'daybook: This file is not whole: download it again.\n',
      );
  },
};

const unit = 'usr/lib/systemd/system/daybook.service';

const deb: Kind = {
  install(root, release) {
    copyFileSync(fileIn(release, /_amd64\.deb$/), join(root.dir, 'srv/daybook.deb'));
    root.run('DEBIAN_FRONTEND=noninteractive apt-get install -y -qq /srv/daybook.deb 2>&1');
  },
  serve(root) {
    const start = /^ExecStart=(.+)$/m.exec(readFileSync(join(root.dir, unit), 'utf8'))![1];
    const settings = 'set -a; . /etc/default/daybook';
    return root.serve(
      `${settings}; cd /var/lib/daybook; exec setpriv --reuid=daybook --regid=daybook --init-groups ${start}`,
    );
  },
  command: 'daybook',
  end(root) {
    assert.ok(existsSync(join(root.dir, `var/backups/daybook/before-upgrade-from-${versionBefore}.db`)));
    for (const file of ['usr/share/man/man1/daybook.1.gz', 'usr/share/bash-completion/completions/daybook'])
      assert.ok(existsSync(join(root.dir, file)), file);
    root.run('bash -n /usr/share/bash-completion/completions/daybook');
    root.run('apt-get remove -y -qq daybook 2>&1');
    assert.ok(existsSync(join(root.dir, 'var/lib/daybook/daybook.db')), 'data stays when it is removed');
    root.run('dpkg --purge daybook 2>&1');
    for (const path of ['var/lib/daybook', 'etc/default/daybook', 'usr/lib/daybook', unit])
      assert.ok(!existsSync(join(root.dir, path)), path);
    assert.ok(!readFileSync(join(root.dir, 'etc/passwd'), 'utf8').includes('daybook'));
  },
};

const npm: Kind = {
  install(root, release) {
    // The compiler and the registry are outside; inside there is Node, and what npm has installed.
    const tarball = fileIn(release, /^daybook-[\d.]+\.tgz$/);
    execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', join(root.dir, 'srv/npm'), tarball]);
    copyFileSync(process.execPath, join(root.dir, 'usr/bin/node'));
    root.run('mkdir -p /srv/work; chown 65534:65534 /srv/work');
  },
  serve: root => root.serve(`cd /srv/work; ${asNobody} ../npm/node_modules/.bin/daybook`),
  command: `cd /srv/work; ${asNobody} ../npm/node_modules/.bin/daybook`,
};

/** The archive for arm64; of the Debian package, only what is in it. */
const arm64 = (libraries: string): Kind => {
  const command = `cd work; exec qemu-aarch64 -L ${libraries} ../app/daybook`;
  return {
    install(root, release) {
      root.run(`rm -rf app; tar xzf ${fileIn(release, /-linux-arm64\.tar\.gz$/)}; mv daybook-*/ app; mkdir -p work`);
      const deb = fileIn(release, /_arm64\.deb$/);
      assert.equal(root.run(`dpkg-deb --field ${deb} Architecture`).trim(), 'arm64');
      root.run(`rm -rf deb; dpkg-deb --extract ${deb} deb; cmp app/daybook deb/usr/lib/daybook/daybook`);
    },
    serve: root => root.serve(command),
    command,
  };
};

const kinds = { archive, deb, npm };

/** From nothing to a question, and on with the version after it. */
const use = async (root: Root, kind: Kind, before: string, release: string): Promise<void> => {
  const tell = (args: string): Record<string, string> => JSON.parse(root.run(`${kind.command} ${args} --json`));
  kind.install(root, before);
  const first = await kind.serve(root);
  await hasPages(first.url);
  const { publicKey: site = '' } = tell('site add example.com');
  await visit(first.url, site, '/first');
  const { key = '' } = tell('key add test');
  assert.deepEqual(await pagesOf(first.url, site, key), { '/first': 1 });
  await first.stop();

  kind.install(root, release);
  assert.doesNotMatch(root.run(`${kind.command} --version`), new RegExp(versionBefore.replaceAll('.', '\\.')));
  const second = await kind.serve(root);
  await visit(second.url, site, '/second');
  assert.deepEqual(await pagesOf(second.url, site, key), { '/first': 1, '/second': 1 });
  assert.match(root.run(`${kind.command} check`), /no damage/);
  await second.stop();
  console.log(`  it listened after ${Math.round(first.startMs)} ms, and after ${Math.round(second.startMs)} ms`);
  kind.end?.(root);
};

/** Looks at packages as their own tools do. */
const lint = (release: string): void => {
  const tool = (command: string, args: string[]): void => {
    console.log(`${command} ${args[0]}`);
    execFileSync(command, args, { stdio: 'inherit' });
  };
  for (const pattern of [/^daybook-[\d.]+\.tgz$/, /^daybook-tracker-[\d.]+\.tgz$/, /^daybook-client-[\d.]+\.tgz$/])
    tool('npx', ['--yes', 'publint@0.3', 'run', '--strict', fileIn(release, pattern)]);
  const tracker = fileIn(release, /^daybook-tracker-[\d.]+\.tgz$/);
  tool('npx', ['--yes', '@arethetypeswrong/cli@0.18', tracker, '--profile', 'esm-only']);
  if (existsSync('/usr/bin/lintian'))
    for (const deb of [/_amd64\.deb$/, /_arm64\.deb$/])
      tool('lintian', ['--fail-on', 'error,warning', '--allow-root', fileIn(release, deb)]);
};

const make = (out: string, version?: string): string => {
  const more = version === undefined ? [] : ['--version', version];
  execFileSync('npm', ['run', 'release', '--', '--out', out, ...more], { stdio: 'inherit' });
  return out;
};

await withDirectory(async dir => {
  const before = resolve(values.before ?? make(join(dir, 'before'), versionBefore));
  const release = resolve(values.release ?? make(join(dir, 'release')));
  const base = resolve(values.base ?? join(dir, 'base'));
  if (values.only !== 'arm64') makeBase(base);
  if (values.only === '') lint(release);
  const tryIn = async (name: string, makeRoot: () => Root, kind: () => Kind): Promise<void> => {
    if (values.only !== '' && values.only !== name) return;
    console.log(name);
    const root = makeRoot();
    try {
      await use(root, kind(), before, release);
    } finally {
      root.remove();
    }
  };
  for (const [name, kind] of Object.entries(kinds)) {
    await tryIn(
      name,
      () => copyOf(base),
      () => kind,
    );
  }
  const libraries = join(dir, 'libraries');
  await tryIn('arm64', here, () => {
    unpackBase(libraries, 'arm64');
    return arm64(libraries);
  });
});
console.log('All of it installs, serves, upgrades and ends in order.');
