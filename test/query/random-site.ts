/** Random sites and queries, the same for the same seed, and their way into a real database. */
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { channelNames } from '../../src/model/channels.ts';
import { type DimensionName, dimensionNames } from '../../src/model/dimensions.ts';
import { type DimensionField, type FilterOperator, type HitField, operatorsOf } from '../../src/model/filters.ts';
import type { Property } from '../../src/model/hit.ts';
import type { JourneyStep } from '../../src/model/journey-steps.ts';
import { tableMetricNames } from '../../src/model/table-metrics.ts';
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts';
import type { FieldFilter, Filter, Query, Question, Slice } from '../../src/query/query.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import type { Database } from '../../src/store/database.ts';
import type { OpenDaysOptions } from '../../src/store/day/open/open-days.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { type Entry, recorder } from '../../src/store/write/recorder.ts';
import { addSite, recordedEntry } from '../helpers.ts';
import type { NaiveHit, NaiveProperty, NaiveSite, NaiveVisit } from '../naive.ts';

export interface Random {
  /** Integer from 0 to below `n`. */
  below(n: number): number;
  chance(probability: number): boolean;
  /** One of the items, the first ones more often. */
  pick<T>(items: readonly T[]): T;
}

export const randomFrom = (seed: number): Random => {
  const { number, below, is } = chanceFrom(seed);
  return { below, chance: is, pick: items => items[Math.floor(number() ** 1.5 * items.length)]! };
};

export const firstDay = 20_000;
export const days = 4;
/** After these days: what looks at each day since the first has few to look at. */
export const soonAfter = (): number => (firstDay + days) * dayMs;

export const paths = ['/', '/blog', '/docs/Start', '/docs/api.html', '/ÄPFEL', '/blog/äpfel', '/preise'];
const vocabulary = {
  path: [...paths, null],
  hostname: ['example.com', 'www.example.com'],
  title: ['Home', 'Docs – Start', null, '日本語', '𝒳', '\uffe8'],
  query: [null, 'a=1', 'a=2&b=3'],
  referrer: [null, 'google.com', 'news.example', 't.co', 'chatgpt.com'],
  utmSource: [null, 'newsletter', 'ads', 'Google'],
  utmMedium: [null, 'email', 'cpc'],
  utmCampaign: [null, 'spring', 'Summer'],
  utmTerm: [null, 'x'],
  utmContent: [null, 'y', 'z'],
  country: ['DE', 'FR', 'US', null],
  region: ['Berlin', null, 'Texas'],
  city: ['Berlin', 'Austin', null],
  language: ['de-DE', 'en-US', null],
  browser: ['Chrome', 'Firefox', null],
  os: ['Windows', 'iOS', null],
  device: ['desktop', 'mobile', 'unknown'],
  clickId: [null, 'gclid', 'fbclid'],
  network: ['AS3320 Deutsche Telekom AG', null, 'AS24940 Hetzner Online GmbH', 'AS64512', 'AS16509 Amazon.com, Inc.'],
} as const;
const widths = [1280, 390, 1024, 1536, 479, 480, 0, 4000, 1279];
const customNames = ['Signup', 'Play', 'revenue'];
const outboundNames = ['https://a.example/', 'Signup', 'https://b.example/x'];
const revenueNames = ['Buy', 'revenue', 'Signup'];
const currencies = ['EUR', 'USD', 'JPY', 'XXX'];
const keys = ['plan', 'seats', 'trial', 'due', 'mixed'];

/** Two who come on many days, in every site. */
const visitorHashes = ['0123456789abcdef', 'fedcba9876543210'];

/** A site's hits in the order of arrival, in both identity modes. */
export const randomSite = (random: Random): NaiveSite => {
  const site: NaiveSite = [];
  const cookies = [...visitorHashes, ...Array.from({ length: 3 }, () => hex(random))];
  let id = 1;
  for (let day = firstDay; day < firstDay + days; day++) {
    if (random.chance(0.1)) continue;
    const hashes = Array.from({ length: 2 + random.below(6) }, () => hex(random));
    const ofDay: NaiveHit[] = [];
    for (const visitor of [...hashes, ...cookies]) {
      const persistent = cookies.includes(visitor);
      if (persistent && random.chance(0.5)) continue;
      let at = day * dayMs + random.below(20 * hourMs);
      for (let visits = 1 + random.below(3); visits > 0 && at < (day + 1) * dayMs; visits--) {
        const visit = randomVisit(random, id++, day, visitor, persistent);
        at = addVisit(random, ofDay, visit, at) + 31 * minuteMs + random.below(3 * hourMs);
      }
    }
    site.push(...ofDay.sort((a, b) => a.at - b.at));
  }
  return site;
};

