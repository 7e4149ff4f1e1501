/**
 * Days without the hits that the rules of their site leave out (store/rules.ts). Every rule looks
 * at the whole day, as if there was no other, so neither their order nor that of their undoing
 * matters. What is left is a day like any other (store/day/some-hits.ts): no question knows of
 * rules. A day that no rule touches is the very day that was read, with all that is kept of it.
 */
import { dayMs } from '../../model/time.ts';
import type { Database } from '../../store/database.ts';
import { type Day, dayOver, factsOf } from '../../store/day/day.ts';
import { columnKeeper, type DayOutline } from '../../store/day/day-reader.ts';
import { partName } from '../../store/day/part.ts';
import { withHits } from '../../store/day/some-hits.ts';
import { byDay, type UnitedDays } from '../../store/day/united-days.ts';
import { records } from '../../store/read/records.ts';
import { type Rule, rules } from '../../store/rules.ts';
import type { Filter } from '../query.ts';
import { indexDay } from '../scan/day-index.ts';
import { broughtBy, prepareFilters } from '../scan/filters.ts';
import { select } from '../scan/select.ts';
import { createScratchPool, type ScratchPool } from '../scratch.ts';

export interface RuledDays extends UnitedDays {
  /** The days with all of their hits. */
  whole: UnitedDays;
  /** Names the rules that leave hits of a UTC day out; empty where none does. It reads the day. */
  rulesOf(siteId: number, day: number): string;
}

/** What rules leave out of a day. */
interface LeftOut {
  /** The ids of those that leave any out, divided by commas. */
  rules: string;
  /** The rows of these hits, ascending; null where there is none. */
  stays: Uint8Array | null;
}

export const ruledDays = (db: Database, whole: UnitedDays, scratchPool = createScratchPool()): RuledDays => {
  const { ofSite } = rules(db);
  const { leftOutOf, without } = leaver(db, whole, scratchPool);

  const wholeDay: UnitedDays['day'] = (siteId, { day, part: { rules: _, ...part } }, pause) =>
    whole.day(siteId, { day, part }, pause);

  const day: UnitedDays['day'] = (siteId, of, pause) => {
    const all = ofSite(siteId);
    const days = wholeDay(siteId, of, pause);
    return all.length === 0 ? days : days.map(each => without(each, all)).filter(({ hits }) => hits > 0);
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
    firstAt(siteId) {
      const at = whole.firstAt(siteId);
      if (at === null || !ofSite(siteId).some(rule => isAbout(rule, { firstAt: at, lastAt: at }))) return at;
      for (const ofDay of byDay(whole.outline(siteId, at, Number.MAX_SAFE_INTEGER))) {
        const left = ofDay.flatMap(of => day(siteId, of));
        if (left.length > 0) return Math.min(...left.map(({ firstAt }) => firstAt));
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

const idsOf = (some: readonly Rule[]): string => some.map(({ id }) => id).join();
const nameOf = (day: Day): string => `${day.siteId} ${partName(day, day.version)}`;

const isAbout = ({ from, to }: Rule, { firstAt, lastAt }: Pick<Day, 'firstAt' | 'lastAt'>): boolean =>
  firstAt < to && lastAt >= from;

/** Of the whole day: its parts are named alike. */
const spanOf = ({ day }: DayOutline): Pick<Day, 'firstAt' | 'lastAt'> => ({
  firstAt: day * dayMs,
  lastAt: (day + 1) * dayMs - 1,
});

/** Leaves hits out of days. */
const leaver = (db: Database, whole: UnitedDays, scratchPool: ScratchPool) => {
  const find = finder(db, whole, scratchPool);
  const keepColumn = columnKeeper();
  /** Open days: the same one is read again and again until hits come. */
  const ofOpen = new WeakMap<Day, { ids: string; day: Day }>();

  const leftOutOf = (day: Day, some: readonly Rule[]): LeftOut =>
    day.sealed ? whole.cache.get(`left out by ${idsOf(some)} ${nameOf(day)}`, () => find(day, some)) : find(day, some);

  const sealedWithout = (day: Day, { rules: ids, stays }: LeftOut): Day => {
    const part = { ...day.part, rules: ids };
    const name = nameOf({ ...day, part });
    let made: Day | undefined;
    const make = (): Day => {
      made ??= withHits(day, stays!);
      return made;
    };
    const facts = whole.cache.get(`${name} facts`, () => ({ ...factsOf(make()), part }));
    return dayOver(facts, column => whole.cache.get(`${name} ${column}`, () => keepColumn(make().column(column))));
  };

  const openWithout = (day: Day, some: readonly Rule[]): Day => {
    const ids = idsOf(some);
    const known = ofOpen.get(day);
    if (known?.ids === ids) return known.day;
    const leftOut = find(day, some);
    const made = leftOut.stays === null ? day : withHits(day, leftOut.stays);
    ofOpen.set(day, { ids, day: made });
    return made;
  };

  const without = (day: Day, all: readonly Rule[]): Day => {
    const some = all.filter(rule => isAbout(rule, day));
    if (some.length === 0) return day;
    if (!day.sealed) return openWithout(day, some);
    const leftOut = leftOutOf(day, some);
    return leftOut.stays === null ? day : sealedWithout(day, leftOut);
  };
  return { leftOutOf, without };
};

/** Looks at the hits of a day, of which rules may leave some out. */
const finder = (
  db: Database,
  reader: UnitedDays,
  scratchPool: ScratchPool,
): ((day: Day, some: readonly Rule[]) => LeftOut) => {
  const recordsOf = records(db);
  /** Notes the hits that a rule leaves out, and tells whether there is any. */
  const leaveOut = (day: Day, { siteId, selects, from, to, imports }: Rule, stays: Uint8Array): boolean =>
    scratchPool.within(scratch => {
      const query = { siteId, currency: '', minorRates: {}, slices: [] };
      const context = { query, reader, records: recordsOf, text: (id: number) => reader.texts.text(siteId, id) };
      const index = indexDay(day, scratch);
      const filters = [...prepareFilters(JSON.parse(selects) as Filter[], context), broughtBy(imports)];
      const conditions = filters.map(of => of(day, index, scratch));
      const selection = select(day, index, from, to, conditions, scratch);
      if (selection === undefined) return false;
      const { rows } = selection.found();
      if (rows === null) stays.fill(0);
      else for (const row of rows) stays[row] = 0;
      return true;
    });
  return (day, some) => {
    const stays = new Uint8Array(day.hits).fill(1);
    const touching = some.filter(rule => leaveOut(day, rule, stays));
    return { rules: idsOf(touching), stays: touching.length === 0 ? null : stays };
  };
};
