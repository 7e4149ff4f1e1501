/**
 * Which of the visits and hits that a sealed day once had are still in it: two columns of 0 and 1,
 * `keptVisits` and `keptHits`, of days that hits were taken out of. In any other day all are.
 */
import { type Column, encodeColumn } from './column-codec.ts';
import { numberColumn } from './day.ts';
import { rowsBetween } from './gather.ts';
import type { NumberedDay } from './join-days.ts';
import { rowsOf } from './some-hits.ts';
import { flat } from './unpack.ts';

export const keptNames = ['keptVisits', 'keptHits'] as const;
export type KeptName = (typeof keptNames)[number];

/** How many visits and hits a day once had. */
export interface OnceHad {
  visits: number;
  hits: number;
}

/** The two columns of a day. */
export const keptColumns = ({ visits, hits }: NumberedDay, had: OnceHad): { name: KeptName; data: Uint8Array }[] => {
  const data = [flags(visits, had.visits), flags(hits, had.hits)].map(values => encodeColumn(numberColumn(values)));
  return keptNames.map((name, i) => ({ name, data: data[i]! }));
};

/** The numbers that a day has in one of its two columns; of all `count` where there is none. */
export const numbersIn = (column: Column | undefined, count: number): { numbers: Uint32Array; had: number } => {
  if (column === undefined) return { numbers: rowsBetween(0, count), had: count };
  if (column.kind !== 'number') throw new Error('a kept column holds numbers');
  const kept = flat(column.values);
  return { numbers: rowsOf(kept), had: kept.length };
};

const flags = (numbers: Uint32Array, had: number): Uint32Array => {
  const values = new Uint32Array(had);
  for (const number of numbers) values[number] = 1;
  return values;
};
