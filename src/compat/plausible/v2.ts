/** Plausible's second API: one query of metrics, dimensions and filters. */
import { askOne, noTime, type QueryStep, type ReadableSite, thenStep, withImported } from '../../api/endpoint.ts';
import { readablePart } from '../../api/request/window.ts';
import { isRecord } from '../../model/record.ts';
import type { Imported } from '../../query/query.ts';
import { checkMetrics, readDimension } from './checks.ts';
import { badQuery } from './errors.ts';
import { looksAt, type ReadFilter, readFilters } from './filters.ts';
import { allTime, bucketFor, instantText, type PlausiblePeriod, v2Period } from './periods.ts';
import { type AskedDimension, type PlausibleAnswer, rowsMax } from './question.ts';
import { planRows } from './rows.ts';

const keys = ['site_id', 'date_range', 'metrics', 'dimensions', 'filters', 'order_by', 'include', 'pagination'];
/** Besides the site. */
const required = ['metrics', 'date_range'];
const includes = ['imports', 'time_labels', 'total_rows'] as const;
type Include = Partial<Record<(typeof includes)[number], boolean>>;

/** Plans the answer to a body. Throws HttpError. */
export const planQuery = (body: Record<string, unknown>, view: ReadableSite): QueryStep<object> => {
  const unknown = Object.keys(body).find(key => !keys.includes(key));
  if (unknown !== undefined) throw badQuery(`Invalid key '${unknown.slice(0, 100)}'. Keys are ${keys.join(', ')}.`);
  const missing = required.filter(key => !(key in body));
  // As Plausible says it: its clients show the sentence.
  if (missing.length === 1) throw badQuery(`#: Required property ${missing[0]} was not present.`);
  if (missing.length > 1) throw badQuery(`#: Required properties ${missing.join(', ')} were not present.`);
  const period = v2Period(body.date_range, view);
  if (period !== 'all') return planWithin(period, body, view);
  return askOne(noTime, [], { kind: 'firstHit' }, ({ at }) => planWithin(allTime(at, view), body, view));
};

const planWithin = (period: PlausiblePeriod, body: Record<string, unknown>, view: ReadableSite): QueryStep<object> => {
  const filters = readFilters(body.filters, view);
  const metrics = textsOf(body.metrics, 'metrics');
  if (metrics.length === 0) throw badQuery('metrics needs one metric at least.');
  const names = body.dimensions === undefined || body.dimensions === null ? [] : textsOf(body.dimensions, 'dimensions');
  const dimensions = dimensionsOf(names, period);
  checkMetrics(metrics, dimensions, filters);
  const order = orderOf(body.order_by, metrics, dimensions, names);
  const include = includeOf(body.include, dimensions);
  const { limit, offset } = paginationOf(body.pagination);
  const span = readablePart(period, view);
  const rows = planRows({ ...span, filters, metrics, dimensions, order, limit, offset, keepsEmpty: false }, view);
  const echo = {
    site_id: view.site.domain,
    metrics,
    date_range: [instantText(period.from, view), instantText(period.to - 1000, view)],
    filters: body.filters ?? [],
    dimensions: dimensions.map(askedName),
    order_by: order.map(({ name, descending }) => {
      const dimension = dimensions.find(each => each.name === name);
      return [dimension === undefined ? name : askedName(dimension), descending ? 'desc' : 'asc'];
    }),
    include,
    pagination: { limit, offset },
  };
  const meta = (answer: PlausibleAnswer & { imported?: Imported }): object => ({
    ...(include.imports && importsIn(answer.imported)),
    ...warnings(metrics, filters, dimensions),
    ...(include.time_labels && { time_labels: answer.timeLabels }),
    ...(include.total_rows && { total_rows: answer.total }),
  });
  return thenStep(withImported(rows), answer => ({ results: answer.rows, meta: meta(answer), query: echo }));
};

const textsOf = (given: unknown, name: string): string[] => {
  if (Array.isArray(given) && given.every(each => typeof each === 'string')) return given as string[];
  throw badQuery(`${name} must be a list of texts.`);
};

