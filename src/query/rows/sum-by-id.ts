/** Counts and sums by id, added up over days. */
import { gather, joined } from '../../store/day/gather.ts';
import { type Codes, codesFor } from '../../store/day/packed.ts';
import { giveWay, type Pace } from '../pace.ts';
import { touchedBuckets } from '../scan/day-buckets.ts';
import { boundOf } from '../scan/lists.ts';
import type { DailyVisitors, PersistentVisitors } from '../visitors/daily-visitors.ts';

/** Counts are whole and narrow where a day has them; sums are doubles. */
export type SumArray = Uint32Array | Float64Array;

export interface SumsById<Column extends Codes | Float64Array = Codes | Float64Array> {
  /** Ascending, each once. */
  ids: Uint32Array;
  /** Each runs parallel to the ids. Of the first, every id has at least 1. */
  columns: readonly Column[];
}

/**
 * Counts in arrays as narrow as they can be: most pages of a day have few hits, and a question
 * about a million pages holds those of all days at once.
 */
export const narrowed = (counts: Uint32Array): Codes => {
  const narrow = codesFor(boundOf(counts), counts.length);
  narrow.set(counts);
  return narrow;
};

/** Tables over all ids up to the largest are fastest, unless ids are few among very many. */
const idsPerCountMax = 16;

type Kind = 'count' | 'sum';

/**
 * All lists have the same columns, `kinds` of them. In memory of its own. In turns: of a million
 * pages, it takes a tenth of a second.
 */
export const sumById = async (
  lists: readonly SumsById[],
  kinds: readonly Kind[],
  pace: Pace,
): Promise<SumsById<SumArray>> => {
  const most = lists.reduce((most, { ids }) => Math.max(most, boundOf(ids)), 0);
  const count = lists.reduce((sum, { ids }) => sum + ids.length, 0);
  return most > count * idsPerCountMax ? sumOfFew(lists, kinds) : sumInTables(lists, kinds, most, pace);
};

const zeros = (kind: Kind, length: number): SumArray =>
  kind === 'count' ? new Uint32Array(length) : new Float64Array(length);

const sumInTables = async (
  lists: readonly SumsById[],
  kinds: readonly Kind[],
  most: number,
  pace: Pace,
): Promise<SumsById<SumArray>> => {
  const longest = lists.reduce((longest, { ids }) => Math.max(longest, ids.length), 0);
  const wide = { count: new Uint32Array(longest), sum: new Float64Array(longest) };
  const tables = kinds.map(kind => zeros(kind, most + 1));
  for (const { ids, columns } of lists) {
    for (const [i, kind] of kinds.entries()) {
      wide[kind].set(columns[i]!);
      addToTable(ids, wide[kind], tables[i]!);
    }
    await giveWay(pace);
  }
  const ids = listIds(tables[0]! as Uint32Array);
  return { ids, columns: tables.map((table, i) => gatherSums(table, ids, zeros(kinds[i]!, ids.length))) };
};

const addToTable = (ids: Uint32Array, values: SumArray, table: SumArray): void => {
  for (let i = 0; i < ids.length; i++) table[ids[i]!]! += values[i]!;
};

/** Every id that a day counts has a hit. */
const listIds = (hitsOf: Uint32Array): Uint32Array => {
  const ids = new Uint32Array(countNonzero(hitsOf));
  for (let id = 0, i = 0; i < ids.length; id++) if (hitsOf[id] !== 0) ids[i++] = id;
  return ids;
};

const countNonzero = (values: Uint32Array): number => {
  let count = 0;
  for (let i = 0; i < values.length; i++) count += values[i] === 0 ? 0 : 1;
  return count;
};

const gatherSums = (table: SumArray, ids: Uint32Array, to: SumArray): SumArray => {
  for (let i = 0; i < ids.length; i++) to[i] = table[ids[i]!]!;
  return to;
};

const sumOfFew = (lists: readonly SumsById[], kinds: readonly Kind[]): SumsById<SumArray> => {
  const ids = eachOnce(lists.map(({ ids }) => ids));
  const columns = kinds.map(kind => zeros(kind, ids.length));
  for (const list of lists) {
    for (let i = 0, at = 0; i < list.ids.length; i++) {
      while (ids[at] !== list.ids[i]) at++;
      for (let column = 0; column < columns.length; column++) columns[column]![at]! += list.columns[column]![i]!;
    }
  }
  return { ids, columns };
};

/** The ids of some lists, ascending. */
export const eachOnce = (lists: readonly Uint32Array[]): Uint32Array => {
  const all = joined(lists).sort();
  let count = 0;
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) all[count++] = all[i]!;
  return all.slice(0, count);
};

/** What a day counts by id, and those of the visitors who may come on other days. */
export interface CountsOfDay extends SumsById {
  /** Grouped by id, also by ids that were left out; null where there are none. */
  persistent: PersistentVisitors | null;
  /** Where visitors are grouped by ids of the day's own, what each of these is among `ids`. */
  meaning?: Uint32Array;
}

/** A day whose ids are its own, by what they mean on every day. */
export const withMeaning = <D extends CountsOfDay>(of: D, meaning: Uint32Array): D => ({
  ...of,
  ids: gather(meaning, of.ids),
  meaning,
});

/**
 * Days that count by bucket from the first that each touches, by the buckets of all. Days ascend.
 */
export const inBuckets = <D extends CountsOfDay & { day: number }>(
  days: readonly D[],
  bounds: readonly number[],
): D[] => {
  const meanings = days.map(({ day, ids }) => {
    const { first, edges } = touchedBuckets(bounds, day);
    // Sums of several days are counted on.
    const length = Math.max(edges.length, ids.at(-1) ?? 0) + 1;
    return Uint32Array.from({ length }, (_, bucket) => first + bucket);
  });
  // Only visitors of a bucket that several days share may count twice.
  const areShared = meanings.some((of, i) => i > 0 && meanings[i - 1]!.at(-1)! >= of[0]!);
  return days.map((of, i) => withMeaning(areShared ? of : { ...of, persistent: null }, meanings[i]!));
};

/** By the position of each of some ids, the visitors that days count there. */
export const visitorsById = (days: readonly CountsOfDay[], ids: Uint32Array, counts: Uint32Array): DailyVisitors => {
  const mayReturn = days.filter(({ persistent }) => persistent !== null);
  const positionOf = mayReturn.length === 0 ? new Uint32Array(0) : positionsOf(ids);
  return {
    days: mayReturn.map(({ persistent, meaning }) => ({
      persistent,
      positionOf: meaning === undefined ? positionOf : meaning.map(id => positionOf[id] ?? ids.length),
    })),
    counts,
  };
};

/** Position of each of some ascending ids; for an id that is not among them, their number. */
export const positionsOf = (ids: Uint32Array): Uint32Array => {
  const positionOf = new Uint32Array((ids.at(-1) ?? 0) + 1).fill(ids.length);
  for (let position = 0; position < ids.length; position++) positionOf[ids[position]!] = position;
  return positionOf;
};
