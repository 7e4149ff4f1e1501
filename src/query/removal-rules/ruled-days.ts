/**
 * Days without the hits that the rules of their site leave out (store/removal-rules.ts). Every rule
 * looks at the whole day, as if there was no other, so neither their order nor that of their
 * undoing matters. What is left is a day like any other (store/day/some-hits.ts): no question knows
 * of rules. A day that no rule touches is the very day that was read, with all that is kept of it.
 */
import { dayMs } from '../../model/time.ts';
import type { Database } from '../../store/database.ts';
import { cachedDay } from '../../store/day/compose-day.ts';
import type { Day } from '../../store/day/day.ts';
import { columnKeeper } from '../../store/day/day-reader.ts';
import { partName } from '../../store/day/part.ts';
import { someHits, withHits } from '../../store/day/some-hits.ts';
import { byDay, type UnitedDays } from '../../store/day/united-days.ts';
import { type Rule, rules } from '../../store/removal-rules.ts';
import { createScratchPool, type ScratchPool } from '../scratch.ts';
import { idsOf, isAbout, type LeftOut, leftOutFinder, nameOf, spanOf } from './left-out.ts';

export interface RuledDays extends UnitedDays {
  /** The days with all of their hits. */
  whole: UnitedDays;
  /** Names the rules that leave hits of a UTC day out; empty where none does. It reads the day. */
  rulesOf(siteId: number, day: number): string;
}

/** Days of all sites; more than a site has. */
const nothingLeftMax = 20_000;

export const ruledDays = (db: Database, whole: UnitedDays, scratchPool = createScratchPool()): RuledDays => {
  const { ofSite } = rules(db);
  const { leftOutOf, without } = leaver(db, whole, scratchPool);
  /** Sealed days of which rules leave nothing: they come before the first hit that is left. */
  const nothingLeft = new Set<string>();

  const wholeDay: UnitedDays['day'] = (siteId, { day, part: { rules: _, ...part } }, pause) =>
    whole.day(siteId, { day, part }, pause);

  const day: UnitedDays['day'] = (siteId, of, pause) => {
    const all = ofSite(siteId);
    const days = wholeDay(siteId, of, pause);
    return all.length === 0 ? days : days.map(each => without(each, all, pause)).filter(({ hits }) => hits > 0);
  };

  return {
    ...whole,
    whole,
    day,
    outline(siteId, from, to, pause) {
      const [all, found] = [ofSite(siteId), whole.outline(siteId, from, to, pause)];
      if (all.length === 0) return found;
      return found.map(of => {
        const some = all.filter(rule => isAbout(rule, spanOf(of)));
        return some.length === 0 ? of : { ...of, part: { ...of.part, rules: idsOf(some) } };
      });
    },
    firstAt(siteId, pause) {
      const [at, all] = [whole.firstAt(siteId), ofSite(siteId)];
      if (at === null || !all.some(rule => isAbout(rule, { firstAt: at, lastAt: at }))) return at;
      for (const ofDay of byDay(whole.outline(siteId, at, Number.MAX_SAFE_INTEGER, pause))) {
        const names = ofDay.map(of => partName(of, of.sealed ? of.version : 0));
        const name = `${siteId} ${names} without ${idsOf(all)}`;
        if (nothingLeft.has(name)) continue;
        const left = ofDay.flatMap(of => day(siteId, of, pause));
        if (left.length > 0) return Math.min(...left.map(({ firstAt }) => firstAt));
        if (ofDay.some(({ sealed }) => !sealed)) continue;
        if (nothingLeft.size >= nothingLeftMax) nothingLeft.clear();
        nothingLeft.add(name);
        pause?.();
      }
      return null;
    },
    rulesOf(siteId, number) {
      const all = ofSite(siteId);
      const parts = all.length === 0 ? [] : whole.outline(siteId, number * dayMs, (number + 1) * dayMs);
      const ids = parts.flatMap(of =>
        wholeDay(siteId, of).flatMap(each => {
          const some = all.filter(rule => isAbout(rule, each));
          return some.length === 0 ? [] : leftOutOf(each, some).rules.split(',');
        }),
      );
      return [...new Set(ids)].filter(id => id !== '').join();
    },
  };
};

/** Leaves hits out of days. */
const leaver = (db: Database, whole: UnitedDays, scratchPool: ScratchPool) => {
  const leftOutOf = leftOutFinder(db, whole, scratchPool);
  const keepColumn = columnKeeper();
  /** Open days: the same one is read again and again until hits come. */
  const ofOpen = new WeakMap<Day, { ids: string; day: Day }>();

  const sealedWithout = (day: Day, { rules: ids, stays }: LeftOut): Day => {
    const part = { ...day.part, rules: ids };
    const name = nameOf({ ...day, part });
    const made = someHits(day, stays!);
    return cachedDay({ ...made, facts: () => ({ ...made.facts(), part }) }, whole.cache, name, keepColumn);
  };

  const without = (day: Day, all: readonly Rule[], pause?: () => void): Day => {
    const some = all.filter(rule => isAbout(rule, day));
    if (some.length === 0) return day;
    const ids = idsOf(some);
    const known = ofOpen.get(day);
    if (known?.ids === ids) return known.day;
    const leftOut = leftOutOf(day, some, pause);
    if (day.sealed) return leftOut.stays === null ? day : sealedWithout(day, leftOut);
    const made = leftOut.stays === null ? day : withHits(day, leftOut.stays);
    ofOpen.set(day, { ids, day: made });
    return made;
  };
  return { leftOutOf, without };
};