const dimensionsOf = (names: readonly string[], period: PlausiblePeriod): AskedDimension[] => {
  const dimensions = names.map(name => readDimension(name, bucketFor(period), true));
  const isTwice = new Set(names).size < names.length || dimensions.filter(({ kind }) => kind === 'time').length > 1;
  if (isTwice) throw badQuery('A dimension cannot be queried multiple times, and time only in one way.');
  if (names.length > 2)
    throw badQuery('Daybook answers by two dimensions at most. Ask for fewer, and filter by the others.');
  return dimensions;
};

/** With the step that `time` stands for. */
const askedName = (dimension: AskedDimension): string =>
  dimension.kind === 'time' ? `time:${dimension.bucket}` : dimension.name;

/** By time, then by the first metric, where nothing is said. */
const orderOf = (
  given: unknown,
  metrics: readonly string[],
  dimensions: readonly AskedDimension[],
  names: readonly string[],
): { name: string; descending: boolean }[] => {
  const time = dimensions.find(({ kind }) => kind === 'time');
  if (given === undefined || given === null) {
    const first = { name: metrics[0]!, descending: true };
    return time === undefined ? [first] : [{ name: time.name, descending: false }, first];
  }
  if (!Array.isArray(given)) throw badQuery('order_by must be a list.');
  return given.map((entry: unknown) => {
    const [name, direction] = Array.isArray(entry) ? (entry as unknown[]) : [];
    const isKnown = typeof name === 'string' && (metrics.includes(name) || names.includes(name));
    if (!isKnown || (direction !== 'asc' && direction !== 'desc')) {
      throw badQuery(
        `Invalid order_by entry '${JSON.stringify(entry)?.slice(0, 200)}'. It is a metric or dimension of the query, and asc or desc.`,
      );
    }
    return { name, descending: direction === 'desc' };
  });
};

const includeOf = (given: unknown, dimensions: readonly AskedDimension[]): Include => {
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw badQuery('include must be an object.');
  for (const [key, value] of Object.entries(given)) {
    if (!(includes as readonly string[]).includes(key)) throw badQuery(`Invalid include key '${key.slice(0, 100)}'.`);
    if (typeof value !== 'boolean') throw badQuery(`include.${key} must be true or false.`);
  }
  const include = Object.fromEntries(Object.entries(given).filter(([, value]) => value === true)) as Include;
  if (include.time_labels && !dimensions.some(({ kind }) => kind === 'time')) {
    throw badQuery('Invalid include.time_labels: it needs a time dimension.');
  }
  return include;
};

const paginationOf = (given: unknown): { limit: number; offset: number } => {
  if (given === undefined || given === null) return { limit: rowsMax, offset: 0 };
  if (!isRecord(given)) throw badQuery('pagination must be an object.');
  const { offset = 0 } = given;
  const isWhole = (value: unknown, least: number): value is number =>
    Number.isSafeInteger(value) && Number(value) >= least;
  if (!isWhole(offset, 0)) throw badQuery('pagination.offset must be a whole number from 0 on.');
  const { limit = rowsMax - Math.min(offset, rowsMax - 1) } = given;
  if (!isWhole(limit, 1) || limit > rowsMax)
    throw badQuery(`pagination.limit must be a whole number from 1 to ${rowsMax}.`);
  return { limit, offset };
};

/** Whether imported days are in the answer. Hits that were imported count like any others. */
const importsIn = (imported: Imported | undefined): object => {
  if (imported !== 'partly') return { imports_included: imported === 'all' };
  const imports_warning = 'Imported days do not tell all that is asked: what they do not tell is left out.';
  return { imports_included: false, imports_skip_reason: 'unsupported_query', imports_warning };
};

/** What is counted in another way than there. */
const warnings = (
  metrics: readonly string[],
  filters: readonly ReadFilter[],
  dimensions: readonly AskedDimension[],
): object => {
  const isPerPage =
    filters.some(one => looksAt(one, 'event:page')) || dimensions.some(({ name }) => name === 'event:page');
  const told = {
    ...(metrics.includes('scroll_depth') && { scroll_depth: median }),
    ...(metrics.includes('time_on_page') && { time_on_page: median }),
    ...(metrics.includes('bounce_rate') && isPerPage && { bounce_rate: anyVisit }),
  };
  return Object.keys(told).length === 0 ? {} : { metric_warnings: told };
};

const median = { code: 'median', warning: 'Daybook tells the median, not the mean.' };
const anyVisit = {
  code: 'all_visits',
  warning: 'Daybook tells the bounce rate of all visits that saw the page, not of those that began there.',
};
