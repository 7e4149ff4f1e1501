/**
 * The rows of a list that rank highest: by value, then events, both descending, then name, ascending by UTF-16 code units. Names
 * are only looked up for rows that could be among them.
 */

export interface Ranked {
  /** Place among the candidates. */
  place: number;
  name: string;
}

/** Candidates are parallel arrays of values and events; `name` names the one at a place. */
export const rank = (
  values: Uint32Array,
  events: Uint32Array,
  limit: number,
  name: (place: number) => string,
): Ranked[] =>
  Array.from(leading(values, events, limit), place => ({ place, name: name(place) }))
    .sort(
      (a, b) =>
        values[b.place]! - values[a.place]! || events[b.place]! - events[a.place]! || compareText(a.name, b.name),
    )
    .slice(0, limit);

/** Ascending by UTF-16 code units. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Places of the candidates that rank among the first `limit` by value and events, with all that share the last such rank. */
const leading = (values: Uint32Array, events: Uint32Array, limit: number): Uint32Array => {
  const all = Uint32Array.from(values.keys());
  if (all.length <= limit) return all;
  const value = nthLargest(values, limit);
  const above = all.filter(place => values[place]! > value);
  const tied = all.filter(place => values[place] === value);
  const event = nthLargest(
    tied.map(place => events[place]!),
    limit - above.length,
  );
  return Uint32Array.from([...above, ...tied.filter(place => events[place]! >= event)]);
};

/** The n-th largest of some numbers, counted from 1: quickselect, which looks at each number a few times and sorts none. */
export const nthLargest = (numbers: Uint32Array | Float64Array, n: number): number => {
  const values = new Float64Array(numbers);
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
