/**
 * The oracle: answers every ask by plain loops over a list of hits, written from docs/definitions.md and docs/api.md
 * and sharing no code with the engine. Slow and obvious is the point.
 */
import { channelOf } from '../src/model/channels.ts';
import type { HitType } from '../src/model/hit.ts';
import type { JourneyStepKind } from '../src/model/journey-steps.ts';
import type {
  Answer,
  AnswerOf,
  BreakdownRow,
  FieldFilter,
  Filter,
  Query,
  Question,
  Slice,
  TableCursor,
  VisitCursor,
} from '../src/query/query.ts';
import { visitWriter } from '../src/query/rows/visit-csv-json.ts';
import type { VisitRow } from '../src/query/rows/visit-row.ts';

export interface NaiveProperty {
  key: string;
  type: 'string' | 'number' | 'boolean' | 'date';
  value: string | number;
}

export interface NaiveVisit {
  id: number;
  day: number;
  /** 16 hex digits. */
  visitor: string;
  persistent: boolean;
  /** Whether the visitor was known from an earlier day when the visit came; where nothing is said, by the hits that are there. */
  seenBefore?: boolean;
  referrer: string | null;
  utmSource: string | null;
  utmMedium: string | null;
  utmCampaign: string | null;
  utmTerm: string | null;
  utmContent: string | null;
  country: string | null;
  region: string | null;
  city: string | null;
  language: string | null;
  browser: string | null;
  os: string | null;
  device: string | null;
  clickId: string | null;
  network: string | null;
  width: number;
  height: number;
}

/** How long a page was looked at, in whole seconds, and the largest part of it that was seen. */
interface NaiveLook {
  seconds: number | null;
  scroll: number | null;
}

export interface NaiveHit {
  /** What a test knows it by; kept by all that makes one site of another. */
  number?: number;
  visit: NaiveVisit;
  at: number;
  type: 'pageview' | 'custom' | 'outbound' | 'revenue' | 'identify' | 'duration';
  path: string | null;
  hostname: string | null;
  title: string | null;
  query: string | null;
  event: string | null;
  duration: number;
  scroll: number | null;
  /** What later hits told of a page view, where some of them are gone. */
  look?: NaiveLook;
  revenue: { amount: number; currency: string } | null;
  properties: NaiveProperty[];
  identity: { name: string; traits: string } | null;
}

/** Every hit and mark of a site, in the order of arrival. */
export type NaiveSite = NaiveHit[];

export const naiveReport = (site: NaiveSite, query: Query): Answer[][] =>
  query.slices.map(slice => {
    const hits = site.filter(hit => isHit(hit) && passes(site, hit, slice));
    return slice.questions.map(ask => naiveAnswer(site, hits, ask, query));
  });

/** Which hits a slice selects: 1 for each that it does, else 0. */
export const naiveSelection = (site: NaiveSite, slice: Slice): number[] =>
  site.map(hit => (isHit(hit) && passes(site, hit, slice) ? 1 : 0));

/**
 * The site without some hits, by their positions. A visit without any hit left goes. Marks stay, but where a visit's first
 * or last hit goes, they no longer reach beyond the first and last hit that stay.
 */
export const naiveWithout = (site: NaiveSite, gone: ReadonlySet<number>): NaiveSite => {
  const places = site.map((hit, i) => ({ hit: structuredClone({ ...hit, visit: null }) as unknown as NaiveHit, i }));
  const visits = new Map(distinct(site.map(({ visit }) => visit)).map(visit => [visit, { ...visit }]));
  for (const { hit, i } of places) hit.visit = visits.get(site[i]!.visit)!;
  for (const { hit, i } of places) if (isPageview(hit)) hit.look = readLook(site, site[i]!);
  const stays = places.filter(({ i }) => !gone.has(i));
  for (const visit of visits.values()) {
    const before = places.filter(({ hit }) => hit.visit === visit).sort((a, b) => a.hit.at - b.hit.at);
    const counting = before.filter(({ hit }) => isHit(hit));
    const left = counting.filter(({ i }) => !gone.has(i)).map(({ hit }) => hit.at);
    if (left.length === 0 || left.length === counting.length) continue;
    const [least, most] = [
      gone.has(counting[0]!.i) ? left[0]! : Number.NEGATIVE_INFINITY,
      gone.has(counting.at(-1)!.i) ? left.at(-1)! : Number.POSITIVE_INFINITY,
    ];
    for (const { hit } of before) if (!isHit(hit)) hit.at = Math.min(Math.max(hit.at, least), most);
  }
  const left = stays.map(({ hit }) => hit);
  return left.filter(hit => isHit(hit) || left.some(other => other.visit === hit.visit && isHit(other)));
};

