/** Makes the Debian package around the executable. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** What lies beside the executable. */
export const tables = ['cities', 'networks'];

const scripts = ['preinst', 'postinst', 'prerm', 'postrm'];
const parts = '.ci/release/debian';

const page = (madeAt, ...kind) =>
  execFileSync(process.execPath, ['--import', 'tsx', '.ci/release/pages.ts', ...kind], {
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: String(madeAt) },
  });

/** Where the shells look for completions. */
const completions = {
  bash: 'usr/share/bash-completion/completions/daybook',
  zsh: 'usr/share/zsh/vendor-completions/_daybook',
  fish: 'usr/share/fish/vendor_completions.d/daybook.fish',
};

/** Debian has the Apache License on every machine, and wants packages to point there. */
const copyright = licenses =>
  licenses.replaceAll(
    /Apache License\s+Version 2\.0, January 2004[\s\S]*?END OF TERMS AND CONDITIONS/g,
    'Apache License, Version 2.0: /usr/share/common-licenses/Apache-2.0',
  );

/** `dir` holds what the archive holds; `architecture` is Debian's name of the processor. */
export const makeDebian = (file, { dir, scratch, version, madeAt, architecture }) => {
  const root = join(scratch, 'deb');
  rmSync(root, { recursive: true, force: true });
  const place = (path, content, mode = 0o644) => {
    const target = join(root, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    chmodSync(target, mode);
  };
  const zipped = text => gzipSync(text, { level: 9 });
  mkdirSync(join(root, 'usr/lib/daybook'), { recursive: true });
  for (const name of ['daybook', ...tables]) cpSync(join(dir, name), join(root, 'usr/lib/daybook', name));
  const part = name => readFileSync(join(parts, name));
  place('usr/bin/daybook', part('command'), 0o755);
  place('usr/lib/systemd/system/daybook.service', part('daybook.service'));
  place('usr/lib/systemd/system/daybook.socket', part('daybook.socket'));
  place('etc/default/daybook', part('default'), 0o600);
  place('usr/share/man/man1/daybook.1.gz', zipped(page(madeAt, 'man')));
  for (const [shell, path] of Object.entries(completions)) place(path, page(madeAt, 'completion', shell));
  place('usr/share/lintian/overrides/daybook', part('lintian-overrides'));
  place('usr/share/doc/daybook/copyright', copyright(readFileSync(join(dir, 'LICENSES'), 'utf8')));
  const date = execFileSync('date', ['-R', '-u', '-d', `@${madeAt}`], { encoding: 'utf8' }).trim();
  const entry = `daybook (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md of this version.\n\n -- Daybook <daybook@localhost.localdomain>  ${date}\n`;
  place('usr/share/doc/daybook/changelog.gz', zipped(entry));
  const size = Math.ceil(Number(execFileSync('du', ['-sk', root], { encoding: 'utf8' }).split('\t')[0]));
  place(
    'DEBIAN/control',
    `Package: daybook
Version: ${version}
Architecture: ${architecture}
Maintainer: Daybook <daybook@localhost.localdomain>
Installed-Size: ${size}
Pre-Depends: init-system-helpers (>= 1.54~)
Depends: adduser, libc6 (>= 2.28), libgcc-s1, libstdc++6
Section: web
Priority: optional
Description: cookieless web analytics in one small process
 Daybook collects the hits of web sites, answers questions about them exactly,
 and never loses a hit that it has acknowledged. It is one process on SQLite.
`,
  );
  place('DEBIAN/conffiles', '/etc/default/daybook\n');
  for (const name of scripts) {
    copyFileSync(join(parts, name), join(root, 'DEBIAN', name));
    chmodSync(join(root, 'DEBIAN', name), 0o755);
  }
  const listed = execFileSync('find', ['.', '-type', 'f', '-not', '-path', './DEBIAN/*', '-printf', '%P\\n'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.trim().split('\n').sort();
  place('DEBIAN/md5sums', execFileSync('md5sum', files, { cwd: root }));
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', root]);
  chmodSync(join(root, 'etc/default/daybook'), 0o600);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', root, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(madeAt) },
  });
};
