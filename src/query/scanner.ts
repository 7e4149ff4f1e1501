/**
 * What days contribute to the questions of a query. Each slice selects its hits of a day once, for
 * all of its questions. What a sealed day contributes never changes, so the scanner keeps it.
 */
import { dayMs } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { type ByteCache, bytesOf, createByteCache } from '../store/day/byte-cache.ts';
import type { Day } from '../store/day/day.ts';
import type { DayOutline } from '../store/day/day-reader.ts';
import { type DayPart, partName } from '../store/day/part.ts';
import { rollupDays } from '../store/day/rollup-days.ts';
import type { UnitedDays } from '../store/day/united-days.ts';
import { records } from '../store/read/records.ts';
import { rules } from '../store/removal-rules.ts';
import { contextOf, type QueryContext } from './context.ts';
import { QueryTooLarge } from './errors.ts';
import { giveWay, type Pace, pauseOf, Unread, untilDone } from './pace.ts';
import type { Query, Slice } from './query.ts';
import type { DayPartial, QuestionPlan } from './questions/plan.ts';
import { planFor } from './questions/questions.ts';
import type { RuledDays } from './removal-rules/ruled-days.ts';
import { type DayIndex, indexDay, keeperOf } from './scan/day-index.ts';
import type { DayFilter } from './scan/filter-rows.ts';
import { prepareSlice } from './scan/filters.ts';
import { sumBy } from './scan/lists.ts';
import { select } from './scan/select.ts';
import type { Selection } from './scan/selection.ts';
import type { Scratch, ScratchPool } from './scratch.ts';

/**
 * For each slice, and each of its questions, a partial of each day that has something to
 * contribute.
 */
export type Contributions = DayPartial[][][];

/** A part of a day that is to be scanned. */
export interface AskedPart extends DayPart {
  /** The numbers of the questions, counted over all slices, that sums of the day have answered. */
  summed?: readonly number[];
}

/** A query made ready to be scanned day by day. */
export interface Prepared {
  context: QueryContext;
  slices: PreparedSlice[];
  /** The days that some slice may touch, ascending, part by part. */
  days: DayOutline[];
  /** Of all sites, when the days were listed. */
  highestRule: number;
}

interface PreparedSlice {
  slice: Slice;
  /** By question. */
  plans: QuestionPlan[];
  filters: DayFilter[];
  filterKey: string;
}

export interface Scanner {
  /** `before` is a query that this one goes on with, about the days of it. */
  prepareQuery(query: Query, pace: Pace, before?: Prepared): Promise<Prepared>;
  /**
   * Whether a day was deleted since, for example with its site, or a rule was made or undone, or a
   * day was sealed in fewer parts. What was found out is then worth nothing.
   */
  isOutdated(prepared: Prepared): boolean;
  /**
   * What some days contribute. Each day is read in one transaction for all slices and questions, or
   * in several where others wait for their turn; a day that is sealed meanwhile gives the same. No
   * memory is held from turn to turn but for what was found.
   */
  contribute(prepared: Prepared, days: readonly AskedPart[], pace: Pace): Promise<Contributions>;
}

/**
 * Working memory kept from one query to the next: as much as a day of a hundred thousand hits
 * takes.
 */
const scratchBytesMax = 8 * 1024 * 1024;

export interface ScannerBounds {
  /** Of what it keeps of what sealed days contribute, in bytes. */
  keptBytesMax: number;
  /** Of what it finds out for one query, in bytes: beyond it the query is a QueryTooLarge. */
  foundBytesMax: number;
}

/** For one thread and one connection. */
export const createScanner = (
  db: Database,
  reader: RuledDays,
  { keptBytesMax, foundBytesMax }: ScannerBounds,
  scratchPool: ScratchPool,
): Scanner => {
  const kept = createByteCache(keptBytesMax);
  const scanDay = dayScanner(reader, kept, scratchPool);

  /**
   * Goes on with the questions about a part, one at least, and returns how many are done when it is
   * time to give way. A part that was divided further meanwhile has several days, which all come as
   * far as the first.
   */
  const scanPart = db.transaction(
    ({ context, slices }: Prepared, of: AskedPart, done: number, found: Contributions, pace: Pace): ScannedPart => {
      const whole: ScannedPart = { next: null, isRead: false };
      if (!isNeeded(of.day, slices, found)) return whole;
      const days = context.reader.day(context.query.siteId, of, pauseOf(pace));
      const [first, ...others] = days;
      if (first === undefined) return whole;
      const { summed = [] } = of;
      const scanned = scanDay(first, slices, found, { pace, summed, done, until: null });
      const all = others.map(day => scanDay(day, slices, found, { pace, summed, done, until: scanned.next }));
      const isDone = scanned.next >= sumBy(slices, ({ plans }) => plans.length);
      return { next: isDone ? null : scanned.next, isRead: [scanned, ...all].some(({ isRead }) => isRead) };
    },
  );

  const { highestId: highestRuleId } = rules(db);
  return {
    prepareQuery: queryPreparer(db, reader),
    isOutdated({ context, days, highestRule }) {
      // A rule may have come and gone meanwhile, while days were read.
      if (highestRuleId() !== highestRule) return true;
      const keyOf = ({ day, part }: DayPart): string => `${day} ${part.importId ?? ''} ${part.site ?? ''}`;
      const now = new Map(outlineOf(context).map(of => [keyOf(of), of]));
      return days.some(of => !isStillThere(of, now.get(keyOf(of))));
    },
    async contribute(prepared, days, pace) {
      for (const one of [reader, kept]) one.beginScan();
      const found: Contributions = prepared.slices.map(({ plans }) => plans.map(() => []));
      const scan = (of: AskedPart, done: number): ScannedPart => scanPart(prepared, of, done, found, pace);
      try {
        await scanParts(inOrder(days, prepared), scan, found, foundBytesMax, pace);
      } finally {
        scratchPool.trim(scratchBytesMax);
      }
      return found;
    },
  };
};