const naiveAnswer = (site: NaiveSite, hits: NaiveHit[], ask: Question, query: Query): Answer => {
  switch (ask.kind) {
    case 'table':
      return naiveTable(site, hits, ask, query);
    case 'tableRows':
    case 'daySum':
      throw new Error('Only the engine asks that, of itself.');
    case 'metricSeries': {
      const rows = (ask.bounds === undefined ? [hits] : inBuckets(hits, ask.bounds)).map(of =>
        naiveMetrics(site, of, ask.metrics, query),
      );
      return { kind: 'metricSeries', rows };
    }
    case 'events':
      return naiveEvents(hits.filter(isEvent), ask);
    case 'eventSeries':
      return naiveEventSeries(hits.filter(isEvent), ask.bounds);
    case 'goals':
      return {
        kind: 'goals',
        visitors: visitorsOf(hits),
        goals: ask.goals.map(({ conditions, ofVisits }) => {
          const converting = hits.filter(hit => conditions.some(list => passesAll(site, hit, list)));
          const visits = visitsOf(converting).length;
          return {
            conversions: ofVisits ? visits : converting.length,
            visits,
            visitors: visitorsOf(converting),
            ...moneyOf(converting, query),
          };
        }),
      };
    case 'propertyKeys':
      return naivePropertyKeys(hits.filter(isEvent), ask.limit);
    case 'propertySummaries':
      return naivePropertySummaries(hits.filter(isEvent), ask.keys);
    case 'propertyValues':
      return naivePropertyValues(hits.filter(isEvent), ask);
    case 'visits':
      return naiveVisits(site, hits, ask, query);
    case 'funnel':
      return naiveFunnel(site, hits, ask);
    case 'journey':
      return naiveJourney(site, hits, ask);
    case 'visitHits':
      return naiveVisitHits(site, hits, ask.id);
    case 'visitor':
      return naiveVisitor(site, hits, ask.visitor, query);
    case 'latestHits':
      return naiveLatestHits(site, hits, ask.limit);
    case 'lastHit':
      return { kind: 'lastHit', at: hits.length === 0 ? null : Math.max(...hits.map(hit => hit.at)) };
    case 'vitals':
    case 'crawls':
    case 'outcomes':
      throw new Error('none of these are hits: see test/store/read/records.test.ts');
    case 'firstHit': {
      const times = site.filter(isHit).map(hit => hit.at);
      return { kind: 'firstHit', at: times.length === 0 ? null : Math.min(...times) };
    }
  }
};

const isHit = (hit: NaiveHit): boolean => hit.type !== 'identify' && hit.type !== 'duration';
const isPageview = (hit: NaiveHit): boolean => hit.type === 'pageview';
const isEvent = (hit: NaiveHit): boolean => hit.event !== null && isHit(hit) && !isPageview(hit);

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
/** By code point, which is the order of UTF-8 bytes. */
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const byRank = (a: BreakdownRow, b: BreakdownRow): number =>
  b.value - a.value || b.events - a.events || compare(a.name, b.name);

/** Items by key; those with a null key are left out. */
const groupBy = <T>(items: T[], key: (item: T) => string | null): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const at = key(item);
    if (at !== null) groups.set(at, [...(groups.get(at) ?? []), item]);
  }
  return groups;
};

const distinct = <T>(items: T[]): T[] => [...new Set(items)];
const visitorOf = ({ day, visitor, persistent }: NaiveVisit): string =>
  persistent ? `cookie ${visitor}` : `${day} ${visitor}`;
const visitorsOf = (hits: NaiveHit[]): number => distinct(hits.map(hit => visitorOf(hit.visit))).length;
const visitsOf = (hits: NaiveHit[]): NaiveVisit[] => distinct(hits.map(hit => hit.visit));

const inBuckets = (hits: NaiveHit[], bounds: number[]): NaiveHit[][] =>
  bounds.slice(0, -1).map((from, i) => hits.filter(hit => hit.at >= from && hit.at < bounds[i + 1]!));

/** All rows of one visit, in time; equal times in order of arrival. */
const rowsOf = (site: NaiveSite, visit: NaiveVisit): NaiveHit[] =>
  site.filter(hit => hit.visit === visit).sort((a, b) => a.at - b.at);

interface Whole {
  started: number;
  ended: number;
  pageviews: number;
  events: number;
  entryPath: string | null;
  exitPath: string | null;
  identified: string | null;
  firstPage: NaiveHit | undefined;
  lastPage: NaiveHit | undefined;
  hasConverted: boolean;
}

const wholes = new WeakMap<NaiveVisit, Whole>();
const wholeOf = (site: NaiveSite, visit: NaiveVisit): Whole => {
  const known = wholes.get(visit);
  if (known !== undefined) return known;
  const rows = rowsOf(site, visit);
  const pageviews = rows.filter(isPageview);
  const whole = {
    started: rows[0]!.at,
    ended: rows[rows.length - 1]!.at,
    pageviews: pageviews.length,
    events: rows.filter(row => isHit(row) && !isPageview(row)).length,
    entryPath: pageviews[0]?.path ?? null,
    exitPath: pageviews[pageviews.length - 1]?.path ?? null,
    identified: rows.filter(row => row.identity !== null).at(-1)?.identity?.name ?? null,
    firstPage: pageviews[0],
    lastPage: pageviews.at(-1),
    hasConverted: rows.some(row => row.event !== null && (row.type === 'custom' || row.type === 'revenue')),
  };
  wholes.set(visit, whole);
  return whole;
};

