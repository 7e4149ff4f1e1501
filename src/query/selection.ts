/**
 * The part of one day that a slice selects. Visit conditions are applied before any hit is touched, then time, then the conditions
 * on hits, each on what the one before left over.
 */
import { hitTypes } from '../model/hit.ts';
import { dayMs } from '../model/time.ts';
import type { Codes, Numbers } from '../store/column-codec.ts';
import type { Day, NumberName, TextName } from '../store/day.ts';
import { firstAtLeast } from './ascending.ts';
import type { DayIndex } from './day-index.ts';
import type { Scratch } from './scratch.ts';

/** A condition as a table over the codes of one of a day's columns: rows whose code has a 1 pass. */
export interface Condition {
  level: 'visit' | 'hit';
  codes: Codes;
  pass: Uint8Array;
}

/** Only good until the next day is selected: its arrays are scratch. */
export interface Selection {
  day: Day;
  index: DayIndex;
  scratch: Scratch;
  /** Visits with at least one selected hit, ascending. The next three arrays run parallel to it. */
  visits: Uint32Array;
  /** Ordinal of the visit's visitor within the day, from 1. */
  visitors: Uint32Array;
  /** The visit's selected hits are at the places from `hitsFrom` to before `hitsTo`. */
  hitsFrom: Uint32Array;
  hitsTo: Uint32Array;
  /** The hit at each place; null when a place is the number of its hit, and so all hits of the visits are selected. */
  rows: Uint32Array | null;
  /** Of the visits, those of hash mode, which come first. */
  hashVisits: number;
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
  const visits = visitsPassing(
    day,
    telling.filter(({ level }) => level === 'visit'),
    scratch,
  );
  const onHits = telling.filter(({ level }) => level === 'hit');
  const cut = day.firstAt < from || day.lastAt >= to;
  const chosen =
    cut || onHits.length > 0
      ? selectHits(day, index, visits, cut ? [from, to] : null, onHits, scratch)
      : selectVisits(day, index, visits, scratch);
  if (chosen.visits.length === 0) return undefined;
  return { day, index, scratch, ...chosen, hashVisits: firstAtLeast(chosen.visits, day.hashVisits) };
};

/** Of a selection, the custom, outbound and revenue hits that have a name. The selection it is made from stays good. */
export const selectEvents = (selection: Selection): Selection => {
  const { day, index, scratch, visits, hitsFrom, hitsTo, rows } = selection;
  const events = hitCodes(selection, 'event');
  const types = hitNumbers(selection, 'type');
  const chosen = scratch.take('event rows', day.hits);
  const owners = scratch.take('event owners', day.hits);
  let count = 0;
  for (let i = 0; i < visits.length; i++) {
    for (let place = hitsFrom[i]!; place < hitsTo[i]!; place++) {
      if (events[place] === 0 || types[place] === hitTypes.pageview) continue;
      chosen[count] = rows === null ? place : rows[place]!;
      owners[count] = visits[i]!;
      count++;
    }
  }
  const grouped = group(index, chosen.subarray(0, count), owners, scratch, 'event ');
  return { ...selection, ...grouped, hashVisits: firstAtLeast(grouped.visits, day.hashVisits) };
};

/** When each selected hit came, in milliseconds since midnight, by place. */
export const hitTimes = (selection: Selection): Uint32Array => {
  const { scratch, visits, hitsFrom, hitsTo } = selection;
  const started = visitNumbers(selection, 'started');
  const time = hitNumbers(selection, 'time');
  const times = scratch.take('times', time.length);
  for (let i = 0; i < visits.length; i++) {
    for (let place = hitsFrom[i]!; place < hitsTo[i]!; place++) times[place] = started[i]! + time[place]!;
  }
  return times;
};

/** The codes of a column's texts, one for each selected visit. */
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

const ofVisits = ({ day, visits, scratch }: Selection, name: string, values: Numbers): Uint32Array => {
  const wide = scratch.widen(name, values);
  return visits.length === day.visits ? wide : gather(wide, visits, scratch.take(`selected ${name}`, visits.length));
};

const ofPlaces = ({ rows, scratch }: Selection, name: string, values: Numbers): Uint32Array => {
  const wide = scratch.widen(name, values);
  return rows === null ? wide : gather(wide, rows, scratch.take(`selected ${name}`, rows.length));
};

const gather = (values: Uint32Array, rows: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < rows.length; i++) to[i] = values[rows[i]!]!;
  return to;
};

/** By hit number: 1 where the hit is selected. */
export const selectedHits = ({ day, visits, hitsFrom, hitsTo, rows, scratch }: Selection): Uint32Array => {
  const selected = scratch.zeros('selected hits', day.hits);
  if (rows !== null) {
    for (let place = 0; place < rows.length; place++) selected[rows[place]!] = 1;
  } else {
    for (let i = 0; i < visits.length; i++) selected.fill(1, hitsFrom[i]!, hitsTo[i]!);
  }
  return selected;
};

/** Null: all visits of the day. */
const visitsPassing = (day: Day, conditions: readonly Condition[], scratch: Scratch): Uint32Array | null => {
  if (conditions.length === 0) return null;
  const visits = scratch.take('visits passing', day.visits);
  let count = 0;
  conditions.forEach(({ codes, pass }, step) => {
    const wide = scratch.widen('condition', codes);
    count = step === 0 ? rowsPassing(wide, pass, visits) : keepPassing(visits, count, wide, pass);
  });
  return visits.subarray(0, count);
};

