/**
 * What days contribute to the questions of a query. Each slice selects its hits of a day once, for
 * all of its questions. What a sealed day contributes never changes, so the scanner keeps it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayMs } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { type ByteCache, createByteCache } from '../store/day/byte-cache.ts';
import type { Day } from '../store/day/day.ts';
import type { DayOutline, DayReader } from '../store/day/day-reader.ts';
import { type DayPart, partName } from '../store/day/part.ts';
import { records } from '../store/read/records.ts';
import type { QueryContext } from './context.ts';
import type { Query, Slice } from './query.ts';
import type { DayPartial, QuestionPlan } from './reports/plan.ts';
import { planFor } from './reports/reports.ts';
import { type DayIndex, indexDay } from './scan/day-index.ts';
import type { DayFilter } from './scan/filter-rows.ts';
import { prepareFilters } from './scan/filters.ts';
import { select } from './scan/select.ts';
import type { Selection } from './scan/selection.ts';
import type { Scratch, ScratchPool } from './scratch.ts';

/**
 * For each slice, and each of its questions, a partial of each day that has something to
 * contribute.
 */
export type Contributions = DayPartial[][][];

/** A query made ready to be scanned day by day. */
export interface Prepared {
  context: QueryContext;
  slices: PreparedSlice[];
  /** The days that some slice may touch, ascending, part by part. */
  days: DayOutline[];
}

interface PreparedSlice {
  slice: Slice;
  /** By question. */
  plans: QuestionPlan[];
  filters: DayFilter[];
  filterKey: string;
}

export interface Scanner {
  prepareQuery(query: Query): Prepared;
  /**
   * Whether a day was deleted since, for example with its site, or hits were taken out of a sealed
   * day or put back, or a day was sealed in fewer parts. What was found out is then worth nothing.
   */
  isOutdated(prepared: Prepared): boolean;
  /**
   * What some days contribute. Each day is read in one transaction for all slices and questions; a
   * day that is sealed meanwhile gives the same. Between days it awaits a turn, so that another
   * thread's short request does not wait for a long query. `throwIfCanceled` is called again and
   * again, and may throw to end the work.
   */
  contribute(prepared: Prepared, days: readonly DayPart[], throwIfCanceled: () => void): Promise<Contributions>;
}

/**
 * Working memory kept from one query to the next: as much as a day of a hundred thousand hits
 * takes.
 */
const scratchBytesMax = 8 * 1024 * 1024;

/**
 * For one thread and one connection. `keptBytesMax` bounds what it keeps of what sealed days
 * contribute.
 */
export const createScanner = (
  db: Database,
  reader: DayReader,
  keptBytesMax: number,
  scratchPool: ScratchPool,
): Scanner => {
  const recordsOf = records(db);
  const kept = createByteCache(keptBytesMax);

  const scanDay = (day: Day, slices: Prepared['slices'], found: Contributions, throwIfCanceled: () => void): boolean =>
    scratchPool.within(ofDay => {
      const index = indexDay(day, ofDay, make =>
        day.sealed ? reader.cache.get(`first hits ${day.siteId} ${partName(day, day.version)}`, make) : make(),
      );
      const scan: DayScan = { day, index, kept, throwIfCanceled };
      return slices
        .map(
          (slice, i) => isWithin(day, slice.slice) && ofDay.within(inner => scanSlice(slice, scan, found[i]!, inner)),
        )
        .includes(true);
    });

  const scanPart = db.transaction(
    ({ context, slices }: Prepared, of: DayPart, found: Contributions, throwIfCanceled: () => void): boolean => {
      if (!slices.some(({ plans }, i) => plans.some((plan, question) => needs(plan, of.day, found[i]![question]!))))
        return false;
      return reader
        .day(context.query.siteId, of, throwIfCanceled)
        .map(day => scanDay(day, slices, found, throwIfCanceled))
        .includes(true);
    },
  );

  const outlineOf = ({ siteId, slices }: Query): DayOutline[] => {
    const from = Math.min(...slices.map(slice => slice.from));
    const to = Math.max(...slices.map(slice => slice.to));
    return from < to ? reader.outline(siteId, from, to) : [];
  };

  return {
    prepareQuery: db.transaction((query: Query): Prepared => {
      const { siteId } = query;
      const context: QueryContext = { query, reader, records: recordsOf, text: id => reader.texts.text(siteId, id) };
      const slices = query.slices.map(slice => ({
        slice,
        plans: slice.questions.map(question => planFor(question, context)),
        filters: prepareFilters(slice.filters, context),
        filterKey: JSON.stringify(slice.filters),
      }));
      const days = outlineOf(query).filter(day => query.slices.some(slice => isWithin(day, slice)));
      return { context, slices, days };
    }),
    isOutdated({ context, days }) {
      const now = new Map(outlineOf(context.query).map(of => [of.day, of]));
      return days.some(of => !isStillThere(of, now.get(of.day)));
    },
    async contribute(prepared, days, throwIfCanceled) {
      for (const one of [reader, kept]) one.beginScan();
      const found: Contributions = prepared.slices.map(({ plans }) => plans.map(() => []));
      try {
        for (const day of inOrder(days, prepared))
          if (scanPart(prepared, day, found, throwIfCanceled)) await nextTurn();
      } finally {
        scratchPool.trim(scratchBytesMax);
      }
      return found;
    },
  };
};

