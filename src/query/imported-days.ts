/**
 * Adds what other products counted on days before the site's first own hit. It stands around the
 * engine: such days have no hits that a scan could look at, and what they say is added to answers
 * that are whole, so that neither scans nor kept answers know of them. What a question asks and the
 * days do not tell is left out, and the answer says so.
 */
import { type DimensionName, dimensions, levelOf } from '../model/dimensions.ts';
import { addSums, type ImportedDay, type SumName, type Sums, untold } from '../model/imported-sums.ts';
import { noTotals, type RowTotals, type TableMetricName, tableMetrics } from '../model/table-metrics.ts';
import type { Database } from '../store/database.ts';
import { importedSums } from '../store/imports/sums.ts';
import {
  type Answer,
  type AnswerOf,
  type FieldFilter,
  type Filter,
  type Imported,
  isFieldFilter,
  type Query,
  type QuestionOf,
  type Report,
  type Slice,
} from './query.ts';
import { scoreOf, tablePage } from './questions/table.ts';
import { namesAt } from './rows/top-rows.ts';
import { matches } from './scan/match.ts';

/** What to ask the engine, and how its report becomes that with the imported days. */
export interface WithImported {
  query: Query;
  finish(report: Report): Report;
}

export type ImportedDays = ReturnType<typeof importedDays>;

type DayRow = ImportedDay & { value: string } & Sums;

/** The imported days of a slice. */
interface DaysOf {
  /** Whether the slice holds all of them whole. */
  isWhole: boolean;
  /** Of whole days: undefined where an import does not tell of the dimension at all. */
  rows(dimension: DimensionName | null): DayRow[] | undefined;
}

/** Metrics that sums add up to, and what an answer must ask to have their parts. */
const partMetrics = ['visitors', 'visits', 'bounces', 'avgVisitSeconds', 'pageviews', 'events'] as const;

/** When the site's first own hit came that is not left out; null where there is none. */
type FirstAt = (siteId: number, pause?: () => void) => number | null;

export const importedDays = (db: Database, firstOwnAt: FirstAt) => {
  const sums = importedSums(db);
  const daysOf = (siteId: number, { from, to }: Slice, before: number): DaysOf | null => {
    const days = sums.days(siteId, from, to, before);
    if (days.length === 0) return null;
    const whole = days.filter(({ fromAt, toAt }) => fromAt >= from && toAt <= to);
    const ids = [...new Set(whole.map(({ importId }) => importId))];
    return {
      isWhole: whole.length === days.length,
      rows(dimension) {
        if (dimension !== null && !ids.every(id => sums.tells(siteId, id, dimension))) return undefined;
        const found = ids.flatMap(id => sums.rows(siteId, id, dimension, from, to));
        return found.filter(({ toAt }) => toAt <= Math.min(to, before));
      },
    };
  };
  const widenQuestions = (query: Query, before: number): WithImported | null => {
    const extra: Slice[] = [];
    const finishers = query.slices.map(slice => {
      const isMeant = slice.site === undefined || slice.site === query.siteId;
      const days = isMeant ? daysOf(query.siteId, slice, before) : null;
      return slice.questions.map(question => finisherOf(question, slice, days, extra, query.slices.length));
    });
    const first = query.slices.some(({ questions }) => questions.some(({ kind }) => kind === 'firstHit'))
      ? sums.firstAt(query.siteId, before)
      : null;
    if (first === null && finishers.every(ofSlice => ofSlice.every(one => one === null))) return null;
    const slices = query.slices.map(({ questions, ...where }, i) => ({
      ...where,
      questions: questions.map((question, n) => finishers[i]![n]?.question ?? question),
    }));
    return {
      query: { ...query, slices: [...slices, ...extra] },
      finish: report =>
        finishers.map((ofSlice, i) =>
          ofSlice.map((finisher, n) => {
            const answer = report[i]![n]!;
            if (answer.kind === 'firstHit' && first !== null)
              return { ...answer, at: Math.min(first, answer.at ?? first) };
            return finisher === null ? answer : finisher.finish(answer, report);
          }),
        ),
    };
  };
  const widenSite = (query: Query, pause?: () => void): WithImported | null =>
    sums.has(query.siteId) ? widenQuestions(query, firstOwnAt(query.siteId, pause) ?? Number.MAX_SAFE_INTEGER) : null;
  return {
    /** Null where no imported day is concerned. `pause` is called between days that it reads. */
    widen(query: Query, pause?: () => void) {
      if (query.rollup === undefined) return widenSite(query, pause);
      // What one site adds is around what the sites before it add.
      let whole: WithImported | null = null;
      for (const siteId of query.rollup) {
        const inner: WithImported | null = whole;
        const next = widenSite({ ...(inner?.query ?? query), siteId }, pause);
        if (next === null) continue;
        const finish = (report: Report): Report => {
          const own = next.finish(report);
          return inner === null ? own : asPartly(own, inner.finish(own));
        };
        whole = { query: { ...next.query, siteId: query.siteId }, finish };
      }
      return whole;
    },
  };
};