const rowsPassing = (codes: Uint32Array, pass: Uint8Array, rows: Uint32Array): number => {
  let count = 0;
  for (let row = 0; row < codes.length; row++) {
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

type Chosen = Pick<Selection, 'visits' | 'visitors' | 'hitsFrom' | 'hitsTo' | 'rows'>;

/** All hits of some visits, or of all. */
const selectVisits = (day: Day, index: DayIndex, visits: Uint32Array | null, scratch: Scratch): Chosen => {
  if (visits === null) {
    const all = scratch.take('visits', day.visits);
    for (let visit = 0; visit < all.length; visit++) all[visit] = visit;
    return {
      visits: all,
      visitors: index.visitors,
      hitsFrom: index.hitsFrom.subarray(0, day.visits),
      hitsTo: index.hitsFrom.subarray(1),
      rows: null,
    };
  }
  const count = visits.length;
  const visitors = scratch.take('visitors', count);
  const hitsFrom = scratch.take('hits from', count);
  const hitsTo = scratch.take('hits to', count);
  for (let i = 0; i < count; i++) {
    const visit = visits[i]!;
    visitors[i] = index.visitors[visit]!;
    hitsFrom[i] = index.hitsFrom[visit]!;
    hitsTo[i] = index.hitsFrom[visit + 1]!;
  }
  return { visits, visitors, hitsFrom, hitsTo, rows: null };
};

/** The hits of some visits, or of all, that lie in a window of time and pass conditions. */
const selectHits = (
  day: Day,
  index: DayIndex,
  among: Uint32Array | null,
  window: [number, number] | null,
  conditions: readonly Condition[],
  scratch: Scratch,
): Chosen => {
  const rows = scratch.take('rows', day.hits);
  const owners = scratch.take('owners', day.hits);
  let count = window === null ? -1 : hitsInTime(day, index, among, window, rows, owners, scratch);
  for (const { codes, pass } of conditions) {
    const wide = scratch.widen('condition', codes);
    count =
      count < 0
        ? hitsPassing(index, among, wide, pass, rows, owners)
        : keepHitsPassing(rows, owners, count, wide, pass);
  }
  return group(index, rows.subarray(0, count), owners, scratch, '');
};

const hitsInTime = (
  day: Day,
  { hitsFrom }: DayIndex,
  among: Uint32Array | null,
  [from, to]: [number, number],
  rows: Uint32Array,
  owners: Uint32Array,
  scratch: Scratch,
): number => {
  const started = scratch.widen('started', day.numbers('started'));
  const time = scratch.widen('time', day.numbers('time'));
  const first = from - day.day * dayMs;
  const end = to - day.day * dayMs;
  const visits = among === null ? day.visits : among.length;
  let count = 0;
  for (let i = 0; i < visits; i++) {
    const visit = among === null ? i : among[i]!;
    const hitsTo = hitsFrom[visit + 1]!;
    for (let hit = hitsFrom[visit]!; hit < hitsTo; hit++) {
      const at = started[visit]! + time[hit]!;
      rows[count] = hit;
      owners[count] = visit;
      if (at >= first && at < end) count++;
    }
  }
  return count;
};

const hitsPassing = (
  { hitsFrom }: DayIndex,
  among: Uint32Array | null,
  codes: Uint32Array,
  pass: Uint8Array,
  rows: Uint32Array,
  owners: Uint32Array,
): number => {
  const visits = among === null ? hitsFrom.length - 1 : among.length;
  let count = 0;
  for (let i = 0; i < visits; i++) {
    const visit = among === null ? i : among[i]!;
    const hitsTo = hitsFrom[visit + 1]!;
    for (let hit = hitsFrom[visit]!; hit < hitsTo; hit++) {
      rows[count] = hit;
      owners[count] = visit;
      count += pass[codes[hit]!]!;
    }
  }
  return count;
};

const keepHitsPassing = (
  rows: Uint32Array,
  owners: Uint32Array,
  count: number,
  codes: Uint32Array,
  pass: Uint8Array,
): number => {
  let kept = 0;
  for (let place = 0; place < count; place++) {
    const hit = rows[place]!;
    rows[kept] = hit;
    owners[kept] = owners[place]!;
    kept += pass[codes[hit]!]!;
  }
  return kept;
};

/** Gathers selected hits into their visits; `owners` holds the visit of each, `name` keeps their scratch apart from another selection's. */
const group = (index: DayIndex, rows: Uint32Array, owners: Uint32Array, scratch: Scratch, name: string): Chosen => {
  const visits = scratch.take(`${name}visits`, rows.length);
  const visitors = scratch.take(`${name}visitors`, rows.length);
  const ends = scratch.zeros(`${name}ends`, rows.length + 1);
  let count = 0;
  for (let place = 0; place < rows.length; place++) {
    const visit = owners[place]!;
    if (count === 0 || visits[count - 1] !== visit) {
      visits[count] = visit;
      visitors[count] = index.visitors[visit]!;
      count++;
    }
    ends[count] = place + 1;
  }
  return {
    visits: visits.subarray(0, count),
    visitors: visitors.subarray(0, count),
    hitsFrom: ends.subarray(0, count),
    hitsTo: ends.subarray(1, count + 1),
    rows,
  };
};
