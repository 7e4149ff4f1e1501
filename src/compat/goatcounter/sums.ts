/**
 * GoatCounter's JSON export: a zip of what it counted each UTC hour and day, by path. It counts a
 * session once for each path, so counts of several paths add up to page views, and to more than
 * visitors.
 */
import { zoneOf } from '../../api/request/zone.ts';
import type { DimensionName } from '../../model/dimensions.ts';
import { type ImportedDay, type ImportedSum, type Sums, untold } from '../../model/imported-sums.ts';
import { dayMs } from '../../model/time.ts';
import type { SumFormat } from '../import-format.ts';
import { browserNamed, domainOf, placeNamed, systemNamed } from '../import-names.ts';
import { type Row, RowProblem, type SideTables, timeIn } from '../import-rows.ts';
import { countIn, dayIn, withValue } from '../import-sums.ts';
import { storedReferrer } from './referrers.ts';

const isNamed = (file: string, table: string): boolean => new RegExp(`\\b${table}\\.jsonl\\)?$`).test(file);

/** Tables of counts, by the column that no other one has. */
const keys = ['ref_id', 'browser_id', 'system_id', 'location'] as const;
type Key = (typeof keys)[number];

const keyIn = (names: ReadonlySet<string>): Key | undefined =>
  names.has('path_id') && names.has('count') ? keys.find(key => names.has(key)) : undefined;

export const goatcounterSums: SumFormat = {
  ...{ name: 'goatcounter-json', title: 'GoatCounter', kind: 'sums' },
  isTable: names => keyIn(names) !== undefined,
  isNamed: file => /\b(hit|browser|system|location)_stats\.jsonl\)?$/.test(file),
  sides: {
    path: (names, file) => (isNamed(file, 'paths') && names.has('path') ? 'id' : undefined),
    ref: (names, file) => (isNamed(file, 'refs') && names.has('ref_scheme') ? 'id' : undefined),
    browser: (names, file) => (isNamed(file, 'browsers') && names.has('name') ? 'id' : undefined),
    system: (names, file) => (isNamed(file, 'systems') && names.has('name') ? 'id' : undefined),
  },
  sums(_, names, sides) {
    const key = keyIn(names)!;
    return row => {
      const day = utcDay(row, key === 'ref_id' ? 'hour' : 'day');
      const { path } = sideRow(sides, 'path', row, 'path_id') as { path: string };
      const count = countIn(row, 'count');
      const isEvent = !path.startsWith('/');
      if (key !== 'ref_id') {
        // What somebody who caused an event used is told by the page, too.
        return isEvent ? [] : withValue(day, valuesOf(key, row, sides), { ...untold, pageviews: count });
      }
      const whole = (sums: Partial<Sums>): ImportedSum => ({
        ...{ ...day, dimension: null, value: '', sums: { ...untold, pageviews: 0, events: 0, ...sums } },
      });
      if (isEvent)
        return [
          ...withValue(day, { event: path }, { ...untold, visitors: count, events: count }),
          whole({ events: count }),
        ];
      const ofPath = withValue(day, { path }, { ...untold, visitors: count, pageviews: count });
      const ofReferrer = withValue(day, referrerOf(row, sides), { ...untold, pageviews: count });
      return [...ofPath, ...ofReferrer, whole({ pageviews: count })];
    };
  },
};

const utcDay = (row: Row, name: string): ImportedDay => {
  if (/^\d{4}-\d\d-\d\d$/.test(row.text(name))) return dayIn(row, name, zoneOf('UTC'));
  const fromAt = Math.floor(timeIn(row, name) / dayMs) * dayMs;
  return { fromAt, toAt: fromAt + dayMs };
};

/** The row that a column refers to. Throws RowProblem where the export lacks it. */
const sideRow = (sides: SideTables, kind: string, row: Row, column: string): Readonly<Record<string, string>> => {
  const id = row.text(column);
  const [found] = sides.rows(kind, id);
  if (found === undefined) throw new RowProblem(column, `there is no ${kind} ${JSON.stringify(id)} in the export`);
  return found;
};

/** Its version may be the distribution of Linux. */
const systemOf = ({ name, version = '' }: Readonly<Record<string, string>>): string | null =>
  systemNamed(`${name} ${version}`);

const valuesOf = (
  key: Exclude<Key, 'ref_id'>,
  row: Row,
  sides: SideTables,
): Partial<Record<DimensionName, string | null>> => {
  if (key === 'browser_id') return { browser: browserNamed(sideRow(sides, 'browser', row, key).name!) };
  if (key === 'system_id') return { os: systemOf(sideRow(sides, 'system', row, key)) };
  return placeNamed(row.text('location'));
};

/** A campaign is no referrer. */
const referrerOf = (row: Row, sides: SideTables): Partial<Record<DimensionName, string | null>> => {
  const { ref, ref_scheme: scheme } = sideRow(sides, 'ref', row, 'ref_id') as { ref: string; ref_scheme: string };
  const { address, texts } = storedReferrer(ref, scheme);
  return { referrer: domainOf(address), ...texts };
};
