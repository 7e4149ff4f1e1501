import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DemoLine, demoDays } from '../../../src/cli/demo/generate.ts';
import { countries } from '../../../src/cli/demo/people.ts';
import { profiles } from '../../../src/cli/demo/profile.ts';
import { openGeo } from '../../../src/collect/geo.ts';
import { parseHit, parseReport } from '../../../src/collect/parse.ts';
import { clientReader } from '../../../src/collect/user-agent.ts';
import { dayMs, utcDayOf } from '../../../src/model/time.ts';

const until = Date.UTC(2026, 10, 20, 12);
const options = { seed: 7, until, days: 126, hits: 30_000 };
const days = [...demoDays(options)];
const lines = days.flatMap(day => day.lines);
type Hit = Extract<DemoLine, { ip: string }>;
const hits = lines.filter((line): line is Hit => 'hit' in line);

const digest = (all: unknown): string => createHash('sha256').update(JSON.stringify(all)).digest('hex');

test('the same seed makes the same hits, another seed makes others', () => {
  const few = { ...options, days: 9, hits: 2000 };
  assert.is(digest([...demoDays(few)]), digest([...demoDays(few)]));
  assert.is.not(digest([...demoDays(few)]), digest([...demoDays({ ...few, seed: 8 })]));
});

test('lines come in order of time, each on its day, and none after the end', () => {
  assert.is(days.length, options.days);
  assert.equal([days[0]!.day, days.at(-1)!.day], [utcDayOf(until) - options.days + 1, utcDayOf(until)]);
  let last = 0;
  for (const { day, lines } of days) {
    for (const { at } of lines) {
      assert.ok(at >= last && utcDayOf(at) === day && at <= until && Number.isInteger(at));
      last = at;
    }
  }
});

test('pageviews and events are about as many as asked for', () => {
  const counted = hits.filter(({ hit }) => ['pageview', 'custom', 'outbound', 'revenue'].includes(String(hit.t)));
  assert.ok(Math.abs(counted.length - options.hits) < 0.15 * options.hits, String(counted.length));
});

test('the collector accepts every line', () => {
  for (const line of lines) {
    const s = 'pk_live_x';
    const parsed = 'hit' in line ? parseHit({ ...line.hit, s }) : parseReport({ ...line.report, s });
    assert.type(parsed, 'object', JSON.stringify(line));
  }
});

test('every address is in its country', async () => {
  const geo = await openGeo({
    geoDb: null,
    geoAsnDb: null,
    log: (event, fields) => assert.unreachable(`${event} ${fields?.reason}`),
  });
  const languages = new Map(countries.map(({ code, languages }) => [code, languages.map(([language]) => language)]));
  const seen = new Set<string>();
  for (const { ip, hit } of hits) {
    const { country, city } = geo.place(ip);
    assert.ok(languages.get(country ?? '')?.includes(String(hit.l)), `${ip} is in ${country} and speaks ${hit.l}`);
    assert.ok(city, ip);
    seen.add(country!);
  }
  assert.ok(seen.size >= 20, String(seen.size));
  geo.close();
});

test('every browser is recognized, and every crawler has a name', () => {
  const clientOf = clientReader();
  const browsers = new Set<string | null>();
  for (const line of lines) {
    const client = clientOf('hit' in line ? line.ua : line.report.ua);
    assert.is(client.crawler !== null, 'report' in line, 'hit' in line ? line.ua : line.report.ua);
    if (!('hit' in line)) continue;
    assert.ok(client.browser !== null && client.os !== null && client.device !== 'unknown', line.ua);
    browsers.add(client.browser);
  }
  assert.ok(browsers.size >= 6, [...browsers].join(', '));
});

test('traffic follows the week and grows', () => {
  const visitsOn = (some: typeof days): number =>
    some.reduce((sum, { lines }) => sum + lines.filter(line => 'hit' in line && line.hit.t === 'duration').length, 0) /
    some.length;
  const isWeekend = ({ day }: { day: number }): boolean => [0, 6].includes(new Date(day * dayMs).getUTCDay());
  const [weekend, week] = [days.filter(isWeekend), days.filter(day => !isWeekend(day))];
  assert.ok(visitsOn(weekend) < 0.75 * visitsOn(week));
  assert.ok(visitsOn(days.slice(-40, -1)) > 1.1 * visitsOn(days.slice(0, 40)));
});

test('the demo has events, outbound clicks, revenue in two currencies, vitals, names and crawls', () => {
  const types = new Map<string, number>();
  for (const { hit } of hits) types.set(String(hit.t), (types.get(String(hit.t)) ?? 0) + 1);
  for (const type of ['pageview', 'custom', 'outbound', 'revenue', 'identify', 'duration', 'vitals']) {
    assert.ok((types.get(type) ?? 0) > 50, `${type}: ${types.get(type)}`);
  }
  const currencies = new Set(hits.filter(({ hit }) => hit.t === 'revenue').map(({ hit }) => hit.c));
  assert.equal([...currencies].sort(), ['EUR', 'USD']);
  assert.ok(lines.filter(line => 'report' in line).length > 500);
  assert.ok(hits.some(({ hit }) => hit.b !== undefined));
  assert.ok(hits.some(({ hit }) => String(hit.u).includes('utm_campaign=')));
});

test('visitors of the cookie site come back on other days', () => {
  const cookieSite = profiles.findIndex(({ identityMode }) => identityMode === 'cookie');
  const daysOf = new Map<string, Set<number>>();
  for (const { site, at, hit } of hits) {
    if (site !== cookieSite) continue;
    const cookie = String(hit.i);
    daysOf.set(cookie, (daysOf.get(cookie) ?? new Set()).add(utcDayOf(at)));
  }
  const again = [...daysOf.values()].filter(of => of.size > 1).length;
  assert.ok(again > 0.1 * daysOf.size && again < 0.6 * daysOf.size, `${again} of ${daysOf.size}`);
});

test.run();
