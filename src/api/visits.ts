/** Visits as rows: how they are chosen and sorted, for the CSV export and for the list as JSON. */
import { visitChips } from '../model/figures.ts';
import { searchedFields, visitFieldNames, visitHeadings } from '../model/visit-fields.ts';
import type { Question, VisitCursor, VisitRow, VisitSort } from '../query/query.ts';
import { answerOf, hitEndpoint, limitNote, type ParameterNote } from './endpoint.ts';
import { isoTime, otherRevenue, otherRevenueSchema } from './numbers.ts';
import { ParameterError, type Parameters } from './request/parameters.ts';
import { count, described, instant, integer, list, nullable, object, oneOf, text } from './schema.ts';

const directions = ['asc', 'desc'] as const;

/** The value that each sort order goes by, and so what a cursor holds. */
const sortValues: Record<VisitSort, (row: VisitRow) => number> = {
  started: row => row.started,
  duration: row => row.ended - row.started,
  pageviews: row => row.pageviews,
  events: row => row.events,
  revenue: row => row.revenue,
};
const sorts = Object.keys(sortValues) as VisitSort[];

export const visitParameters: Record<string, ParameterNote> = {
  sort: { schema: { ...oneOf(sorts), default: 'started' }, meaning: 'What to sort by' },
  dir: { schema: { ...oneOf(directions), default: 'desc' }, meaning: 'Ascending or descending' },
  q: {
    schema: text,
    meaning: `Only visits with this text in one of visitor, ${searchedFields.map(name => visitHeadings[name].toLowerCase()).join(', ')}; in any case`,
  },
  ...Object.fromEntries(
    Object.entries(visitChips).map(([name, { meaning }]) => [name, { schema: oneOf(['1', '0']), meaning }] as const),
  ),
};

/** The ask for visits that a request's parameters describe. Throws ParameterError. */
export const visitsAsk = (
  parameters: Parameters,
  limit: number,
  after: VisitCursor | null,
): Extract<Question, { kind: 'visits' }> => ({
  kind: 'visits',
  sort: parameters.choice('sort', sorts, 'started'),
  descending: parameters.choice('dir', directions, 'desc') === 'desc',
  limit,
  search: parameters.value('q') ?? '',
  converted: parameters.flag('converted'),
  bounced: parameters.flag('bounced'),
  paid: parameters.flag('paid'),
  returning: parameters.flag('returning'),
  after,
});

const pageDefault = 50;
const pageMax = 500;

export const visits = hitEndpoint({
  isPrivate: true,
  summary: 'Visits, newest first where nothing else is asked, page by page',
  own: {
    ...visitParameters,
    limit: limitNote(pageDefault, pageMax, 'Visits a page'),
    cursor: { schema: text, meaning: 'The `next` of the page before, under the same parameters' },
  },
  response: object({
    data: list(
      object(
        {
          id: text,
          started: instant,
          ended: instant,
          seconds: described(count, 'From the first to the last hit, rounded'),
          visitor: text,
          ...Object.fromEntries([...visitFieldNames, 'screen'].map(name => [name, nullable(text)])),
          pageviews: count,
          events: described(count, 'Hits that are no pageviews'),
          bounce: { type: 'boolean' },
          returning: { type: 'boolean' },
          revenue: described(integer, 'Minor units of the site’s currency'),
        },
        { otherRevenue: otherRevenueSchema },
      ),
      pageMax,
    ),
    next: described(nullable(text), 'Cursor of the next page; null on the last'),
  }),
  async answer(reader, parameters) {
    const cursor = parameters.value('cursor');
    const ask = visitsAsk(
      parameters,
      parameters.limit(pageDefault, pageMax),
      cursor === undefined ? null : decodeCursor(cursor),
    );
    const { from, to } = await reader.window(parameters.period);
    const [answers] = await reader.run([{ from, to, filters: parameters.filters, questions: [ask] }]);
    const { rows: visitRows, more } = answerOf(answers, 'visits');
    const rows = [...visitRows];
    const last = rows.at(-1);
    return {
      data: rows.map(visitJson),
      next: more && last !== undefined ? encodeCursor({ value: sortValues[ask.sort](last), id: last.id }) : null,
    };
  },
});

export const visitSeconds = ({ started, ended }: VisitRow): number => Math.round((ended - started) / 1000);

/** Width by height; null where the size is not known. */
export const visitScreen = ({ width, height }: VisitRow): string | null =>
  width === 0 && height === 0 ? null : `${width}x${height}`;

const visitJson = (row: VisitRow): object => {
  const { width: _, height: _h, otherRevenue: others, ...fields } = row;
  return {
    ...fields,
    started: isoTime(row.started),
    ended: isoTime(row.ended),
    seconds: visitSeconds(row),
    screen: visitScreen(row),
    ...otherRevenue(others),
  };
};

/** A cursor is opaque to clients: they only hand it back. */
const encodeCursor = ({ value, id }: VisitCursor): string => Buffer.from(`${value} ${id}`).toString('base64url');

const decodeCursor = (cursor: string): VisitCursor => {
  const [, value, id] = /^(-?\d+(?:\.\d+)?) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (value === undefined || id === undefined) throw new ParameterError({ error: 'bad cursor', parameter: 'cursor' });
  return { value: Number(value), id };
};
