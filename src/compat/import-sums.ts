/** What rows of other products' sums have in common. */
import type { Zone } from '../api/request/zone.ts';
import { dayExists } from '../model/calendar.ts';
import type { DimensionName } from '../model/dimensions.ts';
import { type ImportedDay, type ImportedSum, type Sums, untold } from '../model/imported-sums.ts';
import { dayMs } from '../model/time.ts';
import { type Row, RowProblem } from './import-rows.ts';

/** A longer value is cut. */
const valueLengthMax = 2000;

/** A count that is not negative. Throws RowProblem. */
export const countIn = (row: Row, name: string): number => {
  const text = row.text(name);
  if (/^\d{1,15}(\.0+)?$/.test(text)) return Math.trunc(Number(text));
  throw new RowProblem(name, text === '' ? 'there is no number' : `${JSON.stringify(text)} is not a count`);
};

/** A local day of a zone, written 2026-10-01 or 20261001. Throws RowProblem. */
export const dayIn = (row: Row, name: string, zone: Zone): ImportedDay => {
  const text = row.text(name);
  const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(text) ?? [];
  if (year === undefined || !dayExists(+year, +month!, +day!) || +year < 1971)
    throw new RowProblem(name, text === '' ? 'there is no date' : `${JSON.stringify(text)} is not a date`);
  const midnight = Date.UTC(+year, +month! - 1, +day!);
  return { fromAt: zone.instant(midnight), toAt: zone.instant(midnight + dayMs) };
};

/** The sums of a row for each value that it is about, and a mark that its day is there. */
export const withValue = (
  day: ImportedDay,
  values: Partial<Record<DimensionName, string | null | undefined>>,
  sums: Sums,
): ImportedSum[] => [
  { ...day, dimension: null, value: '', sums: untold },
  ...Object.entries(values).flatMap(([dimension, value]): ImportedSum[] =>
    value === undefined
      ? []
      : [{ ...day, dimension: dimension as DimensionName, value: (value ?? '').slice(0, valueLengthMax), sums }],
  ),
];
