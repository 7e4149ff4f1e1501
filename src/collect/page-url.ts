/** What the address of a page says (docs/collecting.md, "The page"). */
import { unescape as decodeLossy } from 'node:querystring';
import { lru } from 'tiny-lru';
import { urlCharsMax } from '../model/limits.ts';
import { snakeCase } from '../model/snake-case.ts';
import { type ClickId, clickIds, isTracking, sourceFallbacks } from '../model/tracking-parameters.ts';
import { type VisitTextName, visitTextNames } from '../model/visit-fields.ts';

/** What the address says of the campaign: `utmSource` is its parameter `utm_source`. */
type CampaignName = Extract<VisitTextName, `utm${string}`>;
export type Campaign = Record<CampaignName, string | null>;

export interface PageUrl {
  /** What globs of excluded paths are matched with: at most `urlCharsMax` characters. */
  pathname: string;
  /** The pathname, and the hash where it is a route. */
  path: string;
  /** Lower-case, without port. */
  hostname: string;
  /** The query without tracking parameters, in its order and without `?`. */
  query: string | null;
  campaign: Campaign;
  /** Name of the first parameter that an ad's click leaves; null without one. */
  clickId: ClickId | null;
}

/** The texts of a visit that the address of its first page gives. */
export const campaignNames = visitTextNames.filter((name): name is CampaignName => name.startsWith('utm'));
const campaignParameters = campaignNames.map(name => [name, snakeCase(name)] as const);
const noCampaign = Object.freeze(Object.fromEntries(campaignNames.map(name => [name, null])) as Campaign);

const clickIdNames: ReadonlySet<string> = new Set(clickIds);

/**
 * Pages that are remembered by their address, unless that is longer than most: about 10 MB. Reading
 * one takes 3 µs, and many hits are of few pages. So are referrers.
 */
const rememberedMax = 10_000;
const rememberedCharsMax = 250;
const remembered = lru<PageUrl>(rememberedMax);

/**
 * Null when the first 2000 characters are not an http or https address. The same address may give
 * the same object.
 */
export const parsePageUrl = (text: string): PageUrl | null => {
  if (text.length > rememberedCharsMax) return readPageUrl(text);
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const page = readPageUrl(text);
  if (page !== null) remembered.set(text, page);
  return page;
};

const readPageUrl = (text: string): PageUrl | null => {
  const url = parseUrl(text.length > urlCharsMax ? text.slice(0, urlCharsMax) : text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  const { pathname, hash, search, hostname } = url;
  const isRoute = hash.startsWith('#/') || hash.startsWith('#!');
  const path = clipped(isRoute ? pathname + hash : pathname);
  return search === ''
    ? { pathname: readable(pathname), path, hostname, query: null, campaign: noCampaign, clickId: null }
    : { pathname: readable(pathname), path, hostname, ...parseSearch(search) };
};

/**
 * Parsing escapes what is not ASCII, to up to nine times its length. No filter could ask for a name
 * that long.
 */
const clipped = (escaped: string): string => escaped.slice(0, urlCharsMax);

/** Clipped where a character ends, so that it can still be decoded. */
const readable = (escaped: string): string =>
  escaped.length > urlCharsMax ? clipped(escaped).replace(/(?:%[C-F].(?:%[89AB].){0,2})?(?:%.?)?$/i, '') : escaped;

const parseSearch = (search: string): Pick<PageUrl, 'query' | 'campaign' | 'clickId'> => {
  const found = new Map<string, string>();
  const left: string[] = [];
  for (const pair of search.slice(1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    if (!isTracking(name)) left.push(pair);
    else if (equals !== -1 && equals + 1 < pair.length && !found.has(name))
      found.set(name, decode(pair.slice(equals + 1)));
  }
  const query = left.length === 0 ? null : clipped(left.join('&'));
  if (found.size === 0) return { query, campaign: noCampaign, clickId: null };
  const clickId = [...found.keys()].find((name): name is ClickId => clickIdNames.has(name)) ?? null;
  return { query, campaign: campaignOf(found), clickId };
};

const campaignOf = (found: ReadonlyMap<string, string>): Campaign => {
  const values = campaignParameters.map(([name, parameter]) => [name, found.get(parameter) ?? null]);
  const campaign = Object.fromEntries(values) as Campaign;
  const fallback = sourceFallbacks.find(name => found.has(name));
  if (fallback !== undefined) campaign.utmSource ??= found.get(fallback)!;
  return campaign;
};

/** Form decoding, which never fails: what is not UTF-8 becomes replacement characters. */
const decode = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeLossy(spaced) : spaced;
};

/**
 * The domain a visit came from; null when there is none, or when it is the page's own, the site's
 * or a subdomain of the site's.
 */
export const referrerDomain = (referrer: string | null, hostname: string, siteDomain: string): string | null => {
  const domain = referrer === null ? null : domainOf(referrer);
  if (domain === null || domain === withoutWww(hostname)) return null;
  const own = withoutWww(siteDomain);
  return domain === own || domain.endsWith(`.${own}`) ? null : domain;
};

const rememberedReferrers = lru<string | null>(rememberedMax);

/** The domain of a referrer, whoever got there from it; null where it has none. */
const domainOf = (referrer: string): string | null => {
  const known = rememberedReferrers.get(referrer);
  if (known !== undefined) return known;
  const url = parseUrl(referrer);
  const isPage = url !== null && referrerProtocols.has(url.protocol);
  const domain = (isPage && withoutWww(url.hostname.toLowerCase())) || null;
  if (referrer.length <= rememberedCharsMax) rememberedReferrers.set(referrer, domain);
  return domain;
};

const referrerProtocols = new Set(['https:', 'http:', 'android-app:']);

export const withoutWww = (hostname: string): string => (hostname.startsWith('www.') ? hostname.slice(4) : hostname);

const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text);
  } catch {
    // Not an address: for a page that is the sender's mistake, and a referrer counts as none.
    return null;
  }
};
