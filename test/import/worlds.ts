/**
 * A made-up site with visits, what each product writes of them in its export, and what there is to count. Columns, names
 * and quoting are those of the products' own exporters; numbers are counted here, from the visits themselves.
 */
import { dayMs } from '../../src/model/time.ts';
import { zipOf } from './zip-file.ts';

type Names = readonly [browser: string, system: string];

/** By product, what it calls a client; `live` is what a hit of it is stored as. */
const clients = [
  {
    ...{ live: ['Chrome', 'Windows'], umami: ['chrome', 'Windows 10'], matomo: ['Chrome', 'Windows'] },
    ...{ plausible: ['Chrome', 'Windows'], goatcounter: ['Chrome 126', 'Windows 10'], ga4: ['Chrome', 'Windows'] },
  },
  {
    ...{ live: ['Mobile Safari', 'iOS'], umami: ['ios', 'iOS'], matomo: ['Mobile Safari', 'iOS'] },
    ...{ plausible: ['Safari', 'iOS'], goatcounter: ['Safari 17.5', 'iOS 17.5'], ga4: ['Safari', 'iOS'] },
  },
  {
    ...{ live: ['Safari', 'Mac OS'], umami: ['safari', 'Mac OS'], matomo: ['Safari', 'Mac'] },
    ...{ plausible: ['Safari', 'Mac'], goatcounter: ['Safari 17.5', 'macOS 10.15'], ga4: ['Safari', 'Macintosh'] },
  },
  {
    ...{ live: ['Firefox', 'Linux'], umami: ['firefox', 'Linux'], matomo: ['Firefox', 'GNU/Linux'] },
    ...{ plausible: ['Firefox', 'GNU/Linux'], goatcounter: ['Firefox 127', 'Linux'], ga4: ['Firefox', 'Linux'] },
  },
] as const satisfies Record<string, Names>[];

/** Where visits come from: an address, or a campaign; and as GoatCounter and Google Analytics have it. */
const sources = [
  { url: '', domain: null, utm: '', channel: 'Direct', goat: ['', 'o'], ga4: '(direct) / (none)' },
  {
    ...{ url: 'https://www.google.com/', domain: 'google.com', utm: '', channel: 'Organic search' },
    ...{ goat: ['Google', 'g'], ga4: 'google / organic' },
  },
  {
    ...{ url: 'https://t.co/x', domain: 't.co', utm: '', channel: 'Organic social' },
    ...{ goat: ['twitter.com/search?q=https%3A%2F%2Ft.co%2Fx', 'h'], ga4: 't.co / referral' },
  },
  {
    ...{ url: 'https://news.example/a', domain: 'news.example', utm: '', channel: 'Referral' },
    ...{ goat: ['news.example/a', 'h'], ga4: 'news.example / referral' },
  },
  { url: '', domain: null, utm: 'mail', channel: 'Email', goat: ['mail', 'c'], ga4: 'mail / email' },
] as const;

export interface Visit {
  visitor: string;
  /** UTC milliseconds of its first action; each further one is a minute later. */
  at: number;
  client: (typeof clients)[number];
  source: (typeof sources)[number];
  country: 'DE' | 'FR' | 'GB';
  actions: { path: string; event?: string }[];
}

const first = Date.UTC(2026, 8, 1);
export const window = [first, first + 3 * dayMs] as const;

/** Three days; somebody may come a second time on a day, six hours later. */
export const visits: readonly Visit[] = Array.from({ length: 150 }, (_, i): Visit => {
  const who = (i * 7) % 75;
  const path = (n: number): string => ['/', '/a, "b"', '/c', `/p${n % 5}`][n % 4]!;
  const actions = Array.from({ length: 1 + (i % 4) }, (_, n) => ({ path: path(i + n) }));
  return {
    visitor: `v${who}`,
    at: first + (who % 3) * dayMs + (i < 75 ? 9 : 15) * 3_600_000 + who * 20_000,
    client: clients[who % clients.length]!,
    source: sources[i % sources.length]!,
    country: (['DE', 'FR', 'GB'] as const)[who % 3]!,
    actions: i % 5 === 2 ? [...actions, { ...actions.at(-1)!, event: ['Signup', 'Video'][i % 2]! }] : actions,
  };
});

