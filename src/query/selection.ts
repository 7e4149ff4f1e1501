/**
 * The part of one day that a slice selects. Conditions on visits are applied before any hit is touched, then time, then the
 * conditions on hits, each on what the one before left over.
 */
import { dayMs } from '../model/time.ts';
import { firstAtLeast } from '../store/day/ascending.ts';
import type { Day } from '../store/day/day.ts';
import type { Numbers, Packed } from '../store/day/packed.ts';
import { type DayIndex, startsOf, visitBegins, visitorBegins } from './day-index.ts';
import { gatherTo, sumOf } from './lists.ts';
import { isOne, maskedIn, passingAll, type Test } from './passing.ts';
import { lazy } from './remember.ts';
import type { Scratch } from './scratch.ts';
import { hitTimes, ofPlaces } from './selected-values.ts';

/** A condition as a table over the codes of one of a day's columns: rows whose code has a 1 pass. */
export interface Condition {
  level: 'visit' | 'hit';
  /** The code of each row, a visit or a hit. */
  values: Numbers | Packed;
  pass: Uint8Array;
}

/** Only good until the next day is selected: its arrays are scratch. */
export interface Selection {
  day: Day;
  index: DayIndex;
  scratch: Scratch;
  /** Visits with at least one selected hit, ascending. */
  visits: Uint32Array;
  /** Per selected visit, the ordinal of its visitor within the day, from 1. */
  visitors: Uint32Array;
  /** Of the selected visits, those of hash mode, which come first. */
  hashVisits: number;
  /** Selected hits: of all visits, and of each. */
  hits: number;
  hitsOf: Uint32Array;
  /** Selected hits stand at places from 0 on. Per selected visit, the place of its first, and one more entry: their number. */
  placesFrom(): Uint32Array;
  /** Whether all hits of the selected visits are selected. */
  wholeVisits: boolean;
  /** The selected hits; made when they are first asked for, since much can be told from visits alone. */
  places(): Places;
}

export interface Places {
  /** The hit at each place; null when they are all hits of the day, each at the place of its own number. */
  rows: Uint32Array | null;
  /** Per place, which of `visitBegins` and `visitorBegins` holds among the selected hits. */
  begins(): Uint8Array;
}

/** Undefined when no hit of the day passes. */
export const select = (
  day: Day,
  index: DayIndex,
  from: number,
  to: number,
  conditions: readonly Condition[],
  scratch: Scratch,
): Selection | undefined => {
  const telling = conditions.filter(({ pass }) => pass.includes(0));
  if (telling.some(({ pass }) => !pass.includes(1))) return undefined;
  const onVisits = telling.filter(({ level }) => level === 'visit');
  const onHits = telling.filter(({ level }) => level === 'hit');
  const selection =
    onVisits.length === 0 ? selectAll(day, index, scratch) : selectVisits(day, index, onVisits, scratch);
  if (selection === undefined) return undefined;
  const tests = onHits.map((condition, i) => testPlaces(selection, `condition ${i}`, condition));
  if (day.firstAt < from || day.lastAt >= to) tests.unshift(timeTest(selection, from, to));
  return tests.length === 0 ? selection : narrow(selection, tests, 'kept');
};

/** A condition on hits as one on places. `name` keeps the scratch of several apart. */
export const testPlaces = (
  selection: Selection,
  name: string,
  { values, pass }: Pick<Condition, 'values' | 'pass'>,
): Test => ({
  codes: () => ofPlaces(selection, name, values),
  pass,
  masked: selection.places().rows === null ? maskedIn(values) : null,
});

/** Passes the hits at a time of `from <= time < to`. */
const timeTest = (selection: Selection, from: number, to: number): Test => {
  const first = from - selection.day.day * dayMs;
  const end = to - selection.day.day * dayMs;
  const codes = hitTimes(selection);
  for (let place = 0; place < codes.length; place++)
    codes[place] = codes[place]! >= first && codes[place]! < end ? 1 : 0;
  return { codes: () => codes, pass: isOne, masked: null };
};

