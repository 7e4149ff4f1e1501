/** `/api/ext/…/table`: a row of any metrics per value of a dimension, all rows page by page. */
import { parseJson } from '../http/body.ts';
import { csvLine, withoutFormula } from '../model/csv.ts';
import { majorUnits } from '../model/currency.ts';
import { isOneOf } from '../model/filters.ts';
import { tablePageDefault, tablePageMax } from '../model/limits.ts';
import { metricNames, rounded } from '../model/metrics.ts';
import { partOfField } from '../model/public-parts.ts';
import {
  noTotals,
  type TableMetric,
  type TableMetricName,
  tableMetricNames,
  tableMetrics,
} from '../model/table-metrics.ts';
import { dayMs } from '../model/time.ts';
import type { Filter, QuestionOf, TableCursor, TableRow } from '../query/query.ts';
import { resolveFilters } from './definitions.ts';
import {
  askOne,
  type QueryStep,
  type ReadableSite,
  refuseHidden,
  refuseHiddenFilters,
  refuseHiddenMetrics,
  windowEndpoint,
  windowObject,
} from './endpoint.ts';
import { otherRevenueSchema, rowDeltas, rowMetricsSchema, rowOf } from './numbers.ts';
import {
  type Asked,
  blaming,
  choice,
  choices,
  comparison,
  dimensionOf,
  dimensionSchema,
  freeText,
  type Parameter,
  ParameterError,
  rowLimit,
} from './request/parameters.ts';
import type { Span } from './request/window.ts';
import { count, described, each, list, nullable, number, object, text } from './schema.ts';

export const tableParameters = {
  dimension: dimensionOf('path', 'What each row is a value of'),
  metrics: choices('metric', tableMetricNames, metricNames, 'Columns'),
  sort: choice(tableMetricNames, 'visitors', 'Which metric to sort by'),
  dir: choice(['asc', 'desc'], 'desc', 'Ascending or descending'),
  conversionGoal: {
    ...freeText('Name of the goal that conversions and their rate are of'),
    schema: { ...text, examples: ['Signup'] },
  },
};

/** The question for some rows. */
export const tableQuestion = (
  { dimension, metrics, sort, dir, conversionGoal }: Omit<Asked<typeof tableParameters>, 'period' | 'filters'>,
  view: ReadableSite,
  limit: number,
  after: TableCursor | null,
): QuestionOf<'table'> => ({
  ...{ kind: 'table' as const, dimension, metrics, sort, descending: dir === 'desc', limit, after },
  ...(conversionGoal !== undefined && { conversion: goalFilter(conversionGoal, view) }),
});

/** The filter that a `conversionGoal` stands for. Throws as filters by the name of a goal do. */
export const goalFilter = (name: string, view: ReadableSite): Filter =>
  blaming('conversionGoal', () => {
    const filters = resolveFilters([isOneOf('goal', [name])], view.definitions, view.hidden);
    refuseHiddenFilters(view, filters);
    return filters[0]!;
  });

/** Where a page begins, and when the first one was asked for: later ones share its window. */
interface Cursor {
  now: number;
  after: TableCursor;
}

const cursor: Parameter<Cursor | null> = {
  schema: text,
  meaning: 'The `next` of the page before, under the same parameters; good for a day',
  read(given, name) {
    if (given === undefined) return null;
    const found = decodeCursor(given);
    if (found === null) throw badCursor(name);
    return found;
  },
};

const badCursor = (name: string): ParameterError => new ParameterError({ error: 'bad cursor', parameter: name });

const decodeCursor = (given: string): Cursor | null => {
  const read = parseJson(Buffer.from(given, 'base64url'));
  if (!Array.isArray(read)) return null;
  const [now, value, hits, name] = read as unknown[];
  const isMetric = value === null || Number.isFinite(value);
  if (!Number.isSafeInteger(now) || !isMetric || !Number.isSafeInteger(hits) || typeof name !== 'string') return null;
  return { now: now as number, after: { value: value as number | null, hits: hits as number, name } };
};

const encodeCursor = ({ now, after: { value, hits, name } }: Cursor): string =>
  Buffer.from(JSON.stringify([now, value, hits, name])).toString('base64url');

