/**
 * A site's traffic from a seed: skewed like a real one, with few popular pages, countries and
 * referrers and long tails. Days are made as columns in the order they are sealed in, so that ten
 * million hits take a minute and not an hour.
 */

import { type ColumnName, columnNames, pageFields } from '../src/model/columns.ts';
import { hitTypes, propertyTypes, scrollCode } from '../src/model/hit.ts';
import { dayMs } from '../src/model/time.ts';
import { type VisitTextName, visitTextNames } from '../src/model/visit-fields.ts';
import type { Column } from '../src/store/day/column-codec.ts';
import { type Day, dayOver, numberColumn, textColumn } from '../src/store/day/day.ts';
import { growingIntegers } from '../src/store/day/open/growing-column.ts';
import { wholeDay } from '../src/store/day/part.ts';

export interface TrafficPlan {
  seed: number;
  hits: number;
  days: number;
  /** UTC day number of the first. */
  firstDay: number;
  /** Share of visitors in cookie mode, of whom half come back on other days. */
  cookies: number;
  /** Paths, each with a title of its own. There are half as many query strings. */
  pages: number;
}

export const usualPages = 5000;

/** Gives texts their ids; 0 for null. */
export type TextId = (text: string | null) => number;

type Draw = () => number;

/** xorshift128, as numbers from 0 to below 1. */
const drawFrom = (seed: number): Draw => {
  let [a, b, c, d] = [seed ^ 0x9e3779b9, seed ^ 0x243f6a88, seed ^ 0xb7e15162, seed ^ 0xdeadbeef];
  return () => {
    const t = a ^ (a << 11);
    a = b;
    b = c;
    c = d;
    d = d ^ (d >>> 19) ^ (t ^ (t >>> 8));
    return (d >>> 0) / 2 ** 32;
  };
};

/** A number below n, small ones more often: the greater the skew, the shorter the head. */
const below = (draw: Draw, n: number, skew = 1): number => Math.floor(n * draw() ** skew);

/** What a product is called: the pages that only a large site has have longer names. */
const product = (i: number): string => {
  const words = [
    ['red', 'blue', 'green', 'black', 'white', 'striped', 'plain'],
    ['cotton', 'woollen', 'linen', 'leather', 'silk'],
    ['summer', 'winter', 'running', 'evening', 'travel', 'garden'],
    ['dress', 'jacket', 'shoes', 'hat', 'bag', 'gloves', 'scarf', 'shirt'],
  ];
  return words.map(list => list[i % list.length]).join('-');
};

/**
 * What the site's hits say, as text ids, which are given in the order of first use. Index 0 of a
 * skewed list is its most frequent entry.
 */
