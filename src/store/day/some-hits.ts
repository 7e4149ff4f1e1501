/**
 * A day as if only some of its hits had come. A visit without any is left out. One whose first hit
 * is left out starts with the first that stays, and one whose last hit is left out ends with the
 * last that stays. Non-counting hits are not known one by one: where its first and last hit stay, a
 * visit starts and ends as before.
 */
import { lazy } from '../../model/remember.ts';
import { firstAtLeast } from './ascending.ts';
import { type ComposedDay, type Composition, composeDay, dayOf, timesOf } from './compose-day.ts';
import type { Day } from './day.ts';

/** `stays` has a 1 for each hit that stays, else 0. */
export const someHits = (day: Day, stays: Uint8Array): ComposedDay => composeDay([day], chosen(day, stays));

/** The same as a day. */
export const withHits = (day: Day, stays: Uint8Array): Day => dayOf(someHits(day, stays));

/** Rows where a flag is set, ascending. */
export const rowsOf = (flags: Uint8Array): Uint32Array => {
  let count = 0;
  for (let row = 0; row < flags.length; row++) count += flags[row]!;
  const rows = new Uint32Array(count);
  for (let row = 0, i = 0; row < flags.length; row++) if (flags[row] === 1) rows[i++] = row;
  return rows;
};

/** For each visit, given how many hits each has, 1 where any of them stays. */
const visitsWith = (hitsOf: Uint32Array, stays: Uint8Array): Uint8Array => {
  const flags = new Uint8Array(hitsOf.length);
  for (let visit = 0, hit = 0; visit < hitsOf.length; visit++)
    for (const end = hit + hitsOf[visit]!; hit < end; hit++) if (stays[hit] === 1) flags[visit] = 1;
  return flags;
};

const chosen = (day: Day, stays: Uint8Array): Composition => {
  const allHitsOf = lazy(() => new Uint32Array(day.numbers('hits')));
  const visits = lazy(() => rowsOf(visitsWith(allHitsOf(), stays)));
  return {
    visits,
    times: lazy(() => timesOf(day)),
    hits: lazy(() => rowsOf(stays)),
    hitsOf: () => countIn(allHitsOf(), stays, visits()),
    hashVisits: () => firstAtLeast(visits(), day.hashVisits),
    spans: lazy(() => spansOf(day, stays, visits(), allHitsOf())),
  };
};

const spansOf = (
  day: Day,
  stays: Uint8Array,
  visits: Uint32Array,
  hitsOf: Uint32Array,
): ReturnType<Composition['spans']> => {
  const [startedOf, duration] = (['started', 'duration'] as const).map(name => new Uint32Array(day.numbers(name)));
  // Few visits lose their first or last hit.
  const times = lazy(() => new Uint32Array(day.numbers('time')));
  const [started, ended] = [new Uint32Array(visits.length), new Uint32Array(visits.length)];
  for (let visit = 0, i = 0, begin = 0; i < visits.length; visit++) {
    const end = begin + hitsOf[visit]!;
    if (visits[i] === visit) {
      const at = startedOf![visit]!;
      let [first, last] = [begin, end - 1];
      while (stays[first] !== 1) first++;
      while (stays[last] !== 1) last--;
      started[i] = first === begin ? at : at + times()[first]!;
      ended[i] = last === end - 1 ? at + duration![visit]! : at + times()[last]!;
      i++;
    }
    begin = end;
  }
  return { started, ended };
};

/** Of each of some visits, how many of its hits stay. */
const countIn = (hitsOf: Uint32Array, stays: Uint8Array, visits: Uint32Array): Uint32Array => {
  const counts = new Uint32Array(visits.length);
  for (let visit = 0, i = 0, hit = 0; i < visits.length; visit++) {
    const end = hit + hitsOf[visit]!;
    if (visits[i] === visit) {
      for (; hit < end; hit++) counts[i]! += stays[hit]!;
      i++;
    }
    hit = end;
  }
  return counts;
};