const hex = (random: Random): string => Array.from({ length: 16 }, () => random.below(16).toString(16)).join('');

const randomVisit = (random: Random, id: number, day: number, visitor: string, persistent: boolean): NaiveVisit => {
  const of = <K extends keyof typeof vocabulary>(name: K) =>
    random.pick<(typeof vocabulary)[K][number]>(vocabulary[name]);
  return {
    id,
    day,
    visitor,
    persistent,
    referrer: of('referrer'),
    utmSource: of('utmSource'),
    utmMedium: of('utmMedium'),
    utmCampaign: of('utmCampaign'),
    utmTerm: of('utmTerm'),
    utmContent: of('utmContent'),
    country: of('country'),
    region: of('region'),
    city: of('city'),
    language: of('language'),
    browser: of('browser'),
    os: of('os'),
    device: of('device'),
    clickId: of('clickId'),
    network: of('network'),
    width: random.pick(widths),
    height: random.below(3) * 400,
  };
};

/** Adds a visit's hits and marks, now and then marks alone, and returns when the last came. */
const addVisit = (random: Random, to: NaiveHit[], visit: NaiveVisit, started: number): number => {
  let at = started;
  const rows = 1 + random.below(5);
  const sure = random.chance(0.1) ? null : random.below(rows);
  for (let row = 0; row < rows; row++) {
    to.push(randomHit(random, visit, at, sure === null ? marks : row === sure ? types.slice(0, 5) : types));
    if (row === rows - 1) break;
    at = Math.min(at + random.pick([0, 1, 20_000, 61_000, 29 * minuteMs]), (visit.day + 1) * dayMs - 1);
  }
  return at;
};

const names = ['Ada', 'bob@example.com'];
const traitValues = [3, 2.5, 'pro', true, '1e3', '', 'a"b', 1e21, -4];
const marks = ['identify', 'duration'] as const;
const types = ['pageview', 'pageview', 'custom', 'outbound', 'revenue', ...marks] as const;

const randomHit = (random: Random, visit: NaiveVisit, at: number, among: readonly NaiveHit['type'][]): NaiveHit => {
  const type = random.pick(among);
  const isMark = type === 'identify' || type === 'duration';
  const of = <K extends keyof typeof vocabulary>(name: K) =>
    random.pick<(typeof vocabulary)[K][number]>(vocabulary[name]);
  const who = random.pick(names);
  return {
    visit,
    at,
    type,
    path: of('path'),
    hostname: of('hostname'),
    title: of('title'),
    query: of('query'),
    event: nameOf(random, type),
    ...randomLook(random, type),
    revenue: type === 'revenue' ? { amount: random.below(10_000) - 500, currency: random.pick(currencies) } : null,
    properties: isMark || type === 'pageview' ? [] : randomProperties(random),
    identity:
      type === 'identify'
        ? {
            name: who,
            traits: JSON.stringify({ name: who, [random.pick(['plan', 'seats'])]: random.pick(traitValues) }),
          }
        : null,
  };
};

/** What pageviews and durations say of the page before, which not all trackers tell. */
const randomLook = (random: Random, type: NaiveHit['type']): Pick<NaiveHit, 'duration' | 'scroll'> => {
  if ((type !== 'pageview' && type !== 'duration') || random.chance(0.3)) return { duration: 0, scroll: null };
  return { duration: random.pick([0, 200, 700, 12_000, 95_000]), scroll: random.pick([100, 40, null, 75, 0]) };
};

const nameOf = (random: Random, type: NaiveHit['type']): string | null => {
  if (random.chance(0.1)) return null;
  if (type === 'custom') return random.pick(customNames);
  if (type === 'outbound') return random.pick(outboundNames);
  return type === 'revenue' ? random.pick(revenueNames) : null;
};

const randomProperties = (random: Random): NaiveProperty[] =>
  keys.filter(() => random.chance(0.3)).map(key => ({ key, ...randomValue(random, key) }));

