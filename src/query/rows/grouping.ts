/** How hits are put in groups: the values of a dimension, or buckets of time. */
import { lazy } from '../../model/remember.ts';
import { visitBegins } from '../scan/day-index.ts';
import { gatherTo } from '../scan/lists.ts';
import { noPosition, positionsOfRows, rankIn } from '../scan/positions.ts';
import type { Selection } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';

/** Hits are grouped by something that their visit has, or by something of their own. */
export interface RowGrouping {
  level: 'visit' | 'hit';
  /** The group of each selected visit, or of the hit at each position. Do not write to them. */
  codes(selection: Selection, scratch: Scratch): Uint32Array;
  /** Per group, an id that means the same on every day. */
  ids: Uint32Array;
}

/** All hits are the group 0. */
export const oneGroup: RowGrouping = {
  level: 'visit',
  codes: (selection, scratch) => scratch.zeros(selection.visits().length),
  ids: Uint32Array.of(0),
};

/** Selected hits in their groups. */
export interface Grouped {
  selection: Selection;
  grouping: RowGrouping;
  /** As the grouping gives them. */
  codes(): Uint32Array;
  /** The group of the hit at each position. */
  hitCodes(): Uint32Array;
}

export const grouped = (selection: Selection, grouping: RowGrouping, scratch: Scratch): Grouped => {
  const codes = lazy(() => grouping.codes(selection, scratch));
  const hitCodes = lazy(() =>
    grouping.level === 'hit' ? codes() : codesOfHits(selection.begins(), codes(), scratch.take(selection.hits)),
  );
  return { selection, grouping, codes, hitCodes };
};

const codesOfHits = (begins: Uint8Array, ofVisits: Uint32Array, to: Uint32Array): Uint32Array => {
  let visit = -1;
  for (let position = 0; position < to.length; position++) {
    visit += begins[position]! & visitBegins;
    to[position] = ofVisits[visit]!;
  }
  return to;
};

/** The group of a hit that is not selected. */
export const noGroup = 0xffff_ffff;

/** The group of each of some hits, given by ascending rows, or `noGroup`. */
export const groupsOfRows = (of: Grouped, rows: Uint32Array, scratch: Scratch): Uint32Array => {
  const { selection, grouping } = of;
  const to = scratch.take(rows.length);
  const isOne = grouping === oneGroup;
  if (isOne && selection.hits === selection.day.hits) return to.fill(0);
  if (grouping.level === 'visit' && selection.wholeVisits) {
    const visits = rankIn(selection.index.firstHits().ofVisits, rows, scratch);
    for (let i = 0; i < visits.length; i++) visits[i]!--;
    return codesAt(positionsOfRows(visits, selection.visits(), to), isOne ? null : of.codes(), to);
  }
  const { rows: found } = selection.found();
  return codesAt(found === null ? rows : positionsOfRows(rows, found, to), isOne ? null : of.hitCodes(), to);
};

/** `codes` is null where all are 0. */
const codesAt = (positions: Uint32Array, codes: Uint32Array | null, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < positions.length; i++)
    to[i] = positions[i] === noPosition ? noGroup : (codes?.[positions[i]!] ?? 0);
  return to;
};

/**
 * The groups with some ids, from 1 on; all others are the group 0. Both lists of ids ascend.
 * Whatever is summed by group costs less where groups are few.
 */
export const restrictedTo = (ids: Uint32Array, { level, codes, ids: all }: RowGrouping): RowGrouping => {
  const slotOf = new Uint32Array(all.length);
  for (let group = 0, i = 0; group < all.length; group++) {
    while (i < ids.length && ids[i]! < all[group]!) i++;
    if (ids[i] === all[group]) slotOf[group] = i + 1;
  }
  const withOthers = new Uint32Array(ids.length + 1);
  withOthers.set(ids, 1);
  return {
    level,
    ids: withOthers,
    codes(selection, scratch) {
      const ofAll = codes(selection, scratch);
      return gatherTo(slotOf, ofAll, scratch.take(ofAll.length));
    },
  };
};
