/** What tells whether the hits of a day are still those of earlier. */
import type { Database } from '../database.ts';
import { daysWithRows } from './open/open-days.ts';
import { removedHits } from './open/removed-rows.ts';

/**
 * The site's days between two UTC days, both included, that may have hits, each with a text that is
 * another one whenever its hits are others.
 */
export type DayVersions = (siteId: number, first: number, last: number) => Map<number, string>;

interface Sealed {
  day: number;
  version: number;
}

export const dayVersions = (db: Database): DayVersions => {
  const sealedBetween = db.prepare(
    'select day, version from sealed_day where site_id = ? and day between ? and ? order by day',
  );
  const importedBetween = db.prepare(
    // Each part of an import has a version of its own, which only grows.
    `select day, import_id as importId, sum(version) as version from import_day
     where site_id = ? and day between ? and ?
       and exists (select 1 from import i where i.id = import_id and i.finished_at is not null)
     group by day, import_id order by day, import_id`,
  );
  const lastHit = db.prepare('select max(id) from hit where site_id = ? and day = ?').pluck();
  const withRows = daysWithRows(db);
  const removed = removedHits(db);
  return db.transaction((siteId: number, first: number, last: number) => {
    const found = new Map<number, string>();
    for (const { day, version } of sealedBetween.all(siteId, first, last) as Sealed[])
      found.set(day, `sealed ${version}`);
    for (const { day } of withRows(siteId)) {
      if (day < first || day > last || found.has(day)) continue;
      found.set(day, `open ${lastHit.get(siteId, day)} ${removed.key(siteId, day)}`.trimEnd());
    }
    const imported = importedBetween.all(siteId, first, last) as (Sealed & { importId: number })[];
    for (const { day, importId, version } of imported)
      found.set(day, `${found.get(day) ?? ''} import ${importId} ${version}`.trimStart());
    return found;
  });
};
