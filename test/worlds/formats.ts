/** Files of the past as products write them, and what of each hit such a file can tell. */
import type { Said, VisitTexts } from './people.ts';
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
  /** What the file knows the visitor by, where that is not the person's id. */
  visitor?(said: Said): string;
  /** Times are whole multiples of so many milliseconds. */
  stepMs: number;
  /** The hit with what the file can tell of it; null where it has no place for such a hit. */
  told(said: Said, domain: string): Said | null;
  /** What the file says of the visit, of what a page's script would. */
  texts(texts: VisitTexts): VisitTexts;
  write(hits: readonly PastHit[], domain: string): string;
}

const iso = (at: number): string => new Date(at).toISOString();
export const lines = (rows: readonly unknown[]): string => rows.map(row => `${JSON.stringify(row)}\n`).join('');
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
export const csv = (rows: readonly (readonly string[])[]): string =>
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

/** As Caddy writes it, or nginx. */
const jsonLog: PastFormat = {
  ...{ ...combined, name: 'json-log', format: 'json-log' },
  write: (hits, host) =>
    lines(
      hits.map(({ at, said: { person, referrer, ...said } }, i) => {
        const uri = addressOf({ person, referrer, ...said }).replace(/^https:..[^/]*/, '');
        const [from, agent] = [referrer === null ? '' : `https://www.${referrer}/x`, person.agent.text];
        const headers = { 'User-Agent': [agent], ...(from !== '' && { Referer: [from] }) };
        const request = { client_ip: person.address, method: 'GET', host, uri, headers };
        const log = { time_iso8601: iso(at), remote_addr: person.address, host, request_method: 'GET', status: '200' };
        return i % 2 === 0
          ? { ts: at / 1000, request, status: 200 }
          : { ...log, request_uri: uri, http_referer: from || '-', http_user_agent: agent };
      }),
    ),
};

/** Its CSV: page views and events of sessions, which it forgets after eight hours. */
const goatcounter: PastFormat = {
  ...{ name: 'goatcounter', format: 'goatcounter', naming: 'day', stepMs: 1000 },
  told(said, hostname) {
    if (said.type === 'pageview') return { ...said, ...plain, hostname };
    if (said.type !== 'custom') return null;
    return { ...said, ...plain, hostname, path: '/', query: null, campaign: null, clickId: null };
  },
  texts: texts => ({ ...texts, language: null, height: 0, region: null, city: null }),
  write: hits =>
    csv([
      [
        ...['2Path', 'Title', 'Event', 'UserAgent', 'Browser', 'System', 'Session', 'Bot', 'Referrer'],
        ...['Referrer scheme', 'Screen size', 'Location', 'FirstVisit', 'Date'],
      ],
      ...hits.map(({ at, said }) => {
        const { person, event, title, referrer } = said;
        const { agent, id, width, height, place } = person;
        const path = event ?? addressOf(said).replace(/^https:..[^/]*/, '');
        return [
          ...[path, title ?? '', String(event !== null), agent.text, agent.browser, agent.os, id, '0'],
          ...[referrer === null ? '' : `www.${referrer}/x`, referrer === null ? 'o' : 'h', `${width},${height},1`],
          ...[place.country ?? '', 'true', iso(at).replace('.000Z', 'Z')],
        ];
      }),
    ]),
};

