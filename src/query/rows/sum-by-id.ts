/** Counts and sums by id, added up over days. */
import { type Codes, codesFor } from '../../store/day/packed.ts';
import { giveWay, type Pace } from '../pace.ts';
import { boundOf } from '../scan/lists.ts';

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
  return most > count * idsPerCountMax ? sumOfFew(lists, kinds, count) : sumInTables(lists, kinds, most, pace);
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

const sumOfFew = (lists: readonly SumsById[], kinds: readonly Kind[], count: number): SumsById<SumArray> => {
  const all = new Uint32Array(count);
  let end = 0;
  for (const { ids } of lists) {
    all.set(ids, end);
    end += ids.length;
  }
  const ids = withoutRepeated(all.sort());
  const columns = kinds.map(kind => zeros(kind, ids.length));
  for (const list of lists) {
    for (let i = 0, at = 0; i < list.ids.length; i++) {
      while (ids[at] !== list.ids[i]) at++;
      for (let column = 0; column < columns.length; column++) columns[column]![at]! += list.columns[column]![i]!;
    }
  }
  return { ids, columns };
};

/** Of ascending numbers, each once. Moves them within their array. */
export const withoutRepeated = (ascending: Uint32Array): Uint32Array => {
  let count = 0;
  for (let i = 0; i < ascending.length; i++)
    if (i === 0 || ascending[i] !== ascending[i - 1]) ascending[count++] = ascending[i]!;
  return ascending.slice(0, count);
};