const screenOf = (width: number): string | null => {
  if (width === 0) return null;
  if (width < 480) return '<480';
  if (width < 768) return '480-767';
  if (width < 1024) return '768-1023';
  if (width < 1280) return '1024-1279';
  return width < 1536 ? '1280-1535' : '1536+';
};

const fieldValue = (site: NaiveSite, hit: NaiveHit, field: string): string | null => {
  if (field.startsWith('prop:')) {
    const property = hit.properties.find(({ key }) => `prop:${key}` === field);
    return property === undefined ? null : textOf(property);
  }
  if (field.startsWith('trait:')) {
    const said = rowsOf(site, hit.visit).map(({ identity }) => JSON.parse(identity?.traits ?? '{}') as object);
    const traits = Object.assign({}, ...said) as Record<string, unknown>;
    const value = String(traits[field.slice('trait:'.length)] ?? '');
    return value === '' ? null : value;
  }
  if (field === 'scroll') return (isPageview(hit) ? lookOf(site, hit).scroll : null)?.toString() ?? null;
  if (field === 'duration') {
    const { started, ended } = wholeOf(site, hit.visit);
    return String((ended - started) / 1000);
  }
  if (field === 'networkKind') return naiveNetworkKind(hit.visit.network);
  if (field === 'suspect') return naiveSuspect(site, hit.visit);
  if (field === 'screen') return screenOf(hit.visit.width);
  if (field === 'channel') return channelOf(hit.visit);
  if (field === 'entryPath' || field === 'exitPath') return wholeOf(site, hit.visit)[field];
  if (field in hit) return hit[field as 'path'];
  return hit.visit[field as 'country'];
};

/** The networks of the random sites. */
const naiveNetworkKind = (network: string | null): string | null =>
  network === null ? null : /^AS(24940|16509)\b/.test(network) ? 'hosting' : 'other';

export const naiveSuspect = (site: NaiveSite, visit: NaiveVisit): string | null => {
  const all = site.filter(hit => hit.visit === visit).sort((a, b) => a.at - b.at);
  const pages = all.filter(isPageview).map(hit => hit.at);
  if (naiveNetworkKind(visit.network) === 'hosting') return 'hosting';
  if (pages.length >= 200) return 'many-pages';
  const pauses = pages.slice(1).map((at, i) => at - pages[i]!);
  if (pages.length >= 10)
    return 10 * (Math.max(...pauses) - Math.min(...pauses)) <= Math.min(...pauses) ? 'regular-pace' : null;
  const hits = all.filter(isHit);
  const isOne = hits.length === 1 && pages.length === 1 && all.at(-1)!.at === all[0]!.at;
  return isOne && lookOf(site, hits[0]!).seconds === null ? 'no-interaction' : null;
};

const textOf = ({ type, value }: NaiveProperty): string | null => {
  if (type === 'boolean') return value === 1 ? 'true' : 'false';
  return value === '' ? null : `${value}`;
};

const numberIn = (text: string): number =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;

/** Whether a text passes a filter, as if it were not negated. */
const named = (filter: FieldFilter, text: string | null): boolean =>
  filter.values.some(value => {
    if (filter.operator === 'is') {
      if (filter.field === 'duration') return Number(text) === Number(value);
      const asksNull = value === '' || (filter.field === 'referrer' && value === 'Direct / none');
      return asksNull ? text === null : text === value;
    }
    if (text === null) return false;
    if (filter.operator === 'atLeast') return numberIn(text) >= Number(value);
    if (filter.operator === 'moreThan') return numberIn(text) > Number(value);
    if (filter.operator === 'atMost') return numberIn(text) <= Number(value);
    if (filter.operator === 'lessThan') return numberIn(text) < Number(value);
    if (filter.operator === 'contains') return text.toLowerCase().includes(value.toLowerCase());
    return filter.operator === 'startsWith' ? text.startsWith(value) : text.endsWith(value);
  });

/** Whether a text passes a filter. */
export const naiveMatch = (filter: FieldFilter, text: string | null): boolean => named(filter, text) !== filter.negated;

const passes = (site: NaiveSite, hit: NaiveHit, { from, to, filters }: Slice): boolean =>
  hit.at >= from && hit.at < to && passesAll(site, hit, filters);

const isOfPair = (filter: Filter): filter is FieldFilter =>
  'field' in filter && !filter.visit && (filter.field === 'propKey' || filter.field === 'propValue');

const passesAll = (site: NaiveSite, hit: NaiveHit, filters: Filter[]): boolean =>
  passesPairs(hit, filters.filter(isOfPair)) &&
  filters.filter(filter => !isOfPair(filter)).every(filter => passesOne(site, hit, filter));

