/** Reads rows of open days that belong to some visits, and not whole days. */
import type { Database } from '../../database.ts';
import { partStore } from '../part-store.ts';
import { hitRowColumns, type OpenHitRow, type OpenVisitRow, visitRowColumns } from './day-rows.ts';
import { daysWithRows, type SiteDay } from './open-days.ts';
import { rowsAsJson } from './row-reader.ts';

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
  visits(siteDay: SiteDay, ids: readonly number[]): OpenVisitRow[];
  hits(siteDay: SiteDay, ids: readonly number[]): OpenHitRow[];
}

export const someRows = (db: Database): SomeRows => {
  const withRows = daysWithRows(db);
  const { isSealed } = partStore(db);
  const firstVisit = db.prepare('select min(id) from visit where site_id = ? and day = ?').pluck();
  const ofVisit = ['id', 'visit_id', 'at'];
  const read = (columns: readonly string[], rows: string) =>
    db.prepare(`select ${rowsAsJson(columns)} from (select * from ${rows})`).pluck();
  const of = 'site_id = ? and day = ?';
  const next = read(ofVisit, `hit where ${of} and id > ? order by id limit ?`);
  const found = read(
    ofVisit,
    `hit where ${of} and visit_id in (select value from json_each(?)) and id <= ? order by id`,
  );
  const [visits, hits] = [
    read(visitRowColumns, `visit where ${of} and id in (select value from json_each(?)) order by id`),
    read(hitRowColumns, `hit where ${of} and id in (select value from json_each(?)) order by id`),
  ];
  const rowsOf = <Row>(json: unknown): Row[] => JSON.parse(json as string) as Row[];

  return {
    openDays: () => withRows().filter(({ siteId, day }) => !isSealed(siteId, day)),
    firstVisit: ({ siteId, day }) => (firstVisit.get(siteId, day) as number | null) ?? 0,
    hitsAfter: ({ siteId, day }, id, limit) => rowsOf(next.get(siteId, day, id, limit)),
    hitsOf: ({ siteId, day }, visitIds, upTo) => rowsOf(found.get(siteId, day, JSON.stringify(visitIds), upTo)),
    visits: ({ siteId, day }, ids) => rowsOf(visits.get(siteId, day, JSON.stringify(ids))),
    hits: ({ siteId, day }, ids) => rowsOf(hits.get(siteId, day, JSON.stringify(ids))),
  };
};
