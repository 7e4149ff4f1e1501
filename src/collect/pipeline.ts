/**
 * A hit's way from what arrived to what is written: one list of steps, cheap and certain refusals
 * first. Nothing here knows of HTTP, so an import of old hits goes the same way, with their own
 * time as the clock.
 */

import { isNonCounting } from '../model/hit.ts';
import type { Random } from '../model/ids.ts';
import { addressMatcher } from '../model/ip-ranges.ts';
import { makeKeyedHash } from '../model/keyed-hash.ts';
import { propertiesPerHit, visitIdleMs } from '../model/limits.ts';
import type { Outcome } from '../model/outcomes.ts';
import type { Told } from '../model/past-hit.ts';
import type { Site } from '../model/site.ts';
import { utcDayOf } from '../model/time.ts';
import type { SiteDirectory } from '../store/sites.ts';
import type { Entry, Recorder, VisitRecord } from '../store/write/recorder.ts';
import { allowedHostMatcher } from './allowed-hosts.ts';
import { automationName } from './automation.ts';
import { type TakeFromBudget, type TakeFromVisitor, visitorBudgets } from './budgets.ts';
import { excludedPathMatcher } from './excluded-paths.ts';
import { type Geo, type GeoPlace, placeNames } from './geo.ts';
import { type Order, type Orders, orderMemory } from './orders.ts';
import type { OtherHosts } from './other-hosts.ts';
import { type Campaign, campaignNames, referrerDomain } from './page-url.ts';
import { type ParsedHit, type ParsedReport, parseHit, parseReport, siteKeyOf, type Target } from './parse.ts';
import { type Client, clientReader, crawlerName } from './user-agent.ts';
import {
  dailySalts,
  dailyVisitor,
  lastingVisitor,
  ownVisitor,
  type SaltStore,
  toldVisitor,
  type VisitorKey,
  visitorBuffer,
  visitorKeyOf,
} from './visitor.ts';
import { type ActiveVisits, activeVisits } from './visits.ts';

/** What arrives, whichever way. */
export interface Arrival {
  /** UTC milliseconds. The day it falls on is open, and none that came before was newer. */
  at: number;
  /** The client's canonical address; empty when it is not known. */
  address: string;
  /** At most `userAgentCharsMax` characters; empty when there was none. */
  userAgent: string;
  /** Parsed JSON, not checked yet; undefined when it was none. */
  body: unknown;
  /**
   * The network whose budget the hit is taken from. Without one it is taken from none: an import,
   * or a server that showed an API key.
   */
  network?: number | undefined;
  /** What an import knows without address and user agent. */
  told?: Told | undefined;
  /** The account whose API key was shown. Such a sender may send to its own sites alone. */
  accountId?: number | undefined;
  /** UUIDs of the only sites that the key is for; null or missing for all of the account. */
  keySites?: readonly string[] | null | undefined;
  /** It was made so long ago that nobody can tell its visit any more. */
  isOld?: true;
  /** Names the visitor of the day in place of address and user agent: servers with a key. */
  session?: string;
  /** Id of an order, which a site counts once. */
  order?: string;
}

/**
 * A hit on its way: what arrived, what will be written, and what each step found out for those
 * after it.
 */
export interface Passage {
  readonly arrival: Arrival;
  readonly entry: Entry;
  /** From `readHit` or `readReport`. */
  target: Target;
  /** From `readHit`. */
  hit: ParsedHit;
  /** From `readReport`. */
  report: ParsedReport;
  /** From `findSite`. */
  site: Site;
  /** From `ignoreCrawler`. */
  client: Client;
  /** From `identifyVisitor`. */
  visitor: VisitorKey;
  persistent: boolean;
  /** From `joinVisit`. */
  visitId: number;
}

/** What the steps work with. */
interface Parts {
  directory: Pick<SiteDirectory, 'find'>;
  geo: Geo;
  clientOf: (userAgent: string) => Client;
  isExcluded: (site: Site, address: string) => boolean;
  isExcludedPath: (site: Site, path: string) => boolean;
  isAllowedHost: (site: Site, host: string) => boolean;
  noteOtherHost: OtherHosts['note'];
  takeFromBudget: TakeFromBudget;
  takeFromVisitor: TakeFromVisitor;
  saltOf: (day: number) => string;
  visits: ActiveVisits;
  orders: Orders;
}

/** Passes the hit on, or ends its way with an outcome. */
type Step = (passage: Passage, parts: Parts) => Outcome | undefined;

const readHit: Step = (passage, { directory }) => {
  const { arrival, entry } = passage;
  const hit = parseHit(arrival.body);
  if (typeof hit === 'string') {
    entry.siteId = namedSite(arrival.body, directory);
    return hit;
  }
  passage.hit = hit;
  passage.target = hit;
  return undefined;
};