const passesOne = (site: NaiveSite, hit: NaiveHit, filter: Filter): boolean => {
  const hits = filter.visit ? rowsOf(site, hit.visit).filter(isHit) : [hit];
  return hits.some(each => holdsFor(site, each, filter)) !== filter.negated;
};

const holdsFor = (site: NaiveSite, hit: NaiveHit, filter: Filter): boolean => {
  if ('anyOf' in filter) return filter.anyOf.some(list => passesAll(site, hit, list));
  if (filter.field === 'propKey' || filter.field === 'propValue')
    return passesPairs(hit, [
      { field: filter.field, operator: filter.operator, values: filter.values, negated: false },
    ]);
  return named(filter, fieldValue(site, hit, filter.field));
};

const passesPairs = (hit: NaiveHit, filters: FieldFilter[]): boolean => {
  const pairs = hit.properties.map(property => ({
    propKey: property.key as string | null,
    propValue: textOf(property),
  }));
  if (pairs.length === 0) pairs.push({ propKey: null, propValue: null });
  const holds = (filter: FieldFilter, pair: (typeof pairs)[number]): boolean =>
    named(filter, pair[filter.field as 'propKey']);
  const wanted = filters.filter(filter => !filter.negated);
  if (!pairs.some(pair => wanted.every(filter => holds(filter, pair)))) return false;
  return filters
    .filter(filter => filter.negated)
    .every(filter => {
      const others = wanted.filter(other => other.field !== filter.field);
      return !pairs.some(pair => holds(filter, pair) && others.every(other => holds(other, pair)));
    });
};

const moneyOf = (hits: NaiveHit[], query: Query): { revenue: number; otherRevenue: Record<string, number> } => {
  let revenue = 0;
  const otherRevenue: Record<string, number> = {};
  for (const hit of hits) {
    if (hit.revenue === null) continue;
    const { amount, currency } = hit.revenue;
    if (currency === query.currency) revenue += amount;
    else if (currency in query.minorRates) revenue += Math.round(amount * query.minorRates[currency]!);
    else otherRevenue[currency] = (otherRevenue[currency] ?? 0) + amount;
  }
  return { revenue, otherRevenue };
};

const naiveTotals = (site: NaiveSite, hits: NaiveHit[], query: Query) => {
  const visits = visitsOf(hits).map(visit => wholeOf(site, visit));
  return {
    visitors: visitorsOf(hits),
    visits: visits.length,
    bounces: visits.filter(visit => visit.pageviews <= 1).length,
    visitMs: sum(visits.map(visit => visit.ended - visit.started)),
    pageviews: hits.filter(isPageview).length,
    events: hits.filter(isEvent).length,
    ...moneyOf(hits, query),
  };
};

const lookOf = (site: NaiveSite, page: NaiveHit): NaiveLook => {
  const known = page.look ?? looks.get(page);
  if (known !== undefined) return known;
  const look = readLook(site, page);
  looks.set(page, look);
  return look;
};
const looks = new WeakMap<NaiveHit, NaiveLook>();

/** What the hits behind a page view, up to the next one, tell of it. */
const readLook = (site: NaiveSite, page: NaiveHit): NaiveLook => {
  const rows = rowsOf(site, page.visit);
  const behind = rows.slice(rows.indexOf(page) + 1);
  const next = behind.findIndex(isPageview);
  const telling = next < 0 ? behind : behind.slice(0, next + 1);
  const scrolls = telling.flatMap(({ scroll }) => scroll ?? []);
  const milliseconds = sum(telling.map(({ duration }) => duration));
  const isTold = milliseconds > 0 || scrolls.length > 0;
  return {
    seconds: isTold ? Math.round(milliseconds / 1000) : null,
    scroll: scrolls.length === 0 ? null : Math.max(...scrolls),
  };
};

/** What /stats says of some hits, and more: exact, by the names of the columns. */
const naiveMetrics = (
  site: NaiveSite,
  hits: NaiveHit[],
  names: readonly string[],
  query: Query,
  conversion?: Filter,
) => {
  const totals = naiveTotals(site, hits, query);
  const per = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  const told = hits.filter(isPageview).map(hit => lookOf(site, hit));
  const seconds = told.flatMap(look => look.seconds ?? []);
  const scrolls = told.flatMap(({ scroll }) => scroll ?? []);
  const entries = hits.filter(hit => wholeOf(site, hit.visit).firstPage === hit).length;
  const exits = hits.filter(hit => wholeOf(site, hit.visit).lastPage === hit).length;
  const conversions = visitsOf(hits).filter(visit =>
    conversion === undefined
      ? wholeOf(site, visit).hasConverted
      : rowsOf(site, visit).some(hit => isHit(hit) && passesAll(site, hit, [conversion])),
  ).length;
  const values: Record<string, number | null> = {
    ...(totals as unknown as Record<string, number>),
    bounceRate: per(totals.bounces * 100, totals.visits),
    avgVisitSeconds: per(totals.visitMs / 1000, totals.visits),
    viewsPerVisit: per(totals.pageviews, totals.visits),
    entries,
    exits,
    exitRate: per(exits * 100, totals.pageviews),
    secondsOnPage: seconds.length === 0 ? null : median(seconds),
    scroll: scrolls.length === 0 ? null : median(scrolls),
    conversions,
    conversionRate: per(conversions * 100, totals.visits),
    revenuePerVisitor: per(totals.revenue, totals.visitors),
  };
  const isMoneyAsked = names.some(name => name.startsWith('revenue'));
  return { values: names.map(name => values[name]!), otherRevenue: isMoneyAsked ? totals.otherRevenue : {} };
};

