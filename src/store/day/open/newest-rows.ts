/**
 * The newest rows of the open days, which a server needs when it starts. They are found by seeking,
 * however many rows there are.
 */
import { hourMs, utcDayOf } from '../../../model/time.ts';
import type { Database } from '../../database.ts';
import { daysWithRows, type SiteDay } from './open-days.ts';

/** The highest id of a table; 0 when it has no rows. */
export const newestId = (db: Database, table: 'visit' | 'hit'): number => {
  const ofDay = db.prepare(`select max(id) from ${table} where site_id = @siteId and day = @day`).pluck();
  return Math.max(0, ...daysWithRows(db)().map(siteDay => (ofDay.get(siteDay) as number | null) ?? 0));
};

/**
 * The lowest and the highest id of a day's hits, a seek each: asked together they would take a look
 * at every row.
 */
export const hitIds = (db: Database): ((siteDay: SiteDay) => [first: number | null, last: number | null]) => {
  const [first, last] = ['min', 'max'].map(end =>
    db.prepare(`select ${end}(id) from hit where site_id = @siteId and day = @day`).pluck(),
  );
  return siteDay => [first!.get(siteDay) as number | null, last!.get(siteDay) as number | null];
};

/** A visit that may not have ended: what the collector must know to continue it after a restart. */
export interface ActiveVisit {
  siteId: number;
  day: number;
  id: number;
  visitor: Buffer;
  /** UTC milliseconds of its latest hit, counting or not. */
  lastAt: number;
}

/**
 * Rows are in the order of arrival. That is the order of time, unless the clock was set back, and
 * then by no more than this.
 */
const clockSlackMs = hourMs;

/** Visits with a hit, counting or not, at or after `since`. */
export const visitsSince = (db: Database, since: number): ActiveVisit[] => {
  const idsOf = hitIds(db);
  const nextAt = db
    .prepare('select at from hit where site_id = @siteId and day = @day and id >= @id order by id limit 1')
    .pluck();
  // A cross join keeps SQLite from walking over all visits of the day.
  const visits = db.prepare(
    `select v.site_id as siteId, v.day, v.id, v.visitor, h.lastAt
     from (select visit_id, max(at) as lastAt from hit
           where site_id = @siteId and day = @day and id >= @firstId and at >= @since group by visit_id) h
     cross join visit v on v.site_id = @siteId and v.day = @day and v.id = h.visit_id`,
  );
  /** Where the rows begin that may be as new, found by halving: ids and times ascend together. */
  const firstIdOf = (siteDay: SiteDay): number => {
    let [low, high] = idsOf(siteDay) as [number, number];
    while (low < high) {
      const id = Math.floor((low + high) / 2);
      if ((nextAt.get({ ...siteDay, id }) as number) < since - clockSlackMs) low = id + 1;
      else high = id;
    }
    return low;
  };
  return daysWithRows(db)()
    .filter(({ day }) => day >= utcDayOf(since))
    .flatMap(siteDay => visits.all({ ...siteDay, firstId: firstIdOf(siteDay), since }) as ActiveVisit[]);
};
