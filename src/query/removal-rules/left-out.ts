/**
 * Which hits of a day rules leave out. It is kept rule by rule: a new rule is looked for alone, and
 * as hits come to an open day, rules look at the visitors who were there since. A day that many
 * rules are about is looked at in turns.
 */
import { remember } from '../../model/remember.ts';
import { dayMs } from '../../model/time.ts';
import type { Database } from '../../store/database.ts';
import { type ByteCache, bytesOf } from '../../store/day/byte-cache.ts';
import { dayOf } from '../../store/day/compose-day.ts';
import type { Changes, Day } from '../../store/day/day.ts';
import { gather, rowsBetween } from '../../store/day/gather.ts';
import { largest } from '../../store/day/packed.ts';
import { partName } from '../../store/day/part.ts';
import { rowsOf, someHits } from '../../store/day/some-hits.ts';
import type { UnitedDays } from '../../store/day/united-days.ts';
import { records } from '../../store/read/records.ts';
import type { Rule } from '../../store/removal-rules.ts';
import { siteContext } from '../context.ts';
import type { Filter } from '../query.ts';
import { indexDay } from '../scan/day-index.ts';
import { prepareSlice } from '../scan/filters.ts';
import { select } from '../scan/select.ts';
import type { ScratchPool } from '../scratch.ts';

/** What rules leave out of a day. */
export interface LeftOut {
  /** The ids of those that leave any out, divided by commas. */
  rules: string;
  /** By hit, whether it stays; null where all do. */
  stays: Uint8Array | null;
}

/** `pause` is called between two rules, and may throw: then the next call goes on from there. */
export type FindLeftOut = (day: Day, some: readonly Rule[], pause?: () => void) => LeftOut;

/** The rows of the hits that a rule selects, ascending; null where it selects none. */
type HitsOfRule = (day: Day, rule: Rule) => Uint32Array | null;

export const idsOf = (some: readonly Pick<Rule, 'id'>[]): string => some.map(({ id }) => id).join();
export const nameOf = (day: Day): string => `${day.siteId} ${partName(day, day.version)}`;

export const leftOutFinder = (db: Database, reader: UnitedDays, scratchPool: ScratchPool): FindLeftOut => {
  const hitsOf = hitsFinder(db, reader, scratchPool);
  const [ofSealed, ofOpen] = [sealedFinder(hitsOf, reader.cache), openFinder(hitsOf)];
  return (day, some, pause = () => {}) => {
    if (day.sealed) return ofSealed(day, some, pause);
    if (day.changes !== undefined) return ofOpen(day, day.changes, some, pause);
    return leftOutBy(day, some, (rule, stays) => {
      const rows = hitsOf(day, rule);
      for (const row of rows ?? []) stays[row] = 0;
      return rows !== null;
    });
  };
};

/** `leaveOut` notes the hits that a rule selects, and tells whether there is any. */
const leftOutBy = (day: Day, some: readonly Rule[], leaveOut: (rule: Rule, stays: Uint8Array) => boolean): LeftOut => {
  const stays = new Uint8Array(day.hits).fill(1);
  const touching = some.filter(rule => leaveOut(rule, stays));
  return { rules: idsOf(touching), stays: touching.length === 0 ? null : stays };
};

/** What is known of a sealed day. */
interface Known {
  /** By the id of a rule, a bit for each hit, set where the rule selects it; null: none is. */
  ofRule: Map<number, Uint8Array | null>;
  /** What some rules leave out together. */
  together: { ids: string; leftOut: LeftOut } | null;
}

/** As many as questions that run: each may be in the middle of a day. */
const atHandMax = 32;

const sealedFinder = (
  hitsOf: HitsOfRule,
  cache: ByteCache,
): ((...of: Required<Parameters<FindLeftOut>>) => LeftOut) => {
  /** The days looked at last, for which the cache may have no room. The last one stands last. */
  const atHand = new Map<string, Known>();
  const keep = (key: string, known: Known): void => {
    atHand.delete(key);
    atHand.set(key, known);
    if (atHand.size > atHandMax) atHand.delete(atHand.keys().next().value!);
    cache.put(key, known, bytesOf([...known.ofRule.values(), known.together]));
  };
  return (day, some, pause) => {
    const key = `rules of ${nameOf(day)}`;
    const known = cache.find<Known>(key) ?? atHand.get(key) ?? { ofRule: new Map(), together: null };
    const ids = idsOf(some);
    if (known.together?.ids === ids) return known.together.leftOut;
    const missing = some.filter(({ id }) => !known.ofRule.has(id));
    for (const [i, rule] of missing.entries()) {
      if (i > 0) pause();
      known.ofRule.set(rule.id, bitsOf(hitsOf(day, rule), day.hits));
      keep(key, known);
    }
    // Of rules that went, nothing is kept.
    const ofRule = new Map(some.map(({ id }) => [id, known.ofRule.get(id)!]));
    const leftOut = leftOutBy(day, some, ({ id }, stays) => clearBits(ofRule.get(id)!, stays));
    keep(key, { ofRule, together: { ids, leftOut } });
    return leftOut;
  };
};

const bitsOf = (rows: Uint32Array | null, count: number): Uint8Array | null => {
  if (rows === null) return null;
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (const row of rows) bits[row >>> 3]! |= 1 << (row & 7);
  return bits;
};

const clearBits = (bits: Uint8Array | null, stays: Uint8Array): boolean => {
  if (bits === null) return false;
  for (let at = 0; at < bits.length; at++)
    for (let rest = bits[at]!; rest !== 0; rest &= rest - 1) stays[8 * at + 31 - Math.clz32(rest & -rest)] = 0;
  return true;
};

