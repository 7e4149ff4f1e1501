/**
 * What Google Analytics 4 counted on each day: tables of its Data API, as CSV, as JSON lines with
 * the API's names, or as the API answers (answers.ts), and explorations exported as CSV, whose
 * columns have the names of the page. Each has a date, and what else was chosen. A column that is
 * not known could divide the days, so it is refused.
 */
import { zoneOf } from '../../api/request/zone.ts';
import { channelNames } from '../../model/channels.ts';
import type { DimensionName } from '../../model/dimensions.ts';
import { type ImportedSum, type Sums, untold } from '../../model/imported-sums.ts';
import type { SumFormat } from '../import-format.ts';
import {
  browserNamed,
  countryNamed,
  countryOfName,
  deviceNamed,
  orNull,
  referrerNamed,
  systemNamed,
} from '../import-names.ts';
import { type Row, RowProblem } from '../import-rows.ts';
import { countIn, dayIn, withValue } from '../import-sums.ts';

/** Names in the API, and on the page. Where a table has several of one column, the first counts. */
const dimensionNames = {
  source: ['sessionSource', 'Session source'],
  medium: ['sessionMedium', 'Session medium'],
  sourceMedium: ['sessionSourceMedium', 'Session source / medium'],
  campaign: ['sessionCampaignName', 'Session campaign'],
  term: ['sessionManualTerm', 'Session manual term'],
  content: ['sessionManualAdContent', 'Session manual ad content'],
  channel: [
    ...['sessionDefaultChannelGroup', 'Session default channel group'],
    ...[
      'sessionPrimaryChannelGroup',
      'Session primary channel group',
      'Session primary channel group (Default Channel Group)',
    ],
    ...['sessionDefaultChannelGrouping', 'Session default channel grouping'],
  ],
  hostname: ['hostName', 'Hostname', 'Host name'],
  path: [
    ...['pagePath', 'Page path', 'unifiedPagePathScreen', 'Page path and screen class'],
    ...['pagePathPlusQueryString', 'Page path + query string'],
  ],
  title: [
    ...['pageTitle', 'Page title', 'unifiedScreenClass', 'Page title and screen class'],
    ...['unifiedScreenName', 'Page title and screen name'],
  ],
  entryPath: ['landingPage', 'Landing page', 'landingPagePlusQueryString', 'Landing page + query string'],
  countryId: ['countryId', 'Country ID'],
  country: ['country', 'Country'],
  region: ['region', 'Region'],
  city: ['city', 'City'],
  language: ['languageCode', 'Language code'],
  device: ['deviceCategory', 'Device category'],
  browser: ['browser', 'Browser'],
  os: ['operatingSystem', 'Operating system'],
  event: ['eventName', 'Event name'],
} as const;
const countNames = {
  visitors: ['totalUsers', 'Total users', 'activeUsers', 'Active users'],
  pageviews: ['screenPageViews', 'Views'],
  visits: ['sessions', 'Sessions'],
  engaged: ['engagedSessions', 'Engaged sessions'],
  seconds: ['userEngagementDuration', 'User engagement'],
  events: ['eventCount', 'Event count'],
} as const;
const dateNames = ['date', 'Date'] as const;

/** Of metrics that have no counterpart, or that follow from others. */
const otherMetrics: ReadonlySet<string> = new Set(
  [
    'newUsers|New users|returningUsers|Returning users|active1DayUsers|active7DayUsers|active28DayUsers|scrolledUsers',
    'averageSessionDuration|Average session duration|averageEngagementTime|Average engagement time',
    'Average engagement time per session|Average engagement time per active user|Average engagement time per user',
    'bounceRate|Bounce rate|engagementRate|Engagement rate|sessionsPerUser|Sessions per user|Sessions per active user',
    'Engaged sessions per user|Engaged sessions per active user|Events per session|eventsPerSession',
    'screenPageViewsPerSession|Views per session|screenPageViewsPerUser|Views per user|Views per active user',
    'eventCountPerUser|Event count per user|Event count per active user|eventValue|Event value|Entrances|Exits',
    'keyEvents|Key events|conversions|Conversions|sessionKeyEventRate|Session key event rate|userKeyEventRate',
    'User key event rate|sessionConversionRate|Session conversion rate|userConversionRate|User conversion rate',
    'totalRevenue|Total revenue|purchaseRevenue|Purchase revenue|transactions|Transactions|ecommercePurchases',
    'Ecommerce purchases|totalPurchasers|Total purchasers|firstTimePurchasers|First time purchasers',
  ].flatMap(line => line.split('|')),
);