const naiveTable = (
  site: NaiveSite,
  all: NaiveHit[],
  ask: Extract<Question, { kind: 'table' }>,
  query: Query,
): Answer => {
  const { dimension, types, metrics, sort, descending, limit, after, conversion } = ask;
  const nullName = dimension === 'referrer' ? 'Direct / none' : null;
  const groups = groupBy(
    dimension === 'event' ? all.filter(hit => isEvent(hit) && (types?.includes(hit.type as HitType) ?? true)) : all,
    hit => fieldValue(site, hit, dimension) ?? nullName,
  );
  const inOrder = (a: TableCursor, b: TableCursor): number => {
    if (a.value !== b.value) {
      if (a.value === null) return 1;
      if (b.value === null) return -1;
      return descending ? b.value - a.value : a.value - b.value;
    }
    return b.hits - a.hits || compare(a.name, b.name);
  };
  const rows = [...groups]
    .map(([name, hits]) => {
      const isMoneyAsked = [...metrics, sort].some(metric => metric.startsWith('revenue'));
      const { values } = naiveMetrics(site, hits, metrics, query, conversion);
      const { otherRevenue } = isMoneyAsked ? moneyOf(hits, query) : { otherRevenue: {} };
      const value = naiveMetrics(site, hits, [sort], query, conversion).values[0]!;
      return { row: { name, hits: hits.length, values, otherRevenue }, place: { value, hits: hits.length, name } };
    })
    .sort((a, b) => inOrder(a.place, b.place));
  const left = rows.filter(({ place }) => after === null || inOrder(place, after) > 0);
  const page = left.slice(0, limit);
  return {
    kind: 'table',
    rows: page.map(({ row }) => row),
    total: rows.length,
    next: left.length > limit ? page.at(-1)!.place : null,
  };
};

const eventTypes = ['custom', 'outbound', 'revenue'] as const;

/** The type that most hits have, the earlier of `types` where two have as many. */
const dominant = <T extends string>(types: readonly T[], of: T[]): T =>
  types.toSorted((a, b) => of.filter(one => one === b).length - of.filter(one => one === a).length)[0]!;

const typeOf = (hits: NaiveHit[]) =>
  dominant(
    eventTypes,
    hits.map(hit => hit.type as 'custom'),
  );

const naiveEvents = (hits: NaiveHit[], ask: Extract<Question, { kind: 'events' }>): Answer => ({
  kind: 'events',
  rows: [...groupBy(hits, hit => hit.event)]
    .map(([name, of]) => ({
      name,
      type: typeOf(of),
      events: of.length,
      visitors: visitorsOf(of),
      lastAt: Math.max(...of.map(hit => hit.at)),
      spark: ask.bounds === null ? [] : inBuckets(of, ask.bounds).map(bucket => bucket.length),
    }))
    .sort((a, b) => b.events - a.events || compare(a.name, b.name))
    .slice(0, ask.limit),
});

const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

const naiveEventSeries = (hits: NaiveHit[], bounds: number[]): Answer => {
  const buckets = inBuckets(hits, bounds);
  const times = hits.map(hit => hit.at);
  const visits = visitsOf(hits);
  return {
    kind: 'eventSeries',
    events: buckets.map(bucket => bucket.length),
    visitors: buckets.map(visitorsOf),
    total: {
      events: hits.length,
      visitors: visitorsOf(hits),
      visits: visits.length,
      medianPerVisit: median(visits.map(visit => hits.filter(hit => hit.visit === visit).length)),
      type: hits.length === 0 ? null : typeOf(hits),
      firstAt: hits.length === 0 ? null : Math.min(...times),
      lastAt: hits.length === 0 ? null : Math.max(...times),
    },
  };
};

const propertyTypes = ['string', 'number', 'boolean', 'date'] as const;
const propertyTypeOf = (properties: NaiveProperty[]) =>
  dominant(
    propertyTypes,
    properties.map(property => property.type),
  );
const numbersOf = (properties: NaiveProperty[]): number[] =>
  properties.filter(property => property.type === 'number').map(property => property.value as number);

