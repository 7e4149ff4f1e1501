/** What an alert counts: how it is asked of a site, the same live and for the past. */
import { type AlertParams, type AlertRule, bandMetrics, vitalReportsMin } from '../../model/alerts/kinds.ts';
import type { SlotRule } from '../../model/alerts/replay.ts';
import { type LocalOf, slotMs } from '../../model/alerts/slots.ts';
import { localName } from '../../model/calendar.ts';
import { type FilterOn, filterFields, isOneOf } from '../../model/filters.ts';
import type { Note } from '../../model/notes.ts';
import { refusedOutcomes } from '../../model/outcomes.ts';
import { type HideablePart, partOfMetric } from '../../model/public-parts.ts';
import type { TableMetricName } from '../../model/table-metrics.ts';
import { hourMs, minuteMs } from '../../model/time.ts';
import { isVital, type VitalName } from '../../model/vitals.ts';
import type { Answer, Filter, Slice } from '../../query/query.ts';
import type { CrawlField, VitalField } from '../../store/read/records.ts';
import { partsOf, resolveFilters } from '../definitions.ts';
import { answerOf, noTime, type ReadableSite } from '../endpoint.ts';
import { crawlFields, vitalFields } from '../records.ts';
import { readCondition } from '../request/conditions.ts';
import { goalFilter } from '../table.ts';

/** What is counted in steps of time, and how it is asked. */
interface Countable {
  /** What is asked about the steps between these instants. */
  slice(bounds: number[]): Slice;
  /** The answers as a number for each of so many steps; NaN where it is not known. */
  values(answers: Answer[] | undefined, steps: number): Float64Array;
  /** What it tells of that may be hidden from somebody. */
  parts: HideablePart[];
}

export interface Measure extends Countable {
  /** It is judged this often, when so much has passed. */
  stepMs: number;
  /** Null where the band decides. */
  windowMs: number | null;
}

/** As servers report pages that they could not give. */
const errorEvents = isOneOf('event', ['404', '410', '500']);
const goalMs = 5 * minuteMs;

const isPart = (part: HideablePart | undefined): part is HideablePart => part !== undefined;

const ofHits = (metric: TableMetricName, filters: Filter[]): Countable => ({
  slice: bounds => ({
    ...{ from: bounds[0]!, to: bounds.at(-1)!, filters },
    questions: [{ kind: 'metricSeries', metrics: [metric], bounds }],
  }),
  // An import may tell only part of a step.
  values: answers =>
    Float64Array.from(answerOf(answers, 'metricSeries').rows, ({ values, imported }) =>
      imported ? Number.NaN : (values[0] ?? 0),
    ),
  parts: [partOfMetric(metric), ...partsOf(filters)].filter(isPart),
});

/** Hits that were refused; none in steps in which they are few of those that arrived. */
const ofRefused = (percent: number): Countable => ({
  slice: bounds => ({ ...noTime, filters: [], questions: [{ kind: 'outcomes', bounds }] }),
  values(answers, steps) {
    const [refused, arrived] = [new Float64Array(steps), new Float64Array(steps)];
    for (const { bucket, outcome, hits } of answerOf(answers, 'outcomes').counts) {
      arrived[bucket]! += hits;
      if (refusedOutcomes.includes(outcome)) refused[bucket]! += hits;
    }
    return refused.map((hits, i) => (100 * hits >= percent * arrived[i]! ? hits : 0));
  },
  parts: ['outcomes'],
});

/** What servers could not give to crawlers. */
const errorStatus: FilterOn<CrawlField> = {
  field: 'status',
  operator: 'startsWith',
  negated: false,
  values: ['4', '5'],
};

/** Throws ParameterError. */
export const crawlErrorFilters = (filters: string): FilterOn<CrawlField>[] => [
  ...conditionOf(filters, crawlFields),
  errorStatus,
];

const ofCrawlErrors = (filters: FilterOn<CrawlField>[]): Countable => ({
  slice: bounds => ({
    ...{ ...noTime, filters: [] },
    questions: [{ kind: 'crawls', bounds, by: 'status', filters, limit: 1 }],
  }),
  values: answers => Float64Array.from(answerOf(answers, 'crawls').series),
  parts: ['crawlers'],
});

/** The 75th percentile; not known where there are few reports. */
const ofVital = (name: VitalName, filters: FilterOn<VitalField>[]): Countable => ({
  slice: bounds => ({
    ...{ ...noTime, filters: [] },
    questions: bounds.slice(1).map((to, i) => ({
      ...{ kind: 'vitals', from: bounds[i]!, to, by: 'device', filters, limit: 1 },
    })),
  }),
  values: (answers, steps) =>
    Float64Array.from({ length: steps }, (_, i) => {
      const { reports, p75 } = answerOf(answers?.slice(i), 'vitals').all.metrics[name] ?? { reports: 0, p75: 0 };
      return reports < vitalReportsMin ? Number.NaN : p75;
    }),
  parts: ['vitals'],
});