const vocabulary = ({ pages }: TrafficPlan, id: TextId) => {
  const list = (count: number, name: (i: number) => string): ((i: number) => number) => {
    const ids = new Uint32Array(count);
    return i => (ids[i] ||= id(name(i)));
  };
  const ofProduct = (i: number, before: string): string => (i < usualPages ? '' : `${before}${product(i)}`);
  const sections = ['blog', 'docs', 'shop', 'help', 'news'];
  const countries = Array.from({ length: 64 }, (_, i) => String.fromCharCode(65 + (i % 26), 65 + ((i * 7 + 3) % 26)));
  return {
    pages,
    path: list(pages, i => (i === 0 ? '/' : `/${sections[i % 5]}/page-${i}${ofProduct(i, '-')}`)),
    title: list(pages, i => (i === 0 ? 'Home' : `Page ${i} of the ${sections[i % 5]}${ofProduct(i, ': ')}`)),
    hostname: list(2, i => ['www.example.com', 'shop.example.com'][i]!),
    query: list(pages / 2, i => `page=${i % 50}&sort=${i}${ofProduct(i, '&q=')}`),
    referrer: list(300, i => ['google.com', 'bing.com', 'duckduckgo.com'][i] ?? `site-${i}.example`),
    utmSource: list(12, i => ['newsletter', 'google', 'facebook'][i] ?? `source-${i}`),
    utmMedium: list(6, i => ['email', 'cpc', 'social'][i] ?? `medium-${i}`),
    utmCampaign: list(40, i => `campaign-${i}`),
    utmTerm: list(50, i => `term-${i}`),
    utmContent: list(30, i => `content-${i}`),
    country: list(64, i => countries[i]!),
    region: list(64 * 8, i => `Region ${i % 8} of ${countries[i >> 3]}`),
    city: list(64 * 40, i => `City ${i % 40} of ${countries[Math.floor(i / 40)]}`),
    language: list(40, i => `l${i % 10}-${countries[i]}`),
    browser: list(12, i => ['Chrome', 'Mobile Safari', 'Safari', 'Firefox', 'Edge'][i] ?? `Browser ${i}`),
    os: list(8, i => ['Windows', 'Android', 'iOS', 'macOS', 'Linux'][i] ?? `OS ${i}`),
    device: list(3, i => ['desktop', 'mobile', 'tablet'][i]!),
    clickId: list(4, i => ['gclid', 'fbclid', 'msclkid', 'ttclid'][i]!),
    // Every eighth is one that hosts servers.
    network: list(400, i => (i % 8 === 7 ? `AS24940 Hetzner Online ${i}` : `AS${64_512 + i} Network ${i}`)),
    custom: list(20, i => ['Signup', 'Download', 'Play'][i] ?? `Event ${i}`),
    outbound: list(500, i => `https://partner-${i}.example/`),
    revenue: list(2, i => ['Purchase', 'Renewal'][i]!),
    currency: list(2, i => ['EUR', 'USD'][i]!),
    key: list(3, i => ['plan', 'seats', 'trial'][i]!),
    plan: list(4, i => ['free', 'pro', 'team', 'enterprise'][i]!),
  };
};

type Vocabulary = ReturnType<typeof vocabulary>;

/** Columns while they are filled; everything that is made here is a whole number below 2^32. */
type Filling = Record<ColumnName, ReturnType<typeof growingIntegers>>;

const emptyFilling = (): Filling =>
  Object.fromEntries(columnNames.map(name => [name, growingIntegers()])) as unknown as Filling;

/** The days of a site, one after the other. */
export function* generateDays(plan: TrafficPlan, siteId: number, id: TextId): Generator<Day> {
  const words = vocabulary(plan, id);
  const cookies = makeHashes(drawFrom(plan.seed), Math.ceil((plan.hits * plan.cookies) / 3 / 4));
  for (let i = 0; i < plan.days; i++) {
    const draw = drawFrom(plan.seed * 1000 + i);
    for (let warm = 0; warm < 20; warm++) draw();
    yield generateDay(plan, siteId, plan.firstDay + i, words, cookies, draw);
  }
}

const makeHashes = (draw: Draw, count: number): BigUint64Array =>
  new BigUint64Array(Uint32Array.from({ length: 2 * count }, () => draw() * 2 ** 32).buffer).sort();