/** What a rule selects of an open day as it was in a version. */
interface Selected {
  version: number;
  /** By the row of arrival: 1 for a hit that it selects; null where it selects none. */
  flags: Uint8Array | null;
}

/** Where more of the hits are of visitors who came since, a rule looks at the whole day. */
const [newPartMax, newHitsMin] = [1 / 8, 5000];

const openFinder = (
  hitsOf: HitsOfRule,
): ((day: Day, changes: Changes, some: readonly Rule[], pause: () => void) => LeftOut) => {
  const known = new WeakMap<object, Map<number, Selected>>();

  const lookAtWhole = (day: Day, { version, rows }: Changes, rule: Rule): Selected => {
    const found = hitsOf(day, rule);
    if (found === null) return { version, flags: null };
    const flags = new Uint8Array(largest(rows) + 1);
    for (const row of found) flags[rows[row]!] = 1;
    return { version, flags };
  };

  /** Brings what is known of rules up to now. They may have looked at different times. */
  const lookAtNew = (
    day: Day,
    { version, rows }: Changes,
    some: readonly Rule[],
    of: Map<number, Selected>,
    news: NewHits,
  ): void => {
    const made = someHits(day, news.flags);
    const part = news.rows.length === 0 ? null : dayOf({ ...made, column: remember(made.column) });
    const newRows = gather(rows, news.rows);
    for (const rule of some) {
      const [{ flags: before }, found] = [of.get(rule.id)!, part && hitsOf(part, rule)];
      const flags = before === null && found === null ? null : new Uint8Array(largest(rows) + 1);
      if (flags !== null) {
        if (before !== null) flags.set(before);
        for (const row of newRows) flags[row] = 0;
        for (const row of found ?? []) flags[newRows[row]!] = 1;
      }
      of.set(rule.id, { version, flags: flags?.includes(1) ? flags : null });
    }
  };

  return (day, changes, some, pause) => {
    const { of, version, rows } = changes;
    const ofRule = known.get(of) ?? new Map<number, Selected>();
    known.set(of, ofRule);
    const newHits = newHitsFinder(day, changes);
    const isFar = ({ id }: Rule): boolean => {
      const at = ofRule.get(id)?.version;
      return at === undefined || newHits(at).rows.length > Math.max(newHitsMin, newPartMax * day.hits);
    };
    for (const [i, rule] of some.filter(isFar).entries()) {
      if (i > 0) pause();
      ofRule.set(rule.id, lookAtWhole(day, changes, rule));
    }
    const behind = some.flatMap(({ id }) => ofRule.get(id)!.version).filter(at => at < version);
    if (behind.length > 0) lookAtNew(day, changes, some, ofRule, newHits(Math.min(...behind)));
    const ids = new Set(some.map(({ id }) => id));
    for (const id of ofRule.keys()) if (!ids.has(id)) ofRule.delete(id);
    return leftOutBy(day, some, ({ id }, stays) => {
      const { flags } = ofRule.get(id)!;
      if (flags === null) return false;
      for (let row = 0; row < rows.length; row++) if (flags[rows[row]!] === 1) stays[row] = 0;
      return true;
    });
  };
};

/** Hits of visitors of whom a visit changed. */
interface NewHits {
  /** 1 for each of them, by hit. */
  flags: Uint8Array;
  /** The same hits. */
  rows: Uint32Array;
}

/** Finds the hits of all visitors of whom a visit changed after a version. */
const newHitsFinder = (day: Day, { visitsSince }: Changes): ((version: number) => NewHits) => {
  return remember(version => {
    const [changed, hitsOf, newVisitor] = [visitsSince(version), day.numbers('hits'), day.numbers('newVisitor')];
    const flags = new Uint8Array(day.hits);
    for (let visit = 0, next = 0, hit = 0; visit < day.visits; ) {
      // The visits of one visitor.
      const from = hit;
      do hit += hitsOf[visit++]!;
      while (visit < day.visits && newVisitor[visit] !== 1);
      if (next < changed.length && changed[next]! < visit) flags.fill(1, from, hit);
      while (next < changed.length && changed[next]! < visit) next++;
    }
    return { flags, rows: rowsOf(flags) };
  });
};

/** Looks at a whole day, as if there was no other rule. */
const hitsFinder = (db: Database, reader: UnitedDays, scratchPool: ScratchPool): HitsOfRule => {
  const recordsOf = records(db);
  return (day, { siteId, selects, from, to, imports }) =>
    scratchPool.within(scratch => {
      const index = indexDay(day, scratch);
      const filters = JSON.parse(selects) as Filter[];
      const prepared = prepareSlice({ filters, imports }, siteContext(siteId, reader, recordsOf));
      const conditions = prepared.map(of => of(day, index, scratch));
      const selection = select(day, index, from, to, conditions, scratch);
      if (selection === undefined) return null;
      const { rows } = selection.found();
      return rows?.slice() ?? rowsBetween(0, day.hits);
    });
};

/** Whether a rule may be about hits of a day. */
export const isAbout = ({ from, to }: Rule, { firstAt, lastAt }: Pick<Day, 'firstAt' | 'lastAt'>): boolean =>
  firstAt < to && lastAt >= from;

/** Of the whole day: its parts are named alike. */
export const spanOf = ({ day }: Pick<Day, 'day'>): Pick<Day, 'firstAt' | 'lastAt'> => ({
  firstAt: day * dayMs,
  lastAt: (day + 1) * dayMs - 1,
});
