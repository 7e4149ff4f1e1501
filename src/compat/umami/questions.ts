/** Umami's questions: their paths, and how they are asked of a site. */
import { ask } from '../../api/ask.ts';
import type { QueryStep, ReadableSite } from '../../api/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { json } from '../../http/reply.ts';
import type { Account, Site } from '../../model/site.ts';
import { isoTime } from '../../model/time.ts';
import type { QuestionCall, QuestionFamily, QuestionRoute } from '../question-family.ts';
import { authRoutes, callerOf, userOf } from './auth.ts';
import { errorReply, unauthorized } from './errors.ts';
import {
  active,
  dateRange,
  eventSeries,
  eventStats,
  expandedMetrics,
  metrics,
  pageviews,
  sessionStats,
  stats,
} from './metrics.ts';
import { wholeParameter } from './parameters.ts';
import { listEvents, listSessions } from './sessions.ts';

/** A site that somebody may not read is answered as one that there is not. */
const siteOf = (call: QuestionCall): ReturnType<QuestionCall['site']> => {
  try {
    return call.site(call.parameters.id ?? '');
  } catch (error) {
    throw error instanceof HttpError ? unauthorized() : error;
  }
};

type PlanQuestion = (search: URLSearchParams, view: ReadableSite) => QueryStep<object>;

const question = (name: string, plan: PlanQuestion): QuestionRoute => ({
  method: 'GET',
  path: `/api/websites/:id/${name}`,
  access: 'key',
  async answer(call) {
    const { view, run } = siteOf(call);
    return json(200, await ask(plan(call.search, view), run));
  },
});

const websiteOf = ({ uuid, domain, createdAt }: Site, account: Account): object => {
  const user = userOf(account);
  return {
    ...{ id: uuid, name: domain, domain, shareId: null, resetAt: null },
    ...{ userId: user.id, teamId: null, createdBy: user.id },
    ...{ createdAt: isoTime(createdAt), updatedAt: isoTime(createdAt), deletedAt: null },
    ...{ recorderEnabled: false, replayEnabled: false, replayConfig: null, user },
  };
};

const pageSizeDefault = 20;
const pageSizeMax = 1000;

const websites = (path: string): QuestionRoute => ({
  method: 'GET',
  path,
  access: 'key',
  answer({ search, sites, caller }) {
    const [page, pageSize] = [
      wholeParameter(search, 'page', 1, [1, 1_000_000]),
      wholeParameter(search, 'pageSize', pageSizeDefault, [1, pageSizeMax]),
    ];
    const wanted = search.get('search')?.toLowerCase() ?? '';
    const found = sites().filter(({ domain }) => domain.includes(wanted));
    const shown = found.slice((page - 1) * pageSize, page * pageSize);
    const data = shown.map(site => websiteOf(site, caller.account));
    return json(200, { data, count: found.length, page, pageSize, orderBy: 'name' });
  },
});

const website: QuestionRoute = {
  method: 'GET',
  path: '/api/websites/:id',
  access: 'key',
  answer: call => json(200, websiteOf(siteOf(call).view.site, call.caller.account)),
};

/** What Umami does not have below a website either, or what is not answered here. */
const unknownPaths = (['GET', 'POST', 'DELETE'] as const).map(
  (method): QuestionRoute => ({
    method,
    path: '/api/websites/:id/*',
    access: 'anybody',
    answer() {
      throw new HttpError('not-found', { error: 'Not found' });
    },
  }),
);

export const umami: QuestionFamily = {
  routes: [
    ...authRoutes,
    { method: 'GET', path: '/api/heartbeat', access: 'anybody', answer: () => json(200, { ok: true }) },
    websites('/api/websites'),
    websites('/api/me/websites'),
    website,
    question('stats', stats),
    question('pageviews', pageviews),
    question('metrics', metrics),
    question('metrics/expanded', expandedMetrics),
    question('active', active),
    question('daterange', dateRange),
    question('events', listEvents),
    question('events/series', eventSeries),
    question('events/stats', eventStats),
    question('sessions', listSessions),
    question('sessions/stats', sessionStats),
    ...unknownPaths,
  ],
  callerOf,
  errorReply,
};
