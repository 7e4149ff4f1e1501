/** Forgets visitors of cookie mode that nothing is left of: first seen before a day, and on no visit that is kept. */
import { dayMs } from '../../model/time.ts';
import { type Database, openScratch } from '../database.ts';
import { dayReader } from '../day/day-reader.ts';

/** Visitors looked at in one step. */
const stepRows = 1000;

/** Each step is one short transaction. Reads the visitors of all days that are kept, if there is anyone to forget. */
export function* dropCookieVisitors(db: Database, siteId: number, before: number): Generator<void> {
  const candidates = db
    .prepare(
      'select visitor from cookie_visitor where site_id = ? and day < ? and visitor > ? order by visitor limit ?',
    )
    .pluck();
  const next = (after: Buffer): Buffer[] => candidates.all(siteId, before, after, stepRows) as Buffer[];
  let visitors = next(Buffer.alloc(0));
  if (visitors.length === 0) return;
  const drop = db.prepare('delete from cookie_visitor where site_id = ? and visitor = ?');
  const kept = keptVisitors(db, siteId, before);
  try {
    while (visitors.length > 0) {
      const gone = visitors.filter(visitor => !kept.has(visitor));
      db.transaction(() => {
        for (const visitor of gone) drop.run(siteId, visitor);
      }).immediate();
      yield;
      visitors = next(visitors.at(-1)!);
    }
  } finally {
    kept.close();
  }
}

/** Cookie-mode visitors of the days from `from` on, in a scratch database: there may be more of them than memory holds. */
const keptVisitors = (db: Database, siteId: number, from: number): { has(visitor: Buffer): boolean; close(): void } => {
  const scratch = openScratch();
  scratch.exec('create table kept (visitor blob primary key) without rowid');
  const keep = scratch.prepare('insert or ignore into kept (visitor) values (?)');
  const find = scratch.prepare('select 1 from kept where visitor = ?');
  const bytes = Buffer.alloc(8);
  scratch.transaction(() => {
    for (const day of dayReader(db, 0).days(siteId, from * dayMs, Number.MAX_SAFE_INTEGER)) {
      const visitors = day.hashes();
      for (let visit = day.hashVisits; visit < day.visits; visit++) {
        bytes.writeBigUInt64BE(visitors[visit]!);
        keep.run(bytes);
      }
    }
  })();
  return { has: visitor => find.get(visitor) !== undefined, close: () => scratch.close() };
};
