/** The collector's replies, made once and sent as they are (docs/collecting.md, "Answers"). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { endAfterBody } from '../http/body.ts';
import { type Outcome, outcomes } from '../model/outcomes.ts';
import type { IdentityMode } from '../model/site.ts';

/** A reply in the form that takes Node the least work to send. */
export interface PreparedReply {
  status: number;
  /** Names and values in turn, content-length included. */
  headers: string[];
  body: string | Buffer;
}

/** On every reply, errors too: any origin may send hits and read how they ended. */
export const corsHeaders: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  'x-daybook, retry-after',
];

export const prepared = (
  status: number,
  type: string | null,
  body: string | Buffer,
  ...more: string[]
): PreparedReply => ({
  status,
  headers: [
    ...corsHeaders,
    // No browser may take what a stranger's address shows for something else.
    ...(type === null ? [] : ['content-type', type, 'x-content-type-options', 'nosniff']),
    'content-length',
    String(Buffer.byteLength(body)),
    ...more,
  ],
  body,
});

const plainText = 'text/plain; charset=utf-8';
const jsonText = 'application/json';

/** JSON as other products write it. */
export const preparedJson = (status: number, body: object, ...more: string[]): PreparedReply =>
  prepared(status, `${jsonText}; charset=utf-8`, JSON.stringify(body), ...more);

/** To HEAD Node sends no body. */
export const send = (response: ServerResponse, { status, headers, body }: PreparedReply): void => {
  response.writeHead(status, headers);
  response.end(body);
};

/** Sends a reply to a request whose body is not wanted, and closes the connection. */
export const sendAndClose = (request: IncomingMessage, response: ServerResponse, reply: PreparedReply): void => {
  response.writeHead(reply.status, [...reply.headers, 'connection', 'close']);
  response.write(reply.body);
  endAfterBody(request, response);
};

/**
 * Seconds after which to send a refused hit again. A queue empties in less than one. A disk takes
 * longer to recover, and a budget to fill.
 */
const retryAfter: Partial<Record<Outcome, string>> = { 'rate-limited': '5', busy: '1', unavailable: '5' };

/** The headers that tell of an outcome. */
export const outcomeHeaders = (outcome: Outcome): string[] => {
  const seconds = retryAfter[outcome];
  return ['x-daybook', outcomes[outcome].header, ...(seconds === undefined ? [] : ['retry-after', seconds])];
};

const outcomeReply = (outcome: Outcome): PreparedReply => {
  const { status, body } = outcomes[outcome];
  const text = body ?? '';
  const type = text === '' ? null : text.startsWith('{') ? jsonText : plainText;
  return prepared(status, type, text, ...outcomeHeaders(outcome));
};

const outcomeReplies = Object.fromEntries(
  (Object.keys(outcomes) as Outcome[]).map(outcome => [outcome, outcomeReply(outcome)]),
) as Record<Outcome, PreparedReply>;

const recordedReply = (mode: IdentityMode): PreparedReply =>
  prepared(202, jsonText, JSON.stringify({ m: mode }), 'x-daybook', outcomes.recorded.header);

const recorded: Record<IdentityMode, PreparedReply> = { hash: recordedReply('hash'), cookie: recordedReply('cookie') };

/**
 * The reply to a hit, by how it ended. `mode` is the site's, and matters to recorded hits alone.
 */
export const hitReply = (outcome: Outcome, mode: IdentityMode): PreparedReply =>
  outcome === 'recorded' ? recorded[mode] : outcomeReplies[outcome];

/**
 * The reply to a list of hits, in the form of Umami's batch endpoint. Its status asks to send those
 * of `details` again where that may help.
 */
export const batchReply = (ended: Outcome[]): PreparedReply => {
  const details = ended.flatMap((outcome, index) =>
    outcomes[outcome].status === 202 ? [] : [{ index, response: { error: outcome } }],
  );
  const body = { size: ended.length, processed: ended.length - details.length, errors: details.length, details };
  const passing = passingRefusal(ended);
  const told = passing ?? ended.find(outcome => outcomes[outcome].status !== 202) ?? 'recorded';
  const status = passing === undefined ? 200 : outcomes[passing].status;
  return prepared(status, jsonText, JSON.stringify(body), ...outcomeHeaders(told));
};

/** An outcome that may be another one later: 503 rather than 429. */
const passingRefusal = (ended: Outcome[]): Outcome | undefined =>
  ended.find(outcome => outcomes[outcome].status === 503) ?? ended.find(outcome => outcomes[outcome].status === 429);

/** The reply to hits of which none was taken, but may be later; undefined where some were. */
export const passingReply = (ended: Outcome[]): PreparedReply | undefined => {
  const refused = passingRefusal(ended);
  return refused === undefined || ended.includes('recorded') ? undefined : outcomeReplies[refused];
};

/** The reply to the reports of a POST /crawl. */
export const reportsReply = (ended: Outcome[]): PreparedReply => {
  const refused = passingRefusal(ended);
  if (refused !== undefined) return outcomeReplies[refused];
  const accepted = ended.filter(outcome => outcome === 'crawler').length;
  const ignored = ended.length - accepted;
  const { header } = outcomes[accepted > 0 ? 'recorded' : (ended[0] ?? 'recorded')];
  return prepared(202, jsonText, JSON.stringify({ accepted, ignored }), 'x-daybook', header);
};

const healthReplies = [true, false].map(ok =>
  prepared(ok ? 200 : 503, jsonText, JSON.stringify({ ok, service: 'ingest' }), 'cache-control', 'no-store'),
);
export const healthReply = (ok: boolean): PreparedReply => healthReplies[ok ? 0 : 1]!;

const probeReplies = {
  hash: prepared(200, jsonText, '{"m":"hash"}', 'cache-control', 'public, max-age=60'),
  cookie: prepared(200, jsonText, '{"m":"cookie"}', 'cache-control', 'public, max-age=60'),
};
/**
 * The mode of a site, so that the tracker's first hit has the right identity; undefined for an
 * unknown site.
 */
export const probeReply = (mode: IdentityMode | undefined): PreparedReply =>
  mode === undefined ? outcomeReplies['unknown-site'] : probeReplies[mode];

/**
 * Allows Umami's own header where the browser asks for it: Umami's trackers send it from the first
 * or second hit on.
 */
export const preflightReply = (asked: string | undefined): PreparedReply => {
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

/** `allow` lists the methods that the path answers. */
export const notAllowedReply = (allow: string): PreparedReply =>
  prepared(405, plainText, 'method not allowed', 'allow', allow);

export const notFoundReply = prepared(404, jsonText, '{"error":"not found"}');
export const failedReply = prepared(500, jsonText, '{"error":"internal error"}');
