/**
 * Days as their hits make them, whichever way these came: where imports brought hits of a day that
 * has others, all of them are read as one day (unite-days.ts).
 */
import { lazy } from '../../model/remember.ts';
import { dayMs } from '../../model/time.ts';
import { type ComposedDay, cachedDay, dayOf } from './compose-day.ts';
import type { Day, DayFacts } from './day.ts';
import { type DayOutline, type DayReader, mayHaveHits } from './day-reader.ts';
import { withMarks } from './mark-visits.ts';
import { type DayPart, type Part, partName, partsOf } from './part.ts';
import { unite } from './unite-days.ts';

export type UnitedDays = Pick<DayReader, 'outline' | 'day' | 'firstAt' | 'texts' | 'beginScan' | 'cache'>;

export const unitedDays = (reader: DayReader): UnitedDays => {
  const outline: DayReader['outline'] = (siteId, from, to, pause) => {
    const all = reader.outlineWithMarks(siteId, from, to, pause);
    return byDay(all).flatMap(ofDay => (isOfOne(ofDay) ? ofDay.filter(mayHaveHits) : united(ofDay)));
  };

  const readUnited = (siteId: number, { day, part }: DayPart, pause?: () => void): Day[] => {
    const there = reader.outlineWithMarks(siteId, day * dayMs, (day + 1) * dayMs);
    const now: Part = { number: part.number, of: part.of, sources: sourcesOf(there) };
    // Sources without hits in the part are missing, perhaps all of them.
    const found = there.filter(of => overlap(of.part, part));
    const read = (): Day[] => withMarks(found.flatMap(of => reader.dayWithMarks(siteId, of, pause)));
    const sources = lazy(read);
    const made = lazy(() => unite(sources(), part));
    const imports = (): Uint32Array => {
      const all = read();
      const ids = all.flatMap(({ part: { importId = 0 }, hits }) => new Array<number>(hits).fill(importId));
      return unite(all, part).rows.map(row => ids[row]!);
    };
    const facts = (): DayFacts => ({ ...made().day.facts(), part: now, version: 0 });
    const composed: ComposedDay = { facts, column: name => made().day.column(name) };
    if (there.some(({ sealed }) => !sealed))
      return sources().length === 0 ? [] : withHits({ ...dayOf(composed), imports });
    if (found.length === 0) return [];
    const name = `${siteId} ${partName({ day, part: now })}`;
    return withHits({ ...cachedDay(composed, reader.cache, name), imports });
  };

  return {
    ...reader,
    outline,
    day: (siteId, of, pause) => (of.part.sources === undefined ? reader.day : readUnited)(siteId, of, pause),
  };
};

/** The parts of each day, ascending. */
export const byDay = (all: readonly DayOutline[]): DayOutline[][] => {
  const days = new Map<number, DayOutline[]>();
  for (const of of all) days.set(of.day, [...(days.get(of.day) ?? []), of]);
  return [...days.values()];
};

/** Whether the parts of a day came one way. */
export const isOfOne = ([first, ...others]: readonly DayOutline[]): boolean =>
  others.every(({ part }) => part.importId === first!.part.importId);

/** Whether two parts, of whatever sources, may have a visitor in common. */
export const overlap = (some: Part, other: Part): boolean =>
  some.number * other.of < (other.number + 1) * some.of && other.number * some.of < (some.number + 1) * other.of;

const withHits = (day: Day): Day[] => (day.hits === 0 ? [] : [day]);

/** Names a day's sources and their versions. An open day is the version that is sealed first. */
const sourcesOf = (ofDay: readonly DayOutline[]): string =>
  [...new Set(ofDay.map(of => `${of.part.importId ?? 'own'}.${of.sealed ? of.version : 0}`))].sort().join(' ');

const united = (ofDay: readonly DayOutline[]): DayOutline[] => {
  const { day } = ofDay[0]!;
  const sources = sourcesOf(ofDay);
  const parts = partsOf(Math.max(...ofDay.map(({ part }) => part.of))).map(part => ({ ...part, sources }));
  const sealed = ofDay.filter(of => of.sealed);
  if (sealed.length < ofDay.length) return parts.map(part => ({ sealed: false, day, part }));
  const counted = sealed.filter(mayHaveHits);
  if (counted.length === 0) return [];
  const firstAt = Math.min(...counted.map(of => of.firstAt));
  const lastAt = Math.max(...counted.map(of => of.lastAt));
  const hits = counted.reduce((sum, of) => sum + of.hits, 0);
  return parts.map(part => ({ sealed: true, version: 0, hits, firstAt, lastAt, day, part }));
};
