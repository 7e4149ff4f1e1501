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
const { packages } = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const locked = Object.entries(packages).filter(([path]) => path !== '');

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

test.run();