const naivePropertyKeys = (hits: NaiveHit[], limit: number): Answer => {
  const groups = groupBy(
    hits.flatMap(hit => hit.properties),
    property => property.key,
  );
  const rows = [...groups].map(([key, of]) => ({ key, events: of.length }));
  return {
    kind: 'propertyKeys',
    rows: rows.sort((a, b) => b.events - a.events || compare(a.key, b.key)).slice(0, limit),
    total: hits.length,
  };
};

const naivePropertySummaries = (hits: NaiveHit[], keys: string[]): Answer => {
  const properties = hits.flatMap(hit => hit.properties);
  const summaries = keys.map(key => {
    const of = properties.filter(property => property.key === key);
    const type = propertyTypeOf(of);
    const numbers = numbersOf(of);
    const total = sum(numbers);
    return {
      key,
      values: distinct(of.map(({ type, value }) => `${type} ${value}`)).length,
      type,
      numeric:
        type !== 'number'
          ? null
          : {
              sum: total,
              avg: total / numbers.length,
              min: Math.min(...numbers),
              max: Math.max(...numbers),
              p50: median(numbers),
            },
    };
  });
  return { kind: 'propertySummaries', summaries };
};

const naivePropertyValues = (hits: NaiveHit[], ask: Extract<Question, { kind: 'propertyValues' }>): Answer => {
  const properties = hits.flatMap(hit => hit.properties).filter(property => property.key === ask.key);
  const rows = [...groupBy(properties, property => textOf(property) ?? '(empty)')]
    .map(([name, of]) => ({ name, value: of.length, events: of.length }))
    .sort(byRank);
  const type = properties.length === 0 ? null : propertyTypeOf(properties);
  return {
    kind: 'propertyValues',
    rows: rows.slice(0, ask.limit),
    total: properties.length,
    type,
    bins: type === 'number' ? naiveBins(numbersOf(properties), ask.bins) : [],
  };
};

/** Twelve equal bins from the least to the greatest; of width 1 where all values are the same. */
const naiveBins = (values: number[], count: number): { from: number; to: number; value: number }[] => {
  const least = Math.min(...values);
  const most = Math.max(...values) === least ? least + count : Math.max(...values);
  const edge = (i: number): number => (i === count ? most : least * (1 - i / count) + most * (i / count));
  return Array.from({ length: count }, (_, i) => {
    const [from, to] = [edge(i), edge(i + 1)];
    const inBin = (value: number): boolean => value >= from && (value < to || (i === count - 1 && value <= to));
    return { from, to, value: values.filter(inBin).length };
  });
};

const naiveVisits = (
  site: NaiveSite,
  hits: NaiveHit[],
  ask: Extract<Question, { kind: 'visits' }>,
  query: Query,
): Answer => {
  const valueFor = (row: VisitRow): number => (ask.sort === 'duration' ? row.ended - row.started : row[ask.sort]);
  const inOrder = (a: VisitCursor, b: VisitCursor): number =>
    (ask.descending ? b.value - a.value : a.value - b.value) || compare(a.id, b.id);
  const cursorOf = (row: VisitRow): VisitCursor => ({ value: valueFor(row), id: row.id });
  const rows = visitsOf(hits)
    .filter(visit => {
      if (ask.converted && !wholeOf(site, visit).hasConverted) return false;
      const { steps = [] } = ask;
      if (servedBy(site, rowsOf(site, visit).filter(isHit), steps).length < steps.length) return false;
      return !ask.paid || rowsOf(site, visit).some(row => row.type === 'revenue');
    })
    .map(visit => naiveVisitRow(site, visit, query))
    .filter(row => (!ask.bounced || row.bounce) && (!ask.returning || row.returning) && found(row, ask.search))
    .sort((a, b) => inOrder(cursorOf(a), cursorOf(b)))
    .filter(row => ask.after === null || inOrder(cursorOf(row), ask.after) > 0);
  const page = rows.slice(0, ask.limit);
  const next = rows.length > ask.limit ? cursorOf(page.at(-1)!) : null;
  if (ask.form !== 'json') return { kind: 'visits', pieces: page.map(visitWriter(ask.form, query.currency)), next };
  return { kind: 'visits', pieces: [page.map(row => JSON.stringify(naiveVisitJson(row))).join(',')], next };
};

const naiveVisitJson = ({ width, height, otherRevenue, ...row }: VisitRow): object => ({
  ...row,
  started: new Date(row.started).toISOString(),
  ended: new Date(row.ended).toISOString(),
  seconds: Math.round((row.ended - row.started) / 1000),
  screen: width === 0 && height === 0 ? null : `${width}x${height}`,
  ...(Object.keys(otherRevenue).length > 0 && { otherRevenue }),
});

