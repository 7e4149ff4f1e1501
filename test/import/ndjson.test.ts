import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseNdjson } from '../../src/import/ndjson.ts';
import { anyCharacter } from '../any-character.ts';
import { repeat } from '../repeat.ts';

const hit = { u: 'https://example.com/' };
const lineOf = (changes: Record<string, unknown> = {}): string =>
  JSON.stringify({ at: '2026-10-01T12:00:00.000Z', ip: '203.0.113.9', ua: 'Mozilla/5.0', hit, ...changes });
const at = Date.UTC(2026, 9, 1, 12);

const good: [name: string, line: string, want: object][] = [
  ['with all there can be', lineOf(), {}],
  ['with more in it', lineOf({ note: 'x' }), {}],
  ['a zone', lineOf({ at: '2026-10-01T14:00:00+02:00' }), {}],
  ['no seconds', lineOf({ at: '2026-10-01T12:00Z' }), {}],
  ['microseconds', lineOf({ at: '2026-10-01T12:00:00.001999Z' }), { at: at + 1 }],
  ['any address', lineOf({ ip: 'x' }), { address: 'x' }],
  ['no user agent', lineOf({ ua: undefined }), { userAgent: '' }],
  ['how it ended is told elsewhere', lineOf({ counted: true }), { isCounted: true }],
  ['spaces around', ` ${lineOf()} `, {}],
  [
    'what address and user agent would tell',
    lineOf({ ip: undefined, ua: undefined, visitor: 'v1', country: 'DE', browser: 'Firefox', city: '' }),
    {
      address: '',
      userAgent: '',
      told: { visitor: 'v1', lasts: true, texts: { country: 'DE', browser: 'Firefox', city: null } },
    },
  ],
  [
    'that the visitor is the site’s own',
    lineOf({ visitor: '0123456789abcdef', proof: 'fedcba9876543210' }),
    { told: { visitor: '0123456789abcdef', proof: 'fedcba9876543210', lasts: true } },
  ],
];
for (const [name, line, want] of good) {
  test(name, () =>
    assert.equal(parseNdjson(line), {
      ...{ at, address: '203.0.113.9', userAgent: 'Mozilla/5.0', hit, told: {}, isCounted: false },
      ...want,
    }),
  );
}

const recordOf = (record: string, more: object): string =>
  JSON.stringify({ at: '2026-10-01T12:00:00.000Z', record, ...more });

const records: [line: string, want: object][] = [
  [
    recordOf('vital', { path: '/', device: 'mobile', lcp: 200.5 }),
    { record: 'vital', path: '/', device: 'mobile', lcp: 200.5, inp: null, cls: null, fcp: null, ttfb: null },
  ],
  [
    recordOf('crawl', { name: 'GPTBot', text: '/a', status: 404, count: 3 }),
    { record: 'crawl', name: 'GPTBot', text: '/a', status: 404, count: 3 },
  ],
  [
    recordOf('outcome', { name: 'recorded', count: 3 }),
    { record: 'outcome', name: 'recorded', text: '', status: 0, count: 3 },
  ],
  [
    recordOf('other_text', { name: 'page', text: 'site', count: 1 }),
    { record: 'other_text', name: 'page', text: 'site', status: 0, count: 1 },
  ],
];
for (const [line, want] of records) test(`a record: ${line}`, () => assert.equal(parseNdjson(line), { at, ...want }));

const malformed: [name: string, line: string][] = [
  ['nothing', ''],
  ['no JSON', '{"at":'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a number', '1'],
  ['no time', lineOf({ at: undefined })],
  ['a number as time', lineOf({ at })],
  ['a date as time', lineOf({ at: '2026-10-01' })],
  ['a time without zone', lineOf({ at: '2026-10-01T12:00:00' })],
  ['a day that is none', lineOf({ at: '2026-02-30T12:00:00Z' })],
  ['a month that is none', lineOf({ at: '2026-13-01T12:00:00Z' })],
  ['an hour that is none', lineOf({ at: '2026-10-01T25:00:00Z' })],
  ['before 1970', lineOf({ at: '1969-12-31T12:00:00Z' })],
  ['no address', lineOf({ ip: undefined })],
  ['a number as address', lineOf({ ip: 1 })],
  ['a number as user agent', lineOf({ ua: 5 })],
  ['no hit', lineOf({ hit: undefined })],
  ['a list as hit', lineOf({ hit: [hit] })],
  ['a record of no kind', recordOf('nothing', { name: 'a', count: 1 })],
  ['a record beside a hit', lineOf({ record: 1 })],
  ['an outcome that is none', recordOf('outcome', { name: 'constructor', count: 1 })],
  ['a kind of texts that is none', recordOf('other_text', { name: 'page', text: '', count: 1 })],
  ['a crawler without a name', recordOf('crawl', { text: '/', count: 1 })],
  ['no count', recordOf('outcome', { name: 'recorded' })],
  ['a count of nothing', recordOf('outcome', { name: 'recorded', count: 0 })],
  ['a count that cannot be', recordOf('outcome', { name: 'recorded', count: 1e300 })],
  ['a status that is none', recordOf('crawl', { name: 'a', status: -1, count: 1 })],
  ['a vital that cannot be', recordOf('vital', { path: '/', device: 'mobile', lcp: -1 })],
  ['a list as path', recordOf('vital', { path: ['/'], device: 'mobile', lcp: 1 })],
];
for (const [name, line] of malformed) test(`not a line: ${name}`, () => assert.is(parseNdjson(line), null));

test('garbage is malformed, never worse', () => {
  const damaged = fc
    .tuple(fc.nat(120), fc.nat(120), fc.string({ unit: anyCharacter }))
    .map(([from, length, text]) => lineOf().slice(0, from) + text + lineOf().slice(from + length));
  fc.assert(
    fc.property(fc.oneof(damaged, fc.json(), fc.string()), line => {
      const parsed = parseNdjson(line);
      if (parsed !== null) assert.ok(Number.isSafeInteger(parsed.at) && parsed.at >= 0);
    }),
    { seed: 4, numRuns: 200 * repeat },
  );
});

test.run();
