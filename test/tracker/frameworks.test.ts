import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/package-root.ts';
import { frameworksTable } from '../frameworks/frameworks.ts';

test('the page lists the frameworks and versions that are tried', () => {
  const page = readFileSync(join(packageRoot, 'docs', 'tracker.md'), 'utf8');
  assert.ok(page.includes(frameworksTable()), 'npm run test:frameworks writes the table');
});

test.run();