const generateDay = (
  plan: TrafficPlan,
  siteId: number,
  day: number,
  words: Vocabulary,
  cookies: BigUint64Array,
  draw: Draw,
): Day => {
  const hits = Math.round(plan.hits / plan.days);
  const filling = emptyFilling();
  const hashes: bigint[] = [];
  const state = { hits: 0, firstAt: dayMs, lastAt: 0 };
  const addVisitor = (hash: bigint, seenBefore: number): void => {
    let start = Math.floor(((draw() + draw() + draw()) / 3) * dayMs * 0.9);
    for (let visit = 0; visit === 0 || (draw() < 0.08 && start < dayMs * 0.95); visit++) {
      hashes.push(hash);
      filling.newVisitor.push(visit === 0 ? 1 : 0);
      filling.seenBefore.push(seenBefore);
      start = addVisit(filling, words, start, draw, state) + 31 * 60_000;
    }
  };

  // Some 3.2 hits come of one visitor; a few visitors more than needed are made, so that every day
  // reaches its number.
  const fresh = makeHashes(draw, Math.ceil((hits * (1 - plan.cookies)) / 2));
  for (const hash of fresh) {
    if (state.hits >= hits * (1 - plan.cookies)) break;
    addVisitor(hash, 0);
  }
  const hashVisits = hashes.length;
  for (const hash of cookies) if (draw() < 4 / plan.days) addVisitor(hash, day > plan.firstDay ? 1 : 0);

  const made = new Map<ColumnName, Column>();
  made.set('visitor', { kind: 'hash', values: BigUint64Array.from(hashes) });
  for (const name of [...visitTextNames, ...pageFields, ...otherTexts])
    made.set(name, textColumn(filling[name].values()));
  made.set('screen', textColumn(filling.screen.values()));
  for (const name of numbers) made.set(name, numberColumn(filling[name].values()));
  sortProperties(made, filling);
  return dayOver(
    {
      siteId,
      day,
      part: wholeDay,
      sealed: true,
      visits: hashes.length,
      hashVisits,
      hits: state.hits,
      firstAt: day * dayMs + state.firstAt,
      lastAt: day * dayMs + state.lastAt,
      version: 0,
    },
    name => made.get(name)!,
  );
};

const otherTexts = ['entryPath', 'exitPath', 'identified', 'traits', 'revenueCurrency'] as const;
const numbers = [
  'newVisitor',
  'seenBefore',
  'started',
  'duration',
  'hits',
  'pageviews',
  'time',
  'type',
  'secondsOnPage',
  'scroll',
  'revenueHit',
  'revenueAmount',
] as const;

const addText = (filling: Filling, words: Vocabulary, name: VisitTextName, index: number, present = true): void =>
  filling[name].push(present ? words[name](index) : 0);

/** Adds a visit and its hits; returns when it ended, in milliseconds since midnight. */
const addVisit = (
  filling: Filling,
  words: Vocabulary,
  start: number,
  draw: Draw,
  state: { hits: number; firstAt: number; lastAt: number },
): number => {
  const country = below(draw, 64, 4);
  const device = below(draw, 3, 2.2);
  const campaign = draw() < 0.15;
  addText(filling, words, 'referrer', below(draw, 300, 5), draw() < 0.55);
  addText(filling, words, 'utmSource', below(draw, 12, 3), campaign);
  addText(filling, words, 'utmMedium', below(draw, 6, 3), campaign);
  addText(filling, words, 'utmCampaign', below(draw, 40, 2), campaign);
  addText(filling, words, 'utmTerm', below(draw, 50, 2), campaign && draw() < 0.2);
  addText(filling, words, 'utmContent', below(draw, 30, 2), campaign && draw() < 0.3);
  addText(filling, words, 'country', country);
  addText(filling, words, 'region', country * 8 + below(draw, 8, 2), draw() < 0.95);
  addText(filling, words, 'city', country * 40 + below(draw, 40, 2), draw() < 0.85);
  addText(filling, words, 'language', draw() < 0.9 ? country % 40 : below(draw, 40, 3));
  addText(filling, words, 'browser', below(draw, 12, 3));
  addText(filling, words, 'os', below(draw, 8, 2));
  addText(filling, words, 'device', device);
  addText(filling, words, 'clickId', start % 4, start % 11 === 0);
  addText(filling, words, 'network', Math.floor(400 * ((start % 997) / 997) ** 3));
  const width = [1280 + 64 * below(draw, 12), 360 + 10 * below(draw, 8), 768 + 32 * below(draw, 4)][device]!;
  filling.screen.push(width * 65536 + 500 + 20 * below(draw, 20));
  const isKnown = draw() < 0.01;
  filling.identified.push(isKnown ? words.plan(0) : 0);
  filling.traits.push(isKnown ? words.plan(1) : 0);

  let at = start;
  let hits = 0;
  let pageviews = 0;
  let [entryPath, exitPath] = [0, 0];
  do {
    const hit = state.hits++;
    const path = below(draw, words.pages, hits === 0 ? 7 : 4);
    const type = hits === 0 || draw() < 0.88 ? hitTypes.pageview : drawType(draw);
    filling.time.push(at - start);
    filling.type.push(type);
    filling.path.push(words.path(path));
    filling.title.push(words.title(path));
    filling.hostname.push(words.hostname(path % 7 === 0 ? 1 : 0));
    filling.query.push(draw() < 0.25 ? words.query(below(draw, words.pages / 2, 3)) : 0);
    filling.event.push(addEvent(filling, words, type, hit, draw));
    if (type === hitTypes.pageview) {
      if (pageviews++ === 0) entryPath = words.path(path);
      exitPath = words.path(path);
    }
    hits++;
    // Hits of the same millisecond have an order that only Daybook knows.
    const pause = 1 + Math.min(Math.floor(-Math.log(1 - draw()) * 45_000), 25 * 60_000);
    filling.secondsOnPage.push(type === hitTypes.pageview ? Math.round(pause / 1000) : 0);
    filling.scroll.push(type === hitTypes.pageview ? scrollCode(pause < 2000 ? null : 20 + (pause % 81)) : 0);
    state.firstAt = Math.min(state.firstAt, at);
    state.lastAt = Math.max(state.lastAt, at);
    if (at + pause >= dayMs) break;
    at += pause;
  } while (draw() < 0.66 && hits < 300);
  filling.started.push(start);
  filling.duration.push(at - start);
  filling.hits.push(hits);
  filling.pageviews.push(pageviews);
  filling.entryPath.push(entryPath);
  filling.exitPath.push(exitPath);
  return at;
};

