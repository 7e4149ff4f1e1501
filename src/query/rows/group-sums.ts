/**
 * Sums over the selected hits and visits of each group, where a group is a value of a dimension or
 * a bucket of time. Each sum is made by itself, and only when it is asked for. A visit belongs to
 * each group where it has a selected hit, and once: what is summed over visits goes through a list
 * of these pairs. Beside scan/tally.ts, which counts the hits and visitors of groups.
 */
import { hitTypes } from '../../model/hit.ts';
import type { MedianName, RowPart } from '../../model/table-metrics.ts';
import { largest } from '../../store/day/column-codec.ts';
import { codesFor } from '../../store/day/packed.ts';
import type { QueryContext } from '../context.ts';
import { lazy } from '../remember.ts';
import { visitBegins } from '../scan/day-index.ts';
import type { DayFilter } from '../scan/filter-rows.ts';
import { flagged, gatherTo, positionsOfNonzero } from '../scan/lists.ts';
import { selectAll, selectEvents, selectPassing } from '../scan/select.ts';
import { hitNumbers, type Selection, visitNumbers } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';
import type { Lists } from './medians.ts';
import { revenueRows } from './revenue.ts';
import type { Sums } from './sum-by-id.ts';

/** How hits are grouped: by something that their visit has, or by something of their own. */
export interface Grouping {
  level: 'visit' | 'hit';
  /** The group of each selected visit, or of the hit at each position. */
  codes(selection: Selection, scratch: Scratch): Uint32Array;
  /** Per group, an id that means the same on every day. */
  ids: Uint32Array;
}

/** Selected hits in their groups. */
export interface Grouped {
  selection: Selection;
  grouping: Grouping;
  /** As the grouping gives them. */
  codes: Uint32Array;
}

/** The sums that add up over days. */
export type SumName = Exclude<RowPart, 'visitors' | MedianName>;

/** Which of them are doubles, since a day's may be more than 32 bits hold. */
export const kindOfSum = (name: SumName): 'count' | 'sum' =>
  name === 'visitMs' || name === 'revenue' ? 'sum' : 'count';

/** Makes sums by group: working memory, good for as long as `scratch`. */
export const summer = (
  grouped: Grouped,
  context: QueryContext,
  scratch: Scratch,
  converting?: DayFilter,
): ((name: SumName) => Sums) => {
  const { selection, codes, grouping } = grouped;
  const isOfVisits = grouping.level === 'visit';
  const groups = grouping.ids.length;
  const counts = (): Uint32Array => scratch.zeros(groups);
  const pairs = lazy(() => (isOfVisits ? pairsOfVisits(codes, scratch) : pairsOfHits(grouped, scratch)));
  const sumOfVisits = (values: Uint32Array): Uint32Array => sumValues(pairs(), values, counts());
  const edges = lazy(() => edgesOf(selection, scratch));
  const makers: Record<SumName, () => Sums> = {
    visits: () => countGroups(pairs().groups, counts()),
    bounces: () => sumOfVisits(bouncesOf(visitNumbers(selection, 'pageviews', scratch), scratch)),
    visitMs: () => sumLong(pairs(), visitNumbers(selection, 'duration', scratch), new Float64Array(groups)),
    pageviews: () => pageviewsOf(grouped, counts(), scratch),
    events: () => eventsOf(grouped, counts(), scratch),
    revenue: () => revenueOf(grouped, context, scratch),
    entries: () => countHits(grouped, edges().first, counts(), scratch),
    exits: () => countHits(grouped, edges().last, counts(), scratch),
    conversions: () => sumOfVisits(convertedOf(selection, converting, scratch)),
  };
  return name => makers[name]();
};

/** Visits, as positions among the selected ones, and a group of each. */
interface Pairs {
  groups: Uint32Array;
  visits: Uint32Array;
}

const pairsOfVisits = (codes: Uint32Array, scratch: Scratch): Pairs => ({
  groups: codes,
  visits: scratch.identity(codes.length),
});

const pairsOfHits = ({ selection, codes, grouping }: Grouped, scratch: Scratch): Pairs => {
  const [groups, visits] = [scratch.take(codes.length), scratch.take(codes.length)];
  const count = scratch.within(inner =>
    listPairs(codes, selection.begins(), inner.zeros(grouping.ids.length), groups, visits),
  );
  return { groups: groups.subarray(0, count), visits: visits.subarray(0, count) };
};

/** It does not branch on whether the visit is new to the group (as in scan/tally.ts). */
const listPairs = (
  codes: Uint32Array,
  begins: Uint8Array,
  lastVisit: Uint32Array,
  groups: Uint32Array,
  visits: Uint32Array,
): number => {
  let count = 0;
  let visit = 0;
  for (let position = 0; position < codes.length; position++) {
    visit += begins[position]! & visitBegins;
    const group = codes[position]!;
    groups[count] = group;
    visits[count] = visit - 1;
    const change = lastVisit[group]! ^ visit;
    lastVisit[group] = visit;
    count += (change | -change) >>> 31;
  }
  return count;
};

