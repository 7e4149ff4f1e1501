/**
 * The first rows of a list, or the next ones: by value, then events, both descending, then name,
 * ascending by code point. Only rows that could be among them have their names looked up.
 */
import { rowsBetween, rowsWhere } from '../../store/day/gather.ts';
import type { QueryContext } from '../context.ts';
import { firstWhere } from '../scan/lists.ts';

/** The names of candidates, by their position. */
export interface Names {
  at(position: number): string;
  /**
   * Of some positions, those of the `count` names that come first, or first behind `after`, and
   * perhaps others.
   */
  first(positions: Uint32Array, count: number, after?: string): Uint32Array;
}

/** Of the row that was shown last. */
export interface RowPlace {
  value: number;
  events: number;
  name: string;
}

export interface TopRow {
  position: number;
  name: string;
}

type RowValues = Uint32Array | Float64Array;

/** Candidates are parallel arrays of values and events; `after` leaves out those up to a row. */
export const topRows = (
  values: RowValues,
  events: Uint32Array,
  limit: number,
  names: Names,
  after: RowPlace | null = null,
): TopRow[] =>
  Array.from(candidates(values, events, limit, names, after), position => ({ position, name: names.at(position) }))
    .filter(({ position, name }) => after === null || isBehind(values[position]!, events[position]!, name, after))
    .sort(
      ({ position: a, name: nameOfA }, { position: b, name: nameOfB }) =>
        values[b]! - values[a]! || events[b]! - events[a]! || compareText(nameOfA, nameOfB),
    )
    .slice(0, limit);

const isBehind = (value: number, events: number, name: string, after: RowPlace): boolean =>
  value < after.value ||
  (value === after.value && (events < after.events || (events === after.events && compareText(name, after.name) > 0)));

/** Names that are at hand, or few. */
export const namesAt = (at: (position: number) => string): Names => ({ at, first: positions => positions });

/** Names that are made when they are needed, and compared without sorting all of them. */
export const comparedNames = (at: (position: number) => string): Names => ({
  at,
  first(positions, count, after) {
    const first: { position: number; name: string }[] = [];
    for (const position of positions) {
      const name = at(position);
      if (after !== undefined && compareText(name, after) <= 0) continue;
      if (first.length === count && compareText(name, first[count - 1]!.name) > 0) continue;
      const place = firstWhere(0, first.length, at => compareText(first[at]!.name, name) > 0);
      first.splice(place, 0, { position, name });
      if (first.length > count) first.pop();
    }
    return Uint32Array.from(first, ({ position }) => position);
  },
});

/** Fewer texts than this are all looked up. */
const manyTexts = 1000;

/** Texts of the site, given their ascending ids. `nullName` is the name of the id 0. */
export const textNames = (ids: Uint32Array, { query, reader, text }: QueryContext, nullName = ''): Names => ({
  at: position => text(ids[position]!) ?? nullName,
  first(positions, count, after) {
    if (positions.length < manyTexts) return positions;
    const positionOf = new Map<number, number>();
    for (const position of positions) positionOf.set(ids[position]!, position);
    // A walk over the texts in their order mostly finds enough of them soon. If not, it gives up.
    const found = reader.texts.first(query.siteId, id => positionOf.has(id), count, positions.length, after);
    if (found === undefined) return positions;
    const first = found.map(id => positionOf.get(id)!);
    return Uint32Array.from(positionOf.has(0) ? [positionOf.get(0)!, ...first] : first);
  },
});

/**
 * Ascending by code point, as SQLite compares texts. Code units give the same order, except that
 * surrogates, which begin at 0xd800, stand for code points above all others.
 */
export const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [unitA, unitB] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (unitA !== unitB) return rotate(unitA) - rotate(unitB);
  }
  return a.length - b.length;
};

const rotate = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Positions of the rows that could be among the first `limit`, or the first behind a row. */
const candidates = (
  values: RowValues,
  events: Uint32Array,
  limit: number,
  names: Names,
  after: RowPlace | null,
): number[] => {
  const all = rowsBetween(0, values.length);
  if (after === null) return leading(all, values, events, limit, names);
  const [alike, behind] = splitAt(after, values, events);
  const next = alike.length > limit ? names.first(alike, limit, after.name) : alike;
  return [...next, ...leading(behind, values, events, limit, names)];
};

/** The positions of rows with just the value and events of a row, and of those with less. */
const splitAt = (
  after: RowPlace,
  values: RowValues,
  events: Uint32Array,
): [alike: Uint32Array, behind: Uint32Array] => {
  const [alike, behind] = [new Uint32Array(values.length), new Uint32Array(values.length)];
  let [countAlike, countBehind] = [0, 0];
  for (let position = 0; position < values.length; position++) {
    const value = values[position]!;
    if (value > after.value || (value === after.value && events[position]! > after.events)) continue;
    if (value === after.value && events[position] === after.events) alike[countAlike++] = position;
    else behind[countBehind++] = position;
  }
  return [alike.slice(0, countAlike), behind.slice(0, countBehind)];
};

/** Of some positions, those of the rows that could be among the first `limit`. */
const leading = (
  positions: Uint32Array,
  values: RowValues,
  events: Uint32Array,
  limit: number,
  names: Names,
): number[] => {
  const byValue = split(positions, values, limit);
  const byEvents = split(byValue.tied, events, limit - byValue.above.length);
  const wanted = limit - byValue.above.length - byEvents.above.length;
  const last = byEvents.tied.length > wanted ? names.first(byEvents.tied, wanted) : byEvents.tied;
  return [...byValue.above, ...byEvents.above, ...last];
};

/**
 * The positions with more than the n-th largest of the values, and those with just as much. If
 * there are no more than n, all are above.
 */
const split = (positions: Uint32Array, values: RowValues, n: number): { above: Uint32Array; tied: Uint32Array } => {
  if (positions.length <= n) return { above: positions, tied: new Uint32Array(0) };
  const least = nthLargestAt(positions, values, n);
  return {
    above: rowsWhere(positions, values, value => value > least),
    tied: rowsWhere(positions, values, value => value === least),
  };
};

/** The n-th largest of the values at more than n positions: of a million, most need one look. */
const nthLargestAt = (positions: Uint32Array, values: RowValues, n: number): number => {
  const candidates = new Float64Array(2 * n + candidatesMin);
  let count = 0;
  let least = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < positions.length; i++) {
    const value = values[positions[i]!]!;
    if (value <= least) continue;
    candidates[count++] = value;
    if (count < candidates.length) continue;
    least = nthLargest(candidates, n);
    candidates.copyWithin(0, count - n); // where the n largest are now
    count = n;
  }
  return nthLargest(candidates.subarray(0, count), n);
};
const candidatesMin = 1000;

/**
 * The n-th largest of some numbers, counted from 1. It is a quickselect: the n largest are the last
 * ones then.
 */
export const nthLargest = (values: Float64Array, n: number): number => {
  const target = values.length - n;
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >>> 1]!;
    let left = low;
    let right = high;
    while (left <= right) {
      while (values[left]! < pivot) left++;
      while (values[right]! > pivot) right--;
      if (left > right) break;
      const swapped = values[left]!;
      values[left++] = values[right]!;
      values[right--] = swapped;
    }
    if (target <= right) high = right;
    else if (target >= left) low = left;
    else break;
  }
  return values[target]!;
};
