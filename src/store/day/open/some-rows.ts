/** Reads rows of open days that belong to some visits, and not whole days. */
import { dayMs } from '../../../model/time.ts';
import type { Database } from '../../database.ts';
import { partStore } from '../part-store.ts';
import { daysWithRows, type SiteDay } from './open-days.ts';
import { hitReader, visitReader } from './row-reader.ts';

/** Its time is in milliseconds since midnight. */
export type HitOfVisit = [id: number, visitId: number, time: number];

export type SomeRows = ReturnType<typeof someRows>;

export const someRows = (db: Database) => {
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
    /** Days whose rows are the truth: those that are not sealed. */
    openDays: () => withRows().filter(({ siteId, day }) => !isSealed(siteId, day)),
    /** The lowest id of a day's visits. */
    firstVisit: ({ siteId, day }: SiteDay) => (firstVisit.get(siteId, day) as number | null) ?? 0,
    /** The next hits of a day behind an id, at most `limit`. */
    hitsAfter: ({ siteId, day }: SiteDay, id: number, limit: number) => rowsOf(next.get(siteId, day, id, limit)),
    /** All hits of some visits up to an id, found by a look at every hit of the day. */
    hitsOf: ({ siteId, day }: SiteDay, visitIds: readonly number[], upTo: number) =>
      rowsOf(found.get(siteId, day, JSON.stringify(visitIds), upTo)),
    /** By id, ascending. */
    visits: ({ siteId, day }: SiteDay, ids: readonly number[]) =>
      visits({ siteId, day, from: 0, ids: JSON.stringify(ids) }),
    hits: ({ siteId, day }: SiteDay, ids: readonly number[]) =>
      hits({ siteId, day, from: 0, ids: JSON.stringify(ids) }),
  };
};