const countGroups = (groups: Uint32Array, counts: Uint32Array): Uint32Array => {
  for (let i = 0; i < groups.length; i++) counts[groups[i]!]!++;
  return counts;
};

const sumValues = ({ groups, visits }: Pairs, values: Uint32Array, sums: Uint32Array): Uint32Array => {
  for (let i = 0; i < groups.length; i++) sums[groups[i]!]! += values[visits[i]!]!;
  return sums;
};

const sumLong = ({ groups, visits }: Pairs, values: Uint32Array, sums: Float64Array): Float64Array => {
  for (let i = 0; i < groups.length; i++) sums[groups[i]!]! += values[visits[i]!]!;
  return sums;
};

const bouncesOf = (pageviews: Uint32Array, scratch: Scratch): Uint32Array => {
  const bounces = scratch.take(pageviews.length);
  for (let i = 0; i < pageviews.length; i++) bounces[i] = pageviews[i]! <= 1 ? 1 : 0;
  return bounces;
};

const pageviewsOf = ({ selection, codes, grouping }: Grouped, counts: Uint32Array, scratch: Scratch): Uint32Array => {
  if (grouping.level === 'hit') return countPageviews(codes, hitNumbers(selection, 'type', scratch), counts);
  const pairs = pairsOfVisits(codes, scratch);
  if (selection.wholeVisits) return sumValues(pairs, visitNumbers(selection, 'pageviews', scratch), counts);
  return scratch.within(inner => {
    const ofVisits = inner.zeros(codes.length);
    addPageviews(selection.begins(), hitNumbers(selection, 'type', inner), ofVisits);
    return sumValues(pairs, ofVisits, counts);
  });
};

const countPageviews = (codes: Uint32Array, types: Uint32Array, counts: Uint32Array): Uint32Array => {
  for (let position = 0; position < codes.length; position++)
    counts[codes[position]!]! += types[position] === hitTypes.pageview ? 1 : 0;
  return counts;
};

const addPageviews = (begins: Uint8Array, types: Uint32Array, ofVisits: Uint32Array): void => {
  let visit = -1;
  for (let position = 0; position < types.length; position++) {
    visit += begins[position]! & visitBegins;
    ofVisits[visit]! += types[position] === hitTypes.pageview ? 1 : 0;
  }
};

const eventsOf = ({ selection, grouping }: Grouped, counts: Uint32Array, scratch: Scratch): Uint32Array => {
  scratch.within(inner => {
    const events = selectEvents(selection, inner);
    if (events === undefined) return;
    const codes = grouping.codes(events, inner);
    if (grouping.level === 'hit') countGroups(codes, counts);
    else sumValues(pairsOfVisits(codes, inner), events.hitsOf(), counts);
  });
  return counts;
};

/**
 * 1 for each selected visit with a hit that converts, selected or not: a named custom or revenue
 * event, where nothing else is said.
 */
const convertedOf = (selection: Selection, converting: DayFilter | undefined, scratch: Scratch): Uint32Array => {
  const { day, index } = selection;
  const converted = scratch.take(selection.visits().length);
  return scratch.within(inner => {
    const hits =
      converting === undefined
        ? selectEvents(selectAll(day, index, inner), inner, ['custom', 'revenue'])
        : selectPassing(day, index, [converting(day, index, inner)], inner);
    const flags = flagged(hits?.visits() ?? new Uint32Array(0), inner.bytes(day.visits));
    const visits = selection.visits();
    for (let i = 0; i < visits.length; i++) converted[i] = flags[visits[i]!]!;
    return converted;
  });
};

/** The rows of the first and of the last page view of each selected visit that has one. */
const edgesOf = (selection: Selection, scratch: Scratch): { first: Uint32Array; last: Uint32Array } => {
  const { index } = selection;
  const visits = selection.visits();
  const [first, last] = [scratch.take(visits.length), scratch.take(visits.length)];
  const count = listEdges(visits, index.hitsFrom(), index.numbers('type'), first, last);
  return { first: first.subarray(0, count), last: last.subarray(0, count) };
};

const listEdges = (
  visits: Uint32Array,
  hitsFrom: Uint32Array,
  types: Uint32Array,
  first: Uint32Array,
  last: Uint32Array,
): number => {
  let count = 0;
  for (let i = 0; i < visits.length; i++) {
    let from = hitsFrom[visits[i]!]!;
    let to = hitsFrom[visits[i]! + 1]! - 1;
    while (from <= to && types[from] !== hitTypes.pageview) from++;
    while (from < to && types[to] !== hitTypes.pageview) to--;
    first[count] = from;
    last[count] = to;
    count += from <= to ? 1 : 0;
  }
  return count;
};

/** The group of a hit that is not selected. */
const none = 0xffff_ffff;

const countHits = (grouped: Grouped, rows: Uint32Array, counts: Uint32Array, scratch: Scratch): Uint32Array =>
  scratch.within(inner => {
    const groups = groupsOfRows(grouped, rows, inner.take(rows.length));
    for (let i = 0; i < groups.length; i++) if (groups[i] !== none) counts[groups[i]!]!++;
    return counts;
  });

