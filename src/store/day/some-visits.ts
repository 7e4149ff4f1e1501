/** A day as if some visits, with all of their hits, had never come. */
import type { Day } from './day.ts';
import { numberColumn, type TextName, textColumn } from './day.ts';
import { gather } from './gather.ts';
import { marksDay } from './mark-visits.ts';
import { rowsOf, withHits } from './some-hits.ts';

/** For each visit, whether it goes; null where none of a day does. */
export type FindVisits = (day: Day) => ((visit: number) => boolean) | null;

/** Null where the day has none of the visits. Its visits of marks alone are looked at, too. */
export const withoutVisits = (day: Day, find: FindVisits): { day: Day; visits: number; stays: Stays } | null => {
  const marks = day.marks?.();
  const [goes, marksGo] = [find(day), marks === undefined ? null : find(marks)];
  if (goes === null && marksGo === null) return null;
  const stays = staysOf(day, goes);
  const left = goes === null ? day : withHits(day, stays.hits);
  const marksLeft = marks && someMarks(marks, staysOf(marks, marksGo).visits);
  const visits = countGone(stays.visits) + (marks === undefined ? 0 : marks.visits - (marksLeft?.visits ?? 0));
  return { day: { ...left, marks: () => marksLeft }, visits, stays };
};

/** 1 for each visit and hit that stays. */
export interface Stays {
  visits: Uint8Array;
  hits: Uint8Array;
}

const staysOf = (day: Day, goes: ((visit: number) => boolean) | null): Stays => {
  const [visits, hits] = [new Uint8Array(day.visits).fill(1), new Uint8Array(day.hits).fill(1)];
  if (goes === null) return { visits, hits };
  const hitsOf = day.numbers('hits');
  for (let visit = 0, hit = 0; visit < day.visits; visit++) {
    const end = day.hits === 0 ? 0 : hit + hitsOf[visit]!;
    if (goes(visit)) {
      visits[visit] = 0;
      hits.fill(0, hit, end);
    }
    hit = end;
  }
  return { visits, hits };
};

export const countGone = (stays: Uint8Array): number => stays.reduce((sum, one) => sum + 1 - one, 0);

/** Some of the visits of which nothing but marks came. */
const someMarks = (marks: Day, stays: Uint8Array): Day => {
  const rows = rowsOf(stays);
  const hashVisits = rows.filter(row => row < marks.hashVisits).length;
  return marksDay({ ...marks, visits: rows.length, hashVisits }, name => {
    const column = marks.column(name);
    if (column.kind === 'hash') return { kind: 'hash', values: BigUint64Array.from(rows, row => column.values[row]!) };
    if (column.kind === 'number') {
      const values = marks.numbers(name as never) as ArrayLike<number>;
      return numberColumn(Array.from(rows, row => values[row]!));
    }
    const { codes, dictionary } = marks.texts(name as TextName);
    return textColumn(
      gather(
        dictionary,
        Uint32Array.from(rows, row => codes[row]!),
      ),
    );
  });
};
