/**
 * Single visits: the list as JSON, the parameters that the CSV export shares, and the hits of one
 * visit.
 */
import { WrittenList } from '../http/reply.ts';
import { pageFields } from '../model/columns.ts';
import { visitChips } from '../model/figures.ts';
import { type HitType, hitTypes } from '../model/hit.ts';
import { visitsPageDefault, visitsPageMax } from '../model/limits.ts';
import { dayMs, isoTime, isoTimeOrNull } from '../model/time.ts';
import { traitsOf } from '../model/traits.ts';
import { searchedFields, visitFieldNames, visitHeadings } from '../model/visit-fields.ts';
import { type QuestionOf, type VisitCursor, visitSorts } from '../query/query.ts';
import { askOne, endpoint, noTime, type ReadableSite, windowEndpoint, windowObject } from './endpoint.ts';
import { stepFilters } from './funnel.ts';
import { otherRevenueSchema } from './numbers.ts';
import {
  type Asked,
  choice,
  flag,
  freeText,
  type Parameter,
  ParameterError,
  requiredText,
  rowLimit,
} from './request/parameters.ts';
import { stepsParameter } from './request/steps.ts';
import {
  count,
  described,
  each,
  instant,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  plainValue,
  text,
  truth,
} from './schema.ts';

const searched = searchedFields.map(name => visitHeadings[name].toLowerCase()).join(', ');

export const visitParameters = {
  sort: choice(visitSorts, 'started', 'What to sort by'),
  dir: choice(['asc', 'desc'], 'desc', 'Ascending or descending'),
  q: freeText(`Only visits with this text in one of visitor, ${searched}; in any case`),
  converted: flag(visitChips.converted.meaning),
  bounced: flag(visitChips.bounced.meaning),
  paid: flag(visitChips.paid.meaning),
  returning: flag(visitChips.returning.meaning),
  step: stepsParameter('Only visits that went through these steps in their order, as in a funnel'),
};

/** Which visits, and in which order. */
export const visitChoice = (
  asked: Omit<Asked<typeof visitParameters>, 'filters' | 'period'>,
  view: ReadableSite,
): Omit<QuestionOf<'visits'>, 'limit' | 'after' | 'form'> => ({
  kind: 'visits',
  sort: asked.sort,
  descending: asked.dir === 'desc',
  search: asked.q ?? '',
  converted: asked.converted,
  bounced: asked.bounced,
  paid: asked.paid,
  returning: asked.returning,
  steps: asked.step.map(step => stepFilters(step, view)),
});

/** A cursor is opaque to clients: they only hand it back. */
const cursor: Parameter<VisitCursor | null> = {
  schema: text,
  meaning: 'The `next` of the page before, under the same parameters',
  read(given, name) {
    if (given === undefined) return null;
    const [, value, id] = /^(-?\d+(?:\.\d+)?) (\S+)$/.exec(Buffer.from(given, 'base64url').toString()) ?? [];
    if (value === undefined || id === undefined) throw new ParameterError({ error: 'bad cursor', parameter: name });
    return { value: Number(value), id };
  },
};

const encodeCursor = ({ value, id }: VisitCursor): string => Buffer.from(`${value} ${id}`).toString('base64url');

export const visits = windowEndpoint({
  part: 'visits',
  summary: 'Visits, page by page; newest first by default',
  own: { ...visitParameters, limit: rowLimit(visitsPageDefault, visitsPageMax, 'Visits a page'), cursor },
  response: windowObject({
    data: list(
      object(
        {
          id: text,
          started: instant,
          ended: instant,
          seconds: described(count, 'From the first to the last hit, rounded'),
          visitor: text,
          ...each([...visitFieldNames, 'screen'], nullable(text)),
          pageviews: count,
          events: described(count, 'Hits that are no pageviews'),
          bounce: truth,
          returning: truth,
          revenue: described(integer, 'Minor units of the site’s currency'),
        },
        { otherRevenue: otherRevenueSchema },
      ),
      visitsPageMax,
    ),
    next: described(nullable(text), 'Cursor of the next page; null on the last'),
  }),
  plan: ({ window, filters, limit, cursor: after, ...asked }, view) =>
    askOne(window, filters, { ...visitChoice(asked, view), limit, after, form: 'json' }, ({ pieces, next }) => ({
      data: new WrittenList(pieces),
      next: next && encodeCursor(next),
    })),
});

export const hits = endpoint({
  part: 'visits',
  summary: 'The hits of one visit, in order; none if there is no such visit',
  own: { visit: requiredText('The `id` of a visit, as /visits gives it') },
  fields: [],
  response: object({
    data: list(
      object({
        at: instant,
        type: oneOf(Object.keys(hitTypes) as HitType[]),
        ...each(pageFields, nullable(text)),
        secondsOnPage: described(nullable(count), 'Time on the page of a pageview, as far as a later hit reported it'),
        scroll: described(
          nullable(count),
          'Percent of the page of a pageview that was seen, as far as a later hit reported it',
        ),
        revenue: described(
          nullable(object({ amount: number, currency: text })),
          'Minor units of the currency it came in',
        ),
        properties: list(object({ key: text, value: nullable(text) })),
      }),
    ),
  }),
  plan({ visit: id }, view) {
    const started = startOf(id);
    if (started === null || started < view.readableFrom) return { slices: [], render: () => ({ data: [] }) };
    // A visit ends with its day at the latest.
    const to = (Math.floor(started / dayMs) + 1) * dayMs;
    return askOne({ from: started, to }, [], { kind: 'visitHits', id }, ({ hits }) => ({
      data: hits.map(hit => ({ ...hit, at: isoTime(hit.at) })),
    }));
  },
});

export const visitor = endpoint({
  part: 'visits',
  summary: 'One visitor: sums over all of its visits, and what pages said of it',
  own: { visitor: requiredText('The `visitor` of a visit, as /visits gives it') },
  fields: [],
  response: object(
    {
      visitor: text,
      ...each(['visits', 'pageviews'], count),
      events: described(count, 'Hits that are no pageviews'),
      revenue: described(integer, 'Minor units of the site’s currency'),
      currency: text,
      firstSeen: described(nullable(instant), 'When the first visit began; null where there is none'),
      lastSeen: described(nullable(instant), 'When the last visit ended, so far'),
      identified: described(nullable(text), 'The trait that names the visitor'),
      traits: list(object({ key: text, value: plainValue })),
    },
    { otherRevenue: otherRevenueSchema },
  ),
  plan({ visitor: given }, view) {
    const isHash = /^[0-9a-f]{16}$/.test(given);
    const span = isHash ? { from: Math.max(view.readableFrom, 0), to: view.now + 1 } : noTime;
    const question = { kind: 'visitor', visitor: isHash ? given : '0'.repeat(16) } as const;
    return askOne(span, [], question, ({ kind: _, firstAt, lastAt, identity, otherRevenue, ...sums }) => ({
      visitor: given,
      ...sums,
      ...(Object.keys(otherRevenue).length > 0 && { otherRevenue }),
      currency: view.site.currency,
      firstSeen: isoTimeOrNull(firstAt),
      lastSeen: isoTimeOrNull(lastAt),
      identified: identity === null ? null : identity.name,
      traits: identity === null ? [] : Array.from(traitsOf(identity.traits), ([key, value]) => ({ key, value })),
    }));
  },
});

/** When a visit of this id began; null when no visit can have it. */
const startOf = (id: string): number | null => {
  const [, started] = /^\d+-[0-9a-f]{16}-(\d{1,15})$/.exec(id) ?? [];
  return started === undefined ? null : Number(started);
};
