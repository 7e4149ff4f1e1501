/** Questions to the API of every kind, with whatever can be said in one. */
import type { Chance } from '../../src/cli/demo/random.ts';
import { dimensionNames } from '../../src/model/dimensions.ts';
import { filterParameter, type HitField, operatorsOf } from '../../src/model/filters.ts';
import { rangeKeys } from '../../src/model/ranges.ts';
import { tableMetricNames } from '../../src/model/table-metrics.ts';
import { utcDayName, utcDayOf } from '../../src/model/time.ts';
import { vocabulary } from './people.ts';

/** What a question may be about. */
export interface Known {
  now: number;
  /** Hashes of visitors, and ids of visits. */
  visitors: readonly string[];
  visits: readonly string[];
}

type Pairs = [name: string, value: string][];

const some = <T>(chance: Chance, items: readonly T[], share: number): T[] => items.filter(() => chance.is(share));

const values: Partial<Record<string, readonly string[]>> = {
  ...{ path: vocabulary.path, entryPath: vocabulary.path, exitPath: vocabulary.path, title: vocabulary.title },
  ...{ query: vocabulary.query, referrer: [...vocabulary.referrer, 'Direct / none'], event: vocabulary.event },
  ...{ utmSource: vocabulary.source, utmMedium: vocabulary.medium, utmCampaign: vocabulary.campaign },
  ...{ clickId: vocabulary.clickId, country: ['DE', 'FR'], city: ['Berlin'], device: ['desktop', 'mobile'] },
  ...{ browser: ['Chrome', 'Firefox'], os: ['Linux', 'iOS'], language: ['de-DE'], suspect: ['no-interaction'] },
  ...{ channel: ['Direct', 'Organic Search', 'Email'], 'prop:plan': vocabulary.plan, 'prop:trial': ['true'] },
  ...{ 'trait:plan': vocabulary.plan, 'trait:email': ['@example.com', 'x'] },
  ...{ propKey: ['plan', 'seats'], propValue: ['pro', 'true', '2.5'], hostname: ['www.'] },
};
const numbers = ['0', '1', '2.5', '40', '60'];
const fields: readonly HitField[] = [
  ...dimensionNames,
  ...(['duration', 'scroll', 'prop:plan', 'prop:seats', 'prop:trial', 'propKey', 'propValue'] as const),
  ...(['trait:plan', 'trait:email'] as const),
];

/** A filter as a parameter. */
export const someFilter = (chance: Chance): [name: string, value: string] => {
  if (chance.is(0.05))
    return chance.one<[string, string]>([
      ['goal', 'Signup'],
      ['segment', 'Germany'],
    ]);
  const field = chance.one(fields);
  const { operator, negated, isNumeric } = chance.one(operatorsOf(field));
  const known = chance.one(values[field] ?? ['', 'x']);
  const isNumber = isNumeric || field === 'duration' || field === 'scroll';
  const part = operator === 'is' || chance.is(0.5) ? known : known.slice(0, 3);
  const value = isNumber ? chance.one(numbers) : chance.is(0.1) ? '' : part;
  return filterParameter({ field, operator, negated, ...(chance.is(0.25) && { visit: true }) }, value);
};

const somePeriod = (chance: Chance, now: number): Pairs => {
  if (chance.is(0.7)) return [['range', chance.one(['today', 'all', ...rangeKeys])]];
  const from = utcDayOf(now) - chance.below(8);
  return [
    ['from', utcDayName(from)],
    ...(chance.is(0.7) ? ([['to', utcDayName(from + chance.below(5))]] as Pairs) : []),
  ];
};

const someCompare = (chance: Chance): Pairs =>
  chance.is(0.6) ? [] : [['compare', chance.one(['previous', 'previous-weekday', 'year', 'year-weekday', 'none'])]];
const limit = (chance: Chance): Pairs => (chance.is(0.3) ? [['limit', `${1 + chance.below(4)}`]] : []);
const flag = (chance: Chance, name: string): Pairs => (chance.is(0.3) ? [[name, '1']] : []);
const metrics = (chance: Chance): Pairs => [['metrics', some(chance, tableMetricNames, 0.4).join(',') || 'visitors']];
const dimension = (chance: Chance): Pairs => [
  ['dimension', chance.one<string>([...dimensionNames, 'prop:plan', 'prop:seats'])],
];
const step = (chance: Chance): string =>
  chance.one(['path=/', 'path^=/blog', 'event=Signup', 'event=Buy', 'path=/a', 'path^=/', 'visit:event=Play']);

