/**
 * When an open day's first and last hit came, found by looking once at each row. To fold the day for that would take far longer, and keep it in every
 * thread that is asked, not only in the one that the day belongs to.
 */
import { lru } from 'tiny-lru';
import { lastHitCode } from '../../model/hit.ts';
import type { Database } from '../database.ts';

/** UTC milliseconds. */
export interface Edges {
  firstAt: number;
  lastAt: number;
}

/** Days whose edges are remembered; of others all rows are looked at again. */
const daysMax = 64;

/** Returns a function that gives the edges as of its transaction; null where the day has no hits. */
export const openEdges = (db: Database): ((siteId: number, day: number) => Edges | null) => {
  const newRows = db.prepare(
    `select max(id) as id, min(case when type <= ${lastHitCode} then at end) as firstAt, max(case when type <= ${lastHitCode} then at end) as lastAt
     from hit where site_id = ? and day = ? and id > ?`,
  );
  const known = lru<{ id: number; edges: Edges | null }>(daysMax);
  return (siteId, day) => {
    const key = `${siteId} ${day}`;
    const before = known.get(key);
    const rows = newRows.get(siteId, day, before?.id ?? 0) as { id: number | null } & (Edges | { firstAt: null });
    if (rows.id === null) return before?.edges ?? null;
    const edges = rows.firstAt === null ? (before?.edges ?? null) : widened(before?.edges ?? rows, rows);
    known.set(key, { id: rows.id, edges });
    return edges;
  };
};

/** The edges of both together. */
export const widened = (one: Edges, other: Edges): Edges => ({
  firstAt: Math.min(one.firstAt, other.firstAt),
  lastAt: Math.max(one.lastAt, other.lastAt),
});