const naiveVisitHits = (site: NaiveSite, hits: NaiveHit[], id: string): Answer => {
  const visit = visitsOf(hits).find(one => naiveVisitRow(site, one, noRates).id === id);
  const rows = visit === undefined ? [] : rowsOf(site, visit).filter(isHit);
  return {
    kind: 'visitHits',
    hits: rows.map(hit => {
      const { at, path, hostname, title, query, event, revenue } = hit;
      const { seconds, scroll } = isPageview(hit) ? lookOf(site, hit) : { seconds: null, scroll: null };
      return {
        ...{ at, type: hit.type as HitType, path, hostname, title, query, event, revenue },
        ...{ secondsOnPage: seconds, scroll },
        properties: hit.properties.map(property => ({ key: property.key, value: textOf(property) })),
      };
    }),
  };
};

const naiveVisitor = (site: NaiveSite, hits: NaiveHit[], visitor: string, query: Query): Answer => {
  const visits = visitsOf(hits)
    .filter(visit => visit.visitor === visitor)
    .sort((a, b) => wholeOf(site, a).started - wholeOf(site, b).started);
  const wholes = visits.map(visit => wholeOf(site, visit));
  const rows = visits.flatMap(visit => rowsOf(site, visit));
  const said = rows.flatMap(({ identity }) => (identity === null ? [] : [identity]));
  const traits = Object.assign({}, ...said.map(identity => JSON.parse(identity.traits) as object));
  return {
    kind: 'visitor',
    visits: visits.length,
    pageviews: rows.filter(isPageview).length,
    events: rows.filter(row => isHit(row) && !isPageview(row)).length,
    ...moneyOf(rows, query),
    firstAt: visits.length === 0 ? null : wholes[0]!.started,
    lastAt: visits.length === 0 ? null : Math.max(...wholes.map(({ ended }) => ended)),
    identity: said.length === 0 ? null : { name: said.at(-1)!.name, traits: JSON.stringify(traits) },
  };
};

const naiveLatestHits = (site: NaiveSite, hits: NaiveHit[], limit: number): Answer => {
  const rows = hits.map(hit => ({ hit, id: naiveVisitRow(site, hit.visit, noRates).id }));
  const placeOf = (hit: NaiveHit): number => rowsOf(site, hit.visit).indexOf(hit);
  rows.sort((a, b) => b.hit.at - a.hit.at || compare(a.id, b.id) || placeOf(b.hit) - placeOf(a.hit));
  return {
    kind: 'latestHits',
    hits: rows.slice(0, limit).map(({ hit: { at, type, path, event, visit }, id }) => ({
      ...{ at, type: type as HitType, path, event, visit: id, visitor: visit.visitor },
      ...{ country: visit.country, referrer: visit.referrer, utmSource: visit.utmSource, device: visit.device },
      identified: wholeOf(site, visit).identified,
    })),
  };
};
const noRates: Query = { siteId: 0, currency: 'EUR', minorRates: {}, slices: [] };

const found = (row: VisitRow, search: string): boolean =>
  [
    row.visitor,
    row.identified,
    row.entryPath,
    row.exitPath,
    row.referrer,
    row.utmCampaign,
    row.country,
    row.region,
    row.city,
    row.browser,
    row.os,
  ].some(text => text?.toLowerCase().includes(search.toLowerCase()));

const naiveVisitRow = (site: NaiveSite, visit: NaiveVisit, query: Query): VisitRow => {
  const whole = wholeOf(site, visit);
  const earlier = distinct(site.map(hit => hit.visit)).filter(
    other =>
      visitorOf(other) === visitorOf(visit) &&
      rowsOf(site, other).some(isHit) &&
      (visit.seenBefore === undefined || other.day === visit.day) &&
      wholeOf(site, other).started < whole.started,
  );
  return {
    id: `${visit.day}-${visit.visitor}-${whole.started}`,
    started: whole.started,
    ended: whole.ended,
    visitor: visit.visitor,
    identified: whole.identified,
    entryPath: whole.entryPath,
    exitPath: whole.exitPath,
    referrer: visit.referrer,
    utmSource: visit.utmSource,
    utmCampaign: visit.utmCampaign,
    country: visit.country,
    region: visit.region,
    city: visit.city,
    language: visit.language,
    browser: visit.browser,
    os: visit.os,
    device: visit.device,
    width: visit.width,
    height: visit.height,
    pageviews: whole.pageviews,
    events: whole.events,
    bounce: whole.pageviews <= 1,
    returning: visit.seenBefore === true || earlier.length > 0,
    ...moneyOf(rowsOf(site, visit), query),
  };
};

/** All hits of the visits that the slice has a hit of, visit by visit. */
const wholeVisits = (site: NaiveSite, hits: NaiveHit[]): NaiveHit[][] =>
  visitsOf(hits).map(visit => rowsOf(site, visit).filter(isHit));

/** The hits of a run that serve steps, in their order. */
const servedBy = (site: NaiveSite, run: NaiveHit[], steps: Filter[][]): NaiveHit[] => {
  const serving: NaiveHit[] = [];
  for (const hit of run) {
    const step = steps[serving.length];
    if (step !== undefined && passesAll(site, hit, step)) serving.push(hit);
  }
  return serving;
};

