/**
 * A request's JSON as a hit: required fields checked, optional ones of a wrong type dropped, texts
 * cut (docs/collecting.md, "A hit"). Other products' hits come here as ours, so that every rule
 * holds for all.
 */
import { currencyCode } from '../model/currency.ts';
import { eventTypes, hitTypes, type WireType } from '../model/hit.ts';
import {
  durationMsMax,
  eventNameCharsMax,
  languageCharsMax,
  referrerCharsMax,
  titleCharsMax,
} from '../model/limits.ts';
import type { Outcome } from '../model/outcomes.ts';
import { isRecord } from '../model/record.ts';
import { type VitalValues, vitalNames, vitals } from '../model/vitals.ts';
import type { HitRecord } from '../store/write/recorder.ts';
import { type PageUrl, parsePageUrl } from './page-url.ts';
import { identityOf, propertiesOf } from './properties.ts';
import { textOf } from './text.ts';
import { userAgentCharsMax } from './user-agent.ts';

/** What every request must name: a site and a page of it. */
export interface Target {
  /** Public key or id of the site. */
  siteKey: string;
  page: PageUrl;
}

export interface ParsedHit
  extends Target,
    Pick<HitRecord, 'title' | 'event' | 'duration' | 'scroll' | 'revenue' | 'properties' | 'identity'> {
  type: WireType;
  /** As it was sent; what of it is kept depends on the page. */
  referrer: string | null;
  language: string | null;
  /** CSS pixels, 0 when unknown. */
  width: number;
  height: number;
  vitals: VitalValues | null;
  /** The browser's own visitor id, for sites in cookie mode. */
  browserId: string | null;
  /** Bits of model/hit.ts. */
  signals: number;
  /** The page was touched, moved over, typed in or scrolled. */
  interacted: boolean;
}

/** A crawler that a server saw (docs/collecting.md, "Crawlers that run no script"). */
export interface ParsedReport extends Target {
  userAgent: string;
  /** HTTP status, 0 when not told. */
  status: number;
}

export type Problem = Extract<Outcome, 'bad-payload' | 'bad-url'>;

const wireTypes: ReadonlySet<unknown> = new Set<WireType>([...(Object.keys(hitTypes) as WireType[]), 'vitals']);
const namedTypes: ReadonlySet<WireType> = new Set(eventTypes);

/** The hit that a body means, or what is wrong with it. */
export const parseHit = (hit: unknown): ParsedHit | Problem => {
  if (!isRecord(hit)) return 'bad-payload';
  const { t = 'pageview', r, ti, l, w, h, n, d, sc, p, v, c, i, b, x } = hit;
  if (!wireTypes.has(t)) return 'bad-payload';
  const target = parseTarget(hit);
  if (typeof target === 'string') return target;
  const type = t as WireType;
  const isEvent = namedTypes.has(type);
  const tellsOfPage = type === 'pageview' || type === 'duration';
  return {
    siteKey: target.siteKey,
    page: target.page,
    type,
    referrer: textOf(r, referrerCharsMax),
    title: textOf(ti, titleCharsMax),
    language: textOf(l, languageCharsMax),
    width: whole(w, 65_535),
    height: whole(h, 65_535),
    event: isEvent ? textOf(n, eventNameCharsMax) : null,
    duration: tellsOfPage ? whole(d, durationMsMax) : 0,
    scroll: tellsOfPage ? percentOf(sc) : null,
    revenue: type === 'revenue' ? { amount: amountOf(v), currency: currencyOf(c) } : null,
    properties: isEvent || type === 'pageview' ? propertiesOf(p) : [],
    identity: type === 'identify' ? identityOf(p) : null,
    vitals: type === 'vitals' ? vitalsOf(p) : null,
    browserId: typeof i === 'string' && i !== '' ? i : null,
    signals: typeof b === 'number' ? b : 0,
    interacted: x === 1,
  };
};

/** The site that a body names, whether or not the rest of it is right; null when it names none. */
export const siteKeyOf = (body: unknown): string | null =>
  isRecord(body) && typeof body.s === 'string' ? body.s : null;

/** One report of POST /crawl, or what is wrong with it. */
export const parseReport = (body: unknown): ParsedReport | Problem => {
  if (!isRecord(body)) return 'bad-payload';
  const { ua, st } = body;
  if (typeof ua !== 'string' || ua === '') return 'bad-payload';
  const target = parseTarget(body);
  if (typeof target === 'string') return target;
  const isStatus = typeof st === 'number' && Number.isInteger(st) && st >= 100 && st <= 599;
  return { ...target, userAgent: ua.slice(0, userAgentCharsMax), status: isStatus ? st : 0 };
};

const parseTarget = ({ s, u }: Record<string, unknown>): Target | Problem => {
  if (typeof s !== 'string' || s === '' || typeof u !== 'string' || u === '') return 'bad-payload';
  const page = parsePageUrl(u);
  return page === null ? 'bad-url' : { siteKey: s, page };
};

/** A number rounded and clamped to 0 … most; 0 for anything else. */
const whole = (value: unknown, most: number): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.round(value), most) : 0;

/** A number of 0 to 100, rounded; null for anything else. */
const percentOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= 100 ? Math.round(value) : null;

/**
 * Amounts are added up, so one that doubles cannot add exactly becomes 0. Negative ones are
 * refunds.
 */
const amountOf = (value: unknown): number => {
  const amount = typeof value === 'number' ? Math.round(value) : 0;
  return Number.isSafeInteger(amount) ? amount : 0;
};

/** ISO 4217's code for no currency. */
const noCurrency = 'XXX';

/** What is no currency code is not taken for dollars: its amount is kept apart from every other. */
const currencyOf = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? (currencyCode(value) ?? noCurrency) : 'USD';

const vitalsOf = (value: unknown): VitalValues => {
  const given = isRecord(value) ? value : {};
  return Object.fromEntries(vitalNames.map(name => [name, metricOf(given[name], vitals[name].max)])) as VitalValues;
};

const metricOf = (value: unknown, most: number): number | null =>
  typeof value === 'number' && value >= 0 && value <= most ? value : null;
