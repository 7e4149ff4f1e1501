/**
 * Open days as columns, for queries and for sealing. A day of few hits is folded as a whole, from
 * its rows; one of many in parts, from a spool (spool.ts). What was folded last is kept, and rows
 * that come are added to it.
 */
import type { Database } from '../../database.ts';
import { type ByteCache, createByteCache } from '../byte-cache.ts';
import type { Day } from '../day.ts';
import { type DayPart, partHitsMaxDefault, partName, partsFor, partsOf } from '../part.ts';
import { OpenDay } from './open-day.ts';
import { type ReadTo, type RowSink, rowReader } from './row-reader.ts';
import { createSpool, type Spool, type SpooledPart } from './spool.ts';

export interface SiteDay {
  siteId: number;
  day: number;
}

/**
 * Every (site, day) that has rows, ascending: a seek each, however many rows there are. Sealed days
 * not yet trimmed are among them.
 */
export const daysWithRows = (db: Database): ((siteId?: number) => SiteDay[]) => {
  // Beyond the highest id there can be: without it SQLite would walk over every visit of the day
  // that it starts from.
  const next = db.prepare(
    `select site_id as siteId, day from visit where (site_id, day, id) > (?, ?, ${2n ** 63n - 1n})
     order by site_id, day, id limit 1`,
  );
  return siteId => {
    const found: SiteDay[] = [];
    let at: SiteDay | undefined = { siteId: siteId ?? 0, day: Number.MIN_SAFE_INTEGER };
    while (true) {
      at = next.get(at.siteId, at.day) as SiteDay | undefined;
      if (at === undefined || (siteId !== undefined && at.siteId !== siteId)) return found;
      found.push(at);
    }
  };
};

export interface OpenDaysOptions {
  /** Hits of a part, about (part.ts). */
  partHitsMax?: number;
  /** For what stays folded. */
  keptBytesMax?: number;
}

export interface OpenDays {
  /**
   * How many parts a day is to be read in now. `pause` is called between batches of the rows that
   * are counted, and may throw: the next call goes on.
   */
  parts(siteDay: SiteDay, pause?: () => void): number;
  /**
   * The columns of a part as of this transaction: rows that came since the last call are added to
   * what was read before. After the next call for that part, asking for a column that was not asked
   * for yet throws where rows have come. `pause` is called between batches of rows and may throw:
   * the next call goes on with what was read.
   */
  read(siteId: number, of: DayPart, pause?: () => void): Day;
  /**
   * Reads all rows of a day, then gives its parts one after the other. What happens after the first
   * was asked for does not change them.
   */
  readParts(siteDay: SiteDay): Generator<Day>;
  /** What earlier reads have folded may be dropped for what is read from now on. */
  beginScan(): void;
  /** Forgets all days of a site but some: the others are sealed, and what was read is of no use. */
  keepOnly(siteId: number, days: ReadonlySet<number>): void;
}

/** Enough for any part, but for one with a visitor of very many hits. */
const keptBytesMaxDefault = 160 * 1024 * 1024;

/** Days of which anything is known. Beyond that the longest unused is forgotten. */
const daysMax = 1000;
/** Days and parts that find no room beside what is folded. */
const atHandMax = 3;
/** Days that have a spool; one takes up to 20 MB of memory. */
const spoolsMax = 16;

interface FoldedPart {
  spool: Spool;
  part: SpooledPart;
}

interface KnownDay extends SiteDay, Counted {
  /** Keys of what may be folded of it. */
  folded: Set<string>;
  spool: Reading<Spool> | undefined;
}

export const openDays = (db: Database, options: OpenDaysOptions = {}): OpenDays => {
  const { partHitsMax = partHitsMaxDefault, keptBytesMax = keptBytesMaxDefault } = options;
  const readNext = rowReader(db);
  const countNew = hitCounter(db);
  /** Whole days and parts that stay folded. */
  const folded = createByteCache(keptBytesMax);
  const kept = keptFolds(folded);
  const { known, keepSpool, keepOnly } = knownDays(kept);
  const countParts: OpenDays['parts'] = (of, pause = ignore) => partsFor(countNew(of, known(of), pause), partHitsMax);

  const readUndivided = (siteDay: SiteDay, pause: () => void): Day => {
    const { siteId, day } = siteDay;
    const key = dayKey(siteDay);
    known(siteDay).folded.add(key);
    return readAll<OpenDay>({
      begun: kept.find(key),
      fresh: () => new OpenDay(siteId, day),
      readNext: ({ readTo, rows }) => readNext(siteId, day, readTo, rows),
      finish: rows => rows.day(),
      keep: reading => kept.keep(key, reading, reading.rows.bytes),
      drop: () => kept.drop(key),
      pause,
    }).day();
  };

  const spooled = (siteDay: SiteDay, pause: () => void): Spool => {
    const { siteId, day } = siteDay;
    const of = known(siteDay);
    return readAll<Spool>({
      begun: of.spool,
      fresh: () => createSpool(db, siteId, day),
      readNext: ({ readTo, rows }) => readNext(siteId, day, readTo, rows),
      finish() {},
      keep: reading => keepSpool(of, reading),
      drop: () => closeSpool(of),
      pause,
    });
  };

  const readPart: OpenDays['read'] = (siteId, of, pause = ignore) => {
    const siteDay = { siteId, day: of.day };
    if (of.part.of === 1) return readUndivided(siteDay, pause);
    const spool = spooled(siteDay, pause);
    const key = `${siteId} ${partName(of)}`;
    known(siteDay).folded.add(key);
    const found = kept.find<FoldedPart>(key);
    const reading = found?.spool === spool ? found : { spool, part: spool.part(of.part) };
    const keep = (): void => kept.keep(key, reading, reading.part.bytes);
    const open = reading.part.open(() => {
      keep();
      pause();
    });
    const day = open.day();
    keep();
    return day;
  };

  return {
    parts: countParts,
    read: readPart,
    *readParts(siteDay) {
      const of = countParts(siteDay);
      if (of === 1) return yield readUndivided(siteDay, ignore);
      const spool = spooled(siteDay, ignore);
      for (const part of partsOf(of)) yield spool.part(part).open().day();
    },
    beginScan: folded.beginScan,
    keepOnly,
  };
};

