/** Plausible's export of statistics: a zip of a CSV for each subject, a row for a day and value. */
import { zoneOf } from '../../api/request/zone.ts';
import type { DimensionName } from '../../model/dimensions.ts';
import { untold } from '../../model/imported-sums.ts';
import type { SumFormat } from '../import-format.ts';
import { browserNamed, countryNamed, deviceNamed, domainOf, orNull, systemNamed } from '../import-names.ts';
import type { Row } from '../import-rows.ts';
import { countIn, dayIn, withValue } from '../import-sums.ts';
import { sourceOf } from './import.ts';

/** A row's value of its dimension; null for none, undefined where the row is not about it. */
type RowDimensions = Partial<Record<DimensionName, string | null | undefined>>;

interface PlausibleTable {
  /** The column that no other table has. */
  key: string;
  /** Columns of the sums, where they have other names. */
  visits?: 'entrances' | 'exits';
  values(row: Row): RowDimensions;
}

const campaign = (text: string): string | undefined => (text === '' ? undefined : text);

const tables: readonly PlausibleTable[] = [
  {
    key: 'source',
    values: row => ({
      referrer: domainOf(row.text('referrer')),
      utmSource: sourceOf(row, 'source') ?? undefined,
      utmMedium: campaign(row.text('utm_medium')),
      utmCampaign: campaign(row.text('utm_campaign')),
      utmContent: campaign(row.text('utm_content')),
      utmTerm: campaign(row.text('utm_term')),
    }),
  },
  { key: 'page', values: row => ({ path: row.text('page') }) },
  { key: 'entry_page', visits: 'entrances', values: row => ({ entryPath: row.text('entry_page') }) },
  { key: 'exit_page', visits: 'exits', values: row => ({ exitPath: row.text('exit_page') }) },
  {
    key: 'name',
    values(row) {
      const name = row.text('name');
      if (name === 'engagement') return {};
      return { event: name === 'Outbound Link: Click' ? row.text('link_url') || name : name };
    },
  },
  {
    key: 'country',
    values: row => ({ country: countryNamed(row.text('country')), region: orNull(row.text('region')) }),
  },
  { key: 'device', values: row => ({ device: row.text('device') === '' ? null : deviceNamed(row.text('device')) }) },
  { key: 'browser', values: row => ({ browser: browserNamed(row.text('browser')) }) },
  { key: 'operating_system', values: row => ({ os: systemNamed(row.text('operating_system')) }) },
];

const tableOf = (names: ReadonlySet<string>): PlausibleTable | undefined => tables.find(({ key }) => names.has(key));
const isOfDays = (names: ReadonlySet<string>): boolean =>
  ['visits', 'pageviews', 'bounces', 'visit_duration'].every(name => names.has(name));

const tableNames =
  /\bimported_(visitors|sources|pages|entry_pages|exit_pages|custom_events|locations|devices|browsers|operating_systems)_\d+_\d+\.csv\)?$/;

export const plausibleSums: SumFormat = {
  ...{ name: 'plausible', title: 'Plausible', kind: 'sums' },
  isTable: names => names.has('date') && names.has('visitors') && (tableOf(names) !== undefined || isOfDays(names)),
  isNamed: file => tableNames.test(file),
  sums(site, names) {
    const zone = zoneOf(site.timezone);
    const table = tableOf(names);
    const count = (row: Row, name: string): number | null => (names.has(name) ? countIn(row, name) : null);
    return row => {
      const day = dayIn(row, 'date', zone);
      const seconds = count(row, 'visit_duration');
      const sums = {
        visitors: count(row, 'visitors'),
        visits: count(row, table?.visits ?? 'visits'),
        bounces: count(row, 'bounces'),
        visitMs: seconds === null ? null : seconds * 1000,
        pageviews: count(row, 'pageviews'),
        events: count(row, 'events'),
      };
      // Its zip has all events, so a day without any in it has none.
      if (table === undefined)
        return [{ ...day, dimension: null, value: '', sums: { ...sums, events: sums.events ?? 0 } }];
      const found = withValue(day, table.values(row), sums);
      if (table.key !== 'name' || found.length === 1) return found;
      return [...found, { ...day, dimension: null, value: '', sums: { ...untold, events: sums.events } }];
    };
  },
};