const visitsPassing = (day: Day, conditions: readonly Condition[], scratch: Scratch): Uint32Array => {
  const visits = scratch.take('visits passing', day.visits);
  const tests = conditions.map(
    ({ values, pass }, i): Test => ({
      codes: () => scratch.widen(`condition ${i}`, values),
      pass,
      masked: maskedIn(values),
    }),
  );
  return visits.subarray(0, passingAll(tests, visits, scratch));
};

const selectAll = (day: Day, index: DayIndex, scratch: Scratch): Selection => ({
  day,
  index,
  scratch,
  visits: scratch.identity(day.visits),
  visitors: index.visitors,
  hashVisits: day.hashVisits,
  hits: day.hits,
  hitsOf: index.hitsOf,
  placesFrom: index.hitsFrom,
  wholeVisits: true,
  places: () => ({ rows: null, begins: index.begins }),
});

/** All hits of the visits that pass some conditions. */
const selectVisits = (
  day: Day,
  index: DayIndex,
  conditions: readonly Condition[],
  scratch: Scratch,
): Selection | undefined => {
  const visits = visitsPassing(day, conditions, scratch);
  if (visits.length === 0) return undefined;
  const visitors = gatherTo(index.visitors, visits, scratch.take('visitors', visits.length));
  const hitsOf = gatherTo(index.hitsOf, visits, scratch.take('hits of visits', visits.length));
  const hits = sumOf(hitsOf);
  return {
    day,
    index,
    scratch,
    visits,
    visitors,
    hashVisits: firstAtLeast(visits, day.hashVisits),
    hits,
    hitsOf,
    placesFrom: lazy(() => startsOf(hitsOf, scratch.take('places from', visits.length + 1))),
    wholeVisits: true,
    places: lazy(() => ({
      rows: rowsOfVisits(index, visits, scratch.take('rows', hits), scratch),
      begins: lazy(() => beginsOf(hitsOf, visitors, scratch.bytes('begins', hits))),
    })),
  };
};

/** The hits of some visits. Of few visits they are found one visit after the other, of many by looking at every hit. */
const rowsOfVisits = (index: DayIndex, visits: Uint32Array, rows: Uint32Array, scratch: Scratch): Uint32Array => {
  let count = 0;
  const ofDay = index.visitors.length;
  if (visits.length < ofDay / 4) {
    const hitsFrom = index.hitsFrom();
    for (let i = 0; i < visits.length; i++) {
      const to = hitsFrom[visits[i]! + 1]!;
      for (let hit = hitsFrom[visits[i]!]!; hit < to; hit++) rows[count++] = hit;
    }
    return rows;
  }
  const isSelected = scratch.bytes('visit is selected', ofDay).fill(0);
  for (let i = 0; i < visits.length; i++) isSelected[visits[i]!] = 1;
  const begins = index.begins();
  let visit = -1;
  for (let hit = 0; hit < begins.length; hit++) {
    visit += begins[hit]! & visitBegins;
    rows[count] = hit;
    count += isSelected[visit]!;
  }
  return rows;
};

/** What begins at each place, given how many places each visit has, and its visitor. */
const beginsOf = (hitsOf: Uint32Array, visitors: Uint32Array, begins: Uint8Array): Uint8Array => {
  begins.fill(0);
  let last = 0;
  let place = 0;
  for (let i = 0; i < visitors.length; i++) {
    begins[place] = visitors[i] === last ? visitBegins : visitBegins | visitorBegins;
    last = visitors[i]!;
    place += hitsOf[i]!;
  }
  return begins;
};

/**
 * Of a selection, the hits that pass all tests, of which there is at least one; undefined when no hit does. `name` keeps its scratch apart
 * from that of the selection that it is made from.
 */
export const narrow = (selection: Selection, tests: readonly Test[], name: string): Selection | undefined => {
  const { scratch } = selection;
  const all = selection.places();
  const room = scratch.take(`${name} kept places`, selection.hits);
  const hits = passingAll(tests, room, scratch);
  if (hits === 0) return undefined;
  if (hits === selection.hits) return selection;

  const kept = room.subarray(0, hits);
  const rows = all.rows === null ? kept : gatherTo(all.rows, kept, scratch.take(`${name} rows`, hits));
  return new Narrowed(selection, rows, () => visitsOfKept(selection, kept, name));
};

