/** Files of the past as products write them, and what of each hit such a file can tell. */
import { zipOf } from '../import/zip-file.ts';
import type { NaiveSum } from '../naive-sums.ts';
import type { Said, SaidSums, VisitTexts } from './people.ts';
import { addressOf, wireHit } from './people.ts';

export interface PastHit {
  at: number;
  said: Said;
}

/** Whom a line names: by address and user agent, by an id of that day, or by one that lasts in cookie mode. */
type Naming = 'address' | 'day' | 'lasting';

export interface PastFormat {
  name: string;
  /** As imports call it. */
  format: string;
  naming: Naming;
  /** Times are whole multiples of so many milliseconds. */
  stepMs: number;
  /** The hit with what the file can tell of it; null where it has no place for such a hit. */
  told(said: Said, domain: string): Said | null;
  /** What the file says of the visit, of what a page's script would. */
  texts(texts: VisitTexts): VisitTexts;
  write(hits: readonly PastHit[], domain: string): string;
}

const iso = (at: number): string => new Date(at).toISOString();
const lines = (rows: readonly unknown[]): string => rows.map(row => `${JSON.stringify(row)}\n`).join('');
const plain = { properties: [], revenue: null, traits: null, duration: 0, scroll: null };

/** Our own, with addresses and user agents. */
const ndjson: PastFormat = {
  ...{ name: 'ndjson', format: 'ndjson', naming: 'address', stepMs: 1 },
  told: said => said,
  texts: texts => texts,
  write: hits =>
    lines(
      hits.map(({ at, said }) => {
        return { at: iso(at), ip: said.person.address, ua: said.person.agent.text, hit: wireHit(said) };
      }),
    ),
};

/** Our own, with what somebody else knew of visitors. */
const ndjsonTold: PastFormat = {
  ...{ name: 'ndjson told', format: 'ndjson', naming: 'lasting', stepMs: 1 },
  told: said => said,
  texts: texts => texts,
  write: hits =>
    lines(
      hits.map(({ at, said }) => {
        const { agent, place, id } = said.person;
        const { text: _, ...names } = agent;
        return { at: iso(at), visitor: id, ...names, ...place, hit: wireHit(said) };
      }),
    ),
};

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const logTime = (at: number): string => {
  const [, year, month, day, clock] = /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(iso(at))!;
  return `${day}/${months[Number(month) - 1]}/${year}:${clock} +0000`;
};

const combined: PastFormat = {
  ...{ name: 'combined', format: 'combined', naming: 'address', stepMs: 1000 },
  told: (said, hostname) => (said.type === 'pageview' ? { ...said, ...plain, hostname, title: null } : null),
  texts: texts => ({ ...texts, language: null, width: 0, height: 0 }),
  write: hits =>
    hits
      .map(({ at, said }) => {
        const { person, referrer } = said;
        const target = addressOf(said).replace(/^https:..[^/]*/, '');
        const from = referrer === null ? '-' : `https://www.${referrer}/x`;
        return `${person.address} - - [${logTime(at)}] "GET ${target} HTTP/1.1" 200 99 "${from}" "${person.agent.text}"\n`;
      })
      .join(''),
};

const utc = (at: number): string => iso(at).replace('T', ' ').replace('Z', '');
const csv = (rows: readonly (readonly string[])[]): string =>
  rows.map(row => `${row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`).join('');

/** Its table of hits alone, which has no properties. */
const umami: PastFormat = {
  ...{ name: 'umami', format: 'umami', naming: 'lasting', stepMs: 1 },
  told: said => (said.type === 'pageview' || said.type === 'custom' ? { ...said, ...plain } : null),
  texts: texts => texts,
  write: hits =>
    csv([
      'website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,region,city,url_path,url_query,referrer_domain,page_title,event_type,event_name,created_at'.split(
        ',',
      ),
      ...hits.map(({ at, said }, i) => {
        const { person, hostname, path, referrer, title, event } = said;
        const { agent, place, language, width, height } = person;
        const [, query = ''] = addressOf(said).split('?');
        return [
          ...['w', person.id, `v${i}`, `e${i}`, hostname, agent.browser, agent.os, agent.device, `${width}x${height}`],
          ...[language, place.country ?? '', place.region ?? '', place.city ?? '', path, query, referrer ?? ''],
          ...[title ?? '', event === null ? '1' : '2', event ?? '', `${utc(at)}+00`],
        ];
      }),
    ]),
};