const drawType = (draw: Draw): number => {
  const choice = draw();
  if (choice < 0.6) return hitTypes.custom;
  return choice < 0.85 ? hitTypes.outbound : hitTypes.revenue;
};

const addProperty = (filling: Filling, hit: number, key: number, type: number, value: number): void => {
  filling.propertyKey.push(key);
  filling.propertyHit.push(hit);
  filling.propertyType.push(type);
  filling.propertyText.push(type === propertyTypes.string ? value : 0);
  filling.propertyNumber.push(type === propertyTypes.string ? 0 : value);
};

/** Adds what an event hit carries, and returns the text id of its name. */
const addEvent = (filling: Filling, words: Vocabulary, type: number, hit: number, draw: Draw): number => {
  if (type === hitTypes.outbound) return words.outbound(below(draw, 500, 4));
  if (type === hitTypes.custom) {
    addProperty(filling, hit, words.key(0), propertyTypes.string, words.plan(below(draw, 4, 2)));
    if (draw() < 0.4) addProperty(filling, hit, words.key(1), propertyTypes.number, 1 + below(draw, 200, 4));
    if (draw() < 0.2) addProperty(filling, hit, words.key(2), propertyTypes.boolean, below(draw, 2));
    return words.custom(below(draw, 20, 3));
  }
  if (type !== hitTypes.revenue) return 0;
  filling.revenueHit.push(hit);
  filling.revenueAmount.push(500 + below(draw, 20_000, 2));
  filling.revenueCurrency.push(words.currency(draw() < 0.9 ? 0 : 1));
  return words.revenue(below(draw, 2, 3));
};

/**
 * Property rows are sorted by (key, hit). They come in the order of hits, so a stable sort by key
 * does it.
 */
const sortProperties = (made: Map<ColumnName, Column>, filling: Filling): void => {
  const keys = filling.propertyKey.values();
  const order = Uint32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b);
  const sorted = (name: ColumnName): Uint32Array => {
    const values = filling[name].values();
    return order.map(row => values[row]!);
  };
  for (const name of ['propertyKey', 'propertyText'] as const) made.set(name, textColumn(sorted(name)));
  for (const name of ['propertyHit', 'propertyType', 'propertyNumber'] as const)
    made.set(name, numberColumn(sorted(name)));
};