const metricsOfRow = { ...rowMetricsSchema, otherRevenue: otherRevenueSchema };

export const table = windowEndpoint({
  summary: 'Any metrics of each value of a dimension, page by page',
  own: {
    ...tableParameters,
    limit: rowLimit(tablePageDefault, tablePageMax, 'Rows a page'),
    cursor,
    compare: comparison('none'),
  },
  response: windowObject({
    dimension: dimensionSchema,
    data: list(
      object(
        { name: text },
        {
          ...metricsOfRow,
          previous: described(
            nullable(object({}, metricsOfRow)),
            'With compare: the same in the window compared with; null where there is no such window',
          ),
          delta: described(
            nullable(object({}, each(tableMetricNames, nullable(number)))),
            'Percentage changes, likewise',
          ),
        },
      ),
      tablePageMax,
    ),
    total: described(count, 'Number of all rows'),
    next: described(nullable(text), 'Cursor of the next page; null on the last'),
  }),
  nowOf({ cursor }, { now }) {
    if (cursor === null) return now;
    if (cursor.now > now || cursor.now < now - dayMs) throw badCursor('cursor');
    return cursor.now;
  },
  plan({ window, filters, limit, cursor, compare, ...asked }, view) {
    const { dimension, metrics } = asked;
    refuseHidden(view, partOfField(dimension));
    refuseHiddenMetrics(view, [...metrics, asked.sort]);
    const now = cursor?.now ?? view.now;
    const question = tableQuestion(asked, view, limit, cursor?.after ?? null);
    return askOne(window, filters, question, ({ rows, total, next }) => {
      const page = (data: object[]): object => ({
        dimension,
        data,
        total,
        next: next && encodeCursor({ now, after: next }),
      });
      const shown = rows.map(row => ({ name: row.name, ...rowOf(metrics, row) }));
      const { previous } = window;
      if (compare === 'none' || rows.length === 0) return page(shown);
      if (previous === null) return page(shown.map(row => ({ ...row, previous: null, delta: null })));
      return askEarlier(rows, previous, filters, question, earlier =>
        page(shown.map((row, i) => ({ ...row, ...comparedTo(metrics, rows[i]!, earlier.get(rows[i]!.name)) }))),
      );
    });
  },
});

/** Asks for the same rows in another window. */
const askEarlier = (
  rows: readonly TableRow[],
  window: Span,
  filters: Filter[],
  question: QuestionOf<'table'>,
  render: (earlier: Map<string, TableRow>) => object,
): QueryStep<object> => {
  const { dimension } = question;
  const ofRows = isOneOf(
    dimension,
    rows.map(({ name }) => name),
  );
  return askOne(window, [...filters, ofRows], { ...question, after: null }, ({ rows }) =>
    render(new Map(rows.map(row => [row.name, row]))),
  );
};

const comparedTo = (metrics: readonly TableMetricName[], now: TableRow, earlier: TableRow | undefined): object => {
  const before = earlier ?? { values: metrics.map(metric => tableMetrics[metric].value(noTotals)), otherRevenue: {} };
  return { previous: rowOf(metrics, before), delta: rowDeltas(metrics, now, before) };
};

/** Its lines: money is in major units. */
export function* tableCsv(
  metrics: readonly TableMetricName[],
  rows: readonly TableRow[],
  currency: string,
  isRaw: boolean,
): Generator<string> {
  const columns = metrics.map(name => {
    const { label, isMoney }: TableMetric = tableMetrics[name];
    const heading = isMoney ? `${label} ${currency}` : label;
    return { heading, cell: isMoney ? majorCell(currency) : rounded };
  });
  yield csvLine(['Name', ...columns.map(({ heading }) => heading)]);
  for (const { name, values } of rows) {
    const cells = values.map((value, i) => (value === null ? null : columns[i]!.cell(value)));
    yield csvLine([isRaw ? name : withoutFormula(name), ...cells]);
  }
}

const majorCell =
  (currency: string) =>
  (value: number): string =>
    majorUnits(value, currency);
