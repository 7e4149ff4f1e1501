/**
 * Selects a part of a day. Conditions on visits come before any hit is touched, then the conditions
 * on hits, each on what the one before left over, then time.
 */
import { eventTypes, type HitType, hitTypes, lastHitCode } from '../../model/hit.ts';
import { lazy } from '../../model/remember.ts';
import { dayMs } from '../../model/time.ts';
import type { Day } from '../../store/day/day.ts';
import type { Scratch } from '../scratch.ts';
import { type DayIndex, startsOf, visitBegins } from './day-index.ts';
import {
  allRows,
  type Condition,
  type Found,
  filterRows,
  isOne,
  keepPassing,
  type LevelCondition,
  rowsPassing,
} from './filter-rows.ts';
import { flagged, gatherTo, sumOf } from './lists.ts';
import { beginsOf, lengthsOf, rankIn, rowsOfVisits, runsOf } from './positions.ts';
import { hitTimes, type Selection, selectionOf } from './selection.ts';

/** The hits at `from <= at < to`, UTC milliseconds, that pass. Undefined when there is none. */
export const select = (
  day: Day,
  index: DayIndex,
  from: number,
  to: number,
  conditions: readonly LevelCondition[],
  scratch: Scratch,
): Selection | undefined => {
  const selection = selectPassing(day, index, conditions, scratch);
  const isCut = day.firstAt < from || day.lastAt >= to;
  return selection && isCut ? cut(selection, from - day.day * dayMs, to - day.day * dayMs, scratch) : selection;
};

/** The hits of the day that pass, whenever they came. Undefined when there is none. */
export const selectPassing = (
  day: Day,
  index: DayIndex,
  conditions: readonly LevelCondition[],
  scratch: Scratch,
): Selection | undefined => {
  const telling = conditions.filter(({ pass }) => pass.includes(0));
  if (telling.some(({ pass }) => !pass.includes(1))) return undefined;
  const onVisits = telling.filter(({ level }) => level === 'visit');
  const onHits = telling.filter(({ level }) => level === 'hit');
  const ofVisits = onVisits.length === 0 ? selectAll(day, index, scratch) : selectVisits(day, index, onVisits, scratch);
  return ofVisits && narrow(ofVisits, onHits, scratch);
};

/** Of a selection, the hits that pass all of some conditions. Undefined when no hit does. */
export const narrow = (
  selection: Selection,
  conditions: readonly Condition[],
  scratch: Scratch,
): Selection | undefined =>
  conditions.length === 0
    ? selection
    : narrowed(selection, filterRows(selection.found(), conditions, scratch), scratch);

/** Of a selection, some of its hits, given by ascending rows. Undefined when there is none. */
export const selectHits = (selection: Selection, rows: Uint32Array, scratch: Scratch): Selection | undefined =>
  narrowed(selection, { rows, known: [] }, scratch);

/** The selection's hits that pass a condition on hits or on visits. Undefined if none does. */
export const narrowToPassing = (
  selection: Selection,
  condition: LevelCondition,
  scratch: Scratch,
): Selection | undefined => {
  if (condition.level === 'hit') return narrow(selection, [condition], scratch);
  const { day, index, wholeVisits } = selection;
  const isOfAll = selection.hits === day.hits;
  const among: Found = isOfAll || !wholeVisits ? allRows : { rows: selection.visits(), known: [] };
  const { rows: visits } = filterRows(among, [condition], scratch);
  if (visits === null || visits.length === among.rows?.length) return selection;
  if (wholeVisits) return visits.length === 0 ? undefined : ofVisits(day, index, visits, scratch);
  const hits = scratch.bytes(day.hits);
  flagHits(index.begins(), flagged(visits, scratch.bytes(day.visits)), hits);
  return narrow(selection, [{ values: hits, pass: isOne }], scratch);
};

const flagHits = (begins: Uint8Array, ofVisits: Uint8Array, hits: Uint8Array): void => {
  let visit = -1;
  for (let hit = 0; hit < hits.length; hit++) {
    visit += begins[hit]! & visitBegins;
    hits[hit] = ofVisits[visit]!;
  }
};

/** Of a selection, the hits of some types that have a name. Undefined when there is none. */
export const selectEvents = (
  selection: Selection,
  scratch: Scratch,
  types: readonly HitType[] = eventTypes,
): Selection | undefined => {
  const { day } = selection;
  const names = day.dictionary('event').length;
  if (names === 1) return undefined;
  const hasName = { values: day.keptCodes('event'), pass: new Uint8Array(names).fill(1, 1) };
  return narrow(selection, [hasName, isOfType(day, types)], scratch);
};

