/**
 * What Google Analytics 4 counted on each day: tables of its Data API, as CSV or JSON with the API's names, and
 * explorations exported as CSV, whose columns have the names of the page. Each has a date, and what else was chosen.
 */
import { zoneOf } from '../../api/request/zone.ts';
import type { DimensionName } from '../../model/dimensions.ts';
import { type ImportedSum, type Sums, untold } from '../../model/imported-sums.ts';
import type { SumFormat } from '../export-format.ts';
import { browserNamed, countryNamed, countryOfName, deviceNamed, orNull, systemNamed } from '../export-names.ts';
import { type Row, RowProblem } from '../export-rows.ts';
import { countIn, dayIn, withValue } from '../export-sums.ts';

/** Names in the API, and on the page. */
const columns = {
  date: ['date', 'Date'],
  source: ['sessionSource', 'Session source'],
  medium: ['sessionMedium', 'Session medium'],
  campaign: ['sessionCampaignName', 'Session campaign'],
  hostname: ['hostName', 'Hostname'],
  path: ['pagePath', 'Page path'],
  title: ['pageTitle', 'Page title'],
  entryPath: ['landingPage', 'Landing page'],
  countryId: ['countryId', 'Country ID'],
  country: ['country', 'Country'],
  device: ['deviceCategory', 'Device category'],
  browser: ['browser', 'Browser'],
  os: ['operatingSystem', 'Operating system'],
  event: ['eventName', 'Event name'],
  visitors: ['totalUsers', 'Total users'],
  pageviews: ['screenPageViews', 'Views'],
  visits: ['sessions', 'Sessions'],
  engaged: ['engagedSessions', 'Engaged sessions'],
  seconds: ['userEngagementDuration', 'User engagement'],
  events: ['eventCount', 'Event count'],
} as const;
type Column = keyof typeof columns;

const dimensionColumns = [
  ...(['source', 'medium', 'campaign', 'hostname', 'path', 'title', 'entryPath'] as const),
  ...(['countryId', 'country', 'device', 'browser', 'os', 'event'] as const),
] satisfies Column[];
const counts = ['visitors', 'pageviews', 'visits', 'engaged', 'events'] as const satisfies Column[];

/** What stands for nothing in a dimension. */
const isNothing = (text: string): boolean => text === '' || text === '(not set)' || text === '(none)';

/** The name that a table has for each column. */
const namesIn = (names: ReadonlySet<string>): Partial<Record<Column, string>> =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([column, possible]) => {
      const name = possible.find(one => names.has(one));
      return name === undefined ? [] : [[column, name]];
    }),
  );

export const ga4Sums: SumFormat = {
  ...{ name: 'ga4', title: 'Google Analytics 4', kind: 'sums' },
  isTable(names) {
    const found = namesIn(names);
    return found.date !== undefined && counts.some(column => found[column] !== undefined);
  },
  sums(site, names) {
    const zone = zoneOf(site.timezone);
    const found = namesIn(names);
    const isOfDays = !dimensionColumns.some(column => found[column] !== undefined);
    const text = (row: Row, column: Column): string | undefined =>
      found[column] === undefined ? undefined : row.text(found[column]);
    const count = (row: Row, column: Column): number | null =>
      found[column] === undefined ? null : countIn(row, found[column]);
    return row => {
      // A line with the sum of all days stands above or below them.
      if (row.text(found.date!) === '') return [];
      const day = dayIn(row, found.date!, zone);
      const [visits, engaged] = [count(row, 'visits'), count(row, 'engaged')];
      const sums = {
        visitors: count(row, 'visitors'),
        visits,
        bounces: visits === null || engaged === null ? null : Math.max(0, visits - engaged),
        visitMs: found.seconds === undefined ? null : millisecondsIn(row, found.seconds),
        pageviews: count(row, 'pageviews'),
        events: count(row, 'events'),
      };
      const whole = (of: Sums): ImportedSum => ({ ...day, dimension: null, value: '', sums: of });
      const event = text(row, 'event');
      if (event !== undefined) {
        if (ownEvents.has(event)) return [];
        const { visitors, events } = sums;
        return [...withValue(day, { event }, { ...untold, visitors, events }), whole({ ...untold, events })];
      }
      // All that it counts are events to it, page views too.
      const told = { ...sums, events: null };
      return isOfDays
        ? [whole(told)]
        : withValue(
            day,
            valuesOf(column => text(row, column)),
            told,
          );
    };
  },
};

/** Of seconds, which may have a fraction. Throws RowProblem. */
const millisecondsIn = (row: Row, name: string): number => {
  const text = row.text(name);
  if (/^\d{1,12}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  throw new RowProblem(name, text === '' ? 'there is no number' : `${JSON.stringify(text)} is no number of seconds`);
};

/** What it sends by itself: page views, visits and time are counted otherwise. */
const ownEvents = new Set(['page_view', 'session_start', 'first_visit', 'user_engagement', 'scroll']);

const valuesOf = (
  text: (column: Column) => string | undefined,
): Partial<Record<DimensionName, string | null | undefined>> => {
  const [source, medium, campaign] = [text('source'), text('medium'), text('campaign')];
  const [country, countryId, entryPath] = [text('country'), text('countryId'), text('entryPath')];
  const isDirect = source === '(direct)' || source === undefined || isNothing(source);
  const isReferral = medium === 'referral' || medium === 'organic';
  const campaignValue = (value: string | undefined): string | undefined =>
    value === undefined || isNothing(value) || /^\((direct|organic|referral)\)$/.test(value) ? undefined : value;
  const as = (value: string | undefined, name: (value: string) => string | null): string | null | undefined =>
    value === undefined ? undefined : isNothing(value) ? null : name(value);
  return {
    // Another source is what somebody wrote in a link.
    referrer: source === undefined ? undefined : isReferral && !isDirect ? source : null,
    utmSource: isDirect || isReferral ? undefined : source,
    utmMedium: isReferral ? undefined : campaignValue(medium),
    utmCampaign: campaignValue(campaign),
    hostname: as(text('hostname'), orNull),
    path: text('path'),
    title: as(text('title'), orNull),
    entryPath: entryPath === undefined || isNothing(entryPath) ? undefined : entryPath,
    country: countryId === undefined ? as(country, countryOfName) : as(countryId, countryNamed),
    device: as(text('device'), deviceNamed),
    browser: as(text('browser'), browserNamed),
    os: as(text('os'), systemNamed),
  };
};