type Dimension = keyof typeof dimensionNames;
type Count = keyof typeof countNames;
type ReportColumn = Dimension | Count;

const columns: Readonly<Record<string, readonly string[]>> = { ...dimensionNames, ...countNames };
const known: ReadonlySet<string> = new Set([...Object.values(columns).flat(), ...dateNames, ...otherMetrics]);

/** The name that a table has for each column. */
const namesIn = (names: ReadonlySet<string>): Partial<Record<ReportColumn, string>> =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([column, possible]) => {
      const name = possible.find(one => names.has(one));
      return name === undefined ? [] : [[column, name]];
    }),
  );

const hasAny = (found: Partial<Record<ReportColumn, string>>, of: object): boolean =>
  Object.keys(of).some(column => found[column as ReportColumn] !== undefined);

/** Whether a count of that name is one that is read. */
export const isKnownCount = (name: string): boolean =>
  Object.values(countNames)
    .flat()
    .some(one => one === name);

/** Name of the column of days. Throws RowProblem without one, or with an unknown column. */
const checkedDate = (names: ReadonlySet<string>): string => {
  const date = dateNames.find(name => names.has(name));
  if (date === undefined) throw new RowProblem('Date', 'the table has no days: add the dimension Date to it');
  for (const name of names)
    if (!known.has(name))
      throw new RowProblem(name, 'Daybook cannot read a table that this column divides: export it without the column');
  return date;
};

/** What stands for nothing in a dimension. */
const isNothing = (text: string): boolean => text === '' || text === '(not set)' || text === '(none)';

export const ga4Sums: SumFormat = {
  ...{ name: 'ga4', title: 'Google Analytics 4', kind: 'sums' },
  isTable(names) {
    const found = namesIn(names);
    const isOfDays = dateNames.some(name => names.has(name));
    return hasAny(found, countNames) && (isOfDays || hasAny(found, dimensionNames));
  },
  sums(site, names) {
    const date = checkedDate(names);
    const found = namesIn(names);
    const read = reader(found);
    return row => {
      // A line with the sum of all days stands above or below them.
      if (row.text(date) === '') return [];
      return read(dayIn(row, date, zoneOf(site.timezone)), row);
    };
  },
};

type Reader = (day: ReturnType<typeof dayIn>, row: Row) => ImportedSum[];

const reader = (found: Partial<Record<ReportColumn, string>>): Reader => {
  const isOfDays = !hasAny(found, dimensionNames);
  const countOf = (row: Row, column: Count): number | null =>
    found[column] === undefined ? null : countIn(row, found[column]);
  return (day, row) => {
    const text = (column: Dimension): string | undefined =>
      found[column] === undefined ? undefined : row.text(found[column]);
    const [visits, engaged] = [countOf(row, 'visits'), countOf(row, 'engaged')];
    const sums = {
      visitors: countOf(row, 'visitors'),
      visits,
      bounces: visits === null || engaged === null ? null : Math.max(0, visits - engaged),
      visitMs: found.seconds === undefined ? null : millisecondsIn(row, found.seconds),
      pageviews: countOf(row, 'pageviews'),
      events: countOf(row, 'events'),
    };
    const whole = (of: Sums): ImportedSum => ({ ...day, dimension: null, value: '', sums: of });
    const event = text('event');
    if (event !== undefined) {
      // A day with nothing but these has no events, which is known.
      if (ownEvents.has(event)) return [whole({ ...untold, events: 0 })];
      const { visitors, events } = sums;
      return [...withValue(day, { event }, { ...untold, visitors, events }), whole({ ...untold, events })];
    }
    // All that it counts are events to it, page views too.
    const told = { ...sums, events: null };
    return isOfDays ? [whole(told)] : withValue(day, valuesOf(text), told);
  };
};

