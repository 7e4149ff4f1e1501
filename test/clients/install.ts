/** A published client's packages, outside the project: in a scratch folder whose name is made of their versions. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports a package by its name, from those that were installed. */
export interface Import {
  (name: string): Promise<unknown>;
  /** Where they stand, for what bundles them. */
  folder: string;
}

/** Installs what is missing. Throws when npm fails, as it does without a network. */
export const installPackages = (dependencies: Readonly<Record<string, string>>): Import => {
  const about = JSON.stringify({ private: true, type: 'module', dependencies });
  const folder = join(tmpdir(), `daybook-clients-${createHash('sha256').update(about).digest('hex').slice(0, 12)}`);
  const done = join(folder, 'installed');
  if (!existsSync(done)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), about);
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
    const { status, error } = spawnSync('npm', ['install', ...quiet], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new Error(`npm ended with ${error ?? status}. The client was not tried.`);
    writeFileSync(done, '');
  }
  const { resolve } = createRequire(join(folder, 'package.json'));
  return Object.assign((name: string) => import(pathToFileURL(resolve(name)).href), { folder });
};
