/** Open days as columns, for queries and for sealing. */
import type { Database } from '../../database.ts';
import type { Day } from '../day.ts';
import type { DayPart } from '../part.ts';
import { type OpenDaysOptions, openParts } from './open-parts.ts';

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

/** A part of an open day with the rows that its hits are. */
export interface NumberedDay {
  day: Day;
  /** Of each hit, its number in the day: its row of `hit`, counted from 0 in the order of ids. */
  numbers: Uint32Array;
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
  readParts(siteDay: SiteDay): Generator<NumberedDay>;
  /** What earlier reads have folded may be dropped for what is read from now on. */
  beginScan(): void;
  /** Forgets all days of a site but those that are still open. */
  keepOnly(siteId: number, days: ReadonlySet<number>): void;
}

export const openDays = (db: Database, options?: OpenDaysOptions): OpenDays => {
  const parts = openParts(db, options);
  return {
    parts: parts.count,
    read: (siteId, of, pause) => parts.read(siteId, of, pause).day(),
    *readParts(siteDay) {
      for (const open of parts.readEach(siteDay)) yield { day: open.day(), numbers: open.hitNumbers() };
    },
    beginScan: parts.beginScan,
    keepOnly: parts.keepOnly,
  };
};
