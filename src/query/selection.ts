/**
 * The part of one day that a slice selects. Conditions on visits are applied before any hit is touched, then time, then the
 * conditions on hits, each on what the one before left over.
 */
import { dayMs } from '../model/time.ts';
import { firstAtLeast } from '../store/day/ascending.ts';
import type { NumberColumn, TextColumn } from '../store/day/column-codec.ts';
import type { Day, NumberName, TextName } from '../store/day/day.ts';
import {
  type Codes,
  isPacked,
  type Numbers,
  type Packed,
  pick,
  placesPassing,
  unpackStored,
} from '../store/day/packed.ts';
import { type DayIndex, lazy, startsOf, visitBegins, visitorBegins } from './day-index.ts';
import type { Scratch } from './scratch.ts';

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

/** A condition ready for a loop: on visits, or on hits by place. */
interface Test extends Pick<Condition, 'pass'> {
  codes(): Uint32Array;
  /** The same codes as they are kept, where that is behind a mask. */
  masked: Masked | null;
}

type Masked = Packed & { mask: Uint32Array };
const maskedIn = (values: Numbers | Packed): Masked | null =>
  isPacked(values) && values.mask !== null ? (values as Masked) : null;

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

/** Passes codes of 1 and not of 0. */
export const isOne = Uint8Array.of(0, 1);

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

/** Puts the rows that pass all of some tests into `rows`, and returns their number. */
const passingAll = ([first, ...others]: readonly Test[], rows: Uint32Array, scratch: Scratch): number =>
  others.reduce((count, { codes, pass }) => keepPassing(rows, count, codes(), pass), passing(first!, rows, scratch));

/** Where null does not pass, only the rows that are not null need a look. */
const passing = ({ codes, pass, masked }: Test, rows: Uint32Array, scratch: Scratch): number => {
  if (masked === null || pass[0] === 1) return rowsPassing(codes(), pass, rows);
  const stored = unpackStored(masked, scratch.take('behind mask', masked.stored));
  return placesPassing(masked.mask, stored, pass, rows);
};

/** Puts the rows whose code has a 1 in `pass` into `rows`, and returns their number. Of few filters many rows pass, so four are left out at once. */
export const rowsPassing = (codes: Uint32Array, pass: Uint8Array, rows: Uint32Array): number => {
  let count = 0;
  let row = 0;
  for (; row + 3 < codes.length; row += 4) {
    const first = pass[codes[row]!]!;
    const second = pass[codes[row + 1]!]!;
    const third = pass[codes[row + 2]!]!;
    const fourth = pass[codes[row + 3]!]!;
    if ((first | second | third | fourth) === 0) continue;
    rows[count] = row;
    count += first;
    rows[count] = row + 1;
    count += second;
    rows[count] = row + 2;
    count += third;
    rows[count] = row + 3;
    count += fourth;
  }
  for (; row < codes.length; row++) {
    rows[count] = row;
    count += pass[codes[row]!]!;
  }
  return count;
};

const keepPassing = (rows: Uint32Array, count: number, codes: Uint32Array, pass: Uint8Array): number => {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    rows[kept] = row;
    kept += pass[codes[row]!]!;
  }
  return kept;
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
  const visitors = gather(index.visitors, visits, scratch.take('visitors', visits.length));
  const hitsOf = gather(index.hitsOf, visits, scratch.take('hits of visits', visits.length));
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
  const isSelected = scratch.bytes('selected visits', ofDay).fill(0);
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

const sumOf = (values: Uint32Array): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
};

/**
 * Of a selection, the hits that pass all tests, of which there is at least one; undefined when no hit does. `name` keeps its scratch apart
 * from that of the selection that it is made from.
 */
