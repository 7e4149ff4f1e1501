/**
 * Hits as GoatCounter's script sends them, `/count` with a query, and as its API takes them, `POST
 * /api/v0/count`. GoatCounter knows a site by the host of the address. Here it is a name in the
 * path, `/gc/NAME/count`, or the host where that is an alias of a site.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  type FormHit,
  type FormHits,
  type FormRequest,
  formHitsMax,
  type HitForm,
  noHit,
  sourceTold,
} from '../../collect/forms.ts';
import type { ReadOwn } from '../../collect/intake.ts';
import { outcomeHeaders, type PreparedReply, passingReply, preparedJson } from '../../collect/replies.ts';
import { someText } from '../../collect/text.ts';
import { parseJson } from '../../http/body.ts';
import { automationBits } from '../../model/hit.ts';
import { type Outcome, outcomes } from '../../model/outcomes.ts';
import { isRecord } from '../../model/record.ts';
import type { Site } from '../../model/site.ts';
import { isTracking } from '../../model/tracking-parameters.ts';
import { referrerNamed } from '../import-names.ts';
import { pixelReply, pixelStatus } from '../pixel.ts';

export const goatcounterForms: readonly HitForm[] = [
  ...(['GET', 'POST'] as const).flatMap(method =>
    ['/count', '/gc/:site/count'].map(
      (path): HitForm => ({
        method,
        path,
        read: request => readCount(request),
        siteOf: request => siteOf(request)?.publicKey,
        readOwn: (_, hit) => readOwn(hit),
      }),
    ),
  ),
  ...['/api/v0/count', '/gc/:site/api/v0/count'].map(path => ({
    method: 'POST' as const,
    path,
    read: (request: FormRequest) => readApiCount(request),
  })),
];

type Fields = Record<string, unknown>;

const pathBytesMax = 2048;
/** More parameters than an address can have that say how somebody came. */
const trackingMax = 30;

/** The site of a request; undefined where none is known by that name. */
const siteOf = ({ parameters, headers, find }: FormRequest): Site | undefined => {
  const { site } = parameters;
  if (site !== undefined) return find(`goatcounter:${site}`) ?? find(site);
  const host = (headers.host ?? '').replace(/:\d*$/, '');
  return find(host) ?? find(`goatcounter:${host.split('.')[0]}`);
};

const readCount = (request: FormRequest): FormHits => {
  const { search, headers } = request;
  const path = search.get('p') ?? '';
  const bot = Number(search.get('b') ?? 0);
  if (path === '') return refused('not valid: path: must be set');
  if (Buffer.byteLength(path) > pathBytesMax) return refused('ignored because path is longer than 2048 bytes');
  if (!(bot === 0 || bot >= 150)) return refused(`wrong value: b=${String(bot).slice(0, 20)}`);
  const body = hitOf(siteOf(request), {
    path,
    title: search.get('t'),
    isEvent: isTrue(search.get('e')),
    ref: search.get('r'),
    width: Number.parseFloat(search.get('s') ?? ''),
    query: search.get('q'),
    bot,
    shownOn: headers.referer,
  });
  return { hits: [{ body, ...sourceOf(search.get('r')) }], reply: ([outcome]) => countReply(outcome!) };
};

const isTrue = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && /^(1|t|true|on|yes)$/i.test(value));

const refused = (why: string): FormHits =>
  noHit(pixelReply(400, 'x-goatcounter', why, ...outcomeHeaders('bad-payload')));

const countReply = (outcome: Outcome): PreparedReply => {
  const headers = outcomeHeaders(outcome);
  if (outcome === 'recorded') return pixelReply(200, ...headers);
  return pixelReply(pixelStatus(outcome), ...['x-goatcounter', `ignored because of ${outcome}`], ...headers);
};

interface Count {
  path: string;
  title: unknown;
  isEvent: boolean;
  ref: unknown;
  /** CSS pixels of the screen; NaN when it is not told. */
  width: number;
  query: unknown;
  bot: unknown;
  /** Address of the page, where the browser tells it. */
  shownOn?: IncomingHttpHeaders['referer'];
}

/** GoatCounter's pages have no host, so they get that of the site. An event's path is its name. */
const hitOf = (site: Site | undefined, { path, title, isEvent, ref, width, query, bot, shownOn }: Count): Fields => {
  const domain = site?.domain ?? 'unknown.invalid';
  const common = {
    s: site?.publicKey ?? domain,
    r: refOf(ref),
    w: Number.isFinite(width) ? width : undefined,
    b: typeof bot === 'number' && bot >= 150 ? automationBits.webdriver : 0,
  };
  if (!isEvent) return { ...common, u: withCampaign(addressOf(domain, path), query), ti: title };
  const u = shownOn !== undefined && /^https?:/i.test(shownOn) ? shownOn : `https://${domain}/`;
  const p = typeof title === 'string' && title !== '' ? { title } : undefined;
  return { ...common, t: 'custom', u, n: eventNameOf(path), p };
};

