/**
 * The part of one day that a slice selects. Conditions on visits are applied before any hit is touched, then the conditions on hits, each
 * on what the one before left over, then time.
 */
import { dayMs } from '../../model/time.ts';
import { firstAtLeast } from '../../store/day/ascending.ts';
import type { Day } from '../../store/day/day.ts';
import { rankBits } from '../../store/day/mask.ts';
import { lazy } from '../remember.ts';
import { type DayIndex, startsOf } from './day-index.ts';
import { allRows, type Condition, type Found, filterRows, isOne, keepPlaces } from './filter-rows.ts';
import { gatherTo, sumOf } from './lists.ts';
import { beginsOf, changesOf, lengthsOf, rowsOfVisits, runsOf } from './positions.ts';
import type { Scratch } from './scratch.ts';
import { hitTimes, visitorHashes } from './selected-values.ts';

/** A condition on visits, or on hits. */
export interface LevelCondition extends Condition {
  level: 'visit' | 'hit';
}

/** Only good until the next day is selected: its arrays are scratch, but for the hashes. */
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
  /** Of the selected visitors of cookie mode. All questions share them: they take more than half of a list of visitors. */
  hashes(): Uint32Array;
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

/** The hit at each place; where `rows` is null, all hits of the day, each at the place of its own number. */
export interface Places extends Found {
  /** Per place, which of `visitBegins` and `visitorBegins` holds among the selected hits. */
  begins(): Uint8Array;
}

/** Undefined when no hit of the day passes. */
export const select = (
  day: Day,
  index: DayIndex,
  from: number,
  to: number,
  conditions: readonly LevelCondition[],
  scratch: Scratch,
): Selection | undefined => {
  const telling = conditions.filter(({ pass }) => pass.includes(0));
  if (telling.some(({ pass }) => !pass.includes(1))) return undefined;
  const onVisits = telling.filter(({ level }) => level === 'visit');
  const onHits = telling.filter(({ level }) => level === 'hit');
  const ofVisits = onVisits.length === 0 ? selectAll(day, index, scratch) : selectVisits(day, index, onVisits, scratch);
  const selection = ofVisits && narrow(ofVisits, onHits, 'passing');
  const isCut = day.firstAt < from || day.lastAt >= to;
  return selection && isCut ? cut(selection, from - day.day * dayMs, to - day.day * dayMs) : selection;
};

const selectAll = (day: Day, index: DayIndex, scratch: Scratch): Selection =>
  new Selected(day, index, scratch, day.hits, true, {
    visits: () => scratch.identity(day.visits),
    visitors: index.visitors,
    hitsOf: index.hitsOf,
    placesFrom: index.hitsFrom,
    found: () => allRows,
    begins: index.begins,
  });

/** All hits of the visits that pass some conditions. */
const selectVisits = (
  day: Day,
  index: DayIndex,
  conditions: readonly Condition[],
  scratch: Scratch,
): Selection | undefined => {
  const { rows: visits } = filterRows(allRows, conditions, scratch, 'visits');
  if (visits === null) return selectAll(day, index, scratch);
  if (visits.length === 0) return undefined;
  const hitsOf = gatherTo(index.hitsOf(), visits, scratch.take('hits of visits', visits.length));
  const hits = sumOf(hitsOf);
  return new Selected(day, index, scratch, hits, true, {
    visits: () => visits,
    visitors: () => gatherTo(index.visitors(), visits, scratch.take('visitors', visits.length)),
    hitsOf: () => hitsOf,
    placesFrom: () => startsOf(hitsOf, scratch.take('places from', visits.length + 1)),
    found: () => ({ rows: rowsOfVisits(index, visits, scratch.take('rows', hits), scratch), known: [] }),
    begins: ({ visitors }) => beginsOf(hitsOf, visitors, scratch.bytes('begins', hits)),
  });
};

/** Of a selection, the hits that pass all of some conditions; undefined when no hit does. */
export const narrow = (selection: Selection, conditions: readonly Condition[], name: string): Selection | undefined =>
  conditions.length === 0
    ? selection
    : narrowed(selection, filterRows(selection.places(), conditions, selection.scratch, name), name);

