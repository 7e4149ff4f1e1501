/**
 * `/api/ext/…/explain`: which values of which dimensions account for the difference of a metric
 * between two windows. It is arithmetic on the rows of tables, and guesses no cause.
 */
import { type DimensionName, dimensionNames, levelOf } from '../model/dimensions.ts';
import { isOneOf } from '../model/filters.ts';
import { changedRowsMax, changesDefault, changesMax } from '../model/limits.ts';
import { delta, ratio, rounded } from '../model/metrics.ts';
import { notesMax } from '../model/notes.ts';
import { partOfField } from '../model/public-parts.ts';
import type { AnswerOf, Filter, QuestionOf, Report, Slice, TableCursor } from '../query/query.ts';
import { namesAt, topRows } from '../query/rows/top-rows.ts';
import {
  answerOf,
  type QueryStep,
  type ReadableSite,
  refuseHidden,
  refuseHiddenMetrics,
  windowEndpoint,
  windowObject,
} from './endpoint.ts';
import { noteJson, noteSchema, notesWithin } from './notes.ts';
import { choice, choices, comparison, dimensionNameSchema, rowLimit } from './request/parameters.ts';
import { type Span, spansOf, type Window } from './request/window.ts';
import { described, list, nullable, number, object, oneOf, text, truth } from './schema.ts';
import { goalFilter, tableParameters } from './table.ts';

/** Metrics that are sums or counts: a rate is no sum of what its rows contribute. */
const explainedMetrics = ['visitors', 'visits', 'pageviews', 'events', 'conversions', 'revenue'] as const;
type ExplainedMetric = (typeof explainedMetrics)[number];

const usualDimensions: readonly DimensionName[] = [
  ...(['channel', 'referrer', 'utmSource', 'utmCampaign', 'entryPath', 'path'] as const),
  ...(['event', 'country', 'city', 'device', 'browser', 'os'] as const),
];

/**
 * Whether one visitor, visit or conversion may count in several rows: then rows do not add up to
 * the whole, and no row has a share of it. Visitors change devices between two visits of a day.
 */
const isOverlapping = (metric: ExplainedMetric, dimension: DimensionName): boolean =>
  metric === 'visitors' || ((metric === 'visits' || metric === 'conversions') && levelOf(dimension) === 'hit');

/** Chi-squared with one degree of freedom, exceeded by chance once in a thousand. */
const chanceMax = 10.83;

/**
 * Whether counts of two windows differ by more than independent arrivals at one rate would. The
 * window is `scale` times as long as the one before. Money is no count.
 */
export const isBeyondChance = (
  metric: ExplainedMetric,
  value: number,
  previous: number,
  scale: number,
): boolean | null => {
  if (metric === 'revenue') return null;
  const variance = value + scale * scale * previous;
  return variance > 0 && (value - scale * previous) ** 2 / variance > chanceMax;
};

const changed = {
  value: described(nullable(number), 'In the window; null where an import does not tell it'),
  previous: described(nullable(number), 'In the window compared with; null where there is none'),
  change: described(nullable(number), 'The difference of both'),
  beyondChance: described(
    nullable(truth),
    'Whether it is more than chance alone brings once in a thousand times; null for revenue',
  ),
};
const share = described(
  nullable(number),
  'Percent of the whole change: above 100 or below 0 where others change the other way. Null where values overlap',
);
export const changeSchema = object({ name: text, ...changed, share });
const changes = list(changeSchema, changesMax);

export const explain = windowEndpoint({
  summary: 'Which values account for the change of a metric between two windows',
  own: {
    metric: choice(explainedMetrics, 'visitors', 'What changed'),
    dimensions: choices('dimension', dimensionNames, usualDimensions, 'Where to look'),
    conversionGoal: tableParameters.conversionGoal,
    limit: rowLimit(changesDefault, changesMax, 'Values at most that rose, and that fell'),
    compare: comparison('previous'),
  },
  response: windowObject({
    metric: oneOf(explainedMetrics),
    ...changed,
    delta: described(nullable(number), 'The change in percent'),
    data: list(
      object({
        dimension: dimensionNameSchema,
        overlapping: described(truth, 'Whether one visitor, visit or conversion may count for several values'),
        rose: changes,
        fell: changes,
        unlistedMax: described(number, 'Values that are not listed changed by this at most'),
      }),
    ),
    notes: described(list(noteSchema, notesMax), 'On days of the window'),
    previousNotes: described(list(noteSchema, notesMax), 'On days of the window compared with'),
  }),
  plan({ window, filters, metric, dimensions, conversionGoal, limit }, view) {
    refuseHiddenMetrics(view, [metric]);
    const goal = conversionGoal === undefined ? undefined : goalFilter(conversionGoal, view);
    const asked: Explained = { metric, filters, goal, limit, shown: dimensions.filter(isShown(metric, view)) };
    for (const dimension of asked.shown) refuseHidden(view, partOfField(dimension));
    return explained(asked, window, view);
  },
});