/** What answers become, each still lacking what it lacked before. */
const asPartly = (before: Report, after: Report): Report =>
  after.map((answers, i) =>
    answers.map((answer, n) => (before[i]![n]!.imported === 'partly' ? { ...answer, imported: 'partly' } : answer)),
  );

interface Finisher {
  /** What the engine is asked in place of the question. */
  question?: Slice['questions'][number];
  finish(answer: Answer, report: Report): Answer;
}

const finisherOf = (
  question: Slice['questions'][number],
  slice: Slice,
  days: DaysOf | null,
  extra: Slice[],
  extraFrom: number,
): Finisher | null => {
  if (days === null) return null;
  const scope = scopeOf(slice.filters);
  const partly: Finisher = { finish: answer => ({ ...answer, imported: 'partly' }) };
  if (scope === null) return partly;
  switch (question.kind) {
    case 'metricSeries':
      return metricSeriesFinisher(question, scope, days, slice) ?? partly;
    case 'table':
      return tableFinisher(question, scope, days, slice, at => extraFrom + extra.push(at) - 1) ?? partly;
    default:
      return partly;
  }
};

/** What of the days filters select: all of them, or values of one dimension. */
type Scope = { filter: null } | { filter: FieldFilter & { field: DimensionName } };

/** Null where the days cannot tell. Which visits a site leaves out as suspects is about its own. */
const scopeOf = (filters: readonly Filter[]): Scope | null => {
  const asked = filters.filter(filter => !(isFieldFilter(filter) && filter.field === 'suspect' && filter.negated));
  const [filter] = asked;
  if (filter === undefined) return { filter: null };
  if (asked.length > 1 || !isFieldFilter(filter)) return null;
  if (filter.visit || filter.operator !== 'is' || !Object.hasOwn(dimensions, filter.field)) return null;
  return { filter: filter as FieldFilter & { field: DimensionName } };
};

/** The rows that whole days or some values add up to. Undefined where days do not tell. */
const rowsIn = ({ filter }: Scope, days: DaysOf): DayRow[] | undefined => {
  if (filter === null) return days.rows(null);
  // Who saw two pages is in the rows of both, so no sum tells the visitors of several.
  if (levelOf(filter.field) === 'hit' && (filter.negated || filter.values.length > 1)) return undefined;
  return days.rows(filter.field)?.filter(row => passes(filter, row.value));
};

const passes = (filter: FieldFilter, value: string): boolean =>
  matches(filter, value === '' ? null : value) !== filter.negated;

const saying = (isAll: boolean): { imported: Imported } => ({ imported: isAll ? 'all' : 'partly' });

/** The days in each bucket. `isAll` says if each day is in one. */
const byBucket = (rows: readonly DayRow[], bounds: readonly number[]): { inBuckets: DayRow[][]; isAll: boolean } => {
  const inBuckets: DayRow[][] = bounds.slice(1).map(() => []);
  let [bucket, isAll] = [0, true];
  for (const row of rows.toSorted((a, b) => a.fromAt - b.fromAt)) {
    while (bucket < inBuckets.length && bounds[bucket + 1]! <= row.fromAt) bucket++;
    if (bucket < inBuckets.length && row.fromAt >= bounds[bucket]! && row.toAt <= bounds[bucket + 1]!)
      inBuckets[bucket]!.push(row);
    else isAll = false;
  }
  return { inBuckets, isAll };
};

const isTold = (name: TableMetricName, sum: Sums): boolean =>
  tableMetrics[name].needs.every(part => part in sum && sum[part as SumName] !== null);

/** Whether all days tell all metrics, but for those that nobody's tells. */
const isComplete = (names: readonly TableMetricName[], days: readonly Sums[]): boolean =>
  names.every(name => name === 'revenue' || days.every(day => isTold(name, day)));

/** Whether sums could tell a metric: what they cannot, such as revenue, is what own hits say. */
const canBeTold = (name: TableMetricName): boolean => tableMetrics[name].needs.every(part => part in untold);

/** What own values of metrics, with those of `partMetrics` behind them, tell as a day does. */
const ownSums = (metrics: readonly TableMetricName[], values: readonly (number | null)[]): Sums => {
  const [visitors, visits, bounces, seconds, pageviews, events] = values.slice(metrics.length) as (number | null)[];
  const visitMs = seconds == null || visits == null ? null : Math.round(seconds * visits * 1000);
  return { visitors, visits, bounces, visitMs, pageviews, events } as Sums;
};

/**
 * Metrics of what own hits and days tell together, each of those that tell it, and null where none
 * does. What days cannot tell at all stays as in `values`.
 */
const metricsOf = (
  metrics: readonly TableMetricName[],
  values: readonly (number | null)[],
  all: readonly Sums[],
): (number | null)[] =>
  metrics.map((name, i) => {
    if (!canBeTold(name)) return values[i]!;
    const told = all.filter(sum => isTold(name, sum));
    const totals = { ...noTotals, ...told.reduce(addSums, untold) };
    return told.length === 0 ? null : tableMetrics[name].value(totals as RowTotals);
  });

