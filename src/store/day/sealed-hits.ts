/** How many hits sealed days have. */
import type { Database } from '../database.ts';

/** Gives by sealed day of a site its hits, without those of imports. */
export const sealedHits = (db: Database): ((siteId: number) => Map<number, number>) => {
  const select = db
    .prepare(
      `select day, sum(hits) from day_part where site_id = ? and import_id = 0 and sealed_at is not null group by day`,
    )
    .raw();
  return siteId => new Map(select.all(siteId) as [number, number][]);
};
