/**
 * What days contribute where hits are grouped by anything: by the values of a dimension, or by
 * buckets of time. Breakdown, table and series differ in their groups, and in what they show.
 */
import { type MedianName, medianNames, noTotals, type RowPart, type RowTotals } from '../../model/table-metrics.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import { gather, gatherDoubles } from '../../store/day/gather.ts';
import type { Codes } from '../../store/day/packed.ts';
import type { QueryContext } from '../context.ts';
import type { Pace } from '../pace.ts';
import { numbersOfGroups } from '../rows/group-numbers.ts';
import { type RevenueOfGroups, revenueOfGroups } from '../rows/group-revenue.ts';
import { type GroupSumName, sumsOfGroups } from '../rows/group-sums.ts';
import { type Grouped, grouped, oneGroup, type RowGrouping } from '../rows/grouping.ts';
import { type Lists, mediansOf } from '../rows/medians.ts';
import { addAmounts } from '../rows/revenue.ts';
import { type CountsOfDay, narrowed, type SumArray, sumById, visitorsById } from '../rows/sum-by-id.ts';
import { sumsOfAll, tallyOfAll } from '../rows/sums-of-all.ts';
import type { DayFilter } from '../scan/filter-rows.ts';
import { positionsOfNonzero } from '../scan/lists.ts';
import type { Selection } from '../scan/selection.ts';
import { type Tally, tallyHits, tallyVisits } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import type { DailyVisitors } from '../visitors/daily-visitors.ts';

/** The groups of a day that have a hit. Its columns: hits, and the sums that were asked for. */
export interface GroupsOfDay extends CountsOfDay {
  day: number;
  columns: (Codes | Float64Array)[];
  /** The numbers that medians are of, by position of the id: in the order that was asked for. */
  lists: Lists[];
  /** Of positions of ids that have any. */
  otherRevenue: [position: number, Record<string, number>][];
}

/** What is wanted of each group, besides its hits. */
export interface Wanted {
  sums: readonly Exclude<RowPart, MedianName>[];
  medians: readonly MedianName[];
  /** The hits that make their visits convert; missing where named events do. */
  converting?: DayFilter;
}

export const wantedOf = (parts: readonly RowPart[]): Wanted => ({
  sums: parts.filter(part => !isMedian(part)),
  medians: parts.filter(isMedian),
});

const isMedian = (part: RowPart): part is MedianName => (medianNames as readonly RowPart[]).includes(part);

/** Names what a contribution depends on. */
export const wantedKey = ({ sums, medians }: Wanted, { query }: QueryContext): string => {
  const rates = sums.includes('revenue') ? `${query.currency} ${JSON.stringify(query.minorRates)}` : '';
  return `${sums} ${medians} ${rates}`;
};

/** Without the group 0 if it means nothing. */
export const scanGroups = (
  selection: Selection,
  grouping: RowGrouping,
  { sums, medians, converting }: Wanted,
  context: QueryContext,
  scratch: Scratch,
  keepsFirst: boolean,
): GroupsOfDay => {
  const of = grouped(selection, grouping, scratch);
  const tally = sums.includes('visitors') ? tallyOf(of, scratch) : null;
  const names = sums.filter(name => name !== 'visitors' && name !== 'revenue');
  const asked = tally === null ? [...names, 'hits' as const] : names;
  const ofAll = grouping === oneGroup ? sumsOfAll(selection, asked, scratch) : undefined;
  const summed = ofAll ?? sumsOfGroups(of, asked, converting, scratch);
  const revenue = sums.includes('revenue') ? revenueOfGroups(of, context, scratch) : null;
  const all = tally?.groups ?? groupsWithHits(summed.hits!, scratch);
  const from = keepsFirst || all[0] !== 0 ? 0 : 1;
  const groups = all.subarray(from);
  const columnOf = (name: Wanted['sums'][number]): Codes | Float64Array => {
    if (name === 'visitors') return narrowed(tally!.visitors.subarray(from));
    return atGroups(name === 'revenue' ? revenue!.sums : summed[name]!, groups);
  };
  return {
    day: selection.day.day,
    ids: gather(grouping.ids, groups),
    columns: [
      tally === null ? atGroups(summed.hits!, groups) : narrowed(tally.hits.subarray(from)),
      ...sums.map(columnOf),
    ],
    persistent: tally?.persistent ?? null,
    lists: medians.map(name => listsAt(numbersOfGroups(of, name, scratch), groups)),
    otherRevenue: revenue === null ? [] : otherAt(revenue.others, groups),
  };
};

const tallyOf = ({ selection, grouping, codes }: Grouped, scratch: Scratch): Tally =>
  grouping === oneGroup
    ? tallyOfAll(selection)
    : (grouping.level === 'visit' ? tallyVisits : tallyHits)(selection, codes(), grouping.ids, scratch);

const groupsWithHits = (hits: Uint32Array, scratch: Scratch): Uint32Array => {
  const room = scratch.take(hits.length);
  return room.subarray(0, positionsOfNonzero(hits, room));
};