const findSite: Step = (passage, { directory }) => {
  const { target, arrival } = passage;
  const site = directory.find(target.siteKey, arrival.accountId);
  if (site === undefined || (arrival.accountId ?? site.accountId) !== site.accountId) return 'unknown-site';
  if (arrival.keySites && !arrival.keySites.includes(site.uuid)) return 'unknown-site';
  if (site.members !== null) return 'unknown-site'; // a rollup has no hits of its own
  passage.site = site;
  passage.entry.siteId = site.id;
  return undefined;
};

const refuseOld: Step = ({ arrival }) => (arrival.isOld ? 'too-old' : undefined);

const excludeAddress: Step = ({ site, arrival }, { isExcluded }) =>
  isExcluded(site, arrival.address) ? 'excluded-ip' : undefined;

const limitSender: Step = (passage, parts) =>
  isWithinBudget(passage, parts, costOf(passage.hit)) ? undefined : 'rate-limited';

/** Many properties count as further hits: they take as much memory and disk. */
const costOf = ({ properties }: ParsedHit): number => Math.max(1, Math.ceil(properties.length / propertiesPerHit));

const isWithinBudget = ({ site, arrival }: Passage, { takeFromBudget }: Parts, hits: number): boolean =>
  arrival.network === undefined || takeFromBudget(site, arrival.network, arrival.at, hits);

const excludePath: Step = ({ site, target }, { isExcludedPath }) =>
  isExcludedPath(site, target.page.pathname) ? 'excluded-path' : undefined;

const excludeOtherHost: Step = ({ site, target, arrival }, { isAllowedHost, noteOtherHost }) => {
  if (site.allowedHosts.length === 0 || isAllowedHost(site, target.page.hostname)) return undefined;
  noteOtherHost(site.id, target.page.hostname, arrival.at);
  return 'other-host';
};

const excludeCountry: Step = ({ site, arrival: { told, address } }, { geo }) => {
  if (site.excludedCountries.length === 0) return undefined;
  const country = told?.texts?.country ?? geo.place(address).country;
  return country !== null && site.excludedCountries.includes(country) ? 'excluded-country' : undefined;
};

const ignoreCrawler: Step = (passage, { clientOf }) => {
  const client = clientOf(passage.arrival.userAgent);
  passage.client = client;
  if (client.crawler === null || client.headless) return undefined;
  addCrawl(passage, client.crawler, 0);
  return 'crawler';
};

const ignoreAutomation: Step = passage => {
  const { client, hit } = passage;
  const name = client.headless ? client.crawler : automationName(hit.signals, hit.interacted);
  if (name === null) return undefined;
  addCrawl(passage, name, 0);
  return 'automation';
};

const addCrawl = ({ entry, target }: Passage, name: string, status: number): void => {
  entry.crawl = { siteId: entry.siteId, at: entry.at, name, path: target.page.path, status };
};

/** Web vitals are a record of their own: they neither begin nor extend a visit. */
const recordVitals: Step = ({ entry, hit, client }) => {
  if (hit.vitals === null) return undefined;
  const reported = Object.values(hit.vitals).some(value => value !== null);
  if (reported) {
    entry.vital = { siteId: entry.siteId, at: entry.at, path: hit.page.path, device: client.device, ...hit.vitals };
  }
  return 'recorded';
};

const identifyVisitor: Step = (passage, { saltOf }) => {
  const { arrival, hit, site } = passage;
  const { told } = arrival;
  const own = told && ownVisitor(site, utcDayOf(arrival.at), told);
  if (own !== undefined) {
    passage.visitor = own.visitor;
    passage.persistent = own.lasts;
    return undefined;
  }
  const lastingId = hit.browserId ?? (told?.lasts === true ? (told.visitor ?? null) : null);
  const browserId = site.identityMode === 'cookie' ? lastingId : null;
  const day = utcDayOf(arrival.at);
  passage.persistent = browserId !== null;
  if (browserId !== null) passage.visitor = lastingVisitor(site, browserId);
  else if (told?.visitor !== undefined) passage.visitor = toldVisitor(site, day, told.visitor);
  else {
    const from = arrival.session === undefined ? arrival.address : `session ${arrival.session}`;
    passage.visitor = dailyVisitor(saltOf(day), site.id, from, arrival.userAgent);
  }
  return undefined;
};

/** A server that sends for many visitors from one address may send them all as one visitor. */
const limitVisitor: Step = ({ arrival, hit, visitor }, { takeFromVisitor }) =>
  arrival.network === undefined || takeFromVisitor(visitor, arrival.at, costOf(hit)) ? undefined : 'visitor-limit';