/** What is asked, the same in both windows. */
interface Explained {
  metric: ExplainedMetric;
  filters: Filter[];
  /** What conversions are of. */
  goal: Filter | undefined;
  limit: number;
  shown: DimensionName[];
}

/** Of those that are usual, a public page has the ones that it shows. A page view is no event. */
const isShown =
  (metric: ExplainedMetric, { hidden }: ReadableSite) =>
  (dimension: DimensionName): boolean => {
    const part = partOfField(dimension);
    const isLeftOut = part !== undefined && hidden.has(part) && usualDimensions.includes(dimension);
    return !isLeftOut && (dimension !== 'event' || metric !== 'pageviews');
  };

const explained = (asked: Explained, window: Window, view: ReadableSite): QueryStep<object> => ({
  slices: spansOf(window).flatMap((span, i, spans) => [
    totalSlice(asked, span),
    tablesSlice(asked, span, spans[1 - i]),
  ]),
  render(report) {
    const [value, previous] = [totalOf(report[0]), totalOf(report[2])];
    const isComparable = window.previous !== null && value !== null && previous !== null;
    const whole: Whole = { value: value ?? 0, previous: previous ?? 0, scale: scaleOf(window) };
    const hasNotes = !view.hidden.has('notes');
    const notesOf = (span: Span | null) => (hasNotes && span !== null ? notesWithin(span, view).map(noteJson) : []);
    const body = (data: object[]): object => ({
      metric: asked.metric,
      value: value && rounded(value),
      previous: previous && rounded(previous),
      ...(isComparable ? changeOf(asked, whole, whole) : { change: null, beyondChance: null }),
      delta: value === null ? null : delta(value, previous),
      data,
      notes: notesOf(window),
      previousNotes: notesOf(window.previous),
    });
    if (!isComparable) return body([]);
    const found = asked.shown.flatMap((dimension, i) => pairOf(dimension, report, i));
    return withMissing(found, asked, spansOf(window), () => body(found.map(pair => dimensionJson(pair, asked, whole))));
  },
});

/** How many times as long a window is as the one it is compared with. */
const scaleOf = ({ from, to, previous }: Window): number =>
  previous === null ? 1 : (to - from) / (previous.to - previous.from);

interface Whole {
  value: number;
  previous: number;
  scale: number;
}

/** Conversions of a goal are the visits with a hit that reaches it. */
const totalSlice = ({ metric, filters, goal }: Explained, { from, to }: Span): Slice =>
  metric === 'conversions' && goal !== undefined
    ? {
        ...{ from, to, filters: [...filters, { ...goal, visit: true }] },
        questions: [{ kind: 'metricSeries', metrics: ['visits'] }],
      }
    : { from, to, filters, questions: [{ kind: 'metricSeries', metrics: [metric] }] };

const totalOf = (answers: Report[number] | undefined): number | null =>
  answers === undefined ? null : answerOf(answers, 'metricSeries').rows[0]!.values[0]!;

const tableOf = ({ metric, goal }: Explained, dimension: DimensionName, limit: number): QuestionOf<'table'> => ({
  ...{ kind: 'table', dimension, metrics: [metric], sort: metric, descending: true, limit, after: null },
  ...(goal !== undefined && { conversion: goal }),
});

const tablesSlice = (asked: Explained, { from, to }: Span, against: Span | undefined): Slice => ({
  ...{ from, to, filters: asked.filters },
  questions: asked.shown.map(dimension => ({
    ...tableOf(asked, dimension, changedRowsMax),
    ...(against && { changes: { limit: asked.limit, against: { from: against.from, to: against.to } } }),
  })),
});