/** Of a server of its own: a line of JSON for each row of events_v2. */
const plausible: PastFormat = {
  ...{ name: 'plausible-ce', format: 'plausible-ce', naming: 'day', stepMs: 1000 },
  told: said =>
    said.type === 'identify'
      ? null
      : {
          ...{ ...said, ...plain, title: null, query: null, clickId: null },
          ...(said.type === 'duration' && { duration: said.duration, scroll: said.scroll }),
          revenue: said.revenue,
          properties: said.properties.filter(({ key }) => key === 'plan'),
        },
  texts: texts => ({ ...texts, language: null, width: 0, height: 0, city: null, region: null }),
  write: hits =>
    lines(
      hits.map(({ at, said }) => {
        const { person, type, hostname, path, referrer, campaign, event, duration, scroll, revenue, properties } = said;
        const names = { pageview: 'pageview', duration: 'engagement', outbound: 'Outbound Link: Click' };
        const meta = type === 'outbound' ? [['url', event]] : properties.map(({ key, value }) => [key, value]);
        return {
          ...{ name: names[type as 'pageview'] ?? event, site_id: 1, user_id: person.id, session_id: '1' },
          ...{ hostname, pathname: path, timestamp: utc(at).slice(0, 19) },
          ...{ browser: person.agent.browser, operating_system: person.agent.os },
          ...{ screen_size: person.agent.device, country_code: person.place.country ?? '\0\0' },
          ...{ referrer: referrer === null ? '' : `https://www.${referrer}/x` },
          ...{ utm_source: campaign?.source ?? '', utm_medium: campaign?.medium ?? '' },
          ...{ utm_campaign: campaign?.name ?? '', engagement_time: duration, scroll_depth: scroll ?? 255 },
          ...{ 'meta.key': meta.map(([key]) => key), 'meta.value': meta.map(([, value]) => value) },
          ...(revenue !== null && {
            revenue_source_amount: revenue.currency === 'JPY' ? `${revenue.amount}` : (revenue.amount / 100).toFixed(2),
            revenue_source_currency: revenue.currency,
          }),
        };
      }),
    ),
};

/** A visit for each action. Its clicks on links are about the site's first page. */
const matomo: PastFormat = {
  ...{ name: 'matomo', format: 'matomo', naming: 'lasting', stepMs: 1000 },
  told(said, domain) {
    const bare = { ...said, ...plain };
    if (said.type === 'pageview') return bare;
    if (said.type === 'custom') return { ...bare, title: null };
    if (said.type !== 'outbound') return null;
    return { ...bare, hostname: domain, path: '/', query: null, title: null, campaign: null, clickId: null };
  },
  texts: texts => texts,
  write: hits =>
    JSON.stringify(
      hits.map(({ at, said }, i) => {
        const { person, type, referrer, title, event } = said;
        const [url, timestamp] = [addressOf(said), at / 1000];
        const action = {
          pageview: { type: 'action', url, pageTitle: title ?? '', timestamp },
          custom: { type: 'event', url, eventCategory: event, timestamp },
          outbound: { type: 'outlink', url: event, timestamp },
        }[type as 'pageview'];
        return {
          ...{ idVisit: i + 1, visitorId: person.id, languageCode: person.language },
          ...{ resolution: `${person.width}x${person.height}`, browserName: person.agent.browser },
          ...{ operatingSystemName: person.agent.os, deviceType: person.agent.device },
          ...{ countryCode: person.place.country ?? '', region: person.place.region ?? '' },
          ...{ city: person.place.city ?? '', referrerUrl: referrer === null ? '' : `https://www.${referrer}/x` },
          actionDetails: [action],
        };
      }),
    ),
};

export const pastFormats: readonly PastFormat[] = [ndjson, ndjsonTold, combined, umami, plausible, matomo];

/** Counts of days, of which products tell more or less. */
export type SumDay = SaidSums & { date: string };

export interface SumFormat {
  name: string;
  /** Whether its days are those of UTC, and not of the site's zone. */
  isUtc: boolean;
  /** What of a day it tells. */
  told(day: SaidSums): SaidSums;
  /** `day` is as it is told. */
  write(days: readonly SumDay[]): Buffer;
}

const cellsOf = (names: readonly (keyof NaiveSum)[], sum: NaiveSum): string[] =>
  names.map(name => String(name === 'visitMs' ? sum.visitMs! / 1000 : sum[name]));
const mapped = (of: Map<string, NaiveSum>, change: (sum: NaiveSum) => NaiveSum): Map<string, NaiveSum> =>
  new Map([...of].map(([value, sum]) => [value, change(sum)]));