/** Whether a day is as it was, or was sealed meanwhile in as many parts at least. */
const isStillThere = (of: DayOutline, now: DayOutline | undefined): boolean =>
  now !== undefined && versionOf(now) === versionOf(of) && now.part.of >= of.part.of;

/** An open day is the same as the version that is sealed first. */
const versionOf = (of: DayOutline): number => (of.sealed ? of.version : 0);

/** The newest first: questions about the latest visits need no others. */
const inOrder = (days: readonly DayPart[], { slices }: Prepared): DayPart[] => {
  const isOldestFirst = slices.some(({ plans }) => plans.some(({ oldestFirst }) => oldestFirst));
  return [...days].sort((a, b) => (isOldestFirst ? a.day - b.day : b.day - a.day));
};

const needs = (plan: QuestionPlan, day: number, partials: readonly DayPartial[]): boolean =>
  plan.needs === undefined || plan.needs(day, partials);

interface DayScan {
  day: Day;
  index: DayIndex;
  /** What sealed days contributed. */
  kept: ByteCache;
  throwIfCanceled(): void;
}

/** Adds what a day contributes to each plan of a slice; tells whether it had to scan for that. */
const scanSlice = (
  { slice, plans, filters, filterKey }: PreparedSlice,
  { day, index, kept, throwIfCanceled }: DayScan,
  partials: DayPartial[][],
  scratch: Scratch,
): boolean => {
  const where = `${cutKey(day, slice)} of site ${day.siteId} where ${filterKey}`;
  /** Null until a plan needs it, undefined where no hit passes. */
  let selection: Selection | undefined | null = null;
  const scan = (plan: QuestionPlan): DayPartial | null => {
    if (plan.scan === undefined) return null;
    throwIfCanceled();
    if (selection === null) {
      const conditions = filters.map(filter => filter(day));
      selection = select(day, index, slice.from, slice.to, conditions, scratch);
    }
    const selected = selection;
    return selected === undefined ? null : scratch.within(inner => plan.scan!(selected, inner));
  };
  plans.forEach((plan, i) => {
    if (!needs(plan, day.day, partials[i]!)) return;
    const key = day.sealed && plan.key !== null ? `${plan.key(day.day)} on ${where}` : null;
    const partial = key === null ? scan(plan) : kept.get(key, () => scan(plan));
    if (partial !== null) partials[i]!.push(partial);
  });
  return selection !== null;
};

/** Whether a day may hold hits of a slice. */
export const isWithin = (day: DayOutline | Day, { from, to }: Slice): boolean =>
  'firstAt' in day ? day.firstAt < to && day.lastAt >= from : day.day * dayMs < to && (day.day + 1) * dayMs > from;

/** Names what of a sealed day is within a slice. A whole day is named by its number alone. */
export const cutKey = (
  { day, part, version, firstAt, lastAt }: Pick<Day, 'day' | 'part' | 'version' | 'firstAt' | 'lastAt'>,
  { from, to }: Slice,
): string =>
  `${partName({ day, part }, version)}${firstAt < from ? ` from ${from}` : ''}${lastAt >= to ? ` to ${to}` : ''}`;
