/** What README.md and docs/*.md point to exists: pages and their headings, files, and scripts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../src/package-root.ts';
import { allocatorSettings } from './tools/build.ts';

const textOf = (page: string): string => readFileSync(join(packageRoot, page), 'utf8');
const docs = readdirSync(join(packageRoot, 'docs')).filter(name => name.endsWith('.md'));
const pages = [
  'README.md',
  'CHANGELOG.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  ...docs.map(name => `docs/${name}`),
];

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

test('every link to a page or a heading leads there', () => {
  let links = 0;
  for (const page of pages) {
    for (const [, target] of textOf(page).matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target!)) continue;
      const [path, anchor] = target!.split('#') as [string, string?];
      const linked = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(join(packageRoot, linked)), `${page}: ${target}`);
      if (anchor !== undefined) assert.ok(anchorsOf(linked).includes(anchor), `${page}: ${target}`);
      links++;
    }
  }
  assert.ok(links > 30);
});

test('every file that a page names exists', () => {
  let files = 0;
  for (const page of pages) {
    // The sources of the comparison are files of other projects.
    const [own] = textOf(page).split('\n## Sources\n');
    for (const [, path] of own!.matchAll(/`((?:src|test|bench|tracker|docs)\/[\w./-]*)`/g)) {
      assert.ok(existsSync(join(packageRoot, path!)), `${page}: ${path}`);
      files++;
    }
  }
  assert.ok(files > 20);
});

test('every script that a page runs is in package.json', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  for (const page of pages) {
    for (const [, name] of textOf(page).matchAll(/npm run ([\w:]+)/g)) assert.ok(name! in scripts, `${page}: ${name}`);
  }
});

test('the glossary has each word once, in order, with a meaning', () => {
  const rows = [...textOf('docs/glossary.md').matchAll(/^\| ([a-z ,]+) \| (.+) \|$/gm)];
  const words = rows.map(([, word]) => word!);
  assert.ok(words.length >= 40);
  assert.equal(words, [...new Set(words)].sort());
  for (const [, word, meaning] of rows) assert.match(meaning!, /^[A-Z]/, word);
});

test('the server is given the same settings of the allocator wherever it is started', () => {
  const ways = ['package.json', 'Dockerfile', '.ci/release/debian/daybook.service', 'docs/operations.md'];
  const given = ways.map(way => /\bMALLOC_\w+=\d+ MALLOC_\w+=\d+/.exec(textOf(way))?.[0]);
  const benched = Object.entries(allocatorSettings).map(([name, value]) => `${name}=${value}`);
  assert.equal(given, Array(ways.length).fill(benched.join(' ')));
  for (const [name, value] of Object.entries(allocatorSettings))
    assert.match(textOf('.ci/release/begin.cjs'), `${name}: '${value}'`, 'the executable');
});

test.run();
