/**
 * The part of one day that a slice selects. Conditions on visits are applied before any hit is touched, then time, then the
 * conditions on hits, each on what the one before left over.
 */
import { dayMs } from '../model/time.ts';
import { type Codes, type Numbers, rowsPresent } from '../store/day/column-codec.ts';
import type { Day, NumberName, TextName } from '../store/day/day.ts';
import { type DayIndex, visitBegins, visitorBegins } from './day-index.ts';
import { firstAtLeast } from './lists.ts';
import type { Scratch } from './scratch.ts';

/** A condition as a table over the codes of one of a day's columns: rows whose code has a 1 pass. */
export interface Condition {
  level: 'visit' | 'hit';
  codes: Codes;
  pass: Uint8Array;
  /** Of a column that is mostly null, a bit per row: 1 where it is not (TextColumn). */
  present: Uint32Array | null;
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
  /** Selected hits stand at places from 0 on. Per selected visit, the place of its first, and one more entry: their number. */
  placesFrom: Uint32Array;
  /** Whether all hits of the selected visits are selected. */
  wholeVisits: boolean;
  /** The selected hits; made when they are first asked for, since much can be told from visits alone. */
  places(): Places;
}

export interface Places {
  /** The hit at each place; null when they are all hits of the day, each at the place of its own number. */
  rows: Uint32Array | null;
  /** Per place, which of `visitBegins` and `visitorBegins` holds among the selected hits. */
  begins: Uint8Array;
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
  return tests.length === 0 ? selection : narrow(selection, tests, '');
};

/** A condition ready for a loop: on visits, or on hits by place. */
interface Test extends Pick<Condition, 'pass' | 'present'> {
  codes: Uint32Array;
}

/** A condition on hits as one on places. `name` keeps the scratch of several apart. */
export const testPlaces = (
  selection: Selection,
  name: string,
  { codes, pass, present }: Pick<Condition, 'pass' | 'present'> & { codes: Numbers },
): Test => ({
  codes: ofPlaces(selection, name, codes),
  pass,
  present: selection.places().rows === null ? present : null,
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
  return { codes, pass: isOne, present: null };
};

const visitsPassing = (day: Day, conditions: readonly Condition[], scratch: Scratch): Uint32Array => {
  const visits = scratch.take('visits passing', day.visits);
  const tests = conditions.map((condition, i) => ({
    ...condition,
    codes: scratch.widen(`condition ${i}`, condition.codes),
  }));
  return visits.subarray(0, passingAll(tests, visits));
};

/** Puts the rows that pass all of some tests into `rows`, and returns their number. */
const passingAll = ([first, ...others]: readonly Test[], rows: Uint32Array): number =>
  others.reduce((count, { codes, pass }) => keepPassing(rows, count, codes, pass), passing(first!, rows));

/** Where null does not pass, only the rows that are not null need a look. */
const passing = ({ codes, pass, present }: Test, rows: Uint32Array): number =>
  present === null || pass[0] === 1
    ? rowsPassing(codes, pass, rows)
    : keepPassing(rows, rowsPresent(present, rows), codes, pass);

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
  const placesFrom = scratch.take('places from', visits.length + 1);
  placesFrom[0] = 0;
  for (let i = 0; i < visits.length; i++) {
    placesFrom[i + 1] = placesFrom[i]! + index.hitsFrom[visits[i]! + 1]! - index.hitsFrom[visits[i]!]!;
  }
  let places: Places | undefined;
  return {
    day,
    index,
    scratch,
    visits,
    visitors,
    hashVisits: firstAtLeast(visits, day.hashVisits),
    placesFrom,
    wholeVisits: true,
    places() {
      places ??= {
        rows: rowsOfVisits(index, visits, scratch.take('rows', placesFrom[visits.length]!), scratch),
        begins: beginsOf(placesFrom, visitors, scratch.bytes('begins', placesFrom[visits.length]!)),
      };
      return places;
    },
  };
};

/** The hits of some visits. Of few visits they are found one visit after the other, of many by looking at every hit. */
const rowsOfVisits = (
  { hitsFrom, begins }: DayIndex,
  visits: Uint32Array,
  rows: Uint32Array,
  scratch: Scratch,
): Uint32Array => {
  let count = 0;
  if (visits.length < (hitsFrom.length - 1) / 4) {
    for (let i = 0; i < visits.length; i++) {
      const to = hitsFrom[visits[i]! + 1]!;
      for (let hit = hitsFrom[visits[i]!]!; hit < to; hit++) rows[count++] = hit;
    }
    return rows;
  }
  const isSelected = scratch.bytes('selected visits', hitsFrom.length - 1).fill(0);
  for (let i = 0; i < visits.length; i++) isSelected[visits[i]!] = 1;
  let visit = -1;
  for (let hit = 0; hit < begins.length; hit++) {
    visit += begins[hit]! & visitBegins;
    rows[count] = hit;
    count += isSelected[visit]!;
  }
  return rows;
};

