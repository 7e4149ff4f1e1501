/** Open days as columns, for queries and for sealing. */
import type { Database } from '../../database.ts';
import type { Day } from '../day.ts';
import type { DayPart } from '../part.ts';
import { withHits } from '../some-hits.ts';
import type { OpenDay } from './open-day.ts';
import { type OpenDaysOptions, openParts } from './open-parts.ts';
import { type RemovedRows, removedHits } from './removed-rows.ts';

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

/** A part of an open day with the hits that were taken out of it. */
export interface WholeDay {
  day: Day;
  /** Of each hit, its number in the day: its row of `hit`, counted from 0 in the order of ids. */
  numbers: Uint32Array;
  /** Of the whole day. */
  removed: RemovedRows[];
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
  /** As `read`, with the hits that were taken out of the day. */
  readWhole(siteId: number, of: DayPart): WholeDay;
  /**
   * Reads all rows of a day, then gives its parts one after the other, all with the hits that were
   * taken out. What happens after the first was asked for does not change them.
   */
  readParts(siteDay: SiteDay): Generator<WholeDay>;
  /** What earlier reads have folded may be dropped for what is read from now on. */
  beginScan(): void;
  /** Forgets all days of a site but those that are still open. */
  keepOnly(siteId: number, days: ReadonlySet<number>): void;
}

export const openDays = (db: Database, options?: OpenDaysOptions): OpenDays => {
  const parts = openParts(db, options);
  const removed = removedHits(db);
  /** Days without the hits that were taken out of them, as long as both stay the same. */
  const reduced = new WeakMap<OpenDay, { from: Day; key: string; day: Day }>();

  const withRemoved = ({ siteId, day }: SiteDay): ((open: OpenDay) => WholeDay) => {
    const removedHere = removed.of(siteId, day);
    return open => ({ day: open.day(), numbers: open.hitNumbers(), removed: removedHere });
  };

  return {
    parts: parts.count,
    read(siteId, of, pause) {
      const open = parts.read(siteId, of, pause);
      const whole = open.day();
      const key = removed.key(siteId, of.day);
      if (key === '') return whole;
      const known = reduced.get(open);
      if (known?.from === whole && known.key === key) return known.day;
      const stays = staysOf(open.hitNumbers(), removed.of(siteId, of.day));
      const day = { ...withHits(whole, stays), marks: whole.marks! };
      reduced.set(open, { from: whole, key, day });
      return day;
    },
    readWhole: (siteId, of) => withRemoved({ siteId, day: of.day })(parts.read(siteId, of)),
    *readParts(siteDay) {
      const whole = withRemoved(siteDay);
      for (const open of parts.readEach(siteDay)) yield whole(open);
    },
    beginScan: parts.beginScan,
    keepOnly: parts.keepOnly,
  };
};

/** For each hit of a day, whose number is given: 1 unless it was taken out. */
export const staysOf = (numbers: Uint32Array, removed: readonly RemovedRows[]): Uint8Array => {
  const isGone = new Uint8Array(1 + Math.max(-1, ...removed.map(({ rows }) => rows.at(-1) ?? -1)));
  for (const { rows } of removed) for (const row of rows) isGone[row] = 1;
  return Uint8Array.from(numbers, number => (isGone[number] === 1 ? 0 : 1));
};