/** Who reads the days of a query, and the query as it asks that reader. */
const readers = (reader: RuledDays) => {
  const ofSites = rollupDays(reader);
  return (query: Query, before: UnitedDays | undefined): Pick<QueryContext, 'query' | 'reader'> => {
    if (query.rollup === undefined) return { query, reader: query.withLeftOut ? reader.whole : reader };
    if (before !== undefined) return { query, reader: before };
    const found = ofSites(query.rollup);
    return { query: { ...query, siteId: found.siteId }, reader: found };
  };
};

const outlineOf = (
  { reader, query: { siteId, slices } }: Pick<QueryContext, 'reader' | 'query'>,
  pause?: () => void,
): DayOutline[] => {
  const from = Math.min(...slices.map(slice => slice.from));
  const to = Math.max(...slices.map(slice => slice.to));
  return from < to ? reader.outline(siteId, from, to, pause) : [];
};

/** In turns, since the rows of an open day are counted. */
const queryPreparer = (db: Database, days: RuledDays): Scanner['prepareQuery'] => {
  const recordsOf = records(db);
  const { highestId } = rules(db);
  const readAs = readers(days);
  const prepare = db.transaction((asked: Query, before: Prepared | undefined, pause: () => void): Prepared => {
    const { query, reader } = readAs(asked, before?.context.reader);
    const within = (day: DayOutline): boolean => query.slices.some(slice => isWithin(day, slice));
    // First, since a turn that ends here does this once more.
    const days = before?.days ?? outlineOf({ query, reader }, pause).filter(within);
    const context = contextOf(query, reader, recordsOf);
    const slices = query.slices.map(slice => ({
      slice,
      plans: slice.questions.map(question => planFor(question, context)),
      filters: prepareSlice(slice, context),
      filterKey: JSON.stringify([slice.filters, slice.imports]),
    }));
    return { context, slices, days, highestRule: before?.highestRule ?? highestId() };
  });
  return (query, pace, before) => untilDone(pace, pause => prepare(query, before, pause));
};

/** Whether a day is as it was, or was sealed meanwhile in as many parts at least. */
const isStillThere = (of: DayOutline, now: DayOutline | undefined): boolean =>
  now !== undefined &&
  now.part.sources === of.part.sources &&
  now.part.rules === of.part.rules &&
  versionOf(now) === versionOf(of) &&
  now.part.of >= of.part.of;

/** An open day is the same as the version that is sealed first. */
const versionOf = (of: DayOutline): number => (of.sealed ? of.version : 0);

/** The newest first: questions about the latest visits need no others. */
const inOrder = (days: readonly AskedPart[], { slices }: Prepared): AskedPart[] => {
  const isOldestFirst = slices.some(({ plans }) => plans.some(({ oldestFirst }) => oldestFirst));
  return [...days].sort((a, b) => (isOldestFirst ? a.day - b.day : b.day - a.day));
};

const needs = (plan: QuestionPlan, day: number, partials: readonly DayPartial[]): boolean =>
  plan.needs === undefined || plan.needs(day, partials);

/** Does a day's questions from one on, or those before another that are not done yet. */
const dayScanner =
  (reader: UnitedDays, kept: ByteCache, scratchPool: ScratchPool) =>
  (day: Day, slices: Prepared['slices'], found: Contributions, bounds: ScanBounds): DayScan =>
    scratchPool.within(ofDay => {
      const index = indexDay(day, ofDay, keeperOf(reader.cache, day));
      const scan: DayScan = { ...bounds, day, index, kept, next: 0, isRead: false };
      for (const [i, slice] of slices.entries()) {
        const end = scan.next + slice.plans.length;
        if (end <= scan.done || !isWithin(day, slice.slice)) scan.next = end;
        else if (!ofDay.within(inner => scanSlice(slice, scan, found[i]!, inner))) break;
      }
      return scan;
    });