const randomValue = (random: Random, key: string): Omit<NaiveProperty, 'key'> => {
  const kinds: Record<string, () => Omit<NaiveProperty, 'key'>> = {
    plan: () => ({ type: 'string', value: random.pick(['pro', 'Free', '', 'true', '2', '-4.0', '1e3']) }),
    seats: () => ({ type: 'number', value: random.pick([1, 2, 2.5, -4, 1000, 0.1]) }),
    trial: () => ({ type: 'boolean', value: random.below(2) }),
    due: () => ({ type: 'date', value: random.pick(['2024-10-04', '2024-10-04T00:00:00Z', '2024-10-05T12:30+02:00']) }),
  };
  return (kinds[key] ?? kinds[random.pick(['seats', 'plan', 'trial', 'due'])]!)();
};

/** What a hit writes, and its visit where the hit begins it. */
export const entryOf = (
  siteId: number,
  { visit, properties, ...fields }: NaiveHit,
  visitId: number,
  isNew: boolean,
): Entry => {
  const visitor = Buffer.from(visit.visitor, 'hex');
  const entry = recordedEntry(
    { ...fields, properties: properties as Property[], siteId, day: visit.day, visitId },
    isNew ? { ...visit, device: visit.device ?? '', id: visitId, siteId, visitor } : undefined,
  );
  return visit.persistent ? { ...entry, cookieVisitor: visitor } : entry;
};

/** A site in a database, and a way to write hits to it, in the order of their arrival. */
export const siteWriter = (db: Database, timezone = 'UTC'): { siteId: number; write(hits: NaiveSite): void } => {
  const siteId = addSite(db, { timezone }).id;
  const record = recorder(db);
  const ids = new Map<NaiveVisit, number>();
  const base = record.nextVisitId();
  const written = (hit: NaiveHit): Entry => {
    const isNew = !ids.has(hit.visit);
    if (isNew) ids.set(hit.visit, base + ids.size);
    return entryOf(siteId, hit, ids.get(hit.visit)!, isNew);
  };
  return { siteId, write: hits => record.write(hits.map(written)) };
};

/**
 * Writes a site into a database and seals its days before `openFrom`, in parts of about
 * `partHitsMax` hits; returns its id.
 */
export const storeSite = (
  db: Database,
  site: NaiveSite,
  openFrom: number,
  timezone?: string,
  partHitsMax?: number,
): number => {
  const { siteId, write } = siteWriter(db, timezone);
  write(site);
  sealAll(db, openFrom, 0, partHitsMax);
  return siteId;
};

/** Bounds of parts: of most, the days of a random site have several. */
export const randomParts = (random: Random): Required<OpenDaysOptions> => ({
  // Many parts take long, so most days have one.
  partHitsMax: random.pick([1e6, 30, 1e6, 1e6, 6]),
  keptBytesMax: random.pick([1e8, 20_000, 0]),
});

const numbers = ['0', '40', '75.5', '1', '2', '2.5', '-4', '0.1', '20', '61.001', '1e3', '.5'];

const valueFor = (random: Random, field: HitField): string => {
  if (field === 'duration') return random.pick(numbers);
  if (field === 'scroll') return random.pick(['75', '', '100', '0', '40']);
  if (field === 'trait:name') return random.pick([...names, 'B', 'ada', '']);
  if (field.startsWith('trait:')) return random.pick(['3', 'true', '', '1', 'a"b', 'nothing']);
  if (field.startsWith('prop:')) return random.pick(['pro', '2', 'true', '', '2024-', 'F', '0.1', '1', 'nothing']);
  if (field === 'propKey') return random.pick([...keys, '', 'nothing', 'P']);
  if (field === 'propValue') return random.pick(['pro', '2', 'true', '', '2024-', 'R', '0.1', 'false', 'none']);
  if (field === 'event') return random.pick(['Signup', 'revenue', 'https://', '', 'Buy', 'u', 'nothing']);
  if (field === 'networkKind') return random.pick(['hosting', 'other', '', 'o']);
  if (field === 'suspect') return random.pick(['hosting', 'no-interaction', '', 'many-pages', 'o']);
  if (field === 'channel') return random.pick([...channelNames, '', 'paid', 'nothing']);
  if (field === 'screen') return random.pick(['1280-1535', '<480', '', '1536+', '1', 'nothing']);
  if (field === 'entryPath' || field === 'exitPath') return random.pick([...paths, '', 'blog', 'nothing']);
  const some = random.pick(vocabulary[field as keyof typeof vocabulary] as readonly (string | null)[]);
  return random.pick([some ?? '', some?.slice(0, 2) ?? 'Direct / none', some?.slice(1).toUpperCase() ?? 'nothing']);
};

