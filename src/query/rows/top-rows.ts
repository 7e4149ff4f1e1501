/**
 * The rows of a list that rank highest: by value, then events, both descending, then name, ascending by code point. Names are
 * only looked up for rows that could be among them.
 */
import { gather, rowsBetween } from '../../store/day/gather.ts';

/** What candidates are called, by their place. */
export interface Names {
  at(place: number): string;
  /** Of some places, those of the `count` names that come first, and perhaps others. */
  first(places: Uint32Array, count: number): Uint32Array;
}

/** Names that are at hand, or few. */
export const namesAt = (at: (place: number) => string): Names => ({ at, first: places => places });

export interface TopRow {
  place: number;
  name: string;
}

/** Candidates are parallel arrays of values and events. */
export const topRows = (values: Uint32Array, events: Uint32Array, limit: number, names: Names): TopRow[] =>
  Array.from(leading(values, events, limit, names), place => ({ place, name: names.at(place) }))
    .sort(
      (a, b) =>
        values[b.place]! - values[a.place]! || events[b.place]! - events[a.place]! || compareText(a.name, b.name),
    )
    .slice(0, limit);

/**
 * Ascending by code point, as SQLite compares texts. Code units give the same order, except that surrogates, which begin at
 * 0xd800, stand for code points above all others.
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

/** Places of the candidates that could be among the first `limit`. */
const leading = (values: Uint32Array, events: Uint32Array, limit: number, names: Names): number[] => {
  const places = rowsBetween(0, values.length);
  const byValue = split(places, values, limit);
  const byEvents = split(byValue.tied, events, limit - byValue.above.length);
  const wanted = limit - byValue.above.length - byEvents.above.length;
  const last = byEvents.tied.length > wanted ? names.first(byEvents.tied, wanted) : byEvents.tied;
  return [...byValue.above, ...byEvents.above, ...last];
};

/** The places with more than the n-th largest of the values, and those with just as much. All are above if there are no more than n. */
const split = (places: Uint32Array, values: Uint32Array, n: number): { above: Uint32Array; tied: Uint32Array } => {
  if (places.length <= n) return { above: places, tied: new Uint32Array(0) };
  const least = nthLargest(new Float64Array(gather(values, places)), n);
  const above = new Uint32Array(places.length);
  const tied = new Uint32Array(places.length);
  let [countAbove, countTied] = [0, 0];
  for (const place of places) {
    const value = values[place]!;
    if (value > least) above[countAbove++] = place;
    else if (value === least) tied[countTied++] = place;
  }
  return { above: above.subarray(0, countAbove), tied: tied.subarray(0, countTied) };
};

/** The n-th largest of some numbers, counted from 1, which are put in another order: quickselect, which sorts none of them. */
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