const atGroups = (sums: SumArray, groups: Uint32Array): Codes | Float64Array =>
  sums instanceof Uint32Array ? narrowed(gather(sums, groups)) : gatherDoubles(sums, groups);

const otherAt = (others: RevenueOfGroups['others'], groups: Uint32Array): GroupsOfDay['otherRevenue'] =>
  [...others].flatMap(([group, amounts]) => {
    const position = positionAmong(groups, group);
    return position < 0 ? [] : [[position, amounts]];
  });

/** Groups without a hit have no numbers. Those of group 0, which may be left out, come first. */
const listsAt = ({ starts, numbers, counts }: Lists, groups: Uint32Array): Lists => {
  const from = starts[groups[0] ?? starts.length - 1]!;
  const kept = new Uint32Array(groups.length + 1);
  for (let i = 0; i < groups.length; i++) kept[i] = starts[groups[i]!]! - from;
  kept[groups.length] = numbers.length - from;
  return { starts: kept, numbers: numbers.slice(from), counts: counts?.slice(from) ?? null };
};

/** Groups of all days, by position. */
export interface MergedGroups {
  /** Ascending. */
  ids: Uint32Array;
  hits: Uint32Array;
  /** None where they were not asked for. */
  visitors: DailyVisitors;
  /** What is known of the group at a position, but for medians and other currencies. */
  eachTotals(visit: (totals: Readonly<RowTotals>, position: number) => void): void;
  /** The same of one group, with both. */
  totalsAt(positions: readonly number[]): RowTotals[];
  /** The medians of all groups. */
  medians(name: MedianName): (number | null)[];
}

/** Which sums are doubles, since a day's may be more than 32 bits hold. */
export const kindOf = (name: 'visitors' | 'revenue' | GroupSumName): 'count' | 'sum' =>
  name === 'visitMs' || name === 'revenue' ? 'sum' : 'count';

export const mergeGroups = async (
  days: readonly GroupsOfDay[],
  { sums, medians }: Wanted,
  pace: Pace,
): Promise<MergedGroups> => {
  const { ids, columns } = await sumById(days, ['count', ...sums.map(kindOf)], pace);
  const [hits, ...summed] = columns as [Uint32Array, ...SumArray[]];
  const visitors = (summed[sums.indexOf('visitors')] ?? new Uint32Array(0)) as Uint32Array;
  const setTotals = (totals: RowTotals, position: number): void => {
    for (let i = 0; i < sums.length; i++) totals[sums[i]!] = summed[i]![position]!;
  };
  const mediansAt = (name: MedianName, positions: ArrayLike<number>): (number | null)[] => {
    const wanted = Array.from(positions, position => ids[position]!);
    const place = medians.indexOf(name);
    const found = mediansOf(
      days.map(({ ids, lists }) => ({ ids, lists: lists[place]! })),
      wanted,
    );
    // One more than each number was listed.
    return found.map(median => median && median - 1);
  };
  return {
    ids,
    hits,
    visitors: visitorsById(days, ids, visitors),
    eachTotals(visit) {
      const totals = { ...noTotals };
      for (let position = 0; position < ids.length; position++) {
        setTotals(totals, position);
        visit(totals, position);
      }
    },
    totalsAt(positions) {
      const found = medians.map(name => [name, mediansAt(name, positions)] as const);
      const others = otherRevenueOf(days);
      return positions.map((position, i) => {
        const totals = { ...noTotals, otherRevenue: others.get(ids[position]!) ?? {} };
        for (const [name, values] of found) totals[name] = values[i]!;
        setTotals(totals, position);
        return totals;
      });
    },
    medians: name =>
      mediansAt(
        name,
        ids.map((_, position) => position),
      ),
  };
};

/** The sums of several days as those of one; no visitor of theirs may come on several. */
export const addUp = async (days: readonly GroupsOfDay[], sums: Wanted['sums'], pace: Pace): Promise<GroupsOfDay> => {
  const { ids, columns } = await sumById(days, ['count', ...sums.map(kindOf)], pace);
  const others = otherRevenueOf(days);
  const otherRevenue = [...ids].flatMap((id, position): GroupsOfDay['otherRevenue'] =>
    others.has(id) ? [[position, others.get(id)!]] : [],
  );
  return { day: days[0]?.day ?? 0, ids, columns: [...columns], persistent: null, lists: [], otherRevenue };
};

/** By id, where there is any. */
const otherRevenueOf = (
  days: readonly Pick<GroupsOfDay, 'ids' | 'otherRevenue'>[],
): Map<number, Record<string, number>> => {
  const sums = new Map<number, Record<string, number>>();
  for (const { ids, otherRevenue } of days) {
    for (const [position, amounts] of otherRevenue) {
      const sum = sums.get(ids[position]!) ?? {};
      addAmounts(sum, amounts);
      sums.set(ids[position]!, sum);
    }
  }
  return sums;
};