/** Of a selection, the hits at a time of `from <= time < to`, in milliseconds since midnight. */
const cut = (selection: Selection, from: number, to: number): Selection | undefined => {
  const times = hitTimes(selection);
  for (let place = 0; place < times.length; place++) times[place] = times[place]! >= from && times[place]! < to ? 1 : 0;
  return narrowed(selection, keepPlaces(selection.places(), times, isOne, selection.scratch, 'cut'), 'cut');
};

/** What a selection becomes by keeping some of its hits. `name` keeps its scratch apart from that of the selection. */
const narrowed = (selection: Selection, found: Found, name: string): Selection | undefined => {
  const { day, index, scratch } = selection;
  const { rows } = found;
  if (rows === null || rows.length === selection.hits) return selection;
  if (rows.length === 0) return undefined;
  const visitOf = lazy(() => rankIn(index.firstHits().ofVisits, rows, `${name} visit of row`, scratch));
  const runs = lazy(() => runsOf(visitOf(), scratch, name));
  return new Selected(day, index, scratch, rows.length, false, {
    visits: () => runs().visits,
    visitors: ({ visits }) => {
      const first = gatherTo(rows, runs().starts.subarray(0, visits.length), scratch.take('first rows', visits.length));
      return rankIn(index.firstHits().ofVisitors, first, `${name} visitors`, scratch);
    },
    hitsOf: ({ visits }) => lengthsOf(runs().starts, scratch.take(`${name} hits of visits`, visits.length)),
    placesFrom: () => runs().starts,
    found: () => found,
    begins: () => {
      const visitorOf = rankIn(index.firstHits().ofVisitors, rows, 'visitor of row', scratch);
      return changesOf(visitOf(), visitorOf, scratch.bytes(`${name} begins`, rows.length));
    },
  });
};

/** The number of what each row belongs to, from 1, given where that begins; in scratch of that name. */
const rankIn = (mask: Uint32Array, rows: Uint32Array, name: string, scratch: Scratch): Uint32Array =>
  rankBits(mask, rows, scratch.take(name, rows.length), scratch.take('bits before', mask.length));

/** How the parts of a selection are made, perhaps from other parts. */
interface Parts {
  visits(): Uint32Array;
  visitors(of: Selection): Uint32Array;
  hitsOf(of: Selection): Uint32Array;
  placesFrom(): Uint32Array;
  found(): Found;
  begins(of: Selection): Uint8Array;
}

/**
 * Each part is made when it is first asked for: not every question asks whose hits they are. A class, since object literals with getters
 * are of a shape each, and whatever meets another shape is compiled anew.
 */
class Selected implements Selection {
  readonly day: Day;
  readonly index: DayIndex;
  readonly scratch: Scratch;
  readonly hits: number;
  readonly wholeVisits: boolean;
  readonly #parts: Parts;
  #visits: Uint32Array | undefined;
  #visitors: Uint32Array | undefined;
  #hashVisits: number | undefined;
  #hashes: Uint32Array | undefined;
  #hitsOf: Uint32Array | undefined;
  #placesFrom: Uint32Array | undefined;
  #places: Places | undefined;

  constructor(day: Day, index: DayIndex, scratch: Scratch, hits: number, wholeVisits: boolean, parts: Parts) {
    this.day = day;
    this.index = index;
    this.scratch = scratch;
    this.hits = hits;
    this.wholeVisits = wholeVisits;
    this.#parts = parts;
  }

  get visits(): Uint32Array {
    this.#visits ??= this.#parts.visits();
    return this.#visits;
  }
  get visitors(): Uint32Array {
    this.#visitors ??= this.#parts.visitors(this);
    return this.#visitors;
  }
  get hashVisits(): number {
    this.#hashVisits ??= firstAtLeast(this.visits, this.day.hashVisits);
    return this.#hashVisits;
  }
  get hitsOf(): Uint32Array {
    this.#hitsOf ??= this.#parts.hitsOf(this);
    return this.#hitsOf;
  }
  hashes(): Uint32Array {
    this.#hashes ??= visitorHashes(this);
    return this.#hashes;
  }
  placesFrom(): Uint32Array {
    this.#placesFrom ??= this.#parts.placesFrom();
    return this.#placesFrom;
  }
  places(): Places {
    this.#places ??= { ...this.#parts.found(), begins: lazy(() => this.#parts.begins(this)) };
    return this.#places;
  }
}
