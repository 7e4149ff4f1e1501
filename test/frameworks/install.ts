/**
 * The packages of the frameworks, outside the project: in a scratch folder whose name is made of
 * their versions, so that a second run finds them there.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Framework, frameworks } from './frameworks.ts';

const versions = JSON.stringify(frameworks.map(({ name, packages }) => [name, packages]));
const scratch = join(
  tmpdir(),
  `daybook-frameworks-${createHash('sha256').update(versions).digest('hex').slice(0, 12)}`,
);

/** Name of a framework as a file would have it. */
export const slugOf = ({ name }: Framework): string => name.toLowerCase().replace(/\W+/g, '-');

/** The folder of a framework, from which its packages can be imported once they are installed. */
export const folderOf = (framework: Framework): string => join(scratch, slugOf(framework));

/**
 * Installs what is missing, all at once. Each framework is a workspace of its own, so that versions
 * that exclude each other stay apart. Throws when npm fails, as it does without a network.
 */
export const installPackages = (wanted: readonly Framework[]): void => {
  const missing = wanted.filter(
    framework => Object.keys(framework.packages).length > 0 && !existsSync(join(folderOf(framework), 'installed')),
  );
  if (missing.length === 0) return;
  for (const framework of frameworks) {
    const { packages: dependencies } = framework;
    mkdirSync(folderOf(framework), { recursive: true });
    const about = { name: `site-${slugOf(framework)}`, private: true, type: 'module', dependencies };
    writeFileSync(join(folderOf(framework), 'package.json'), JSON.stringify(about));
  }
  writeFileSync(join(scratch, 'package.json'), JSON.stringify({ private: true, workspaces: ['*'] }));
  const names = missing.map(framework => `--workspace=${slugOf(framework)}`);
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '--legacy-peer-deps'];
  console.log(`Installing the packages of ${missing.map(({ name }) => name).join(', ')} in ${scratch}`);
  const { status, error } = spawnSync('npm', ['install', ...quiet, ...names], {
    cwd: scratch,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0)
    throw new Error(
      `The packages of the frameworks cannot be installed: npm ended with ${error ?? status}. Nothing was tested.`,
    );
  for (const framework of missing) writeFileSync(join(folderOf(framework), 'installed'), '');
};