const propertyFields = ['prop:plan', 'prop:seats', 'prop:mixed', 'prop:due', 'prop:nothing'] as const;
const traitFields = ['trait:name', 'trait:plan', 'trait:seats', 'trait:nothing'] as const;
const otherFields: readonly HitField[] = [
  ...propertyFields,
  ...traitFields,
  ...(['duration', 'scroll'] as const),
  ...(['propKey', 'propValue', 'propKey', 'propValue'] as const),
];

/** As a parameter asks it. */
export const randomFilter = (random: Random): FieldFilter => {
  const field = random.chance(0.5) ? random.pick<HitField>(dimensionNames) : random.pick(otherFields);
  const { operator, negated, isNumeric } = random.pick(operatorsOf(field));
  return {
    field,
    operator,
    negated,
    values: Array.from({ length: 1 + random.below(2) }, () =>
      isNumeric ? random.pick(numbers) : valueFor(random, field),
    ),
    ...(random.chance(0.25) && { visit: true }),
  };
};

/** With lists of filters, and with negations that no parameter has. */
export const randomCondition = (random: Random, depth = 0): Filter => {
  if (depth === 2 || random.chance(0.8)) return { ...randomFilter(random), negated: random.chance(0.35) };
  const some = (): Filter[] => Array.from({ length: random.below(3) }, () => randomCondition(random, depth + 1));
  return {
    anyOf: Array.from({ length: 1 + random.below(2) }, some),
    negated: random.chance(0.35),
    ...(random.chance(0.4) && { visit: true }),
  };
};

/** Ascending bounds of 1 to 9 buckets that cover the window. */
const randomBounds = (random: Random, from: number, to: number): number[] => {
  const count = 1 + random.below(9);
  const inner = Array.from({ length: count - 1 }, () => from + 1 + random.below(Math.max(1, to - from - 1)));
  const rounded = random.chance(0.5) ? inner.map(at => Math.ceil(at / (15 * minuteMs)) * 15 * minuteMs) : inner;
  const between = rounded.filter(at => at > from && at < to);
  return [from, ...new Set(between.sort((a, b) => a - b)), to];
};

/** Filters that some hits of most visits pass, mostly. */
const randomStep = (random: Random): Filter[] => {
  const on = (field: HitField, operator: FilterOperator, value: string): Filter => {
    return { field, operator, negated: random.chance(0.1), values: [value] };
  };
  const some = (): Filter =>
    random.pick<() => Filter>([
      () => on('path', 'startsWith', random.pick(['/', '/b', '/docs/'])),
      () => on('event', 'is', random.pick(customNames)),
      () => on('path', 'is', random.pick(paths)),
      () => randomCondition(random),
    ])();
  const anyOf = (): Filter => ({ anyOf: [[some()], [some(), some()]], negated: false });
  return Array.from({ length: random.pick([1, 1, 2, 0]) }, () => (random.chance(0.3) ? anyOf() : some()));
};

const randomJourneyStep = (random: Random): JourneyStep =>
  random.pick<JourneyStep>([
    { kind: 'page', name: random.pick([...paths, '/nothing']) },
    { kind: 'folder', name: random.pick(['/docs/', '/blog/', '/x/']) },
    { kind: 'event', name: random.pick([...customNames, 'nothing']) },
  ]);

/** But not what the engine asks of itself. */
export type AskedKind = Exclude<Question['kind'], 'tableRows' | 'daySum'>;

/** All of them, and some more often. */
export const askedKinds: readonly AskedKind[] = [
  'table',
  'table',
  'table',
  'metricSeries',
  'metricSeries',
  'metricSeries',
  'goals',
  'events',
  'eventSeries',
  'propertyKeys',
  'propertySummaries',
  'propertyValues',
  'propertyValues',
  'visits',
  'visits',
  'funnel',
  'journey',
  'visitor',
  'latestHits',
  'lastHit',
  'firstHit',
];

const randomDimension = (random: Random): DimensionField =>
  random.chance(0.3) ? random.pick(propertyFields) : random.pick<DimensionName>(dimensionNames);