const dayKey = ({ siteId, day }: SiteDay): string => `${siteId} ${day}`;

/**
 * Days and parts that stay folded. Those that were used last are at hand even where there is no
 * room for them: whoever reads one in turns would begin again in each.
 */
const keptFolds = (folded: ByteCache) => {
  /** The one used last stands last. */
  const atHand = new Map<string, unknown>();
  const drop = (key: string): void => {
    atHand.delete(key);
    folded.drop(key);
  };
  return {
    find: <V>(key: string): V | undefined => (atHand.get(key) as V | undefined) ?? folded.find<V>(key),
    keep(key: string, value: unknown, bytes: number): void {
      drop(key);
      folded.put(key, value, bytes);
      if (folded.find(key) !== undefined) return;
      atHand.set(key, value);
      if (atHand.size > atHandMax) atHand.delete(atHand.keys().next().value!);
    },
    drop,
  };
};

/** The days that were used last. */
const knownDays = (folded: Pick<ByteCache, 'drop'>) => {
  /** The one used last stands last. */
  const days = new Map<string, KnownDay>();

  const forget = (key: string): void => {
    const day = days.get(key);
    if (day === undefined) return;
    for (const one of day.folded) folded.drop(one);
    closeSpool(day);
    days.delete(key);
  };
  return {
    keepOnly(siteId: number, kept: ReadonlySet<number>): void {
      for (const [key, of] of days) if (of.siteId === siteId && !kept.has(of.day)) forget(key);
    },
    known(siteDay: SiteDay): KnownDay {
      const key = dayKey(siteDay);
      const day = days.get(key) ?? { ...siteDay, hits: 0, lastId: 0, folded: new Set(), spool: undefined };
      days.delete(key);
      days.set(key, day);
      if (days.size > daysMax) forget(days.keys().next().value!);
      return day;
    },
    keepSpool(day: KnownDay, reading: Reading<Spool>): void {
      if (day.spool === reading) return;
      day.spool = reading;
      const spooled = [...days.values()].filter(({ spool }) => spool !== undefined);
      for (const oldest of spooled.slice(0, -spoolsMax)) closeSpool(oldest);
    },
  };
};

const closeSpool = (day: KnownDay): void => {
  day.spool?.rows.close();
  day.spool = undefined;
};

const ignore = (): void => {};

/** A day whose rows are read on and on. */
interface Reading<Rows extends RowSink> {
  rows: Rows;
  readTo: ReadTo;
}

interface ReadingOptions<Rows extends RowSink> {
  /** What was read before, if anything. */
  begun: Reading<Rows> | undefined;
  fresh(): Rows;
  /** Tells whether there may be more. */
  readNext(reading: Reading<Rows>): boolean;
  /** When all rows are there. If it throws, all are read again. */
  finish(rows: Rows): void;
  keep(reading: Reading<Rows>): void;
  drop(): void;
  pause(): void;
}

/**
 * Reads on to the last row. Where rows cannot be added to what was read before, all are read again.
 */
const readAll = <Rows extends RowSink>(options: ReadingOptions<Rows>): Rows => {
  const { begun, fresh, readNext, finish, keep, drop, pause } = options;
  const begin = (): Reading<Rows> => ({ rows: fresh(), readTo: { visitId: 0, hitId: 0 } });
  let reading = begun ?? begin();
  while (true) {
    try {
      const isMore = readNext(reading);
      if (!isMore) finish(reading.rows);
      keep(reading);
      if (!isMore) return reading.rows;
    } catch (error) {
      // What was read in part is of no use, and a row may have come late, behind one with a
      // larger id.
      drop();
      if (reading !== begun) throw error;
      reading = begin();
    }
    pause();
  }
};

interface Counted {
  /** Hits that were counted, non-counting ones included. Properties count as hits, too. */
  hits: number;
  /** Id of the last of them. */
  lastId: number;
}

/** Ids of hits, those of other sites included, that are looked at together. */
const countedAtOnce = 32_768;

/** So many bytes of properties take as much memory as a hit. */
const propertyBytesPerHit = 40;

/** Counts the hits of a day that came since the last time. Returns how many there are in all. */
const hitCounter = (db: Database): ((siteDay: SiteDay, counted: Counted, pause: () => void) => number) => {
  const after = 'from hit where site_id = ? and day = ? and id > ?';
  const first = db.prepare(`select id ${after} order by id limit 1`).pluck();
  const count = db.prepare(
    `select count(*) as rows, max(id) as last, sum(octet_length(properties)) as bytes ${after} and id <= ?`,
  );
  return ({ siteId, day }, counted, pause) => {
    for (let rows = 0; ; ) {
      const next = first.get(siteId, day, counted.lastId) as number | undefined;
      if (next === undefined) return counted.hits;
      const found = count.get(siteId, day, counted.lastId, next + countedAtOnce) as Record<string, number | null>;
      counted.lastId = found.last!;
      counted.hits += found.rows! + Math.round((found.bytes ?? 0) / propertyBytesPerHit);
      rows += found.rows!;
      if (rows < countedAtOnce) continue;
      rows = 0;
      pause();
    }
  };
};
