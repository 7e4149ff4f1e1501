/**
 * Umami's `{type, payload}` as the JSON of a Hit, in every shape its trackers have sent since
 * version 1. Nothing is checked or cut here: what comes out goes the way of every hit. Payload
 * fields `ip`, `userAgent` and `timestamp` are heard only from servers with an API key, for anybody
 * could write anything into them.
 */
import { type HitForm, noHit } from '../../collect/forms.ts';
import { notAllowedReply } from '../../collect/replies.ts';
import { someText } from '../../collect/text.ts';
import type { DomainOf, ReadByShape, ToldOfHit } from '../../collect/told.ts';
import { currencyCode, minorUnits } from '../../model/currency.ts';
import { isRecord } from '../../model/record.ts';
import { screenOf } from '../import-rows.ts';

/** The path of Umami's hits, for our tracker behind it: a proxy may hand on no other. */
export const umamiForms: readonly HitForm[] = [
  { method: 'GET', path: '/api/send', read: () => noHit(notAllowedReply('POST, OPTIONS')) },
];

interface UmamiBody {
  type: string;
  payload: Record<string, unknown>;
}

export const readUmami: ReadByShape = (body, domainOf) =>
  isUmami(body) ? { body: hitOf(body, domainOf), told: toldOf(body) } : undefined;

/** Our hits have no `type` and `payload`, so the shape tells the two formats apart. */
const isUmami = (body: unknown): body is UmamiBody =>
  isRecord(body) && typeof body.type === 'string' && isRecord(body.payload);

/**
 * Fields with a meaning of their own. Version 2.0 spreads an event's data into the payload, beside
 * these.
 */
const ownFields = new Set(
  'website hostname screen language title url referrer name data tag id ip userAgent timestamp browser os device event_name event_data event_value'.split(
    ' ',
  ),
);

/** A server may tell no more of the page than its path, or not even that. */
const hitOf = ({ type, payload }: UmamiBody, domainOf: DomainOf): Record<string, unknown> => {
  // The size of the screen, not of the window, which Umami does not tell.
  const { w = 0, h = 0 } = screenOf(someText(payload.screen) ?? '');
  const page = {
    s: payload.website,
    u: urlOf(payload, domainOf),
    r: payload.referrer,
    ti: isOlder(payload) ? decoded(payload.title, decodeURIComponent) : payload.title,
    l: payload.language,
    w,
    h,
  };
  if (type === 'performance') return { ...page, t: 'vitals', p: payload };
  if (type === 'identify') return { ...page, t: 'identify', p: traitsOf(payload) };
  if (type === 'event' || type === 'pageview') return { ...page, ...eventOf(payload) };
  return { ...page, t: null };
};

/** What the payload says of the visitor and the time, which is in seconds. */
const toldOf = ({ payload }: UmamiBody): ToldOfHit => {
  const { timestamp, ip, userAgent, id } = payload;
  return {
    at: typeof timestamp === 'number' && timestamp > 0 ? timestamp * 1000 : undefined,
    address: someText(ip),
    userAgent: someText(userAgent),
    session: someText(id),
  };
};

/**
 * Up to version 2.15 the URL was relative, and texts were encoded in changing ways; since then all
 * is sent as it is.
 */
const isOlder = ({ url }: Record<string, unknown>): boolean =>
  typeof url === 'string' && !/^[a-z][a-z\d+.-]*:/i.test(url);

const urlOf = (payload: Record<string, unknown>, domainOf: DomainOf): unknown => {
  const { url = '', hostname, website } = payload;
  if (typeof url !== 'string' || !isOlder({ url })) return url;
  // Of a site that nobody knows, the hit is refused for that.
  const host = someText(hostname) ?? domainOf(someText(website) ?? '') ?? 'unknown.invalid';
  return `https://${host}/${decoded(url, decodeURI).replace(/^\/+/, '')}`;
};

/** A text that some versions encoded once more than others; as it is where it does not decode. */
const decoded = <T>(value: T, decode: (text: string) => string): T | string => {
  if (typeof value !== 'string') return value;
  try {
    return decode(value);
  } catch {
    return value;
  }
};

const traitsOf = ({ id, data }: Record<string, unknown>): Record<string, unknown> => ({
  ...(id === undefined ? {} : { id }),
  ...(isRecord(data) ? data : {}),
});

/** A pageview without a name; else a custom event, or revenue where its data has an amount. */
const eventOf = (payload: Record<string, unknown>): Record<string, unknown> => {
  const name = payload.name ?? payload.event_name ?? payload.event_value;
  const data = dataOf(payload);
  const { revenue, currency, ...rest } = data;
  const major = typeof revenue === 'string' && revenue.trim() !== '' ? Number(revenue) : revenue;
  if (
    typeof major === 'number' &&
    Number.isFinite(major) &&
    (typeof name === 'string' || typeof currency === 'string')
  ) {
    const code = (typeof currency === 'string' && currencyCode(currency)) || 'USD';
    return { t: 'revenue', n: name ?? 'revenue', v: minorUnits(major, code), c: currency, p: rest };
  }
  return typeof name === 'string' && name !== '' ? { t: 'custom', n: name, p: data } : { t: 'pageview', p: data };
};

const dataOf = (payload: Record<string, unknown>): Record<string, unknown> => {
  const { tag } = payload;
  const given = payload.data ?? payload.event_data;
  return {
    ...(isRecord(given) ? given : Object.fromEntries(Object.entries(payload).filter(([key]) => !ownFields.has(key)))),
    ...(typeof tag === 'string' && tag !== '' ? { tag } : {}),
  };
};