/**
 * Not every question asks whose hits they are, so that is only found out when it is asked for. A class, since each object literal with
 * getters is of a shape of its own, and whatever meets it would be compiled anew.
 */
class Narrowed implements Selection {
  readonly day: Day;
  readonly index: DayIndex;
  readonly scratch: Scratch;
  readonly hits: number;
  readonly wholeVisits = false;
  readonly #rows: Uint32Array;
  readonly #of: () => KeptVisits;

  constructor({ day, index, scratch }: Selection, rows: Uint32Array, of: () => KeptVisits) {
    this.day = day;
    this.index = index;
    this.scratch = scratch;
    this.hits = rows.length;
    this.#rows = rows;
    this.#of = lazy(of);
  }

  get visits(): Uint32Array {
    return this.#of().visits;
  }
  get visitors(): Uint32Array {
    return this.#of().visitors;
  }
  get hashVisits(): number {
    return this.#of().hashVisits;
  }
  get hitsOf(): Uint32Array {
    return this.#of().hitsOf;
  }
  placesFrom(): Uint32Array {
    return this.#of().placesFrom;
  }
  places(): Places {
    return { rows: this.#rows, begins: () => this.#of().begins };
  }
}

interface KeptVisits extends Pick<Selection, 'visits' | 'visitors' | 'hashVisits' | 'hitsOf'> {
  placesFrom: Uint32Array;
  begins: Uint8Array;
}

/** What narrowing leaves of the visits, given the places it kept. */
const visitsOfKept = (selection: Selection, kept: Uint32Array, name: string): KeptVisits => {
  const { day, index, scratch } = selection;
  const most = Math.min(kept.length, selection.visits.length) + 1;
  const [visits, starts] = [scratch.take(`${name} visits`, most), scratch.take(`${name} places from`, most)];
  const begins = scratch.bytes(`${name} begins`, kept.length);
  const visitOf = visitsOfPlaces(selection.places().begins(), scratch.take(`${name} visits of places`, selection.hits));
  const count = keepVisits(selection, kept, visitOf, visits, starts, begins);
  const chosen = visits.subarray(0, count);
  const hitsOf = scratch.take(`${name} hits of visits`, count);
  for (let i = 0; i < count; i++) hitsOf[i] = starts[i + 1]! - starts[i]!;
  return {
    visits: chosen,
    visitors: gatherTo(index.visitors, chosen, scratch.take(`${name} visitors`, count)),
    hashVisits: firstAtLeast(chosen, day.hashVisits),
    hitsOf,
    placesFrom: starts.subarray(0, count + 1),
    begins,
  };
};

/** Per place, the number of its visit among those selected. */
const visitsOfPlaces = (begins: Uint8Array, visitOf: Uint32Array): Uint32Array => {
  let visit = -1;
  for (let place = 0; place < visitOf.length; place++) {
    visit += begins[place]! & visitBegins;
    visitOf[place] = visit;
  }
  return visitOf;
};

/**
 * Lists the visits of the kept places, where the places of each begin, one entry more, and what begins at each; returns the number of
 * visits. Which place begins a visit could not be predicted, so there is no branch on it (as in tally.ts).
 */
const keepVisits = (
  { visits, visitors }: Selection,
  kept: Uint32Array,
  visitOf: Uint32Array,
  keptVisits: Uint32Array,
  starts: Uint32Array,
  begins: Uint8Array,
): number => {
  let count = 0;
  let lastVisit = -1;
  let lastVisitor = 0;
  for (let place = 0; place < kept.length; place++) {
    const visit = visitOf[kept[place]!]!;
    const visitor = visitors[visit]!;
    const change = visit ^ lastVisit;
    const isNew = (change | -change) >>> 31;
    const changeOfVisitor = visitor ^ lastVisitor;
    const isNewVisitor = (changeOfVisitor | -changeOfVisitor) >>> 31;
    begins[place] = (isNew * visitBegins) | (isNewVisitor * visitorBegins);
    keptVisits[count] = visits[visit]!;
    starts[count] = place;
    count += isNew;
    lastVisit = visit;
    lastVisitor = visitor;
  }
  starts[count] = kept.length;
  return count;
};