/** What begins at each place, given the place and the visitor of each visit's first hit. */
const beginsOf = (placesFrom: Uint32Array, visitors: Uint32Array, begins: Uint8Array): Uint8Array => {
  begins.fill(0);
  let last = 0;
  for (let i = 0; i < visitors.length; i++) {
    begins[placesFrom[i]!] = visitors[i] === last ? visitBegins : visitBegins | visitorBegins;
    last = visitors[i]!;
  }
  return begins;
};

/**
 * Of a selection, the hits that pass all tests, of which there is at least one; undefined when no hit does. The selection it is
 * made from is good no more, unless `name` keeps their scratch apart.
 */
export const narrow = (selection: Selection, tests: readonly Test[], name: string): Selection | undefined => {
  const { day, index, scratch, visits, placesFrom } = selection;
  const { rows } = selection.places();
  const kept = scratch.take('kept places', placesFrom[visits.length]!);
  const hits = passingAll(tests, kept);
  if (hits === 0) return undefined;
  if (hits === kept.length) return selection;

  // Walks the visits along with the places, which ascend; each list is overwritten at most as far as it has been read.
  const keptRows = scratch.take(`${name}rows`, hits);
  const keptVisits = scratch.take(`${name}visits`, Math.min(hits, visits.length));
  const keptPlacesFrom = scratch.take(`${name}places from`, keptVisits.length + 1);
  let count = 0;
  let i = 0;
  let end = 0;
  for (let place = 0; place < hits; place++) {
    const from = kept[place]!;
    keptRows[place] = rows === null ? from : rows[from]!;
    if (from < end) continue;
    while (placesFrom[i + 1]! <= from) i++;
    end = placesFrom[i + 1]!;
    keptVisits[count] = visits[i]!;
    keptPlacesFrom[count++] = place;
  }
  keptPlacesFrom[count] = hits;
  const chosen = keptVisits.subarray(0, count);
  const visitors = gather(index.visitors, chosen, scratch.take(`${name}visitors`, count));
  const begins = beginsOf(keptPlacesFrom, visitors, scratch.bytes(`${name}begins`, hits));
  return {
    day,
    index,
    scratch,
    visits: chosen,
    visitors,
    hashVisits: firstAtLeast(chosen, day.hashVisits),
    placesFrom: keptPlacesFrom.subarray(0, count + 1),
    wholeVisits: false,
    places: () => ({ rows: keptRows, begins }),
  };
};

/** The codes of a column's texts, one for each selected visit. Good until the next call, as those of hitCodes are. */
export const visitCodes = (selection: Selection, name: TextName): Uint32Array =>
  ofVisits(selection, 'visit codes', selection.day.texts(name).codes);

/** The values of a column of visits, one for each selected visit. */
export const visitNumbers = (selection: Selection, name: NumberName): Uint32Array =>
  ofVisits(selection, name, selection.day.numbers(name));

/** The codes of a column's texts, one for each place. */
export const hitCodes = (selection: Selection, name: TextName): Uint32Array =>
  ofPlaces(selection, 'hit codes', selection.day.texts(name).codes);

/** The values of a column of hits, one for each place. */
export const hitNumbers = (selection: Selection, name: NumberName): Uint32Array =>
  ofPlaces(selection, name, selection.day.numbers(name));

/** When each selected hit came, in milliseconds since midnight, by place. */
export const hitTimes = (selection: Selection): Uint32Array => {
  const started = visitNumbers(selection, 'started');
  const time = hitNumbers(selection, 'time');
  const { begins } = selection.places();
  const times = selection.scratch.take('times', time.length);
  let i = -1;
  for (let place = 0; place < times.length; place++) {
    i += begins[place]! & visitBegins;
    times[place] = started[i]! + time[place]!;
  }
  return times;
};

const ofVisits = ({ day, visits, scratch }: Selection, name: string, values: Numbers): Uint32Array => {
  const wide = scratch.widen(name, values);
  return visits.length === day.visits ? wide : gather(wide, visits, scratch.take(`selected ${name}`, visits.length));
};

const ofPlaces = (selection: Selection, name: string, values: Numbers): Uint32Array => {
  const { scratch } = selection;
  const { rows } = selection.places();
  const wide = scratch.widen(name, values);
  return rows === null ? wide : gather(wide, rows, scratch.take(`selected ${name}`, rows.length));
};

const gather = (values: Uint32Array, rows: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < rows.length; i++) to[i] = values[rows[i]!]!;
  return to;
};