export const narrow = (selection: Selection, tests: readonly Test[], name: string): Selection | undefined => {
  const { day, index, scratch } = selection;
  const all = selection.places();
  const room = scratch.take(`${name} kept places`, selection.hits);
  const hits = passingAll(tests, room, scratch);
  if (hits === 0) return undefined;
  if (hits === selection.hits) return selection;

  const kept = room.subarray(0, hits);
  const rows = all.rows === null ? kept : gather(all.rows, kept, scratch.take(`${name} rows`, hits));
  // Not every question asks whose hits they are.
  const of = lazy(() => visitsOfKept(selection, kept, name));
  return {
    day,
    index,
    scratch,
    get visits() {
      return of().visits;
    },
    get visitors() {
      return of().visitors;
    },
    get hashVisits() {
      return of().hashVisits;
    },
    hits,
    get hitsOf() {
      return of().hitsOf;
    },
    placesFrom: () => of().placesFrom,
    wholeVisits: false,
    places: () => ({ rows, begins: () => of().begins }),
  };
};

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
  const visitOf = visitsOfPlaces(selection.places().begins(), scratch.take('visits of places', selection.hits));
  const count = keepVisits(selection, kept, visitOf, visits, starts, begins);
  const chosen = visits.subarray(0, count);
  const hitsOf = scratch.take(`${name} hits of visits`, count);
  for (let i = 0; i < count; i++) hitsOf[i] = starts[i + 1]! - starts[i]!;
  return {
    visits: chosen,
    visitors: gather(index.visitors, chosen, scratch.take(`${name} visitors`, count)),
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
    begins[place] = isNew | (isNewVisitor << 1);
    keptVisits[count] = visits[visit]!;
    starts[count] = place;
    count += isNew;
    lastVisit = visit;
    lastVisitor = visitor;
  }
  starts[count] = kept.length;
  return count;
};

/** The codes of a column's texts, one for each selected visit. Good until the next call, as those of hitCodes are, and not to be written to. */
export const visitCodes = (selection: Selection, name: TextName): Uint32Array =>
  ofVisits(selection, 'visit codes', textCodes(selection.day, name));

/** The values of a column of visits, one for each selected visit; not to be written to. */
export const visitNumbers = (selection: Selection, name: NumberName): Uint32Array =>
  ofVisits(selection, name, numbers(selection.day, name));

/** The codes of a column's texts, one for each place. */
export const hitCodes = (selection: Selection, name: TextName): Uint32Array =>
  ofPlaces(selection, 'hit codes', textCodes(selection.day, name));

/** The values of a column of hits, one for each place. */
export const hitNumbers = (selection: Selection, name: NumberName): Uint32Array =>
  ofPlaces(selection, name, numbers(selection.day, name));

/** As they are kept. */
export const textCodes = (day: Day, name: TextName): Codes | Packed => (day.column(name) as TextColumn).codes;
export const numbers = (day: Day, name: NumberName): Numbers | Packed => (day.column(name) as NumberColumn).values;

/** When each selected hit came, in milliseconds since midnight, by place. */
export const hitTimes = (selection: Selection): Uint32Array => {
  const started = visitNumbers(selection, 'started');
  const time = hitNumbers(selection, 'time');
  const begins = selection.places().begins();
  const times = selection.scratch.take('times', time.length);
  let i = -1;
  for (let place = 0; place < times.length; place++) {
    i += begins[place]! & visitBegins;
    times[place] = started[i]! + time[place]!;
  }
  return times;
};

const ofVisits = ({ day, visits, scratch }: Selection, name: string, values: Numbers | Packed): Uint32Array => {
  const wide = scratch.widen(name, values);
  return visits.length === day.visits ? wide : gather(wide, visits, scratch.take(`selected ${name}`, visits.length));
};

const ofPlaces = (selection: Selection, name: string, values: Numbers | Packed): Uint32Array => {
  const { scratch } = selection;
  const { rows } = selection.places();
  if (rows === null) return scratch.widen(name, values);
  const to = scratch.take(`selected ${name}`, rows.length);
  return isPacked(values) && 2 * rows.length < values.length
    ? pick(values, rows, to)
    : gather(scratch.widen(name, values), rows, to);
};

const gather = (values: Uint32Array, rows: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < rows.length; i++) to[i] = values[rows[i]!]!;
  return to;
};