const isNeeded = (day: number, slices: readonly PreparedSlice[], found: Contributions): boolean =>
  slices.some(({ plans }, i) => plans.some((plan, question) => needs(plan, day, found[i]![question]!)));

const scanParts = async (
  parts: readonly AskedPart[],
  scan: (of: AskedPart, done: number) => ScannedPart,
  found: Contributions,
  foundBytesMax: number,
  pace: Pace,
): Promise<void> => {
  let bytes = 0;
  const seen = new Set<unknown>();
  for (const part of parts) {
    await inTurns(done => scan(part, done), pace);
    bytes += bytesFound(found, part.day, seen);
    if (bytes > foundBytesMax) throw new QueryTooLarge();
  }
};

/** Goes on with a part, given how many of the questions are done, until all are. */
const inTurns = async (scan: (done: number) => ScannedPart, pace: Pace): Promise<void> => {
  let done = 0;
  while (true) {
    try {
      const { next, isRead } = scan(done);
      if (next === null) return isRead ? pace.turn() : giveWay(pace);
      done = next;
    } catch (error) {
      // More of the day has been read.
      if (!(error instanceof Unread)) throw error;
    }
    await pace.turn();
  }
};

/**
 * What was found out about the day that was looked at last, without what was `seen`: an earlier
 * part of the day may be the last one that had something to contribute.
 */
const bytesFound = (found: Contributions, day: number, seen: Set<unknown>): number => {
  const last = found.flatMap(ofSlice => ofSlice.flatMap(partials => partials.at(-1) ?? []));
  return bytesOf(
    last.filter(partial => partial.day === day),
    seen,
  );
};

interface ScannedPart {
  /** The number of the question to go on with, counted over all slices; null when all are done. */
  next: number | null;
  /** Whether the day itself was looked at, and not only what is kept of it. */
  isRead: boolean;
}

interface ScanBounds extends Required<Pick<AskedPart, 'summed'>> {
  pace: Pace;
  /** How many questions were done in earlier turns. */
  done: number;
  /** How many are to be done, and no more; null: until it is time to give way. */
  until: number | null;
}

interface DayScan extends ScanBounds {
  day: Day;
  index: DayIndex;
  /** What sealed days contributed. */
  kept: ByteCache;
  /** The number of the question to go on with, counted over all slices. */
  next: number;
  isRead: boolean;
}

const isOver = ({ next, done, until, pace }: DayScan): boolean =>
  until === null ? next > done && !pace.mayGoOn() : next >= until;

/** Adds what a day contributes to each plan of a slice. False when it has to give way before. */
const scanSlice = (
  { slice, plans, filters, filterKey }: PreparedSlice,
  of: DayScan,
  partials: DayPartial[][],
  scratch: Scratch,
): boolean => {
  const { day, index, kept, pace } = of;
  const where = `${cutKey(day, slice)} of site ${day.siteId} where ${filterKey}`;
  /** Null until a plan needs it, undefined where no hit passes. */
  let selection: Selection | undefined | null = null;
  const scan = (plan: QuestionPlan): DayPartial | null => {
    if (plan.scan === undefined) return null;
    pace.throwIfCanceled();
    if (selection === null) {
      of.isRead = true;
      const conditions = filters.map(filter => filter(day, index, scratch));
      selection = select(day, index, slice.from, slice.to, conditions, scratch);
    }
    const selected = selection;
    return selected === undefined ? null : scratch.within(inner => plan.scan!(selected, inner));
  };
  for (const [i, plan] of plans.entries()) {
    if (of.next < of.done) {
      of.next++;
      continue;
    }
    if (isOver(of)) return false;
    if (of.summed.includes(of.next++)) continue;
    if (!needs(plan, day.day, partials[i]!)) continue;
    const key = day.sealed && plan.key !== null ? `${plan.key(day.day)} on ${where}` : null;
    const partial = key === null ? scan(plan) : kept.get(key, () => scan(plan));
    if (partial !== null) partials[i]!.push(partial);
  }
  return true;
};

/** Whether a day may hold hits of a slice. */
export const isWithin = (day: DayOutline | Day, { from, to, site }: Slice): boolean =>
  (site === undefined || day.part.site === site) &&
  ('firstAt' in day ? day.firstAt < to && day.lastAt >= from : day.day * dayMs < to && (day.day + 1) * dayMs > from);

/** Names what of a sealed day is within a slice. A whole day is named by its number alone. */
export const cutKey = (
  { day, part, version, firstAt, lastAt }: Pick<Day, 'day' | 'part' | 'version' | 'firstAt' | 'lastAt'>,
  { from, to }: Slice,
): string =>
  `${partName({ day, part }, version)}${firstAt < from ? ` from ${from}` : ''}${lastAt >= to ? ` to ${to}` : ''}`;