/** By what stands behind the site, its own parameters. */
const endpoints: Readonly<Record<string, (chance: Chance, known: Known) => Pairs>> = {
  'v1/stats': chance => someCompare(chance),
  'v1/series': chance => flag(chance, 'previous'),
  'v1/breakdown': chance => [...dimension(chance), ...limit(chance)],
  'v1/events': chance => [
    ...(chance.is(0.6) ? ([['event', chance.one([...vocabulary.event, 'Buy'])]] as Pairs) : []),
    ...flag(chance, 'series'),
    ...(chance.is(0.4) ? ([['property', chance.one(['plan', 'seats', 'trial'])]] as Pairs) : []),
    ...flag(chance, 'histogram'),
  ],
  'v1/realtime': () => [],
  'ext/members': () => [],
  'ext/table': chance => [
    ...dimension(chance),
    ...metrics(chance),
    ...limit(chance),
    ['sort', chance.one(tableMetricNames)],
    ['dir', chance.one(['asc', 'desc'])],
    ...(chance.is(0.2) ? ([['conversionGoal', 'Signup']] as Pairs) : []),
    ...someCompare(chance),
  ],
  'ext/series': chance => [
    ...metrics(chance),
    ['interval', chance.one(['auto', 'day', 'hour', 'week'])],
    ...someCompare(chance),
  ],
  'ext/funnel': chance => [
    ...Array.from({ length: 2 + chance.below(2) }, (): [string, string] => ['step', step(chance)]),
    ['scope', chance.one(['visit', 'visitor'])],
  ],
  'ext/journey': chance => [
    ['direction', chance.one(['after', 'before'])],
    ...(chance.is(0.6) ? ([['anchor', step(chance)]] as Pairs) : []),
    ['show', chance.one(['pages', 'all', 'events'])],
    ...(chance.is(0.3) ? ([['folder', '1']] as Pairs) : []),
    ...limit(chance),
  ],
  'ext/goals': chance =>
    chance.is(0.5) ? [] : [['conditions', chance.is(0.5) ? step(chance) : `${step(chance)}|${step(chance)}`]],
  'ext/suspects': () => [],
  'ext/visits': chance => [
    ['sort', chance.one(['started', 'duration', 'pageviews', 'events', 'revenue'])],
    ['dir', chance.one(['asc', 'desc'])],
    ...limit(chance),
    ...['converted', 'bounced', 'paid', 'returning'].flatMap(name => (chance.is(0.1) ? flag(chance, name) : [])),
    ...(chance.is(0.2) ? ([['search', chance.one(['berl', 'Chrome', '/blog', 'zzz'])]] as Pairs) : []),
    ...(chance.is(0.2) ? ([['step', step(chance)]] as Pairs) : []),
  ],
  'ext/latest-hits': chance => limit(chance),
  'ext/hits': (chance, { visits }) => (visits.length === 0 ? [] : [['visit', chance.one(visits)]]),
  'ext/visitor': (chance, { visitors }) => (visitors.length === 0 ? [] : [['visitor', chance.one(visitors)]]),
  export: chance => [['mode', chance.one(['breakdown', 'sessions'])], ...flag(chance, 'raw')],
};
/** What is recorded besides hits is filtered by the fields that it has. */
const recordEndpoints: Readonly<Record<string, { by: readonly string[]; values: readonly string[] }>> = {
  'ext/crawlers': { by: ['name', 'path', 'status'], values: ['Googlebot', '/', '/a', '200', 'unknown', 'b'] },
  'ext/vitals': { by: ['path', 'device'], values: ['/', '/a', 'mobile', 'desk'] },
  'ext/outcomes': { by: [], values: [] },
};
const someRecords = (chance: Chance, name: string): Pairs => {
  const { by, values } = recordEndpoints[name]!;
  if (by.length === 0) return [];
  const filters = chance.is(0.3) ? [`${chance.one(by)}${chance.one(['', '!', '*', '^'])}`] : [];
  return [
    ['by', chance.one(by)],
    ...filters.map((filter): [string, string] => [filter, chance.one(values)]),
    ...limit(chance),
  ];
};

const withoutPeriod: ReadonlySet<string> = new Set(['ext/hits', 'ext/visitor']);

/** A path and its parameters; `:id` stands for the site. */
export const someQuestion = (chance: Chance, known: Known): string => {
  const name = chance.one([...Object.keys(endpoints), ...Object.keys(recordEndpoints)]);
  const isOfRecords = Object.hasOwn(recordEndpoints, name);
  const own = isOfRecords ? someRecords(chance, name) : endpoints[name]!(chance, known);
  const filters = isOfRecords ? [] : Array.from({ length: chance.one([0, 0, 0, 1, 1, 2]) }, () => someFilter(chance));
  const pairs = withoutPeriod.has(name) ? own : [...own, ...somePeriod(chance, known.now), ...filters];
  const [group, endpoint] = name.split('/');
  return `/api/${group}/${endpoint === undefined ? '' : 'sites/'}:id${endpoint === undefined ? '' : `/${endpoint}`}?${new URLSearchParams(pairs)}`;
};
