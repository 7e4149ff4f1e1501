/**
 * Sums over the selected hits and visits of each group, where a group is a value of a dimension or
 * a bucket of time. A visit belongs to each group where it has a selected hit, and once. Beside
 * scan/tally.ts, which counts the hits and visitors of groups.
 *
 * What is true of a hit, or of a visit, is three flags of it. So all that is counted comes from one
 * walk, which counts in each group how often each combination of flags occurs.
 */
import type { MedianName, RowPart } from '../../model/table-metrics.ts';
import { visitBegins } from '../scan/day-index.ts';
import type { DayFilter } from '../scan/filter-rows.ts';
import { countValues } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { visitNumbers } from '../scan/selection.ts';
import { isFirstView, isLastView, isView } from '../scan/view-flags.ts';
import type { Scratch } from '../scratch.ts';
import { type Grouped, grouped } from './grouping.ts';
import {
  flagCombinations,
  isBounce,
  isConverted,
  pageviewFlagsAt,
  viewFlagsAt,
  visitFlags,
  withView,
} from './sum-flags.ts';

/** The sums that add up over days. */
export type GroupSumName = Exclude<RowPart, 'visitors' | 'revenue' | MedianName>;

/** By group; working memory. */
export type GroupSums = Partial<Record<GroupSumName, Uint32Array | Float64Array>> & { hits?: Uint32Array };

/** At least the sums with some names. */
export const sumsOfGroups = (
  of: Grouped,
  names: readonly (GroupSumName | 'hits')[],
  converting: DayFilter | undefined,
  scratch: Scratch,
): GroupSums => {
  if (names.length === 0) return {};
  const isWhole = of.grouping.level === 'visit' && of.selection.wholeVisits;
  const sums = (isWhole ? wholeVisitSums : someHitSums)(of, names, converting, scratch);
  return names.includes('events') ? { ...sums, events: eventsOf(of, sums, scratch) } : sums;
};

/** Where what is true of a visit tells all about its hits. */
const wholeVisitSums: typeof sumsOfGroups = (of, names, converting, scratch) => {
  const { selection, codes, grouping } = of;
  const groups = grouping.ids.length;
  const { edges, ...sums } = visitSums(of, names, converting, scratch);
  const hits = sumByCode(codes, selection.hitsOf(), scratch.zeros(groups));
  const pageviews = sumByCode(codes, visitNumbers(selection, 'pageviews', scratch), scratch.zeros(groups));
  return { ...sums, hits, pageviews, entries: edges, exits: edges };
};

const someHitSums: typeof sumsOfGroups = (of, names, converting, scratch) => {
  const isAbout = (some: typeof names): boolean => some.some(name => names.includes(name));
  const isOfVisits = isAbout(['visits', 'bounces', 'visitMs', 'conversions']);
  const ofVisits = isOfVisits ? visitSums(of, names, converting, scratch) : {};
  if (isAbout(['entries', 'exits'])) return { ...ofVisits, ...hitSums(of, viewFlagsAt, scratch) };
  if (isAbout(['pageviews', 'events'])) return { ...ofVisits, ...hitSums(of, pageviewFlagsAt, scratch) };
  if (!isAbout(['hits'])) return ofVisits;
  return { ...ofVisits, hits: countValues(of.hitCodes(), scratch.zeros(of.grouping.ids.length)) };
};

const sumByCode = (codes: Uint32Array, values: Uint32Array, sums: Uint32Array): Uint32Array => {
  for (let i = 0; i < codes.length; i++) sums[codes[i]!]! += values[i]!;
  return sums;
};

const hitSums = (
  { selection, grouping, hitCodes }: Grouped,
  flagsAt: typeof viewFlagsAt,
  scratch: Scratch,
): GroupSums => {
  const cells = scratch.zeros(flagCombinations * grouping.ids.length);
  scratch.within(inner => countFlags(hitCodes(), flagsAt(selection, inner), cells));
  const count = counter(cells, scratch);
  return { hits: count(0), pageviews: count(isView), entries: count(isFirstView), exits: count(isLastView) };
};

const countFlags = (codes: Uint32Array, flags: Uint8Array, cells: Uint32Array): void => {
  for (let i = 0; i < codes.length; i++) cells[(codes[i]! << 3) | flags[i]!]!++;
};

const visitSums = (
  { selection, grouping, codes }: Grouped,
  names: readonly (GroupSumName | 'hits')[],
  converting: DayFilter | undefined,
  scratch: Scratch,
) => {
  const groups = grouping.ids.length;
  const cells = scratch.zeros(flagCombinations * groups);
  const visitMs = new Float64Array(groups);
  scratch.within(inner => {
    const flags = visitFlags(selection, names.includes('conversions') ? { converting } : null, inner);
    const durations = visitNumbers(selection, 'duration', inner);
    if (grouping.level === 'visit') countVisits(codes, flags, durations, cells, visitMs);
    else countVisitsOfHits(codes, selection.begins(), inner.zeros(groups), flags, durations, cells, visitMs);
  });
  const count = counter(cells, scratch);
  return {
    visits: count(0),
    bounces: count(isBounce),
    conversions: count(isConverted),
    edges: count(withView),
    visitMs,
  };
};

const countVisits = (
  codes: Uint32Array,
  flags: Uint8Array,
  durations: Uint32Array,
  cells: Uint32Array,
  visitMs: Float64Array,
): void => {
  for (let visit = 0; visit < codes.length; visit++) {
    const group = codes[visit]!;
    cells[(group << 3) | flags[visit]!]!++;
    visitMs[group]! += durations[visit]!;
  }
};

/** It does not branch on whether the visit is new to the group (as in scan/tally.ts). */
const countVisitsOfHits = (
  codes: Uint32Array,
  begins: Uint8Array,
  lastVisit: Uint32Array,
  flags: Uint8Array,
  durations: Uint32Array,
  cells: Uint32Array,
  visitMs: Float64Array,
): void => {
  let visit = 0;
  for (let position = 0; position < codes.length; position++) {
    visit += begins[position]! & visitBegins;
    const group = codes[position]!;
    const change = lastVisit[group]! ^ visit;
    lastVisit[group] = visit;
    const isNew = (change | -change) >>> 31;
    cells[(group << 3) | flags[visit - 1]!]! += isNew;
    visitMs[group]! += isNew * durations[visit - 1]!;
  }
};

/** Counts by group what has a flag, given how often each combination occurs; everything for 0. */
const counter =
  (cells: Uint32Array, scratch: Scratch) =>
  (flag: number): Uint32Array => {
    const counts = scratch.zeros(cells.length / flagCombinations);
    for (let cell = 0; cell < cells.length; cell++) if ((cell & flag) === flag) counts[cell >> 3]! += cells[cell]!;
    return counts;
  };

/** Hits of the groups that have a name and are no page views. */
const eventsOf = ({ selection, grouping }: Grouped, { hits, pageviews }: GroupSums, scratch: Scratch): Uint32Array => {
  const counts = scratch.zeros(grouping.ids.length);
  if (selection.index.isEachNamed()) return counts.map((_, group) => hits![group]! - pageviews![group]!);
  return scratch.within(inner => {
    const events = selectEvents(selection, inner);
    return events === undefined ? counts : countValues(grouped(events, grouping, inner).hitCodes(), counts);
  });
};