const metricSeriesFinisher = (
  question: QuestionOf<'metricSeries'>,
  scope: Scope,
  days: DaysOf,
  { from, to }: Slice,
): Finisher | null => {
  const rows = rowsIn(scope, days);
  if (rows === undefined) return null;
  const { metrics, bounds = [from, to] } = question;
  const { inBuckets, isAll } = byBucket(rows, bounds);
  return {
    question: { ...question, metrics: [...metrics, ...partMetrics] },
    finish(answer) {
      const found = (answer as AnswerOf<'metricSeries'>).rows.map((row, i) => {
        const { values, otherRevenue } = row;
        const ofBucket = inBuckets[i]!;
        if (ofBucket.length === 0) return { ...row, values: values.slice(0, metrics.length) };
        const all = metricsOf(metrics, values, [ownSums(metrics, values), ...ofBucket]);
        // A part of a total would be taken for the whole.
        const whole = all.map((value, n) =>
          !canBeTold(metrics[n]!) || isComplete([metrics[n]!], ofBucket) ? value : null,
        );
        return { values: whole, otherRevenue, imported: true as const };
      });
      const isAllTold = inBuckets.every(ofBucket => isComplete(metrics, ofBucket));
      return { kind: 'metricSeries', rows: found, ...saying(days.isWhole && isAll && isAllTold) };
    },
  };
};

const tableFinisher = (
  question: QuestionOf<'table'>,
  { filter }: Scope,
  days: DaysOf,
  { from, to, filters }: Slice,
  ask: (slice: Slice) => number,
): Finisher | null => {
  const { dimension, metrics, sort } = question;
  const values = valuesOf(dimension, filter, days);
  if (values === null) return null;
  const asked = [...metrics, sort];
  const isAllTold = [...values.values()].every(rows => isComplete(asked, rows));
  if (values.size === 0) return { finish: answer => ({ ...answer, ...saying(days.isWhole) }) };
  const wide = { ...question, metrics: [...asked, ...partMetrics] };
  const names: FieldFilter = { field: dimension, operator: 'is', negated: false, values: [...values.keys()] };
  const own = { ...wide, limit: values.size, after: null };
  const at = ask({ from, to, filters: [...filters, names], questions: [own] });
  return {
    // Own rows of those values give way to what they are with the days.
    question: { ...wide, limit: question.limit + values.size },
    finish(answer, report) {
      const { rows, total } = answer as AnswerOf<'table'>;
      const alike = report[at]![0] as AnswerOf<'table'>;
      const known = new Map(alike.rows.map(row => [row.name, row]));
      const none = { hits: 0, values: wide.metrics.map(name => tableMetrics[name].value(noTotals)), otherRevenue: {} };
      const all = rows.filter(({ name }) => !values.has(name));
      for (const [name, ofName] of values) {
        const row = known.get(name) ?? none;
        const hits = row.hits + hitsOf(ofName);
        // Of a row without own hits, only days tell anything.
        const own = row === none ? [] : [ownSums(asked, row.values)];
        const cells = metricsOf(asked, row.values, [...own, ...ofName]);
        all.push({ name, hits, values: cells, otherRevenue: row.otherRevenue });
      }
      const scores = Float64Array.from(all, row => scoreOf(row.values[metrics.length]!, question));
      const hits = Uint32Array.from(all, row => row.hits);
      const { shown, next } = tablePage(
        scores,
        hits,
        namesAt(position => all[position]!.name),
        question,
      );
      const page = shown.map(({ position }) => {
        const { values, ...row } = all[position]!;
        return { ...row, values: values.slice(0, metrics.length) };
      });
      const ofAll = total + values.size - alike.total;
      return { kind: 'table', rows: page, total: ofAll, next, ...saying(days.isWhole && isAllTold) };
    },
  };
};

/** As many as days tell: others may tell none. */
const hitsOf = (rows: readonly DayRow[]): number =>
  rows.reduce((sum, { pageviews, events }) => sum + (pageviews ?? events ?? 0), 0);

/** What days hold of each value of a dimension that is shown; null where they do not tell. */
const valuesOf = (
  dimension: QuestionOf<'table'>['dimension'],
  filter: FieldFilter | null,
  days: DaysOf,
): Map<string, DayRow[]> | null => {
  if (!Object.hasOwn(dimensions, dimension) || (filter !== null && filter.field !== dimension)) return null;
  const name = dimension as DimensionName;
  const rows = days.rows(name);
  if (rows === undefined) return null;
  const { nullName } = dimensions[name];
  const isShown = ({ value }: DayRow): boolean =>
    (value !== '' || nullName !== null) && (filter === null || passes(filter, value));
  return Map.groupBy(rows.filter(isShown), ({ value }) => value || nullName!);
};
