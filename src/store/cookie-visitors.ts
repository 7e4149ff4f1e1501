/** Visitors of cookie mode, who are known for longer than a day. */
import type { Database } from './database.ts';

/** Gives the UTC day of a first counting hit; null for a visitor who is not known by a cookie. */
export const firstDayOf = (db: Database, siteId: number): ((visitor: string) => number | null) => {
  const find = db.prepare('select day from cookie_visitor where site_id = ? and visitor = ?').pluck();
  return visitor => (find.get(siteId, Buffer.from(visitor, 'hex')) as number | undefined) ?? null;
};
