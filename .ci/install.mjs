// Installs the packages of package-lock.json when they are missing or older than it, so that one npm command is enough on a clean clone.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

const modified = file => statSync(new URL(`../${file}`, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (modified('node_modules/.package-lock.json') < modified('package-lock.json')) {
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  process.exit(status ?? 1);
}
