/**
 * Requests with hits in another product's form (src/compat). A form says where they arrive, what
 * they mean in ours, and how they are answered. Who sends, what that costs and how each hit ends is
 * the same for all forms.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { parseJson } from '../http/body.ts';
import { type PathParameters, searchOf } from '../http/router.ts';
import { type Log, reasonOf } from '../log.ts';
import type { Random } from '../model/ids.ts';
import { referrerCharsMax } from '../model/limits.ts';
import type { Outcome } from '../model/outcomes.ts';
import { isRecord } from '../model/record.ts';
import type { Site } from '../model/site.ts';
import type { SiteDirectory } from '../store/sites.ts';
import type { ArrivalReader, Received } from './arrivals.ts';
import type { Intake, ReadOwn } from './intake.ts';
import type { Arrival } from './pipeline.ts';
import { failedReply, type PreparedReply, probeReply, send } from './replies.ts';
import { believed, type ToldOfHit } from './told.ts';

export interface HitForm {
  method: 'GET' | 'POST';
  path: string;
  read(request: FormRequest): FormHits;
  /** The site of a hit in our own form that came to this path, where not its `s` says which. */
  siteOf?(request: FormRequest, hit: Record<string, unknown>): string | undefined;
  /** Reads what such a hit says in the product's own terms: the hit becomes ours. */
  readOwn?(request: FormRequest, hit: Record<string, unknown>): ReturnType<ReadOwn>;
}

export interface FormRequest {
  parameters: PathParameters;
  /** The query of the address. */
  search: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Empty for GET. */
  bytes: Buffer;
  /** Whether it showed an API key in its header. */
  hasKey: boolean;
  /** By any of its names; of several with one domain, that of the account of the API key. */
  find(name: string): Site | undefined;
}

export interface FormHits {
  hits: readonly FormHit[];
  /** What may be an API key, where the form has it in its body or query. */
  token?: string | null;
  reply(ended: Outcome[]): PreparedReply;
}

export interface FormHit {
  /** JSON of a Hit; null for what means none. */
  body: Record<string, unknown> | null;
  /** Heard only from a sender with an API key. */
  told?: ToldOfHit;
  /** Id of an order: a site counts it once. */
  order?: string;
  /** Where the visit came from, if that is no address but a text. */
  source?: string;
}

/** Hits that a request in another product's form may have. */
export const formHitsMax = 500;

/** A request that means no hit. It counts as one that is refused. */
export const noHit = (reply: PreparedReply): FormHits => ({ hits: [{ body: null }], reply: () => reply });

export interface FormParts {
  intake: Intake;
  directory: Pick<SiteDirectory, 'find'>;
  senderOf: ArrivalReader['senderOf'];
  random: Random;
  log: Log;
}

/** Takes requests of that form. */
export const takeForm =
  (form: HitForm, parts: FormParts) =>
  (received: Received): void => {
    try {
      take(form, parts, received);
    } catch (error) {
      // Nobody else may pay for a request that a form cannot cope with.
      parts.log('request-failed', { reason: reasonOf(error) });
      send(received.response, failedReply);
    }
  };

const take = (form: HitForm, parts: FormParts, received: Received): void => {
  const { bytes, request, parameters, arrival } = received;
  const { url = '', headers } = request;
  const search = searchOf(url);
  const hasKey = arrival.accountId !== undefined;
  const find: FormRequest['find'] = name => parts.directory.find(name, arrival.accountId);
  const asked: FormRequest = { parameters, search, headers, bytes, hasKey, find };
  const [path] = ownPath.exec(url) ?? [];
  if (path !== undefined) takeOwn(path, form, asked, parts, received);
  else takeHits(form.read(asked), parts, received);
};

/**
 * Our tracker under another product's tag knows no address but that product's, which may be all
 * that a proxy hands on. So it puts its own paths into the query.
 */
const ownPath = /(?<=\?)\/(?:e|c\/.*)$/s;

const takeOwn = (
  path: string,
  form: HitForm,
  asked: FormRequest,
  { intake, directory }: FormParts,
  received: Received,
) => {
  const { arrival, bytes, response } = received;
  const siteOf = (hit: Record<string, unknown>): unknown => form.siteOf?.(asked, hit) ?? hit.s;
  if (path !== '/e') {
    const key = siteOf({ s: path.slice('/c/'.length) });
    send(response, probeReply(directory.find(String(key))?.identityMode));
    return;
  }
  intake.takeHit({ ...arrival, body: parseJson(bytes) }, bytes.length, response, hit => {
    if (!isRecord(hit)) return {};
    hit.s = siteOf(hit);
    return form.readOwn?.(asked, hit) ?? {};
  });
};

const takeHits = (
  { hits, token, reply }: FormHits,
  { intake, senderOf, random }: FormParts,
  received: Received,
): void => {
  const { arrival, bytes, request, response } = received;
  const shown = arrival.accountId === undefined && token ? senderOf(token) : undefined;
  if (typeof shown === 'string') {
    intake.refuse({ siteId: 0, at: arrival.at, outcome: shown }, response);
    return;
  }
  const sender = shown === undefined ? arrival : { ...arrival, ...shown, network: undefined };
  const { accountId } = sender;
  intake.takeAll(
    hits.map(({ body, told, order, source }) => ({
      ...sender,
      body: accountId === undefined && body !== null ? { l: languageOf(request), ...defined(body) } : body,
      ...(order === undefined ? {} : { order }),
      ...(source === undefined ? {} : { told: sourceTold(source) }),
      ...(accountId === undefined
        ? {}
        : believed(told?.isAlone ? { ...told, session: nobody(random) } : told, sender.at)),
    })),
    bytes.length + (request.url?.length ?? 0),
    ended => send(response, reply(ended)),
  );
};

/** Names a visitor who comes never again. */
const nobody = (random: Random): string => Buffer.from(random(16)).toString('hex');

const defined = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

/**
 * The browser's own language, which products whose scripts do not send it read from its requests. A
 * server's would be its own.
 */
const languageOf = ({ headers }: Received['request']): string | undefined =>
  /^[a-z]{1,8}(-[a-z\d]{1,8})*/i.exec(headers['accept-language'] ?? '')?.[0];

/** A visit whose source is a text. */
export const sourceTold = (source: string): NonNullable<Arrival['told']> => ({
  texts: { referrer: source.slice(0, referrerCharsMax) },
});