/** Of seconds, which may have a fraction, or of 0:02:30. Throws RowProblem. */
const millisecondsIn = (row: Row, name: string): number => {
  const text = row.text(name);
  if (/^\d{1,12}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  const [, hours = '0', minutes, seconds] = /^(?:(\d{1,8}):)?(\d{1,2}):([0-5]\d)$/.exec(text) ?? [];
  if (minutes !== undefined) return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  throw new RowProblem(name, text === '' ? 'there is no number' : `${JSON.stringify(text)} is not a number of seconds`);
};

/** What it sends by itself: page views, visits and time are counted otherwise. */
const ownEvents = new Set(['page_view', 'session_start', 'first_visit', 'user_engagement', 'scroll']);

type CellValues = Partial<Record<DimensionName, string | null | undefined>>;

const valuesOf = (text: (column: Dimension) => string | undefined): CellValues => {
  const as = (column: Dimension, name: (value: string) => string | null): string | null | undefined => {
    const value = text(column);
    return value === undefined ? undefined : isNothing(value) ? null : name(value);
  };
  const [path, entryPath] = [text('path'), text('entryPath')];
  return {
    ...sourceValues(text),
    channel: as('channel', channelNamed),
    hostname: as('hostname', orNull),
    path: path === undefined ? undefined : withoutQuery(path),
    title: as('title', orNull),
    entryPath: entryPath === undefined || isNothing(entryPath) ? undefined : withoutQuery(entryPath),
    country: text('countryId') === undefined ? as('country', countryOfName) : as('countryId', countryNamed),
    region: as('region', orNull),
    city: as('city', orNull),
    language: as('language', languageNamed),
    device: as('device', deviceNamed),
    browser: as('browser', name => browserNamed(name, text('os'))),
    os: as('os', systemNamed),
  };
};

/** Where a table tells the source, the medium says what that is. */
const sourceValues = (text: (column: Dimension) => string | undefined): CellValues => {
  const [pairSource, pairMedium] = text('sourceMedium')?.split(' / ') ?? [];
  const [source, medium] = [text('source') ?? pairSource, text('medium') ?? pairMedium];
  const isDirect = source === '(direct)' || source === undefined || isNothing(source);
  const isReferral = medium === 'referral' || medium === 'organic';
  const campaignValue = (value: string | undefined): string | undefined =>
    value === undefined || isNothing(value) || /^\((direct|organic|referral)\)$/.test(value) ? undefined : value;
  return {
    // Another source is what somebody wrote in a link.
    referrer: source === undefined ? undefined : isReferral && !isDirect ? referrerNamed(source) : null,
    utmSource: isDirect || isReferral ? undefined : source,
    utmMedium: isReferral ? undefined : campaignValue(medium),
    utmCampaign: campaignValue(text('campaign')),
    utmTerm: campaignValue(text('term')),
    utmContent: campaignValue(text('content')),
  };
};

/** Default channel groups that our channels, which follow them, call otherwise. */
const otherGroups: Readonly<Record<string, string>> = {
  'mobile push notifications': 'Push',
  'organic ai assistants': 'AI assistants',
};

/** A group that has no counterpart, such as Cross-network, keeps its name. */
const channelNamed = (group: string): string =>
  otherGroups[group.toLowerCase()] ?? channelNames.find(name => name.toLowerCase() === group.toLowerCase()) ?? group;

const withoutQuery = (path: string): string => path.replace(/\?.*$/s, '');

/** `en-us` as browsers write it. */
const languageNamed = (code: string): string =>
  code.replace(/-([a-z]{2})$/i, (_, country: string) => `-${country.toUpperCase()}`);
