/** What Plausible calls the dimensions, and how it writes their values. */
import { channelNames } from '../../model/channels.ts';
import type { DimensionName } from '../../model/dimensions.ts';
import type { DimensionField } from '../../model/filters.ts';
import { propertyKeyCharsMax } from '../../model/limits.ts';
import { directName, type VisitTextName } from '../../model/visit-fields.ts';
import { countryNames } from '../country-names.ts';

export interface PlausibleField {
  name: string;
  field: DimensionField;
  /** How hits without a value are named; null: they are in no row. */
  nullName: string | null;
  /** A value as it is written there, by the value here, where the values are a closed list. */
  written?: ReadonlyMap<string, string>;
}

const notSet = '(not set)';

/** `Direct / None`, where there is no referrer. */
const direct = new Map([[directName, 'Direct / None']]);

const titled = (words: string): string => words.replace(/(^| )[a-z]/g, first => first.toUpperCase());

const channels = new Map(
  channelNames.map(name => [name, name === 'Push' ? 'Mobile Push Notifications' : titled(name)]),
);
const devices = new Map([
  ...['desktop', 'mobile', 'tablet'].map(name => [name, titled(name)] as const),
  ['unknown', notSet],
]);

interface FieldRow {
  field: DimensionName;
  nullName?: string;
  readonly written?: ReadonlyMap<string, string>;
}

const campaigns = Object.fromEntries(
  (['Source', 'Medium', 'Campaign', 'Content', 'Term'] as const).map(name => [
    `visit:utm_${name.toLowerCase()}`,
    { field: `utm${name}` satisfies VisitTextName, nullName: notSet },
  ]),
);

const rows: Readonly<Record<string, FieldRow>> = {
  'event:name': { field: 'event', nullName: 'pageview' },
  'event:page': { field: 'path' },
  'event:hostname': { field: 'hostname' },
  'visit:entry_page': { field: 'entryPath' },
  'visit:exit_page': { field: 'exitPath' },
  'visit:source': { field: 'referrer', written: direct },
  'visit:referrer': { field: 'referrer', written: direct },
  'visit:channel': { field: 'channel', written: channels },
  ...campaigns,
  'visit:device': { field: 'device', written: devices },
  'visit:browser': { field: 'browser', nullName: notSet },
  'visit:os': { field: 'os', nullName: notSet },
  'visit:country': { field: 'country' },
  'visit:region': { field: 'region' },
  'visit:city': { field: 'city' },
  'visit:country_name': {
    field: 'country',
    get written() {
      return countryNames();
    },
  },
  'visit:region_name': { field: 'region' },
  'visit:city_name': { field: 'city' },
};

/** Those that Plausible has and Daybook does not store. */
export const missingFields: readonly string[] = [
  'visit:browser_version',
  'visit:os_version',
  'visit:entry_page_hostname',
  'visit:exit_page_hostname',
];

const propertyPrefix = 'event:props:';

/** Undefined for a name that is no dimension here. */
export const fieldNamed = (name: string): PlausibleField | undefined => {
  if (name.startsWith(propertyPrefix)) {
    const key = name.slice(propertyPrefix.length);
    if (key === '' || key.length > propertyKeyCharsMax) return undefined;
    return { name, field: `prop:${key}`, nullName: '(none)' };
  }
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  return (
    row && { name, field: row.field, nullName: row.nullName ?? null, ...(row.written && { written: row.written }) }
  );
};

/** A value as Plausible writes it. */
export const writtenValue = ({ written }: PlausibleField, value: string): string => written?.get(value) ?? value;

/** Whether all values stand in `written`: then they can be compared here. */
export const isClosed = ({ written }: PlausibleField): boolean => written !== undefined && written !== direct;