/** The condition that a hit is of one of some types. */
export const isOfType = (day: Day, types: readonly HitType[]): Condition => {
  const pass = new Uint8Array(1 + lastHitCode);
  for (const type of types) pass[hitTypes[type]] = 1;
  return { values: day.keptNumbers('type'), pass };
};

/** The whole day. */
export const selectAll = (day: Day, index: DayIndex, scratch: Scratch): Selection => {
  const { visitors, hitsOf, hitsFrom: positionsFrom, begins } = index;
  const visits = (): Uint32Array => scratch.identity(day.visits);
  const parts = { visits, visitors, hitsOf, positionsFrom, found: () => allRows, begins };
  return selectionOf({ day, index }, day.hits, true, parts, scratch);
};

/** All hits of the visits that pass some conditions. */
const selectVisits = (
  day: Day,
  index: DayIndex,
  conditions: readonly Condition[],
  scratch: Scratch,
): Selection | undefined => {
  const { rows: visits } = filterRows(allRows, conditions, scratch);
  if (visits === null) return selectAll(day, index, scratch);
  return visits.length === 0 ? undefined : ofVisits(day, index, visits, scratch);
};

/** All hits of some visits, ascending, of which there is at least one. */
export const ofVisits = (day: Day, index: DayIndex, visits: Uint32Array, scratch: Scratch): Selection => {
  const hitsOf = gatherTo(index.hitsOf(), visits, scratch.take(visits.length));
  const hits = sumOf(hitsOf);
  const visitors = lazy(() => gatherTo(index.visitors(), visits, scratch.take(visits.length)));
  const parts = {
    visits: () => visits,
    visitors,
    hitsOf: () => hitsOf,
    positionsFrom: () => startsOf(hitsOf, scratch.take(visits.length + 1)),
    found: () => ({ rows: rowsOfVisits(index, visits, scratch.take(hits), scratch), known: [] }),
    begins: () => beginsOf(hitsOf, visitors(), scratch.bytes(hits)),
  };
  return selectionOf({ day, index }, hits, true, parts, scratch);
};

/** All hits of the visits that have a selected hit. */
export const widenToVisits = (selection: Selection, scratch: Scratch): Selection =>
  selection.wholeVisits ? selection : ofVisits(selection.day, selection.index, selection.visits(), scratch);

/** All hits of the day of the visitors that have a selected hit. */
export const widenToVisitors = (selection: Selection, scratch: Scratch): Selection => {
  const { day, index } = selection;
  const isSelected = flagged(selection.visitors(), scratch.bytes(day.visits + 1));
  const visits = scratch.take(day.visits);
  return ofVisits(day, index, visits.subarray(0, rowsPassing(index.visitors(), isSelected, visits)), scratch);
};

/** Of a selection, the hits at a time of `from <= time < to`, in milliseconds since midnight. */
const cut = (selection: Selection, from: number, to: number, scratch: Scratch): Selection | undefined => {
  const found = scratch.within(inner => {
    const times = hitTimes(selection, inner);
    flagTimes(times, from, to);
    return keepPassing(selection.found(), times, isOne, scratch);
  });
  return narrowed(selection, found, scratch);
};

/** Puts 1 in the place of each time of `from <= time < to`, and 0 in that of all others. */
const flagTimes = (times: Uint32Array, from: number, to: number): void => {
  for (let i = 0; i < times.length; i++) times[i] = times[i]! >= from && times[i]! < to ? 1 : 0;
};

/** What a selection becomes by keeping some of its hits. */
const narrowed = (selection: Selection, found: Found, scratch: Scratch): Selection | undefined => {
  const { index, hits } = selection;
  const { rows } = found;
  if (rows === null || rows.length === hits) return selection;
  if (rows.length === 0) return undefined;
  const runs = lazy(() => scratch.within(inner => runsOf(rankIn(index.firstHits().ofVisits, rows, inner), scratch)));
  const hitsOf = lazy(() => lengthsOf(runs().starts, scratch.take(runs().visits.length)));
  const visitors = lazy(() =>
    scratch.within(inner => {
      const { visits, starts } = runs();
      const first = gatherTo(rows, starts.subarray(0, visits.length), inner.take(visits.length));
      return rankIn(index.firstHits().ofVisitors, first, scratch);
    }),
  );
  const parts = {
    visits: () => runs().visits,
    visitors,
    hitsOf,
    positionsFrom: () => runs().starts,
    found: () => found,
    begins: () => beginsOf(hitsOf(), visitors(), scratch.bytes(rows.length)),
  };
  return selectionOf(selection, rows.length, false, parts, scratch);
};
