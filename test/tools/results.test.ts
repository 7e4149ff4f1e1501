import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { markdownTable, publish, withSection } from './results.ts';

const page = '# Page\n\n<!-- one -->\nold\n<!-- /one -->\n\nbetween\n\n<!-- two -->\n<!-- /two -->\n';

test('a section is replaced, and the text around it stays', () => {
  const once = withSection(page, 'one', 'new\n');
  assert.is(once, '# Page\n\n<!-- one -->\n\nnew\n\n<!-- /one -->\n\nbetween\n\n<!-- two -->\n<!-- /two -->\n');
  assert.is(withSection(once, 'one', 'new'), once);
});

test('a missing section is an error', () => {
  assert.throws(() => withSection(page, 'three', 'x'), /no <!-- three -->/);
});

test('a run that was not full stays out of the page', () => {
  const file = join(temporaryDir(), 'page.md');
  writeFileSync(file, page);
  publish('one', 'less', false, file);
  assert.is(readFileSync(file, 'utf8'), page);
  publish('one', 'all', true, file);
  assert.is(readFileSync(file, 'utf8'), withSection(page, 'one', 'all'));
});

test('numbers are aligned right', () => {
  assert.is(markdownTable(['what', 'ms'], [['a', 1234.5]]), '| what | ms |\n| --- | ---: |\n| a | 1,234.5 |');
});

test.run();
