/**
 * The rows that were found as an answer: with their rates, in the order that was asked for, a page
 * of them.
 */
import { answerOf, type QueryStep, type ReadableSite } from '../../api/endpoint.ts';
import { isOneOf } from '../../model/filters.ts';
import type { Answer, Filter, Slice } from '../../query/query.ts';
import { headline, headlineOf, mostVisited } from '../../query/usual-questions.ts';
import type { PlausibleField } from './fields.ts';
import { looksAt, valueFilter } from './filters.ts';
import type { FoundRow, Group } from './inner.ts';
import { comparedValue, plausibleMetrics, type RowFacts } from './metrics.ts';
import {
  type AskedDimension,
  type PlausibleAnswer,
  type PlausibleQuestion,
  type PlausibleRow,
  rowsMax,
} from './question.ts';

export const withoutGoals = ({ filters }: Pick<PlausibleQuestion, 'filters'>): Filter[] =>
  filters.filter(one => !looksAt(one, 'event:goal') && !looksAt(one, 'event:props:')).map(({ filter }) => filter);

/** What percentages are of: all visitors, and those without the filters on goals. */
export const totalSlices = ({ from, to, filters, metrics }: PlausibleQuestion): Slice[] => {
  const questions: Slice['questions'] = [headline];
  const all = filters.map(({ filter }) => filter);
  return [
    ...(metrics.includes('percentage') ? [{ from, to, filters: all, questions }] : []),
    ...(metrics.includes('conversion_rate') ? [{ from, to, filters: withoutGoals({ filters }), questions }] : []),
  ];
};

type TotalFacts = Pick<RowFacts, 'allVisitors' | 'visitorsBefore' | 'currency'>;

export const totalFacts = (
  { metrics }: PlausibleQuestion,
  answers: readonly Answer[][],
  { site: { currency } }: ReadableSite,
): TotalFacts => {
  const visitors = answers.map(each => headlineOf(answerOf(each, 'metricSeries')).visitors);
  const hasPercentage = metrics.includes('percentage');
  return { currency, allVisitors: known(visitors[0]), visitorsBefore: known(visitors[hasPercentage ? 1 : 0]) };
};

/** What was not asked for is not needed. */
const known = (visitors: number | null | undefined): number | null => (visitors === undefined ? 0 : visitors);

interface Finish {
  question: PlausibleQuestion;
  /** Of the rows of each group. */
  dimension: AskedDimension | undefined;
  groups: readonly Group[];
  facts: TotalFacts;
  total: number;
  timeLabels: string[];
}

/** Orders the rows, takes the page, and asks for what its rates are of, where that is not known. */
export const finish = (found: readonly FoundRow[], given: Finish): PlausibleAnswer | QueryStep<PlausibleAnswer> => {
  const { question, dimension, facts, timeLabels } = given;
  const isOfTime = question.dimensions.length > 0 && timeLabels.length > 0;
  const kept = question.keepsEmpty || !isOfTime ? found : found.filter(({ values }) => values.visitors !== 0);
  const total = given.total - (found.length - kept.length);
  const wantsMore = question.metrics.includes('group_conversion_rate') && dimension?.kind === 'field';
  const place = placesOf(question, given.groups, dimension);
  const inOrder = (rows: readonly FoundRow[]): PlausibleAnswer => {
    const written = rows.map(row => writtenRow(row, question, facts, place));
    const page = ordered(written, question).slice(question.offset, question.offset + question.limit);
    return { rows: page, total, timeLabels };
  };
  return wantsMore ? askBefore(kept, dimension.field, question, inOrder) : inOrder(kept);
};

/** Asks how many visitors each row has without the filters on goals. */
const askBefore = (
  rows: readonly FoundRow[],
  field: PlausibleField,
  question: PlausibleQuestion,
  render: (rows: readonly FoundRow[]) => PlausibleAnswer,
): QueryStep<PlausibleAnswer> => {
  const { from, to } = question;
  const filters = withoutGoals(question);
  const values = rows.flatMap(({ value }) => value ?? []);
  const ofRows = isOneOf(field.field, values);
  const unset = [...filters, valueFilter(field, '')];
  return {
    slices: [
      {
        from,
        to,
        filters: values.length === 0 ? filters : [...filters, ofRows],
        questions: [mostVisited(field.field, rowsMax)],
      },
      { from, to, filters: unset, questions: [headline] },
    ],
    render([asked, without]) {
      const visitors = new Map(answerOf(asked, 'table').rows.map(({ name, values }) => [name, values[0] ?? 0]));
      const none = headlineOf(answerOf(without, 'metricSeries')).visitors ?? 0;
      return render(rows.map(row => ({ ...row, before: row.value === null ? none : (visitors.get(row.value) ?? 0) })));
    },
  };
};

/** By dimension, its place among the labels of a row: those of groups come first. */
const placesOf = (
  { dimensions }: PlausibleQuestion,
  groups: readonly Group[],
  inner: AskedDimension | undefined,
): number[] => {
  const outers = groups[0]?.labels.length ?? 0;
  return dimensions.map(dimension => (dimension === inner ? outers : 0));
};

const writtenRow = (
  { labels, values, before }: FoundRow,
  { metrics, dimensions, keepsEmpty }: PlausibleQuestion,
  facts: TotalFacts,
  places: readonly number[],
): PlausibleRow => {
  const row: RowFacts = { ...facts, value: metric => values[metric] ?? null, groupBefore: before ?? 0 };
  const isEmpty = keepsEmpty && values.visitors === 0;
  return {
    dimensions: dimensions.map((_, i) => labels[places[i]!]!),
    metrics: metrics.map(name => (isEmpty ? plausibleMetrics[name]!.empty : plausibleMetrics[name]!.value(row))),
  };
};

/** Rows that are alike stay as they came. */
const ordered = (rows: readonly PlausibleRow[], { order, metrics, dimensions }: PlausibleQuestion): PlausibleRow[] => {
  const keys = order.map(({ name, descending }) => {
    const metric = metrics.indexOf(name);
    const place = dimensions.findIndex(dimension => dimension.name === name);
    const key = (row: PlausibleRow): unknown =>
      metric >= 0 ? comparedValue(row.metrics[metric]) : row.dimensions[place];
    return { key, sign: descending ? -1 : 1 };
  });
  return rows.toSorted((a, b) => {
    for (const { key, sign } of keys) {
      const [one, other] = [key(a), key(b)] as [string | null, string | null];
      if (one === other) continue;
      if (one === null || other === null) return one === null ? 1 : -1;
      return one < other ? -sign : sign;
    }
    return 0;
  });
};
