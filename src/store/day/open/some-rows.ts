/** Reads rows of open days that belong to some visits, and not whole days. */
import { dayMs } from '../../../model/time.ts';
import type { Database } from '../../database.ts';
import { partStore } from '../part-store.ts';
import type { HitRows, VisitRows } from './day-rows.ts';
import { daysWithRows, type SiteDay } from './open-days.ts';
import { hitReader, visitReader } from './row-reader.ts';

/** Its time is in milliseconds since midnight. */
export type HitOfVisit = [id: number, visitId: number, time: number];

export interface SomeRows {
  /** Days whose rows are the truth: those that are not sealed. */
  openDays(): SiteDay[];
  /** The lowest id of a day's visits. */
  firstVisit(siteDay: SiteDay): number;
  /** The next hits of a day behind an id, at most `limit`. */
  hitsAfter(siteDay: SiteDay, id: number, limit: number): HitOfVisit[];
  /** All hits of some visits up to an id, found by a look at every hit of the day. */
  hitsOf(siteDay: SiteDay, visitIds: readonly number[], upTo: number): HitOfVisit[];
  /** By id, ascending. */
  visits(siteDay: SiteDay, ids: readonly number[]): VisitRows;
  hits(siteDay: SiteDay, ids: readonly number[]): HitRows;
}

export const someRows = (db: Database): SomeRows => {
  const withRows = daysWithRows(db);
  const { isSealed } = partStore(db);
  const firstVisit = db.prepare('select min(id) from visit where site_id = ? and day = ?').pluck();
  const read = (rows: string) =>
    db
      .prepare(
        `select json_group_array(json_array(id, visit_id, at - day * ${dayMs}))
         from (select id, visit_id, day, at from hit where site_id = ? and day = ? and ${rows})`,
      )
      .pluck();
  const next = read('id > ? order by id limit ?');
  const found = read('visit_id in (select value from json_each(?)) and id <= ? order by id');
  const ofIds = 'id in (select value from json_each(@ids))';
  const [visits, hits] = [visitReader(db, ofIds), hitReader(db, ofIds)];
  const rowsOf = (json: unknown): HitOfVisit[] => JSON.parse(json as string) as HitOfVisit[];

  return {
    openDays: () => withRows().filter(({ siteId, day }) => !isSealed(siteId, day)),
    firstVisit: ({ siteId, day }) => (firstVisit.get(siteId, day) as number | null) ?? 0,
    hitsAfter: ({ siteId, day }, id, limit) => rowsOf(next.get(siteId, day, id, limit)),
    hitsOf: ({ siteId, day }, visitIds, upTo) => rowsOf(found.get(siteId, day, JSON.stringify(visitIds), upTo)),
    visits: ({ siteId, day }, ids) => visits({ siteId, day, from: 0, ids: JSON.stringify(ids) }),
    hits: ({ siteId, day }, ids) => hits({ siteId, day, from: 0, ids: JSON.stringify(ids) }),
  };
};
