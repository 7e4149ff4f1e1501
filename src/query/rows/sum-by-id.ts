/** Hits and visitors by id, added up over days. */
import { largest } from '../../store/day/column-codec.ts';
import { type Codes, codesFor } from '../../store/day/packed.ts';

export interface CountsById<Counts extends Codes = Codes> {
  /** Ascending, each once. The next two run parallel to it. */
  ids: Uint32Array;
  hits: Counts;
  visitors: Counts;
}

/**
 * Counts in arrays as narrow as they can be: most pages of a day have few hits, and a question about
 * a million pages holds those of all days at once.
 */
export const narrowed = (counts: Uint32Array): Codes => {
  const narrow = codesFor(largest(counts), counts.length);
  narrow.set(counts);
  return narrow;
};

/** Tables over all ids up to the largest are fastest, unless ids are few among very many. */
const idsPerCountMax = 16;

/** In memory of its own. */
export const sumById = (lists: readonly CountsById[]): CountsById<Uint32Array> => {
  const most = lists.reduce((most, { ids }) => Math.max(most, ids[ids.length - 1] ?? 0), 0);
  const count = lists.reduce((sum, { ids }) => sum + ids.length, 0);
  return most > count * idsPerCountMax ? sumOfFew(lists, count) : sumInTables(lists, most);
};

const sumInTables = (lists: readonly CountsById[], most: number): CountsById<Uint32Array> => {
  const [hitsOf, visitorsOf] = [new Uint32Array(most + 1), new Uint32Array(most + 1)];
  const longest = lists.reduce((longest, { ids }) => Math.max(longest, ids.length), 0);
  const [wideHits, wideVisitors] = [new Uint32Array(longest), new Uint32Array(longest)];
  for (const { ids, hits, visitors } of lists) {
    wideHits.set(hits);
    wideVisitors.set(visitors);
    addToTables(ids, wideHits, wideVisitors, hitsOf, visitorsOf);
  }
  const length = countNonzero(hitsOf);
  const sums = { ids: new Uint32Array(length), hits: new Uint32Array(length), visitors: new Uint32Array(length) };
  listTables(hitsOf, visitorsOf, sums);
  return sums;
};

const addToTables = (
  ids: Uint32Array,
  hits: Uint32Array,
  visitors: Uint32Array,
  hitsOf: Uint32Array,
  visitorsOf: Uint32Array,
): void => {
  for (let i = 0; i < ids.length; i++) {
    hitsOf[ids[i]!]! += hits[i]!;
    visitorsOf[ids[i]!]! += visitors[i]!;
  }
};

const countNonzero = (values: Uint32Array): number => {
  let count = 0;
  for (let i = 0; i < values.length; i++) count += values[i] === 0 ? 0 : 1;
  return count;
};

/** Every id that a day counts has a hit. */
const listTables = (
  hitsOf: Uint32Array,
  visitorsOf: Uint32Array,
  { ids, hits, visitors }: CountsById<Uint32Array>,
): void => {
  for (let id = 0, i = 0; i < ids.length; id++) {
    if (hitsOf[id] === 0) continue;
    ids[i] = id;
    hits[i] = hitsOf[id]!;
    visitors[i++] = visitorsOf[id]!;
  }
};

const sumOfFew = (lists: readonly CountsById[], count: number): CountsById<Uint32Array> => {
  const all = new Uint32Array(count);
  let end = 0;
  for (const { ids } of lists) {
    all.set(ids, end);
    end += ids.length;
  }
  const ids = withoutRepeated(all.sort());
  const sums = { ids, hits: new Uint32Array(ids.length), visitors: new Uint32Array(ids.length) };
  for (const list of lists) {
    for (let i = 0, at = 0; i < list.ids.length; i++) {
      while (ids[at] !== list.ids[i]) at++;
      sums.hits[at]! += list.hits[i]!;
      sums.visitors[at]! += list.visitors[i]!;
    }
  }
  return sums;
};

const withoutRepeated = (ascending: Uint32Array): Uint32Array => {
  let count = 0;
  for (let i = 0; i < ascending.length; i++)
    if (i === 0 || ascending[i] !== ascending[i - 1]) ascending[count++] = ascending[i]!;
  return ascending.slice(0, count);
};