export const dayOf = ({ at }: { at: number }): string => new Date(at).toISOString().slice(0, 10);
const personOf = (visit: Visit): string => `${visit.visitor} ${dayOf(visit)}`;
const views = ({ actions }: Visit) => actions.filter(({ event }) => event === undefined);

/** Distinct visitors of each value, by name. */
export const visitorsBy = (of: (visit: Visit) => readonly (string | null)[]): Record<string, number> => {
  const people = new Map<string, Set<string>>();
  for (const visit of visits)
    for (const value of of(visit))
      if (value !== null) people.set(value, (people.get(value) ?? new Set()).add(personOf(visit)));
  return Object.fromEntries([...people].map(([name, found]) => [name, found.size]));
};

export const truth = {
  visitors: new Set(visits.map(personOf)).size,
  visits: visits.length,
  bounces: visits.filter(visit => views(visit).length === 1).length,
  visitMs: visits.reduce((sum, { actions }) => sum + (actions.length - 1) * 60_000, 0),
  pageviews: visits.reduce((sum, visit) => sum + views(visit).length, 0),
  events:
    visits.reduce((sum, { actions }) => sum + actions.length, 0) - visits.reduce((s, v) => s + views(v).length, 0),
};

const time = (at: number): string => new Date(at).toISOString();
/** RFC 4180: quotes where they are needed. */
const cell = (text: string | number): string =>
  /[",\n]/.test(`${text}`) ? `"${`${text}`.replaceAll('"', '""')}"` : `${text}`;
const csv = (header: string, rows: readonly (readonly (string | number)[])[]): string =>
  `${[header, ...rows.map(row => row.map(cell).join(','))].join('\n')}\n`;
/** ClickHouse puts every text in quotes. */
const clickHouseCsv = (header: string, rows: readonly (readonly (string | number)[])[]): string => {
  const quoted = (text: string | number): string =>
    typeof text === 'number' ? `${text}` : `"${text.replaceAll('"', '""')}"`;
  const names = header.split(',').map(quoted);
  return `${[names.join(','), ...rows.map(row => row.map(quoted).join(','))].join('\n')}\n`;
};
const withAction = <T>(make: (visit: Visit, action: Visit['actions'][number], n: number, id: number) => T): T[] =>
  visits.flatMap((visit, id) => visit.actions.map((action, n) => make(visit, action, n, id)));
const hostOf = (url: string): string => (url === '' ? '' : new URL(url).hostname.replace(/^www\./, ''));
const pathOf = (url: string): string => (url === '' ? '' : new URL(url).pathname.replace(/\/$/, ''));

export const umamiFile = (): string =>
  csv(
    'website_id,session_id,visit_id,event_id,hostname,browser,os,device,screen,language,country,url_path,url_query,referrer_path,referrer_domain,page_title,event_type,event_name,created_at',
    withAction(({ visitor, client, source, country, at }, { path, event }, n, id) => [
      ...[
        'w',
        visitor,
        `s${id}`,
        `e${id}-${n}`,
        'example.com',
        ...client.umami,
        'desktop',
        '1920x1080',
        'de-DE',
        country,
      ],
      ...[encodeURI(path), source.utm && `utm_source=${source.utm}&utm_medium=email`],
      ...[n === 0 ? pathOf(source.url) : '', n === 0 ? hostOf(source.url) : '', 'T'],
      ...[
        event === undefined ? 1 : 2,
        event ?? '',
        time(at + n * 60_000)
          .replace('T', ' ')
          .replace('Z', '+00'),
      ],
    ]),
  );

/** A session's referrer stands in each of its events, without a scheme. */
export const plausibleEventsFile = (): string =>
  withAction(({ visitor, client, source, country, at }, { path, event }, n, id) =>
    JSON.stringify({
      ...{
        timestamp: time(at + n * 60_000)
          .slice(0, 19)
          .replace('T', ' '),
        name: event ?? 'pageview',
        site_id: '1',
      },
      ...{
        user_id: `${1 + Number(visitor.slice(1))}`,
        session_id: `${id + 1}`,
        hostname: 'example.com',
        pathname: path,
      },
      ...{ referrer: hostOf(source.url) + pathOf(source.url), referrer_source: source.utm || hostOf(source.url) },
      ...{
        country_code: country,
        screen_size: 'Desktop',
        browser: client.plausible[0],
        operating_system: client.plausible[1],
      },
      ...{ 'meta.key': [], 'meta.value': [], utm_source: source.utm, utm_medium: source.utm && 'email' },
    }),
  ).join('\n');

/** An event has no page, and a session is of a visitor. */
export const goatcounterFile = (): string =>
  csv(
    '2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date',
    withAction(({ visitor, client, source, country, at }, { path, event }, n) => [
      ...[event ?? path, 'T', event === undefined ? 0 : 1, '', ...client.goatcounter, `${visitor}-1`, 0],
      ...[...source.goat, '1920,0,1', country, 1, time(at + n * 60_000).slice(0, 19)].map((value, i) =>
        i === 5 ? `${value}Z` : value,
      ),
    ]),
  );

export const matomoFile = (): string =>
  JSON.stringify(
    visits.map(({ visitor, client, source, country, at, actions }, id) => ({
      ...{ idVisit: id + 1, visitorId: visitor, deviceType: 'Desktop', resolution: '1920x1080', languageCode: 'de-de' },
      ...{
        browserName: client.matomo[0],
        browserCode: 'XX',
        operatingSystemName: client.matomo[1],
        operatingSystemCode: 'YY',
      },
      ...{ countryCode: country.toLowerCase(), referrerUrl: source.url || null, referrerName: hostOf(source.url) },
      ...(source.utm !== '' && { campaignName: 'autumn', campaignSource: source.utm, campaignMedium: 'email' }),
      actionDetails: actions.map(({ path, event }, n) => ({
        ...{ url: `https://example.com${encodeURI(path)}`, timestamp: Math.floor((at + n * 60_000) / 1000) },
        ...(event === undefined ? { type: 'action', pageTitle: 'T' } : { type: 'event', eventCategory: event }),
      })),
    })),
    null,
    4,
  );

/** A row for each day and value: visitors, visits, seconds, bounces, page views. */
const dayRows = (groupOf: (visit: Visit) => string) => {
  const groups = new Map<string, Visit[]>();
  for (const visit of visits) {
    const key = `${dayOf(visit)}\n${groupOf(visit)}`;
    groups.set(key, [...(groups.get(key) ?? []), visit]);
  }
  return [...groups].map(([key, of]) => ({
    ...{ day: key.slice(0, 10), value: key.slice(11), visitors: new Set(of.map(personOf)).size, visits: of.length },
    seconds: of.reduce((sum, { actions }) => sum + (actions.length - 1) * 60, 0),
    bounces: of.filter(visit => views(visit).length === 1).length,
    pageviews: of.reduce((sum, visit) => sum + views(visit).length, 0),
  }));
};
/** The same of actions: distinct visitors, and how many there are. */
const actionRows = (groupOf: (action: Visit['actions'][number]) => string | undefined) => {
  const groups = new Map<string, string[]>();
  for (const visit of visits)
    for (const action of visit.actions) {
      const value = groupOf(action);
      if (value === undefined) continue;
      const key = `${dayOf(visit)}\n${value}`;
      groups.set(key, [...(groups.get(key) ?? []), personOf(visit)]);
    }
  return [...groups].map(([key, people]) => ({
    ...{ day: key.slice(0, 10), value: key.slice(11), visitors: new Set(people).size, count: people.length },
  }));
};
const viewed = ({ path, event }: Visit['actions'][number]) => (event === undefined ? path : undefined);
const caused = ({ event }: Visit['actions'][number]) => event;

export const plausibleZip = (): Buffer => {
  const file = (name: string): string => `imported_${name}_20260901_20260903.csv`;
  const sourceKey = ({ source }: Visit): string =>
    [source.utm || hostOf(source.url), hostOf(source.url) + pathOf(source.url), source.utm, source.utm && 'email'].join(
      '\t',
    );
  return zipOf({
    [file('visitors')]: clickHouseCsv(
      'date,visitors,pageviews,bounces,visits,visit_duration',
      dayRows(() => '').map(row => [row.day, row.visitors, row.pageviews, row.bounces, row.visits, row.seconds]),
    ),
    [file('sources')]: clickHouseCsv(
      'date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,visit_duration,bounces',
      dayRows(sourceKey).map(row => [
        ...[row.day, ...row.value.split('\t'), '', '', ''],
        ...[row.pageviews, row.visitors, row.visits, row.seconds, row.bounces],
      ]),
    ),
    [file('pages')]: clickHouseCsv(
      'date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits,total_time_on_page,total_time_on_page_visits',
      actionRows(viewed).map(row => [
        row.day,
        'example.com',
        row.value,
        row.visitors,
        row.visitors,
        row.count,
        0,
        0,
        0,
        0,
      ]),
    ),
    [file('custom_events')]: clickHouseCsv(
      'date,name,link_url,path,visitors,events',
      actionRows(caused).map(row => [row.day, row.value, '', '', row.visitors, row.count]),
    ),
    [file('locations')]: clickHouseCsv(
      'date,country,region,city,visitors,visits,visit_duration,bounces,pageviews',
      dayRows(visit => visit.country).map(row => [
        ...[row.day, row.value, '', 0, row.visitors, row.visits, row.seconds, row.bounces, row.pageviews],
      ]),
    ),
    [file('operating_systems')]: clickHouseCsv(
      'date,operating_system,operating_system_version,visitors,visits,visit_duration,bounces,pageviews',
      dayRows(({ client }) => client.plausible[1]).map(row => [
        ...[row.day, row.value, '1', row.visitors, row.visits, row.seconds, row.bounces, row.pageviews],
      ]),
    ),
  });
};

/** What the Data API answers to several questions at once. */
export const ga4Answer = (): string => {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  const report = (dimensions: string[], metrics: string[], rows: (string | number)[][]) => ({
    dimensionHeaders: dimensions.map(name => ({ name })),
    metricHeaders: metrics.map(name => ({ name, type: 'TYPE_INTEGER' })),
    rows: rows.map(row => ({
      dimensionValues: row
        .slice(0, dimensions.length)
        .map(value => ({ value: `${value}`.replaceAll(/^(\d{4})-(..)-(..)$/g, '$1$2$3') })),
      metricValues: row.slice(dimensions.length).map(value => ({ value: `${value}` })),
    })),
    ...{ rowCount: rows.length, kind: 'analyticsData#runReport' },
  });
  const ofVisits = ['totalUsers', 'sessions', 'engagedSessions', 'screenPageViews', 'userEngagementDuration'];
  const by = (dimensions: string[], groupOf: (visit: Visit) => string) =>
    report(
      ['date', ...dimensions],
      ofVisits,
      dayRows(groupOf).map(row => [
        ...[row.day, ...(dimensions.length === 0 ? [] : row.value.split('\t'))],
        ...[row.visitors, row.visits, row.visits - row.bounces, row.pageviews, row.seconds],
      ]),
    );
  const reports = [
    by([], () => ''),
    by(['sessionSourceMedium'], ({ source }) => source.ga4),
    by(['browser', 'operatingSystem'], ({ client }) => client.ga4.join('\t')),
    by(['country'], ({ country }) => names.of(country)!),
    report(
      ['date', 'pagePath'],
      ['totalUsers', 'screenPageViews'],
      actionRows(viewed).map(row => [row.day, row.value, row.visitors, row.count]),
    ),
    report(
      ['date', 'eventName'],
      ['totalUsers', 'eventCount'],
      [
        ...actionRows(caused).map(row => [row.day, row.value, row.visitors, row.count]),
        ...dayRows(() => '').map(row => [row.day, 'page_view', row.visitors, row.pageviews]),
      ],
    ),
  ];
  return JSON.stringify({ reports, kind: 'analyticsData#batchRunReports' }, null, 2);
};