/** Throws ParameterError for filters on other fields, and what the site does not have. */
const conditionOf = <Field extends string>(filters: string, fields: readonly Field[]): FilterOn<Field>[] =>
  filters === '' ? [] : readCondition(filters, 'filters', fields);

/**
 * How a rule is asked of a site; new sources are asked by themselves (new-sources.ts). Throws
 * ParameterError for a segment or goal that the site does not have.
 */
export const measureOf = (rule: CountedRule, filters: string, view: ReadableSite): Measure => {
  if (rule.kind === 'refused') {
    conditionOf(filters, []);
    return { ...ofRefused(rule.params.percent), stepMs: hourMs, windowMs: hourMs };
  }
  const inSlots = { stepMs: slotMs, windowMs: null };
  if (rule.kind === 'errors' && rule.params.of === 'crawls')
    return { ...ofCrawlErrors(crawlErrorFilters(filters)), ...inSlots };
  if (rule.kind === 'threshold') return thresholdMeasure(rule.params, filters, view);
  const own = hitFiltersOf(filters, view);
  switch (rule.kind) {
    case 'silent':
      return { ...ofHits('entries', own), ...inSlots };
    case 'spike':
    case 'drop':
      return { ...ofHits(bandMetrics[rule.params.metric], own), ...inSlots };
    case 'errors':
      return { ...ofHits('events', [...own, errorEvents]), ...inSlots };
    case 'goal':
      return {
        ...ofHits('visits', [...own, goalFilter(rule.params.goal, view)]),
        ...{ stepMs: goalMs, windowMs: goalMs },
      };
  }
};

const thresholdMeasure = (
  { metric, minutes }: AlertParams['threshold'],
  filters: string,
  view: ReadableSite,
): Measure => {
  const windowMs = minutes * minuteMs;
  const counted = isVital(metric)
    ? ofVital(metric, conditionOf(filters, vitalFields))
    : ofHits(metric, hitFiltersOf(filters, view));
  return { ...counted, stepMs: Math.min(slotMs, windowMs), windowMs };
};

/** Throws ParameterError. */
export const hitFiltersOf = (filters: string, { definitions, hidden }: ReadableSite): Filter[] =>
  resolveFilters(conditionOf(filters, filterFields), definitions, hidden);

/** What an alert tells of that may be hidden from somebody. Throws ParameterError. */
export const partsOfAlert = (rule: AlertRule, filters: string, view: ReadableSite): HideablePart[] =>
  rule.kind === 'new-source'
    ? partsOf(hitFiltersOf(filters, view)).filter(isPart)
    : measureOf(rule, filters, view).parts;

/** How slots of it are judged; null where a number is compared. */
export const slotRuleOf = (rule: AlertRule): SlotRule | null => {
  switch (rule.kind) {
    case 'silent':
      return { kind: 'silent', hours: rule.params.hours };
    case 'spike':
    case 'errors':
      return {
        kind: 'band',
        direction: 'spike',
        k: rule.params.k,
        floor: rule.params.floor,
        windowHours: rule.params.hours,
      };
    case 'drop':
      return { kind: 'band', direction: 'drop', k: rule.params.k, floor: 0, windowHours: rule.params.hours };
    default:
      return null;
  }
};

/** Asks for the values of steps from one instant to another. */
export const stepsSlice = ({ slice }: Measure, from: number, to: number, stepMs: number): Slice =>
  slice(Array.from({ length: Math.round((to - from) / stepMs) + 1 }, (_, i) => from + i * stepMs));

/** Takes out what nobody could see: before the first hit, and days on which the server was down. */
export const withoutUnseen = (
  values: Float64Array,
  {
    from,
    stepMs,
    firstAt,
    notes,
    local,
  }: { from: number; stepMs: number; firstAt: number | null; notes: readonly Note[]; local: LocalOf },
): Float64Array => {
  const outages = new Set(notes.filter(({ kind }) => kind === 'outage').map(({ date }) => date));
  const isUnseen = (at: number): boolean =>
    firstAt === null || at < firstAt || (outages.size > 0 && outages.has(localName(local(at)).slice(0, 10)));
  return values.map((value, i) => (isUnseen(from + i * stepMs) ? Number.NaN : value));
};

/** What compares a number, and no slots. */
export type ComparedRule = AlertRule & { kind: 'threshold' | 'goal' | 'refused' };
/** What is counted in steps. */
export type CountedRule = Exclude<AlertRule, { kind: 'new-source' }>;

/** Whether a number is out. A goal is told of each time that it was reached. */
export const verdictOf = (rule: ComparedRule, value: number): 'out' | 'in' | 'blind' => {
  if (Number.isNaN(value)) return 'blind';
  if (rule.kind === 'goal') return value > 0 ? 'out' : 'in';
  if (rule.kind === 'refused') return value >= rule.params.hits ? 'out' : 'in';
  const { comparison, number } = rule.params;
  return (comparison === 'above' ? value > number : value < number) ? 'out' : 'in';
};
