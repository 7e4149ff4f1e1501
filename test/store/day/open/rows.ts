/** Rows of open days as lists of values, which tests write, and as columns. */
import type { HitExtra, HitRows, VisitRows } from '../../../../src/store/day/open/day-rows.ts';

/** The visitor is 16 hexadecimal digits. */
export type OpenVisitRow = [
  id: number,
  visitor: string,
  persistent: number,
  seenBefore: number,
  ...visitAttributes: number[],
];

/** Its time is in milliseconds since midnight. */
export type OpenHitRow = [
  id: number,
  visitId: number,
  time: number,
  type: number,
  duration: number,
  amount: number | null,
  currency: number,
  properties: number[] | null,
  /** As model/hit.ts codes it. */
  scroll: number,
  ...pageFields: number[],
];

export const visitRows = (rows: readonly OpenVisitRow[]): VisitRows => {
  const others = rows.map(([, visitor, ...others]) => [
    ...[visitor.slice(0, 8), visitor.slice(8)].map(digits => Number.parseInt(digits, 16)),
    ...others,
  ]);
  return { ids: Float64Array.from(rows, ([id]) => id), columns: columnsOf(others) };
};

export const hitRows = (rows: readonly OpenHitRow[]): HitRows => ({
  ids: Float64Array.from(rows, ([id]) => id),
  visitIds: Float64Array.from(rows, ([, visitId]) => visitId),
  columns: columnsOf(rows.map(([, , time, type, duration, , , , ...others]) => [time, type, duration, ...others])),
  extras: rows.flatMap(([, , , , , amount, currency, properties], row): HitExtra[] =>
    amount === null && properties === null ? [] : [[row, amount, currency, properties]],
  ),
});

const columnsOf = (rows: readonly number[][]): Uint32Array[] =>
  (rows[0] ?? []).map((_, at) => Uint32Array.from(rows, row => row[at]!));