/** Only the hits that serve steps are kept of each run of hits: that of a visit, or of a visitor's day. */
const naiveFunnel = (site: NaiveSite, hits: NaiveHit[], ask: Extract<Question, { kind: 'funnel' }>): Answer => {
  const daysOf = (hit: NaiveHit): string => `${hit.visit.day} ${visitorOf(hit.visit)}`;
  const chosen = new Set(hits.map(daysOf));
  const runs =
    ask.scope === 'visit'
      ? wholeVisits(site, hits)
      : [...chosen].map(one => site.filter(hit => isHit(hit) && daysOf(hit) === one).sort((a, b) => a.at - b.at));
  const served = runs.map(run => servedBy(site, run, ask.steps));
  const reaching = ask.steps.map((_, step) => served.flatMap(serving => serving[step] ?? []));
  const spans = ask.steps
    .slice(1)
    .map((_, step) => served.flatMap(run => (run[step + 1] === undefined ? [] : [run[step + 1]!.at - run[step]!.at])));
  return {
    kind: 'funnel',
    visits: [hits, ...reaching].map(of => visitsOf(of).length),
    visitors: [runs.flat(), ...reaching].map(visitorsOf),
    medianMs: spans.map(of => (of.length === 0 ? null : median(of))),
  };
};

type JourneyAsk = Extract<Question, { kind: 'journey' }>;

/** A step as `page /a`, `folder /a/` or `event Signup`; null for a hit that is none. */
const stepName = (hit: NaiveHit, { show, folder }: JourneyAsk): string | null => {
  if (isEvent(hit)) return show === 'pages' ? null : `event ${hit.event}`;
  if (!isPageview(hit) || show === 'events' || hit.path === null) return null;
  const parts = hit.path.split('/');
  const isDeep = folder > 0 && parts.length > folder + 1;
  return isDeep ? `folder ${parts.slice(0, folder + 1).join('/')}/` : `page ${hit.path}`;
};

const naiveJourney = (site: NaiveSite, hits: NaiveHit[], ask: JourneyAsk): Answer => {
  const opened = ask.via.map(({ kind, name }) => `${kind} ${name}`);
  const ways = wholeVisits(site, hits).flatMap(run => {
    const anchor = ask.anchor === null ? null : run.findIndex(hit => passesAll(site, hit, ask.anchor!));
    if (anchor === -1) return [];
    const after = anchor === null ? run : run.slice(anchor);
    const before = anchor === null ? run : run.slice(0, anchor + 1);
    const way = (ask.direction === 'after' ? after : before.toReversed()).map(hit => stepName(hit, ask));
    // The anchor comes first, as a step that is in no row.
    const names = anchor === null ? [null, ...way] : way;
    const steps = [names[0]!, ...names.slice(1).filter(name => name !== null)];
    return [{ hit: run[0]!, steps: steps.filter((name, i) => i === 0 || name !== steps[i - 1]).slice(1) }];
  });
  const levels = [...opened, ''].map((_, level) => {
    const came = ways.filter(({ steps }) => opened.slice(0, level).every((name, i) => steps[i] === name));
    const groups = groupBy(came, ({ steps }) => steps[level] ?? 'end');
    const counted = (of: typeof ways) => ({ visits: of.length, visitors: visitorsOf(of.map(({ hit }) => hit)) });
    const end = counted(groups.get('end') ?? []);
    groups.delete('end');
    const rows = [...groups]
      .map(([name, of]) => {
        const [, kind, text] = /^(\w+) (.*)$/s.exec(name)!;
        return { step: { kind: kind as JourneyStepKind, name: text! }, ...counted(of) };
      })
      .sort(
        (a, b) =>
          b.visits - a.visits ||
          b.visitors - a.visitors ||
          compare(a.step.name, b.step.name) ||
          (a.step.kind === 'event' ? 1 : -1),
      );
    const others = rows.slice(ask.limit);
    return {
      ...counted(came),
      rows: rows.slice(0, ask.limit),
      end,
      other: { visits: sum(others.map(row => row.visits)), steps: others.length },
    };
  });
  return { kind: 'journey', levels };
};

/** The rows of visits, which may be cut into pieces anywhere. */
export const visitRowsOf = ({ pieces }: AnswerOf<'visits'>): { id: string }[] => JSON.parse(`[${pieces.join('')}]`);

/** An answer as two ways to the same one may be compared: sums of fractions depend on the order of adding in their last digits. */
export const comparable = (answer: Answer): object => {
  if (answer.kind === 'visits') return { ...answer, pieces: visitRowsOf(answer) };
  if (answer.kind !== 'propertySummaries') return answer;
  const round = (value: number): number => Number(value.toPrecision(12));
  const summaries = answer.summaries.map(one => ({
    ...one,
    numeric: one.numeric && { ...one.numeric, sum: round(one.numeric.sum), avg: round(one.numeric.avg) },
  }));
  return { ...answer, summaries };
};