const plausibleSums: SumFormat = {
  ...{ name: 'plausible', isUtc: false },
  told: day => day,
  write(days) {
    const columns = ['visitors', 'pageviews', 'bounces', 'visits', 'visit_duration'];
    const cells = (sum: NaiveSum) => cellsOf(['visitors', 'pageviews', 'bounces', 'visits', 'visitMs'], sum);
    const tableOf = (name: string, by: 'path' | 'browser') =>
      csv([
        ['date', name, ...columns],
        ...days.flatMap(day => [...day[by]].map(([value, sum]) => [day.date, value, ...cells(sum)])),
      ]);
    return zipOf({
      'imported_visitors_20260101_20261231.csv': csv([
        ['date', ...columns],
        ...days.map(({ date, whole }) => [date, ...cells(whole)]),
      ]),
      'imported_pages_20260101_20261231.csv': tableOf('page', 'path'),
      'imported_browsers_20260101_20261231.csv': tableOf('browser', 'browser'),
    });
  },
};

const untold: NaiveSum = { visitors: null, visits: null, bounces: null, visitMs: null, pageviews: null, events: null };

/** It counts by page and hour, and says of browsers how many page views they had. */
const goatcounterSums: SumFormat = {
  ...{ name: 'goatcounter-json', isUtc: true },
  told({ whole, path, browser }) {
    const pages = mapped(path.size === 0 ? new Map([['/', whole]]) : path, ({ visitors }) => {
      return { ...untold, visitors, pageviews: visitors };
    });
    const pageviews = [...pages.values()].reduce((sum, of) => sum + of.pageviews!, 0);
    const browsers = mapped(browser, ({ visitors }) => ({ ...untold, pageviews: visitors }));
    return { whole: { ...untold, pageviews, events: 0 }, path: pages, browser: browsers };
  },
  write(days) {
    const named = (by: 'path' | 'browser') => [...new Set(days.flatMap(day => [...day[by].keys()]))];
    const [paths, browsers] = [named('path'), named('browser')];
    const idIn = (names: readonly string[], name: string): number => names.indexOf(name) + 1;
    return zipOf({
      'paths.jsonl': lines(paths.map(path => ({ id: idIn(paths, path), path, title: '' }))),
      'refs.jsonl': lines([{ id: 1, ref: '', ref_scheme: 'o' }]),
      'browsers.jsonl': lines(browsers.map(name => ({ id: idIn(browsers, name), name, version: '1' }))),
      'hit_stats.jsonl': lines(
        days.flatMap(({ date, path }) =>
          [...path].map(([name, { pageviews }], i) => {
            const hour = `${date}T${String((7 * i) % 24).padStart(2, '0')}:00:00Z`;
            return { hour, path_id: idIn(paths, name), ref_id: 1, count: pageviews };
          }),
        ),
      ),
      'browser_stats.jsonl': lines(
        days.flatMap(({ date: day, browser }) =>
          [...browser].map(([name, { pageviews: count }]) => {
            return { day, path_id: 1, browser_id: idIn(browsers, name), count };
          }),
        ),
      ),
    });
  },
};

/** Tables that somebody chose: no events, views of pages without users, and nothing of browsers. */
const ga4Sums: SumFormat = {
  ...{ name: 'ga4', isUtc: false },
  told: ({ whole, path }) => ({
    whole: { ...whole, events: null },
    path: mapped(path, ({ pageviews, visits }) => ({ ...untold, pageviews, visits })),
    browser: new Map(),
  }),
  write(days) {
    const engaged = ({ visits, bounces }: NaiveSum) => String(visits! - bounces!);
    return zipOf({
      'days.csv': csv([
        ['date', 'totalUsers', 'screenPageViews', 'sessions', 'userEngagementDuration', 'engagedSessions'],
        ...days.map(({ date, whole }) => [
          date.replaceAll('-', ''),
          ...cellsOf(['visitors', 'pageviews', 'visits', 'visitMs'], whole),
          engaged(whole),
        ]),
      ]),
      'pages.csv': csv([
        ['date', 'pagePath', 'screenPageViews', 'sessions'],
        ...days.flatMap(({ date, path }) =>
          [...path].map(([value, sum]) => [date.replaceAll('-', ''), value, ...cellsOf(['pageviews', 'visits'], sum)]),
        ),
      ]),
    });
  },
};

export const sumFormats: readonly SumFormat[] = [plausibleSums, goatcounterSums, ga4Sums];
