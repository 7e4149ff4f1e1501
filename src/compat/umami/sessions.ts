/** Umami's lists of single sessions and events: our visits and their hits, newest first. */
import { answerOf, type QueryStep, type ReadableSite, refuseHidden } from '../../api/endpoint.ts';
import { visitsPageMax } from '../../model/limits.ts';
import { dayMs, isoTime } from '../../model/time.ts';
import type { Answer, QuestionOf, Slice } from '../../query/query.ts';
import { headline, headlineOf } from '../../query/usual-questions.ts';
import { badRequest } from './errors.ts';
import { readAsked, type UmamiQuestion, wholeParameter } from './parameters.ts';

/** A visit as the API writes it. */
interface Visit {
  id: string;
  started: string;
  ended: string;
  pageviews: number;
  events: number;
  hostname?: string | null;
  [field: string]: unknown;
}

interface Page {
  page: number;
  pageSize: number;
}

const listParameters = ['page', 'pageSize', 'search', 'orderBy', 'sortDescending', 'maxResults'];

const pageOf = (search: URLSearchParams, most: number): Page => {
  const page = wholeParameter(search, 'page', 1, [1, 1_000_000]);
  const pageSize = wholeParameter(search, 'pageSize', 20, [1, most]);
  if (page * pageSize > visitsPageMax)
    throw badRequest(`Pages reach to row ${visitsPageMax}. Ask for a shorter range.`);
  return { page, pageSize };
};

const newestVisits = ({ span, filters }: UmamiQuestion, search: string, limit: number): Slice => {
  const visits: QuestionOf<'visits'> = {
    ...{ kind: 'visits', sort: 'started', descending: true, search, limit, after: null, form: 'json' },
    ...{ converted: false, bounced: false, paid: false, returning: false },
  };
  return { ...span, filters, questions: [headline, visits] };
};

const visitsOf = (answers: Answer[] | undefined): Visit[] =>
  JSON.parse(`[${answerOf(answers, 'visits').pieces.join('')}]`) as Visit[];

/** Visits, as sessions of one visit each. */
export const listSessions = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  refuseHidden(view, 'visits');
  const asked = readAsked(search, view, listParameters);
  const { page, pageSize } = pageOf(search, 100);
  return {
    slices: [newestVisits(asked, search.get('search') ?? '', page * pageSize)],
    render([answers]) {
      const data = visitsOf(answers).slice((page - 1) * pageSize, page * pageSize);
      const { visits: count } = headlineOf(answerOf(answers, 'metricSeries'));
      return { data: data.map(visit => sessionOf(visit, view)), count, page, pageSize };
    },
  };
};

const attributes = ['browser', 'os', 'device', 'screen', 'language', 'country', 'region', 'city'];
const attributesOf = (visit: Visit): object => Object.fromEntries(attributes.map(name => [name, visit[name] ?? null]));

const sessionOf = (visit: Visit, { site }: ReadableSite): object => ({
  ...{ id: visit.id, websiteId: site.uuid },
  ...attributesOf(visit),
  ...{ firstAt: visit.started, lastAt: visit.ended, createdAt: visit.started },
  ...{ visits: 1, views: visit.pageviews, events: visit.events },
});

/** Hits of a page are looked up visit by visit. */
const eventsPageMax = 50;

export const listEvents = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  refuseHidden(view, 'visits');
  const asked = readAsked(search, view, listParameters);
  const { page, pageSize } = pageOf(search, eventsPageMax);
  const [from, to] = [(page - 1) * pageSize, page * pageSize];
  return {
    slices: [newestVisits(asked, search.get('search') ?? '', to)],
    render([answers]) {
      const all = visitsOf(answers);
      const { pageviews, events } = headlineOf(answerOf(answers, 'metricSeries'));
      const counted = { count: (pageviews ?? 0) + (events ?? 0), page, pageSize };
      const { visits, skipped } = visitsAround(all, from, to);
      if (visits.length === 0) return { data: [], ...counted };
      return {
        slices: visits.map(({ id, started }): Slice => {
          const at = Date.parse(started);
          return {
            from: at,
            to: (Math.floor(at / dayMs) + 1) * dayMs,
            filters: [],
            questions: [{ kind: 'visitHits', id }],
          };
        }),
        render(report) {
          const hits = visits.flatMap((visit, i) => eventsOf(visit, report[i], view));
          return { data: hits.slice(from - skipped, to - skipped), ...counted };
        },
      };
    },
  };
};

/** The visits whose hits are between two places in the list, and how many hits precede them. */
const visitsAround = (all: readonly Visit[], from: number, to: number): { visits: Visit[]; skipped: number } => {
  const visits: Visit[] = [];
  let skipped = 0;
  let place = 0;
  for (const visit of all) {
    const end = place + visit.pageviews + visit.events;
    if (end <= from) skipped = end;
    else if (place < to) visits.push(visit);
    place = end;
  }
  return { visits, skipped };
};

/** The newest first. */
const eventsOf = (visit: Visit, answers: Answer[] | undefined, { site }: ReadableSite): object[] =>
  answerOf(answers, 'visitHits')
    .hits.map((hit, i) => ({
      ...{ id: `${visit.id}-${i}`, websiteId: site.uuid, sessionId: visit.id, createdAt: isoTime(hit.at) },
      ...{ hostname: hit.hostname, urlPath: hit.path, urlQuery: hit.query, pageTitle: hit.title },
      referrerDomain: visit.referrer ?? null,
      ...attributesOf(visit),
      eventType: hit.type === 'pageview' ? 1 : 2,
      eventName: hit.event,
      hasData: hit.properties.length > 0,
    }))
    .reverse();
