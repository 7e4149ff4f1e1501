/** Alerts of sites: their kinds, what each takes, and how that is read. */
import { FieldError, oneOf, typed } from '../fields.ts';
import { suggestion } from '../nearest.ts';
import { isRecord } from '../record.ts';
import type { TableMetricName } from '../table-metrics.ts';
import { nameOf } from '../values.ts';
import { isVital, type VitalName, vitalNames } from '../vitals.ts';
import { windowHours } from './expectation.ts';

/** How far from the usual is out, in spreads. */
export const sensitivities = { calm: 5, usual: 3.75, keen: 3.5 } as const;
const [kMin, kMax] = [2, 10];

export const alertKinds = {
  silent: 'No visit has begun for longer than chance explains',
  spike: 'More than usual at this hour of the week',
  drop: 'Less than usual at this hour of the week',
  errors: 'More errors than usual at this hour of the week',
  refused: 'Hits of an hour were refused',
  'new-source': 'A source that was not seen for 90 days brings visitors',
  threshold: 'A number is above or below another',
  goal: 'A goal was reached',
} as const;
export type AlertKind = keyof typeof alertKinds;
export const alertKindNames = Object.keys(alertKinds) as AlertKind[];

/**
 * What is counted: all of them add up over windows. `visits` are counted where they begin, with
 * their first page view.
 */
export const bandMetrics = { visits: 'entries', pageviews: 'pageviews', events: 'events', revenue: 'revenue' } as const;
export type BandMetric = keyof typeof bandMetrics;

/** What can be compared with a number; of web vitals the 75th percentile. */
export const thresholdMetrics = [
  ...(['visitors', 'visits', 'pageviews', 'events', 'revenue', 'conversions'] as const),
  ...(['bounceRate', 'conversionRate', 'avgVisitSeconds', 'viewsPerVisit'] as const),
  ...vitalNames,
] satisfies (TableMetricName | VitalName)[];
export type ThresholdMetric = (typeof thresholdMetrics)[number];
export const thresholdMinutes = [5, 15, 30, 60, 180, 360, 1440, 10_080] as const;
/** Pages report vitals when they are closed: of shorter windows little is known. */
export const vitalMinutes = thresholdMinutes.filter(minutes => minutes >= 60);
/** Of fewer reports a percentile says little. */
export const vitalReportsMin = 20;

/** Who met the errors: visitors, as pages tell by events, or crawlers, as servers tell of them. */
export const errorSources = ['events', 'crawls'] as const;
export type ErrorSource = (typeof errorSources)[number];
const comparisons = ['above', 'below'] as const;

/** For how many hours an alert can be muted from a message. */
export const muteHours = { hour: 1, day: 24, week: 168 } as const;
export const muteSpans = Object.keys(muteHours) as (keyof typeof muteHours)[];

export const alertsMax = 50;
export const channelsMax = 20;

type GivenFields = Readonly<Record<string, unknown>>;

const numberIn = (
  given: GivenFields,
  field: string,
  [min, max]: readonly [number, number],
  preset?: number,
): number => {
  const value = given[field] ?? preset;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw new FieldError(field, `${field} is a number from ${min} to ${max}.`);
};

const kOf = (given: GivenFields): number =>
  given.sensitivity === undefined
    ? numberIn(given, 'k', [kMin, kMax], sensitivities.usual)
    : sensitivities[
        oneOf('sensitivity', given.sensitivity, Object.keys(sensitivities) as (keyof typeof sensitivities)[])
      ];

const hoursOf = (given: GivenFields): number | null =>
  given.hours === undefined || given.hours === null ? null : oneOf('hours', given.hours, windowHours);
const bandMetricOf = (given: GivenFields): BandMetric =>
  oneOf('metric', given.metric ?? 'visits', Object.keys(bandMetrics) as BandMetric[]);
const floorOf = (given: GivenFields): number => numberIn(given, 'floor', [1, 1e9], 10);

const metricOf = (given: GivenFields): ThresholdMetric => oneOf('metric', given.metric, thresholdMetrics);

const goalOf = ({ goal }: GivenFields): string => {
  if (typeof goal === 'string' && goal !== '') return goal;
  throw new FieldError('goal', 'goal names a goal.');
};

/** What each kind takes, and how it is read. */
const readers = {
  silent: { hours: given => numberIn(given, 'hours', [1, 720], 24) },
  spike: { metric: bandMetricOf, k: kOf, hours: hoursOf, floor: floorOf },
  drop: { metric: bandMetricOf, k: kOf, hours: hoursOf },
  errors: { of: given => oneOf('of', given.of ?? 'events', errorSources), k: kOf, hours: hoursOf, floor: floorOf },
  /** Fewer hits, or a smaller part of those that arrived, are none. */
  refused: {
    hits: given => numberIn(given, 'hits', [1, 1e9], 20),
    percent: given => numberIn(given, 'percent', [0, 100], 10),
  },
  /** In a day of the site. */
  'new-source': { visitors: given => numberIn(given, 'visitors', [1, 1e9], 20) },
  threshold: {
    metric: metricOf,
    comparison: given => oneOf('comparison', given.comparison, comparisons),
    number: given => numberIn(given, 'number', [0, 1e15]),
    minutes: (given): number =>
      oneOf('minutes', given.minutes ?? 60, isVital(metricOf(given)) ? vitalMinutes : thresholdMinutes),
  },
  goal: { goal: goalOf },
} as const satisfies Record<AlertKind, Record<string, (given: GivenFields) => unknown>>;

type Readers = typeof readers;
export type AlertParams = {
  [K in AlertKind]: { [F in keyof Readers[K]]: Readers[K][F] extends (given: GivenFields) => infer V ? V : never };
};

/** What somebody asks for, without the channels. */
export type AlertRule = { [K in AlertKind]: { kind: K; params: AlertParams[K] } }[AlertKind];

/** Throws FieldError. */
export const alertKindOf = (kind: unknown): AlertKind => oneOf('kind', kind, alertKindNames);

/** What an alert is about. Throws FieldError. */
export const alertRuleOf = (given: GivenFields): AlertRule => {
  const kind = alertKindOf(given.kind);
  const { params = {} } = given;
  if (!isRecord(params)) throw new FieldError('params', 'params is an object.');
  const fields: Record<string, (given: GivenFields) => unknown> = readers[kind];
  // `sensitivity` stands for a `k`.
  const known = Object.keys(fields).flatMap(field => (field === 'k' ? ['k', 'sensitivity'] : field));
  const unknown = Object.keys(params).find(name => !known.includes(name));
  if (unknown !== undefined) {
    const meant = suggestion(unknown, known);
    throw new FieldError(unknown, `An alert of kind ${kind} takes no ${unknown}.${meant}`, known);
  }
  const read = Object.entries(fields).map(([field, of]) => [field, of(params)]);
  return { kind, params: Object.fromEntries(read) } as AlertRule;
};

/** The name of an alert or channel. Throws FieldError. */
export const alertNameOf = (given: unknown): string => typed('name', given, nameOf);