const randomQuestion = (random: Random, kind: AskedKind, from: number, to: number): Question => {
  const limit = random.pick([1000, 1, 3]);
  switch (kind) {
    case 'lastHit':
    case 'firstHit':
      return { kind };
    case 'eventSeries':
      return { kind, bounds: randomBounds(random, from, to) };
    case 'table':
      if (random.chance(0.4)) return topValues(randomDimension(random), limit);
      return {
        kind,
        dimension: randomDimension(random),
        ...(random.chance(0.4) && { conversion: randomCondition(random) }),
        metrics: random.chance(0.3) ? tableMetricNames : tableMetricNames.filter(() => random.chance(0.3)),
        sort: random.pick(tableMetricNames),
        descending: random.chance(0.6),
        limit,
        after: random.chance(0.7)
          ? null
          : {
              value: random.pick([0, 1, 2, 50, null]),
              hits: 1 + random.below(3),
              name: random.pick([...paths, 'DE', '']),
            },
      };
    case 'metricSeries':
      if (random.chance(0.3)) return headline;
      return {
        kind,
        metrics: random.chance(0.4)
          ? ['visitors', 'pageviews', 'visits']
          : tableMetricNames.filter(() => random.chance(0.5)),
        bounds: randomBounds(random, from, to),
      };
    case 'events':
      return { kind, limit, bounds: random.chance(0.3) ? null : randomBounds(random, from, to) };
    case 'goals': {
      const list = (): Filter[] => Array.from({ length: 1 + random.below(2) }, () => randomCondition(random, 1));
      const goal = () => ({
        conditions: Array.from({ length: 1 + random.below(2) }, list),
        ofVisits: random.chance(0.3),
      });
      return { kind, goals: Array.from({ length: random.below(4) }, goal) };
    }
    case 'propertyKeys':
      return { kind, limit };
    case 'propertySummaries':
      return { kind, keys: [...keys, 'nothing'].filter(() => random.chance(0.6)) };
    case 'propertyValues':
      return { kind, key: random.pick([...keys.toReversed(), 'nothing']), limit, bins: random.pick([12, 0, 5]) };
    case 'visits':
      return {
        kind,
        sort: random.pick(['started', 'duration', 'pageviews', 'events', 'revenue']),
        descending: random.chance(0.6),
        limit,
        search: random.pick(['', '', 'berl', 'A', 'ada', '0', 'ff', 'b/ä']),
        converted: random.chance(0.2),
        bounced: random.chance(0.2),
        paid: random.chance(0.2),
        returning: random.chance(0.2),
        ...(random.chance(0.3) && {
          steps: Array.from({ length: random.pick([1, 2, 3]) }, () => randomStep(random)),
        }),
        after: null,
        form: 'json',
      };
    case 'funnel':
      return {
        kind,
        steps: Array.from({ length: random.pick([2, 3, 1, 10]) }, () => randomStep(random)),
        scope: random.pick(['visit', 'visitor']),
      };
    case 'journey':
      return {
        kind,
        direction: random.pick(['after', 'before']),
        anchor: random.chance(0.4) ? null : randomStep(random),
        via: Array.from({ length: random.pick([0, 1, 2, 4]) }, () => randomJourneyStep(random)),
        show: random.pick(['pages', 'all', 'events']),
        folder: random.pick([0, 1, 2]),
        limit,
      };
    case 'visitor':
      return { kind, visitor: random.pick(visitorHashes) };
    case 'latestHits':
      return { kind, limit };
    case 'visitHits':
      throw new Error('needs the id of a visit: see test/api/visit-hits.test.ts');
    case 'vitals':
    case 'crawls':
    case 'outcomes':
      throw new Error('not about hits: see test/store/read/records.test.ts');
  }
};

export const randomSlice = (random: Random, kinds: readonly AskedKind[]): Slice => {
  const wide = random.chance(0.4);
  const length = wide ? (days + 1) * dayMs : 1 + random.below(days * dayMs);
  const from = firstDay * dayMs + (wide ? 0 : random.below(days * dayMs) - hourMs);
  const to = from + length;
  return {
    from,
    to,
    filters: Array.from({ length: random.pick([1, 0, 2, 3]) }, () => randomCondition(random)),
    questions: kinds.map(kind => randomQuestion(random, kind, from, to)),
  };
};

export const randomQuery = (random: Random, siteId: number, kinds: readonly AskedKind[]): Query => ({
  siteId,
  currency: 'EUR',
  minorRates: random.chance(0.5) ? { USD: 0.913, JPY: 0.61 } : {},
  slices: Array.from({ length: 1 + random.below(2) }, () => randomSlice(random, kinds)),
});