const addressOf = (domain: string, path: string): string =>
  /^https?:\/\//i.test(path) ? path : `https://${domain}/${path.replace(/^\/+/, '')}`;

/** An event is stored without the slash that it may begin with. */
const eventNameOf = (path: string): string => path.replace(/^\/+/, '') || path;

/** A hit of our script behind its tag. */
const readOwn = (hit: Fields): ReturnType<ReadOwn> => {
  if (hit.t === 'custom' && typeof hit.n === 'string') hit.n = eventNameOf(hit.n);
  const { source } = sourceOf(hit.r);
  hit.r = refOf(hit.r);
  return source === undefined ? {} : { told: sourceTold(source) };
};

/** A text that is no address, such as `Newsletter`, or the name of a site that has one. */
const sourceOf = (ref: unknown): Pick<FormHit, 'source'> => {
  if (typeof ref !== 'string' || /^[a-z][a-z\d+.-]*:/i.test(ref) || refOf(ref) !== ref) return {};
  const source = referrerNamed(ref.trim());
  return source === null ? {} : { source };
};

/** A referrer may be a text without a scheme. */
const refOf = (ref: unknown): unknown =>
  typeof ref === 'string' && /^[\w-]+(\.[\w-]+)+(\/|$)/.test(ref) ? `https://${ref}` : ref;

/** The canonical address of a page lacks how somebody came: that is taken from its query. */
const withCampaign = (address: string, query: unknown): string => {
  if (typeof query !== 'string' || query === '') return address;
  const pairs = query.replace(/^\?/, '').split('&');
  const tracking = pairs.filter(pair => isTracking(pair.split('=')[0]!)).slice(0, trackingMax);
  const missing = tracking.filter(pair => !address.includes(pair));
  if (missing.length === 0) return address;
  return address + (address.includes('?') ? '&' : '?') + missing.join('&');
};

const refusedList = (status: number, error: string): FormHits =>
  noHit(preparedJson(status, { error }, ...outcomeHeaders(status === 401 ? 'bad-key' : 'bad-payload')));

const readApiCount = (request: FormRequest): FormHits => {
  if (!request.hasKey) return refusedList(401, 'Missing or invalid API key');
  const body = parseJson(request.bytes);
  const list = isRecord(body) ? body.hits : undefined;
  if (!Array.isArray(list) || list.length === 0) return refusedList(400, 'no hits');
  if (list.length > formHitsMax) return refusedList(400, `maximum amount of pageviews in one batch is ${formHitsMax}`);
  const site = siteOf(request);
  const needsSession = !isTrue((body as Fields).no_sessions);
  const errors = new Map<number, string>();
  const hits = list.map((given: unknown, index): FormHit => {
    const read = isRecord(given) ? apiHitOf(site, given, needsSession) : 'not an object';
    if (typeof read !== 'string') return read;
    errors.set(index, read);
    return { body: null };
  });
  return { hits, reply: ended => apiReply(ended, errors) };
};

/** A hit, or what is wrong with it. */
const apiHitOf = (site: Site | undefined, given: Fields, needsSession: boolean): FormHit | string => {
  const { path, session, ip, user_agent: userAgent, created_at: createdAt } = given;
  if (typeof path !== 'string' || path === '') return 'path: must be set';
  if (Buffer.byteLength(path) > pathBytesMax) return 'path: must be at most 2048 bytes';
  const at = typeof createdAt === 'string' ? Date.parse(createdAt) : undefined;
  if (at !== undefined && Number.isNaN(at)) return 'created_at: must be a time like 2026-01-31T12:00:00Z';
  const isKnown = someText(session) !== undefined || (someText(ip) !== undefined && someText(userAgent) !== undefined);
  if (needsSession && !isKnown)
    return 'session, or ip and user_agent, must be set; use no_sessions if you don’t want to track unique visits';
  const size = Array.isArray(given.size) ? given.size[0] : given.size;
  const { title, ref, query, bot, language } = given;
  const count = {
    path,
    title,
    isEvent: isTrue(given.event),
    ref,
    width: typeof size === 'number' ? size : Number.parseFloat(someText(size) ?? ''),
    query,
    bot,
  };
  return {
    body: { ...hitOf(site, count), l: language },
    ...sourceOf(ref),
    told: {
      ...{ at, address: someText(ip) ?? '', userAgent: someText(userAgent) ?? '', session: someText(session) },
      isAlone: !needsSession,
    },
  };
};

/** Hits that are not listed were taken, or ignored as a crawler's is. */
const apiReply = (ended: Outcome[], errors: Map<number, string>): PreparedReply => {
  const passing = passingReply(ended);
  if (passing !== undefined) return passing;
  for (const [index, outcome] of ended.entries()) {
    if (outcomes[outcome].status !== 202 && !errors.has(index)) errors.set(index, outcome);
  }
  if (errors.size === 0) return preparedJson(202, { status: 'ok' }, ...outcomeHeaders(ended[0]!));
  const listed = Object.fromEntries([...errors].sort(([a], [b]) => a - b));
  return preparedJson(400, { errors: listed }, ...outcomeHeaders('bad-payload'));
};