/** The group of each of some hits, given by ascending rows, or `none`. */
const groupsOfRows = (grouped: Grouped, rows: Uint32Array, to: Uint32Array): Uint32Array => {
  const { selection, codes, grouping } = grouped;
  if (grouping.level === 'visit' && selection.wholeVisits) {
    return groupsByVisit(rows, selection.visits(), selection.index.hitsFrom(), codes, to);
  }
  const found = selection.found().rows;
  const positions = found === null ? rows : positionsOfRows(rows, found, to);
  return grouping.level === 'hit'
    ? codesAt(positions, codes, to)
    : visitCodesAt(positions, selection.positionsFrom(), codes, to);
};

const groupsByVisit = (
  rows: Uint32Array,
  visits: Uint32Array,
  hitsFrom: Uint32Array,
  codes: Uint32Array,
  to: Uint32Array,
): Uint32Array => {
  let visit = 0;
  for (let i = 0; i < rows.length; i++) {
    while (visit < visits.length && hitsFrom[visits[visit]! + 1]! <= rows[i]!) visit++;
    to[i] = visit < visits.length && hitsFrom[visits[visit]!]! <= rows[i]! ? codes[visit]! : none;
  }
  return to;
};

/** The position of each of some ascending rows among others, or `none`. */
const positionsOfRows = (rows: Uint32Array, among: Uint32Array, to: Uint32Array): Uint32Array => {
  let position = 0;
  for (let i = 0; i < rows.length; i++) {
    while (position < among.length && among[position]! < rows[i]!) position++;
    to[i] = among[position] === rows[i] ? position : none;
  }
  return to;
};

const codesAt = (positions: Uint32Array, codes: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < positions.length; i++) to[i] = positions[i] === none ? none : codes[positions[i]!]!;
  return to;
};

const visitCodesAt = (
  positions: Uint32Array,
  positionsFrom: Uint32Array,
  codes: Uint32Array,
  to: Uint32Array,
): Uint32Array => {
  let visit = 0;
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i]!;
    if (position !== none) while (positionsFrom[visit + 1]! <= position) visit++;
    to[i] = position === none ? none : codes[visit]!;
  }
  return to;
};

/** Revenue in the site's currency; the rest is `otherRevenueByGroup`. */
const revenueOf = (grouped: Grouped, context: QueryContext, scratch: Scratch): Float64Array => {
  const sums = new Float64Array(grouped.grouping.ids.length);
  eachRevenue(grouped, context, scratch, (group, amount, currency) => {
    if (currency === null) sums[group]! += amount;
  });
  return sums;
};

/** By group: minor units by currency, of amounts without a rate, where there are any. */
export const otherRevenueByGroup = (
  grouped: Grouped,
  context: QueryContext,
  scratch: Scratch,
): Map<number, Record<string, number>> => {
  const sums = new Map<number, Record<string, number>>();
  eachRevenue(grouped, context, scratch, (group, amount, currency) => {
    if (currency === null) return;
    const sum = sums.get(group) ?? {};
    sum[currency] = (sum[currency] ?? 0) + amount;
    sums.set(group, sum);
  });
  return sums;
};

const eachRevenue = (
  grouped: Grouped,
  context: QueryContext,
  scratch: Scratch,
  add: (group: number, amount: number, currency: string | null) => void,
): void => {
  const { hits, amountAt } = revenueRows(grouped.selection.day, context);
  scratch.within(inner => {
    const rows = inner.take(hits.length);
    rows.set(hits);
    const groups = groupsOfRows(grouped, rows, inner.take(hits.length));
    groups.forEach((group, row) => {
      if (group === none) return;
      const { amount, currency } = amountAt(row);
      add(group, amount, currency);
    });
  });
};

/** The values of a column of the selected hits that are not 0, by group. In memory of their own. */
export const numbersOfGroups = ({ selection, codes, grouping }: Grouped, name: MedianName, scratch: Scratch): Lists =>
  scratch.within(inner => {
    const values = hitNumbers(selection, name, inner);
    const room = inner.take(values.length);
    const positions = room.subarray(0, positionsOfNonzero(values, room));
    const groups = inner.take(positions.length);
    if (grouping.level === 'hit') gatherTo(codes, positions, groups);
    else visitCodesAt(positions, selection.positionsFrom(), codes, groups);
    const known = gatherTo(values, positions, inner.take(positions.length));
    const starts = new Uint32Array(grouping.ids.length + 1);
    countGroups(groups, starts.subarray(1));
    for (let group = 0; group < grouping.ids.length; group++) starts[group + 1]! += starts[group]!;
    const sorted = inner.take(known.length);
    sortByGroup(groups, known, inner.take(starts.length), starts, sorted);
    const numbers = codesFor(largest(sorted), sorted.length);
    numbers.set(sorted);
    return { starts, numbers };
  });

const sortByGroup = (
  groups: Uint32Array,
  values: Uint32Array,
  next: Uint32Array,
  starts: Uint32Array,
  sorted: Uint32Array,
): void => {
  next.set(starts);
  for (let i = 0; i < groups.length; i++) sorted[next[groups[i]!]!++] = values[i]!;
};
