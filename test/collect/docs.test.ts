/** docs/collecting.md lists what the collector goes by. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parsePageUrl } from '../../src/collect/page-url.ts';
import { screenBucketNames } from '../../src/model/dimensions.ts';
import { automationBits, type WireHit } from '../../src/model/hit.ts';
import { vitals } from '../../src/model/vitals.ts';
import { packageRoot } from '../../src/package-root.ts';

const text = readFileSync(join(packageRoot, 'docs/collecting.md'), 'utf8');
const section = (name: string): string => text.split(`\n## ${name}\n`)[1]!.split('\n## ')[0]!;

test('every field of a hit and every sign of automation has its row in the docs', () => {
  const fields: Record<keyof WireHit, 0> = {
    ...{ s: 0, u: 0, t: 0, r: 0, ti: 0, l: 0, w: 0, h: 0 },
    ...{ n: 0, d: 0, sc: 0, p: 0, v: 0, c: 0, i: 0, b: 0, x: 0 },
  };
  const rows = [...section('A hit').matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g)!);
  assert.equal(rows, Object.keys(fields));
  const bits = [...section('Bots').matchAll(/^\| (\d+) \|/gm)].map(([, bit]) => Number(bit));
  assert.equal(bits, Object.values(automationBits));
});

test('the docs name the parameters that are removed from a query', () => {
  const listed = /say how somebody came: ([^.]+)\./.exec(section('The page'))![1]!.match(/(?<=`)\w+(?=`)/g)!;
  assert.is(listed.length, 27);
  const query = [...listed, 'page'].map(name => `${name}=1`).join('&');
  assert.is(parsePageUrl(`https://example.com/?${query}&utm_term=1`)!.query, 'page=1');
});

test('the docs name the screen buckets', () => {
  const named = section('Visits')
    .match(/`(<?\d[\d-]*\+?)`/g)!
    .map(name => name.slice(1, -1));
  assert.equal(named, [...screenBucketNames].reverse());
});

test('it names the web vitals, and up to which value each is taken', () => {
  const text = section('Web vitals');
  for (const [name, { max }] of Object.entries(vitals)) {
    assert.match(text, new RegExp(`\`${name}\``), name);
    assert.ok(text.includes(`up to ${max.toLocaleString('en-US')}`), name);
  }
});

test.run();
