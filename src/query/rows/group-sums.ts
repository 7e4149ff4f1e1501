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

export type CountedSum = GroupSumName | 'hits';

/** At least the sums with some names. */
export const sumsOfGroups = (
  of: Grouped,
  asked: readonly CountedSum[],
  converting: DayFilter | undefined,
  scratch: Scratch,
): GroupSums => {
  const isOfEvents = asked.includes('events');
  const names: readonly CountedSum[] = isOfEvents ? [...asked, 'hits', 'pageviews'] : asked;
  const isWhole = of.grouping.level === 'visit' && of.selection.wholeVisits;
  const sums = (isWhole ? wholeVisitSums : someHitSums)(of, names, converting, scratch);
  return isOfEvents ? { ...sums, events: eventsOf(of, sums, scratch) } : sums;
};

/** Where what is true of a visit tells all about its hits. */
const wholeVisitSums: typeof sumsOfGroups = (of, names, converting, scratch) => {
  const { selection, codes, grouping } = of;
  const sumOf = (values: Uint32Array): Uint32Array => sumByCode(codes(), values, scratch.zeros(grouping.ids.length));
  return {
    ...visitSums(of, { ...flagsOfVisits, entries: withView, exits: withView }, names, converting, scratch),
    ...(names.includes('hits') && { hits: sumOf(selection.hitsOf()) }),
    ...(names.includes('pageviews') && { pageviews: sumOf(visitNumbers(selection, 'pageviews', scratch)) }),
  };
};

const someHitSums: typeof sumsOfGroups = (of, names, converting, scratch) => ({
  ...visitSums(of, flagsOfVisits, names, converting, scratch),
  ...hitSums(of, names, scratch),
});

const sumByCode = (codes: Uint32Array, values: Uint32Array, sums: Uint32Array): Uint32Array => {
  for (let i = 0; i < codes.length; i++) sums[codes[i]!]! += values[i]!;
  return sums;
};

/** What counts where nothing is asked of it: each hit, or each visit. */
const any = 0;
const flagsOfHits = { hits: any, pageviews: isView, entries: isFirstView, exits: isLastView };
const flagsOfVisits = { visits: any, bounces: isBounce, conversions: isConverted };

const hitSums = (of: Grouped, names: readonly CountedSum[], scratch: Scratch): GroupSums => {
  const { selection, grouping, hitCodes } = of;
  const groups = grouping.ids.length;
  const isOfEdges = names.includes('entries') || names.includes('exits');
  if (isOfEdges || names.includes('pageviews')) {
    const cells = scratch.zeros(flagCombinations * groups);
    const flagsAt = isOfEdges ? viewFlagsAt : pageviewFlagsAt;
    scratch.within(inner => countFlags(hitCodes(), flagsAt(selection, inner), cells));
    return countsOf(cells, flagsOfHits, names, scratch);
  }
  return names.includes('hits') ? { hits: countValues(hitCodes(), scratch.zeros(groups)) } : {};
};

const countFlags = (codes: Uint32Array, flags: Uint8Array, cells: Uint32Array): void => {
  for (let i = 0; i < codes.length; i++) cells[(codes[i]! << 3) | flags[i]!]!++;
};

/** The sums that visits have flags for, and the milliseconds of visits. */
const visitSums = (
  { selection, grouping, codes: codesOf }: Grouped,
  flagOf: Readonly<Partial<Record<CountedSum, number>>>,
  names: readonly CountedSum[],
  converting: DayFilter | undefined,
  scratch: Scratch,
): GroupSums => {
  const groups = grouping.ids.length;
  const asked = names.filter(name => name === 'visitMs' || name in flagOf);
  if (asked.length === 0) return {};
  const isOfVisit = grouping.level === 'visit';
  const codes = codesOf();
  if (asked.every(name => name === 'visits')) {
    const visits = scratch.zeros(groups);
    if (isOfVisit) countValues(codes, visits);
    else scratch.within(inner => countNewVisits(codes, selection.begins(), inner.zeros(groups), visits));
    return { visits };
  }
  const cells = scratch.zeros(flagCombinations * groups);
  const visitMs = new Float64Array(groups);
  scratch.within(inner => {
    const flags = visitFlags(selection, names.includes('conversions') ? { converting } : null, inner);
    const durations = visitNumbers(selection, 'duration', inner);
    if (isOfVisit) countVisits(codes, flags, durations, cells, visitMs);
    else countVisitsOfHits(codes, selection.begins(), inner.zeros(groups), flags, durations, cells, visitMs);
  });
  return { ...countsOf(cells, flagOf, names, scratch), visitMs };
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

/** As `countVisitsOfHits`, where nothing else is asked. */
const countNewVisits = (codes: Uint32Array, begins: Uint8Array, lastVisit: Uint32Array, visits: Uint32Array): void => {
  let visit = 0;
  for (let position = 0; position < codes.length; position++) {
    visit += begins[position]! & visitBegins;
    const group = codes[position]!;
    const change = lastVisit[group]! ^ visit;
    lastVisit[group] = visit;
    visits[group]! += (change | -change) >>> 31;
  }
};

/** By name, how many in each group have its flag, given how often each combination occurs. */
const countsOf = (
  cells: Uint32Array,
  flagOf: Readonly<Partial<Record<CountedSum, number>>>,
  names: readonly CountedSum[],
  scratch: Scratch,
): GroupSums => {
  const counts: GroupSums = {};
  for (const name of names) {
    const flag = flagOf[name];
    if (flag !== undefined) counts[name] = countFlag(cells, flag, scratch.zeros(cells.length / flagCombinations));
  }
  return counts;
};

const countFlag = (cells: Uint32Array, flag: number, counts: Uint32Array): Uint32Array => {
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
