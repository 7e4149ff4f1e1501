/** What an alert counts: how it is asked of a site, the same live and for the past. */
import { type AlertRule, bandMetrics } from '../../model/alerts/kinds.ts';
import type { SlotRule } from '../../model/alerts/replay.ts';
import { type LocalOf, slotMs } from '../../model/alerts/slots.ts';
import { localName } from '../../model/calendar.ts';
import { filterFields } from '../../model/filters.ts';
import type { Note } from '../../model/notes.ts';
import { type HideablePart, partOfMetric } from '../../model/public-parts.ts';
import type { TableMetricName } from '../../model/table-metrics.ts';
import { minuteMs } from '../../model/time.ts';
import type { Filter, Report, Slice } from '../../query/query.ts';
import { partsOf, resolveFilters } from '../definitions.ts';
import { answerOf, type ReadableSite } from '../endpoint.ts';
import { readCondition } from '../request/conditions.ts';
import { goalFilter } from '../table.ts';

export interface Measure {
  metric: TableMetricName;
  filters: Filter[];
  /** It is judged this often, when so much has passed. */
  stepMs: number;
  /** Null where the band decides. */
  windowMs: number | null;
}

/** As servers report pages that they could not give. */
const errorEvents: Filter = { field: 'event', operator: 'is', negated: false, values: ['404', '410', '500'] };
const goalMs = 5 * minuteMs;

/** Throws ParameterError for a segment or goal that the site does not have. */
export const measureOf = (rule: AlertRule, filters: string, view: ReadableSite): Measure => {
  const own =
    filters === ''
      ? []
      : resolveFilters(readCondition(filters, 'filters', filterFields), view.definitions, view.hidden);
  const inSlots = { filters: own, stepMs: slotMs, windowMs: null };
  switch (rule.kind) {
    case 'silent':
      return { ...inSlots, metric: 'entries' };
    case 'spike':
    case 'drop':
      return { ...inSlots, metric: bandMetrics[rule.params.metric] };
    case 'errors':
      return { ...inSlots, metric: 'events', filters: [...own, errorEvents] };
    case 'goal':
      return {
        ...{ metric: 'visits', filters: [...own, goalFilter(rule.params.goal, view)] },
        ...{ stepMs: goalMs, windowMs: goalMs },
      };
    case 'threshold': {
      const windowMs = rule.params.minutes * minuteMs;
      return { metric: rule.params.metric, filters: own, stepMs: Math.min(slotMs, windowMs), windowMs };
    }
  }
};

/** What it tells of that may be hidden from somebody. */
export const partsOfMeasure = ({ metric, filters }: Measure): HideablePart[] =>
  [partOfMetric(metric), ...partsOf(filters)].filter(part => part !== undefined);

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
export const stepsSlice = ({ metric, filters }: Measure, from: number, to: number, stepMs: number): Slice => ({
  ...{ from, to, filters },
  questions: [
    {
      ...{ kind: 'metricSeries', metrics: [metric] },
      bounds: Array.from({ length: Math.round((to - from) / stepMs) + 1 }, (_, i) => from + i * stepMs),
    },
  ],
});

/** The values of steps; NaN where an import tells only part of them. */
export const stepValues = (answers: Report[number] | undefined): Float64Array =>
  Float64Array.from(answerOf(answers, 'metricSeries').rows, ({ values, imported }) =>
    imported ? Number.NaN : (values[0] ?? 0),
  );

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
export type ComparedRule = AlertRule & { kind: 'threshold' | 'goal' };

/** Whether a number is out. A goal is told of each time that it was reached. */
export const verdictOf = (rule: ComparedRule, value: number): 'out' | 'in' | 'blind' => {
  if (Number.isNaN(value)) return 'blind';
  if (rule.kind === 'goal') return value > 0 ? 'out' : 'in';
  const { comparison, number } = rule.params;
  return (comparison === 'above' ? value > number : value < number) ? 'out' : 'in';
};
