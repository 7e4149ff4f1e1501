/**
 * What the collector answers, made once and sent as it is (docs/collecting.md, "Answers").
 */
import type { ServerResponse } from 'node:http';
import { type Outcome, outcomes } from '../model/outcomes.ts';
import type { IdentityMode } from '../model/site.ts';

export interface Answer {
  status: number;
  /** Names and values in turn, complete with content-length. */
  headers: string[];
  body: string | Buffer;
}

/** On every answer, errors too: any origin may send hits and read how they ended. */
export const corsHeaders: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'x-daybook',
];

export const answerOf = (status: number, type: string | null, body: string | Buffer, ...more: string[]): Answer => ({
  status,
  headers: [
    ...corsHeaders,
    ...(type === null ? [] : ['content-type', type]),
    'content-length',
    String(Buffer.byteLength(body)),
    ...more,
  ],
  body,
});

const plainText = 'text/plain; charset=utf-8';
export const json = 'application/json';

/** Node leaves the body out by itself where the method is HEAD. */
export const send = (response: ServerResponse, answer: Answer): void => {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
};

/**
 * Seconds after which to try again what was not taken. A queue is through in less than one; a disk takes longer to
 * mend.
 */
const retryAfter: Partial<Record<Outcome, string>> = { busy: '1', unavailable: '5' };

const outcomeAnswer = (outcome: Outcome): Answer => {
  const { status, body, header } = outcomes[outcome];
  const text = body ?? '';
  const type = text === '' ? null : text.startsWith('{') ? json : plainText;
  const seconds = retryAfter[outcome];
  return answerOf(status, type, text, 'x-daybook', header, ...(seconds === undefined ? [] : ['retry-after', seconds]));
};

const answers = Object.fromEntries(
  (Object.keys(outcomes) as Outcome[]).map(outcome => [outcome, outcomeAnswer(outcome)]),
) as Record<Outcome, Answer>;

const recordedAnswer = (mode: IdentityMode): Answer =>
  answerOf(202, json, JSON.stringify({ m: mode }), 'x-daybook', outcomes.recorded.header);

const recorded: Record<IdentityMode, Answer> = { hash: recordedAnswer('hash'), cookie: recordedAnswer('cookie') };

/** The answer to a hit that ended so. The mode is the site's, for the hit that was recorded. */
export const hitAnswer = (outcome: Outcome, mode: IdentityMode): Answer =>
  outcome === 'recorded' ? recorded[mode] : answers[outcome];

/** What became of a list of hits, in the form of Umami's batch endpoint. */
export const batchAnswer = (ended: Outcome[]): Answer => {
  const details = ended.flatMap((outcome, index) =>
    outcomes[outcome].status === 202 ? [] : [{ index, response: { error: outcome } }],
  );
  const body = { size: ended.length, processed: ended.length - details.length, errors: details.length, details };
  const first = ended.find(outcome => outcomes[outcome].status !== 202) ?? 'recorded';
  return answerOf(200, json, JSON.stringify(body), 'x-daybook', outcomes[first].header);
};

/** What became of the reports of a POST /crawl. */
export const reportsAnswer = (ended: Outcome[]): Answer => {
  const accepted = ended.filter(outcome => outcome === 'crawler').length;
  const ignored = ended.length - accepted;
  const { header } = outcomes[accepted > 0 ? 'recorded' : (ended[0] ?? 'recorded')];
  return answerOf(202, json, JSON.stringify({ accepted, ignored }), 'x-daybook', header);
};

const healthAnswers = [true, false].map(ok =>
  answerOf(ok ? 200 : 503, json, JSON.stringify({ ok, service: 'ingest' }), 'cache-control', 'no-store'),
);
export const healthAnswer = (ok: boolean): Answer => healthAnswers[ok ? 0 : 1]!;

const probeAnswers = {
  hash: answerOf(200, json, '{"m":"hash"}', 'cache-control', 'public, max-age=60'),
  cookie: answerOf(200, json, '{"m":"cookie"}', 'cache-control', 'public, max-age=60'),
};
/** The mode of a site that is there, so that the tracker's first hit has the right identity. */
export const probeAnswer = (mode: IdentityMode | undefined): Answer =>
  mode === undefined ? answers['unknown-site'] : probeAnswers[mode];

/**
 * Allows Umami's own header only where the browser asks for it: its trackers send one from the second hit on, some from
 * the first.
 */
export const preflightAnswer = (asked: string | undefined): Answer => {
  const asksUmami = /(?:^|,)\s*x-umami-cache\s*(?:,|$)/i.test(asked ?? '');
  return {
    status: 204,
    headers: [
      ...corsHeaders,
      ...['access-control-allow-methods', 'POST, GET, OPTIONS'],
      ...['access-control-allow-headers', asksUmami ? 'content-type, x-umami-cache' : 'content-type'],
      ...['access-control-max-age', '86400'],
    ],
    body: '',
  };
};

export const notAllowedAnswer = {
  GET: answerOf(405, plainText, 'method not allowed', 'allow', 'GET, HEAD, OPTIONS'),
  POST: answerOf(405, plainText, 'method not allowed', 'allow', 'POST, OPTIONS'),
};