/** Whoever loads the last page of a shop again has not bought again. */
const ignoreRepeatedOrder: Step = ({ arrival, entry, site }, { orders }) => {
  if (arrival.order === undefined) return undefined;
  entry.order = { accountId: site.accountId, id: `${site.id} ${arrival.order}` };
  return orders.take(entry.order) ? undefined : 'repeated-order';
};

/** Continues the visitor's visit or begins one, whose attributes are then those of this hit. */
const joinVisit: Step = (passage, { visits, geo }) => {
  const { arrival, entry, site, hit, client, visitor, persistent } = passage;
  const ongoing = visits.extend(visitor, arrival.at);
  if (ongoing !== undefined) {
    passage.visitId = ongoing;
    return undefined;
  }
  const { hostname, campaign, clickId } = hit.page;
  passage.visitId = visits.begin(visitor, arrival.at);
  const visit = {
    id: passage.visitId,
    siteId: entry.siteId,
    day: utcDayOf(arrival.at),
    visitor: visitorBuffer(visitor),
    persistent,
    referrer: referrerDomain(hit.referrer, hostname, site.domain),
    clickId,
    language: hit.language,
    browser: client.browser,
    os: client.os,
    device: client.device,
    width: hit.width,
    height: hit.height,
  } satisfies Omit<VisitRecord, keyof Campaign | keyof GeoPlace> as VisitRecord;
  // Spread into the visit, they would take a microsecond more.
  const place = geo.place(arrival.address);
  for (const name of campaignNames) visit[name] = campaign[name];
  for (const name of placeNames) visit[name] = place[name];
  if (arrival.told?.texts !== undefined) Object.assign(visit, arrival.told.texts);
  entry.visit = visit;
  return undefined;
};

/**
 * A non-counting hit only extends its visit or names it, so it keeps nothing of the page it came
 * from.
 */
const recordHit: Step = ({ entry, hit, visitor, persistent, visitId }) => {
  const { type } = hit;
  if (type === 'vitals') return undefined;
  const page = isNonCounting(type) ? null : hit.page;
  entry.hit = {
    siteId: entry.siteId,
    day: utcDayOf(entry.at),
    visitId,
    at: entry.at,
    type,
    path: page?.path ?? null,
    hostname: page?.hostname ?? null,
    title: page === null ? null : hit.title,
    query: page?.query ?? null,
    event: hit.event,
    duration: hit.duration,
    scroll: hit.scroll,
    revenue: hit.revenue,
    properties: hit.properties,
    identity: hit.identity,
  };
  if (persistent) entry.cookieVisitor = visitorBuffer(visitor);
  return 'recorded';
};

/** The way of every hit. `readHit` and `identifyVisitor` take most of the time, 2 and 1 µs. */
export const steps: readonly Step[] = [
  readHit,
  findSite,
  refuseOld,
  excludeAddress,
  limitSender,
  excludePath,
  // Before hosts, which are noted.
  excludeCountry,
  excludeOtherHost,
  ignoreCrawler,
  ignoreAutomation,
  recordVitals,
  identifyVisitor,
  limitVisitor,
  ignoreRepeatedOrder,
  joinVisit,
  recordHit,
];

const readReport: Step = (passage, { directory }) => {
  const { arrival, entry } = passage;
  const report = parseReport(arrival.body);
  if (typeof report === 'string') {
    entry.siteId = namedSite(arrival.body, directory);
    return report;
  }
  passage.report = report;
  passage.target = report;
  return undefined;
};

const recordReport: Step = passage => {
  const crawler = crawlerName(passage.report.userAgent);
  if (crawler === null) return 'not-crawler';
  addCrawl(passage, crawler, passage.report.status);
  return 'crawler';
};

/**
 * The way of a server's report of a crawler that runs no script, before the reports of a list are
 * taken from their budgets together, and after it. The address is the server's, so it excludes
 * nothing.
 */
export const reportSteps: readonly Step[] = [readReport, findSite];
export const reportStepsWithinBudget: readonly Step[] = [excludePath, excludeOtherHost, recordReport];

/**
 * Takes reports from their budgets, those of one site together: one by one, the first of a list
 * that is refused for its last would use up what the list needs when it is sent again.
 */
const limitReports = (passages: readonly Passage[], parts: Parts): void => {
  const bySite = new Map<Site, Passage[]>();
  for (const passage of passages) bySite.set(passage.site, [...(bySite.get(passage.site) ?? []), passage]);
  for (const ofSite of bySite.values())
    if (!isWithinBudget(ofSite[0]!, parts, ofSite.length))
      for (const { entry } of ofSite) entry.outcome = 'rate-limited';
};

