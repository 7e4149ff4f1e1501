/** What another product counted on a day, in all or of one value of a dimension. */
import type { DimensionName } from './dimensions.ts';

export const sumNames = ['visitors', 'visits', 'bounces', 'visitMs', 'pageviews', 'events'] as const;
export type SumName = (typeof sumNames)[number];

/** As in Totals; null where the product does not tell. */
export type Sums = Record<SumName, number | null>;

export const untold: Readonly<Sums> = {
  ...{ visitors: null, visits: null, bounces: null, visitMs: null, pageviews: null, events: null },
};

/** A day as its product cuts it: UTC milliseconds, `fromAt <= at < toAt`. */
export interface ImportedDay {
  fromAt: number;
  toAt: number;
}

export interface ImportedSum extends ImportedDay {
  /** Null for the whole day. */
  dimension: DimensionName | null;
  /** Empty for none, and of the whole day. */
  value: string;
  sums: Sums;
}

/** Adds what is told; null stays where neither tells. */
export const addSums = (a: Sums, b: Sums): Sums =>
  Object.fromEntries(
    sumNames.map(name => [name, a[name] === null ? b[name] : a[name] + (b[name] ?? 0)]),
  ) as unknown as Sums;
