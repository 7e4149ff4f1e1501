/**
 * The rows of a list that rank highest: by value, then events, both descending, then name, ascending by UTF-16 code units. Names
 * are only looked up for rows that could be among them.
 */
import type { BreakdownRow } from './query.ts';

/** Candidates as parallel arrays; `ids` name them. */
export interface Candidates {
  ids: Uint32Array;
  values: Uint32Array;
  events: Uint32Array;
}

export const topRows = (candidates: Candidates, limit: number, name: (id: number) => string): BreakdownRow[] =>
  Array.from(leading(candidates, limit), place => ({
    name: name(candidates.ids[place]!),
    value: candidates.values[place]!,
    events: candidates.events[place]!,
  }))
    .sort((a, b) => b.value - a.value || b.events - a.events || compareText(a.name, b.name))
    .slice(0, limit);

/** Ascending by UTF-16 code units. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Places of the candidates that rank among the first `limit` by value and events, with all that share the last such rank. */
const leading = ({ values, events }: Candidates, limit: number): Uint32Array => {
  const all = Uint32Array.from(values.keys());
  if (all.length <= limit) return all;
  const value = nthLargest(values, limit);
  const above = all.filter(place => values[place]! > value);
  const tied = all.filter(place => values[place] === value);
  const eventsOfTied = tied.map(place => events[place]!);
  const event = nthLargest(eventsOfTied, limit - above.length);
  return Uint32Array.from([...above, ...tied.filter(place => events[place]! >= event)]);
};

/** The n-th largest of the values, counted from 1. */
const nthLargest = (values: Uint32Array, n: number): number => values.toSorted()[values.length - n]!;
