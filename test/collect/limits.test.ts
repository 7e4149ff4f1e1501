/** Each limit of a hit at n and at n + 1, as it ends up in the database. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startCollector } from './start-collector.ts';
import { storedHits, storedVisits } from './stored.ts';

const collector = await startCollector();
const { site, post, db } = collector;
const u = 'https://site1.example/';
test.after(() => collector.close());

/** Sends a hit from a visitor that was not there before, and gives the rows that it wrote. */
let visitors = 0;
// biome-ignore lint/suspicious/noExplicitAny: a row of the database, of which each test knows its part
const stored = async (hit: object): Promise<{ hit: any; visit: any }> => {
  const answer = await post({ s: site.publicKey, u, ...hit }, { address: `198.51.100.${++visitors}` });
  assert.is(answer.outcome, 'recorded');
  return { hit: storedHits(db).at(-1), visit: storedVisits(db).at(-1) };
};
const x = (count: number): string => 'x'.repeat(count);

test('an event name keeps 500 characters', async () => {
  for (const t of ['custom', 'outbound', 'revenue']) {
    assert.is((await stored({ t, n: x(500) })).hit.event, x(500), t);
    assert.is((await stored({ t, n: `${x(500)}y` })).hit.event, x(500), t);
  }
});

test('a title keeps 500 characters', async () => {
  assert.is((await stored({ ti: x(500) })).hit.title, x(500));
  assert.is((await stored({ ti: `${x(500)}y` })).hit.title, x(500));
});

test('a language keeps 35 characters', async () => {
  assert.is((await stored({ l: x(35) })).visit.language, x(35));
  assert.is((await stored({ l: `${x(35)}y` })).visit.language, x(35));
});

test('a referrer keeps 2,000 characters', async () => {
  const host = `${x(1989)}.de`;
  assert.is(`https://${host}`.length, 2000);
  assert.is((await stored({ r: `https://${host}` })).visit.referrer, host);
  assert.is((await stored({ r: `https://${host}x` })).visit.referrer, host);
});

test('the first 2000 characters of the URL are parsed', async () => {
  const path = `/${x(2000 - u.length)}`;
  assert.is((await stored({ u: u + path.slice(1) })).hit.path, path);
  assert.is((await stored({ u: `${u + path.slice(1)}y` })).hit.path, path);
  assert.is((await stored({ u: `https://${x(3000)}.example/` })).hit.hostname, x(1992));
});

test('a property key keeps 200 characters', async () => {
  const keysOf = async (p: object) => (await stored({ t: 'custom', n: 'e', p })).hit.properties;
  assert.equal(await keysOf({ [x(200)]: 'v' }), [[x(200), 'string', 'v']]);
  assert.equal(
    await keysOf({ [`${x(200)}y`]: 'v', [`${x(200)}z`]: 'w' }),
    [[x(200), 'string', 'v']],
    'once after the cut',
  );
});

test('a text property keeps 500 characters', async () => {
  const keptOf = async (v: unknown) => (await stored({ t: 'custom', n: 'e', p: { v } })).hit.properties[0][2];
  assert.is(await keptOf(x(500)), x(500));
  assert.is(await keptOf(`${x(500)}y`), x(500));
  assert.is(await keptOf([x(600)]), `["${x(498)}`);
});

test('a hit keeps 50 properties', async () => {
  const made = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
  assert.is((await stored({ t: 'custom', n: 'e', p: made(50) })).hit.properties.length, 50);
  const kept = (await stored({ t: 'custom', n: 'e', p: made(51) })).hit.properties;
  assert.equal([kept.length, kept.at(-1)], [50, ['k49', 'number', 49]]);
  const [, traits] = (await stored({ t: 'identify', p: made(51) })).hit.properties;
  assert.is(Object.keys(JSON.parse(traits)).length, 50);
});

test('a duration is 0 to 30 minutes', async () => {
  const half = 30 * 60_000;
  for (const t of ['duration', 'pageview']) {
    for (const [d, want] of [
      [half, half],
      [half + 1, half],
      [-1, 0],
      [0, 0],
      [1499.5, 1500],
      [1e300, half],
      ['5', 0],
      [null, 0],
    ]) {
      assert.is((await stored({ t, d })).hit.duration, want, `${t} ${d}`);
    }
  }
  assert.is((await stored({ t: 'custom', n: 'e', d: 5 })).hit.duration, 0, 'an event is on no page before');
});

test('a part of a page is 0 to 100 percent, and unknown where it is anything else', async () => {
  for (const t of ['duration', 'pageview']) {
    for (const [sc, want] of [
      [0, 0],
      [74.5, 75],
      [100, 100],
      [100.5, null],
      [-1, null],
      ['5', null],
      [null, null],
      [undefined, null],
    ]) {
      assert.is((await stored({ t, sc })).hit.scroll, want, `${t} ${sc}`);
    }
  }
  assert.is((await stored({ t: 'custom', n: 'e', sc: 5 })).hit.scroll, null, 'an event is about no page before');
});

test('a window has 0 to 65,535 pixels', async () => {
  for (const [w, h, want] of [
    [1920, 1080, 1920 * 65_536 + 1080],
    [65_535, 65_536, 65_535 * 65_536 + 65_535],
    [1279.5, 0, 1280 * 65_536],
    [-1, 'x', 0],
    [undefined, null, 0],
  ]) {
    assert.is((await stored({ w, h })).visit.screen, want, `${w} x ${h}`);
  }
});

test('revenue is a finite number, rounded', async () => {
  for (const [v, want] of [
    ['4900', 4900],
    ['4900.5', 4901],
    ['-4900', -4900],
    ['-0.2', 0],
    ['1e999', 0],
    ['1e300', 0],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
    [String(Number.MAX_SAFE_INTEGER + 1), 0],
    ['"4900"', 0],
    ['null', 0],
  ] as const) {
    await post(`{"s":"${site.publicKey}","u":"${u}","t":"revenue","n":"Sale","v":${v}}`);
    const { type, amount, currency } = storedHits(db).at(-1)!;
    assert.equal([type, amount, currency], ['revenue', want, 'USD'], v);
  }
});

test('a currency is three letters, USD when omitted, and none when invalid', async () => {
  for (const [c, want] of [
    ['EUR', 'EUR'],
    ['eur', 'EUR'],
    ['ABC', 'ABC'],
    [undefined, 'USD'],
    [null, 'USD'],
    [5, 'USD'],
    ['', 'USD'],
    ['EURO', 'XXX'],
    ['€', 'XXX'],
    ['E\u0000R', 'XXX'],
  ]) {
    assert.is((await stored({ t: 'revenue', n: 'Sale', v: 1, c })).hit.currency, want, String(c));
  }
});

test('cutting never leaves half a character', async () => {
  const cut = (await stored({ ti: `${x(499)}😀` })).hit.title;
  assert.is(cut, `${x(499)}\ufffd`);
  assert.is((await stored({ ti: `${x(498)}😀` })).hit.title, `${x(498)}😀`);
});

test.run();