export interface PipelineOptions {
  recorder: Pick<Recorder, 'nextVisitId' | 'activeVisits'>;
  salts: SaltStore;
  directory: Pick<SiteDirectory, 'find'>;
  geo: Geo;
  random: Random;
  /** Without it, senders may send what they like. */
  takeFromBudget?: TakeFromBudget;
  /** Hears of hosts that a site does not allow. */
  noteOtherHost?: OtherHosts['note'];
  /** UTC milliseconds: visits that were under way at this moment continue. */
  startAt: number;
  /** By default those that are under way. */
  visits?: ActiveVisits;
  /** By default made at random, one for each day. */
  saltOf?: (day: number) => string;
}

export interface Pipeline {
  /**
   * What a hit writes; its outcome is `recorded` only when it is one. Throws when the day's salt
   * cannot be stored.
   */
  process(arrival: Arrival): Entry;
  /**
   * What the reports of one POST /crawl write. Their addresses and user agents are ignored. Nothing
   * is taken from a budget if one of them is wrong, and then none is looked at any further.
   */
  reports(arrivals: readonly Arrival[]): Entry[];
  /** Forgets a visit that could not be written, so that its visitor's next hit begins one. */
  forget(visit: Pick<VisitRecord, 'visitor'>): void;
  /** Forgets an order that could not be written, so that it counts when it is sent again. */
  forgetOrder(order: Order): void;
  /** Makes the salt of the day of `at` if that is a new one, so that the salt before it is gone. */
  rotate(at: number): void;
}

/** What the steps need, made once for all hits. */
export const partsOf = (options: PipelineOptions): Parts => {
  const { recorder, salts, directory, geo, random, takeFromBudget = () => true, startAt } = options;
  return {
    directory,
    geo,
    clientOf: clientReader(),
    isExcluded: exclusion(({ excludedIps }) => excludedIps, addressMatcher),
    isExcludedPath: exclusion(({ excludedPaths }) => excludedPaths, excludedPathMatcher),
    isAllowedHost: exclusion(({ allowedHosts }) => allowedHosts, allowedHostMatcher),
    noteOtherHost: options.noteOtherHost ?? (() => {}),
    takeFromBudget,
    takeFromVisitor: visitorBudgets(makeKeyedHash(random)),
    saltOf: options.saltOf ?? dailySalts(salts, random),
    visits:
      options.visits ??
      activeVisits(makeKeyedHash(random), recorder.nextVisitId(), recorder.activeVisits(startAt - visitIdleMs)),
    orders: orderMemory(),
  };
};

/** Where a hit's way begins. */
export const begin = (arrival: Arrival): Passage => {
  const entry: Entry = { siteId: 0, at: arrival.at, outcome: 'recorded', network: arrival.network };
  return { arrival, entry } as Passage;
};

export const createPipeline = (options: PipelineOptions): Pipeline => {
  const parts = partsOf(options);
  const walk = (way: readonly Step[], passage: Passage): Entry => {
    for (const step of way) {
      const outcome = step(passage, parts);
      if (outcome === undefined) continue;
      passage.entry.outcome = outcome;
      break;
    }
    return passage.entry;
  };
  const isOnItsWay = ({ entry }: Passage): boolean => entry.outcome === 'recorded';

  return {
    process: arrival => walk(steps, begin(arrival)),
    reports(arrivals) {
      const passages = arrivals.map(begin);
      for (const passage of passages) walk(reportSteps, passage);
      if (passages.every(isOnItsWay)) {
        limitReports(passages, parts);
        for (const passage of passages.filter(isOnItsWay)) walk(reportStepsWithinBudget, passage);
      }
      return passages.map(({ entry }) => entry);
    },
    forget: ({ visitor }) => parts.visits.forget(visitorKeyOf(visitor)),
    forgetOrder: parts.orders.forget,
    rotate(at) {
      parts.saltOf(utcDayOf(at));
    },
  };
};

/**
 * Most sites list nothing. The lists of the others are compiled once, as long as the directory
 * keeps the site unchanged.
 */
const exclusion = (
  listOf: (site: Site) => readonly string[],
  compile: (list: readonly string[]) => (text: string) => boolean,
): ((site: Site, text: string) => boolean) => {
  const compiled = new WeakMap<Site, (text: string) => boolean>();
  return (site, text) => {
    const list = listOf(site);
    if (list.length === 0) return false;
    let matches = compiled.get(site);
    if (matches === undefined) {
      matches = compile(list);
      compiled.set(site, matches);
    }
    return matches(text);
  };
};

/** Rejected requests are counted for the site they name, where they name one. */
const namedSite = (body: unknown, directory: Parts['directory']): number =>
  directory.find(siteKeyOf(body) ?? '')?.id ?? 0;
