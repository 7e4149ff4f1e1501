import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bundleTracker } from '../../.ci/tracker.mjs';

const code = await bundleTracker('tracker/main.ts');

test('the tracker is at most 5,300 bytes gzipped, web vitals included', () => {
  const bytes = gzipSync(code, { level: 9 }).length;
  assert.ok(bytes <= 5300, `${bytes} bytes`);
  assert.match(code, 'largest-contentful-paint');
});

test('what the tag and the page rely on survives the minifier', () => {
  for (const name of [
    'tracker_',
    'respectDnt',
    'navigationType',
    'sendBeacon',
    'keepalive',
    'data-track',
    'pageview',
    'identify',
    'revenue',
  ]) {
    assert.ok(code.includes(name), name);
  }
});

test('functions younger than the browsers that are supported are not called', () => {
  for (const name of [
    'structuredClone',
    'toSorted',
    'toReversed',
    'groupBy',
    'withResolvers',
    'canParse',
    'randomUUID',
    'replaceAll(',
  ]) {
    assert.not(code.includes(name), name);
  }
});

test('the bundle leaves nothing but its function among the globals', () => {
  assert.match(code, /^"use strict";\(\(\)=>\{/);
  assert.not.match(code, /\b(import|export)\b[\s{*(]/);
});

test.run();
