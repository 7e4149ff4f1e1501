/** Plausible's questions: their paths, and how its clients say who asks and of which site. */
import { ask } from '../../api/ask.ts';
import type { QueryStep, ReadableSite } from '../../api/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import { json, type Reply } from '../../http/reply.ts';
import { bearerToken } from '../../model/headers.ts';
import { isRecord } from '../../model/record.ts';
import type { QuestionCall, QuestionFamily, QuestionRoute } from '../question-family.ts';
import { badQuery } from './errors.ts';
import { aggregate, breakdown, realtimeVisitors, timeseries } from './v1.ts';
import { planQuery } from './v2.ts';

const unauthorized = (error: string): HttpError => new HttpError('no-key', { error });

/** The site of a question; who may not read it is told no more than who has a wrong key. */
const siteOf = (call: QuestionCall, id: unknown): ReturnType<QuestionCall['site']> => {
  if (typeof id !== 'string' || id === '') throw badQuery('Missing site ID: site_id is the domain of the site.');
  try {
    return call.site(id);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    throw unauthorized('Invalid API key or site ID: use a key of the account that has the site.');
  }
};

type PlanQuestion = (search: URLSearchParams, view: ReadableSite) => QueryStep<object | number>;

const stats = (name: string, plan: PlanQuestion): QuestionRoute => ({
  method: 'GET',
  path: `/api/v1/stats/${name}`,
  access: 'key',
  async answer(call) {
    const { view, run } = siteOf(call, call.search.get('site_id'));
    return written(await ask<object | number>(plan(call.search, view), run));
  },
});

/** A number stands alone. */
const written = (body: object | number): Reply =>
  typeof body === 'number' ? { ...json(200, {}), body: String(body) } : json(200, body);

const query: QuestionRoute = {
  method: 'POST',
  path: '/api/v2/query',
  access: 'key',
  async answer(call) {
    const body = await call.body();
    if (!isRecord(body)) throw badQuery('Send a JSON object.');
    const { view, run } = siteOf(call, body.site_id);
    return json(200, await ask(planQuery(body, view), run));
  },
};

export const plausible: QuestionFamily = {
  routes: [
    stats('realtime/visitors', realtimeVisitors),
    stats('aggregate', aggregate),
    stats('timeseries', timeseries),
    stats('breakdown', breakdown),
    query,
  ],
  callerOf({ headers }, access) {
    const key = bearerToken(headers.authorization);
    if (key === undefined) throw unauthorized('Missing API key. Send a key of Daybook as a bearer token.');
    const caller = access.callerOf(key);
    if (caller === undefined) throw unauthorized('Invalid API key or site ID: this is no key of Daybook.');
    return caller;
  },
  errorReply: ({ reply }) => reply,
};
