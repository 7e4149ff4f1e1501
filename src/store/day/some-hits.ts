/**
 * A day as if only some of its hits had come. A visit without any is left out. One whose first hit
 * is left out starts with the first that stays, and one whose last hit is left out ends with the
 * last that stays. Non-counting hits are not known one by one: where its first and last hit stay, a
 * visit starts and ends as before.
 */
import { type Composition, composeDay, timesOf } from './compose-day.ts';
import type { Day } from './day.ts';

/** `stays` has a 1 for each hit that stays, else 0. */
export const withHits = (day: Day, stays: Uint8Array): Day => {
  const times = timesOf(day);
  return composeDay([day], chosen(day, stays, times), times);
};

/** Rows where a flag is set, ascending. */
export const rowsOf = (flags: ArrayLike<number>): Uint32Array => {
  const rows = new Uint32Array(flags.length);
  let count = 0;
  for (let row = 0; row < flags.length; row++) if (flags[row] === 1) rows[count++] = row;
  return rows.slice(0, count);
};

/** For each visit, 1 where it has any of the hits. */
export const visitsWith = (day: Day, stays: Uint8Array): Uint8Array => {
  const hitsOf = day.numbers('hits');
  const flags = new Uint8Array(day.visits);
  for (let visit = 0, hit = 0; visit < day.visits; visit++)
    for (const end = hit + hitsOf[visit]!; hit < end; hit++) if (stays[hit] === 1) flags[visit] = 1;
  return flags;
};

const chosen = (day: Day, stays: Uint8Array, times: Uint32Array): Composition => {
  const visits = rowsOf(visitsWith(day, stays));
  const [startedOf, duration, allHitsOf] = [day.numbers('started'), day.numbers('duration'), day.numbers('hits')];
  const [started, ended, hitsOf] = [0, 1, 2].map(() => new Uint32Array(visits.length)) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  let hashVisits = 0;
  for (let visit = 0, i = 0, begin = 0; i < visits.length; visit++) {
    const end = begin + allHitsOf[visit]!;
    if (visits[i] === visit) {
      let [first, last] = [begin, end - 1];
      while (stays[first] !== 1) first++;
      while (stays[last] !== 1) last--;
      started[i] = first === begin ? startedOf[visit]! : times[first]!;
      ended[i] = last === end - 1 ? startedOf[visit]! + duration[visit]! : times[last]!;
      for (let hit = first; hit <= last; hit++) if (stays[hit] === 1) hitsOf[i]!++;
      if (visit < day.hashVisits) hashVisits++;
      i++;
    }
    begin = end;
  }
  return { visits, started, ended, hitsOf, hits: rowsOf(stays), hashVisits };
};