const simpleAnalytics: PastFormat = {
  ...{ name: 'simple-analytics', format: 'simple-analytics', naming: 'day', stepMs: 1 },
  told: said => (said.type === 'pageview' || said.type === 'custom' ? { ...said, ...plain, title: null } : null),
  texts: texts => ({ ...texts, region: null, city: null }),
  write: hits =>
    csv([
      [
        ...['added_iso', 'hostname', 'path', 'query', 'datapoint', 'is_robot', 'session_id', 'document_referrer'],
        ...['lang_language', 'viewport_width', 'viewport_height', 'user_agent', 'country_code', 'browser_name'],
        ...['os_name', 'device_type', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
      ],
      ...hits.map(({ at, said }) => {
        const { person, hostname, path, event, referrer, campaign } = said;
        const { agent, id, language, width, height, place } = person;
        const [, query = ''] = addressOf({ ...said, campaign: null }).split('?');
        return [
          ...[iso(at), hostname, path, query, event ?? 'pageview', 'false', id],
          ...[referrer === null ? '' : `https://www.${referrer}/x`, language, String(width), String(height)],
          ...[agent.text, place.country ?? '', agent.browser, agent.os, agent.device],
          ...[campaign?.source ?? '', campaign?.medium ?? '', campaign?.name ?? '', '', ''],
        ];
      }),
    ]),
};

/** It names no visitors: those of a day that are alike are one. */
const fathom: PastFormat = {
  ...{ name: 'fathom', format: 'fathom', naming: 'day', stepMs: 1000 },
  told: said => (said.type === 'pageview' ? { ...said, ...plain, title: null, query: null, clickId: null } : null),
  visitor: ({ person: { agent, place }, referrer, campaign }) =>
    [
      ...[agent.browser, agent.os, agent.device, place.country, place.region, place.city],
      ...[referrer === null ? null : `https://www.${referrer}`, campaign?.source],
    ]
      .map(text => text ?? '')
      .join('\n'),
  texts: texts => ({ ...texts, language: null, width: 0, height: 0 }),
  write: hits =>
    csv([
      [
        ...['datetime', 'hostname', 'pathname', 'pageviews', 'browser', 'operating_system', 'device_type'],
        ...['country_code', 'state', 'city', 'referrer_hostname', 'referrer_pathname'],
        ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
      ],
      ...hits.map(({ at, said: { person, hostname, path, referrer, campaign } }) => {
        const { agent, place } = person;
        return [
          ...[utc(at).slice(0, 19), `https://${hostname}`, path, '1', agent.browser, agent.os, agent.device],
          ...[place.country ?? '', place.region ?? '', place.city ?? ''],
          ...[referrer === null ? '' : `https://www.${referrer}`, referrer === null ? '' : '/x'],
          ...[campaign?.source ?? '', campaign?.medium ?? '', campaign?.name ?? '', '', ''],
        ];
      }),
    ]),
};

const countryNamed = { DE: 'Germany', FR: 'France' } as const;
type Parameter = [key: string, value: Record<string, string | number>];

/** What Google Analytics 4 writes to BigQuery. It has no numbers of scrolling, and no truths. */
const ga4: PastFormat = {
  ...{ name: 'ga4-bigquery', format: 'ga4-bigquery', naming: 'lasting', stepMs: 1 },
  told({ properties, ...said }) {
    const ofEvent = said.type === 'custom' || said.type === 'revenue';
    const kept = { ...said, scroll: null, properties: properties.filter(({ type }) => ofEvent && type !== 'boolean') };
    if (said.type === 'identify') return null;
    if (said.type === 'revenue') return { ...kept, event: 'purchase' };
    return said.type === 'pageview' ? { ...kept, duration: 0 } : kept;
  },
  texts: texts => ({ ...texts, width: 0, height: 0 }),
  write: hits =>
    lines(
      hits.map(({ at, said }) => {
        const { person, type, title, referrer, event, duration, revenue, properties } = said;
        const { agent, place, language } = person;
        const names = { pageview: 'page_view', duration: 'user_engagement', outbound: 'click', revenue: 'purchase' };
        const units = revenue?.currency === 'JPY' ? 1 : 100;
        const parameters: Parameter[] = [
          ['page_location', { string_value: addressOf(said) }],
          ['ga_session_id', { int_value: 1 }],
          ...(title === null ? [] : [['page_title', { string_value: title }] as Parameter]),
          ...(referrer === null ? [] : [['page_referrer', { string_value: `https://www.${referrer}/x` }] as Parameter]),
          ...(type === 'outbound' ? [['link_url', { string_value: event! }] as Parameter] : []),
          ...(type === 'duration' ? [['engagement_time_msec', { int_value: duration }] as Parameter] : []),
          ...(revenue === null ? [] : [['currency', { string_value: revenue.currency }] as Parameter]),
          ...(revenue === null ? [] : [['value', { double_value: revenue.amount / units }] as Parameter]),
          ...properties.map(
            ({ key, value }): Parameter => [
              key,
              typeof value === 'number' ? { double_value: value } : { string_value: value },
            ],
          ),
        ];
        return {
          ...{ event_timestamp: String(at * 1000), event_name: names[type as 'pageview'] ?? event },
          ...{ user_pseudo_id: person.id, event_params: parameters.map(([key, value]) => ({ key, value })) },
          device: {
            category: agent.device,
            operating_system: agent.os,
            language,
            web_info: { browser: agent.browser },
          },
          geo: {
            country: place.country === null ? '' : countryNamed[place.country as 'DE'],
            ...{ region: place.region ?? '', city: place.city ?? '' },
          },
        };
      }),
    ),
};

export const pastFormats: readonly PastFormat[] = [
  ...[ndjson, ndjsonTold, combined, umami, plausible, matomo],
  ...[jsonLog, goatcounter, simpleAnalytics, fathom, ga4],
];