/**
 * Of the first rows of a dimension in both windows, at least those that may have changed most, by
 * name, and where they end.
 */
interface Pair {
  dimension: DimensionName;
  rows: [Map<string, number>, Map<string, number>];
  /** Of the row behind the last, in each window; null where there is none. */
  next: (TableCursor | null)[];
}

/** None where an import does not tell all of it: what it lacks would look like a change. */
const pairOf = (dimension: DimensionName, report: Report, i: number): Pair[] => {
  const tables = [report[1]![i], report[3]![i]] as AnswerOf<'table'>[];
  if (tables.some(({ imported }) => imported === 'partly')) return [];
  const rowsOf = ({ rows }: AnswerOf<'table'>): Map<string, number> =>
    new Map(rows.map(({ name, values: [value] }) => [name, value ?? 0]));
  return [{ dimension, rows: [rowsOf(tables[0]!), rowsOf(tables[1]!)], next: tables.map(({ next }) => next) }];
};

/** Asks for values that are among the first rows of one window and behind those of the other. */
const withMissing = (
  pairs: readonly Pair[],
  asked: Explained,
  spans: readonly Span[],
  render: () => object,
): object | QueryStep<object> => {
  const lacking = pairs.flatMap(({ dimension, rows, next }) =>
    spans.flatMap(({ from, to }, i) => {
      const [own, other] = i === 0 ? rows : [rows[1], rows[0]];
      const values = next[i] === null ? [] : [...other.keys()].filter(name => !own.has(name));
      if (values.length === 0) return [];
      const questions = [tableOf(asked, dimension, values.length)];
      return [{ into: own, slice: { from, to, filters: [...asked.filters, isOneOf(dimension, values)], questions } }];
    }),
  );
  if (lacking.length === 0) return render();
  return {
    slices: lacking.map(({ slice }) => slice),
    render(report) {
      for (const [i, { into }] of lacking.entries())
        for (const { name, values } of (report[i]![0] as AnswerOf<'table'>).rows) into.set(name, values[0] ?? 0);
      return render();
    },
  };
};

const changeOf = ({ metric }: Explained, { value, previous }: Omit<Whole, 'scale'>, { scale }: Whole) => ({
  change: rounded(value - previous),
  beyondChance: isBeyondChance(metric, value, previous, scale),
});

/**
 * The largest changes of a dimension. A value that is behind the first rows of both windows has at
 * most what the last of these have, so changes that are smaller are not listed.
 */
const dimensionJson = ({ dimension, rows: [now, before], next }: Pair, asked: Explained, whole: Whole): object => {
  const overlapping = isOverlapping(asked.metric, dimension);
  const inAll = whole.value - whole.previous;
  const unseenMax = Math.max(0, ...next.map(row => row?.value ?? 0));
  const names = [...new Set([...now.keys(), ...before.keys()])];
  const [byPosition, noHits] = [namesAt(position => names[position]!), new Uint32Array(names.length)];
  const largest = (sign: 1 | -1) => {
    const changes = Float64Array.from(names, name => sign * ((now.get(name) ?? 0) - (before.get(name) ?? 0)));
    return topRows(changes, noHits, asked.limit + 1, byPosition)
      .map(({ position, name }) => ({ name, size: changes[position]! }))
      .filter(({ size }) => size > 0 && size >= unseenMax);
  };
  const [rose, fell] = [largest(1), largest(-1)];
  const listed = (found: typeof rose): object[] =>
    found.slice(0, asked.limit).map(({ name }) => {
      const row = { name, value: now.get(name) ?? 0, previous: before.get(name) ?? 0 };
      const share = overlapping || inAll === 0 ? null : ratio((row.value - row.previous) * 100, inAll);
      return { ...row, ...changeOf(asked, row, whole), share };
    });
  const unlisted = [rose[asked.limit], fell[asked.limit]].map(row => row?.size ?? 0);
  return {
    ...{ dimension, overlapping, rose: listed(rose), fell: listed(fell) },
    unlistedMax: Math.max(unseenMax, ...unlisted),
  };
};
