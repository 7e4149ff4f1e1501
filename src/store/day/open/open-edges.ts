/**
 * When an open day's first and last hit came, found by looking once at each row. Folding the day
 * would take far longer, and would keep it in every thread that is asked and not only in its own.
 */
import { lru } from 'tiny-lru';
import { lastHitCode } from '../../../model/hit.ts';
import type { Database } from '../../database.ts';

/** UTC milliseconds. */
export interface Edges {
  firstAt: number;
  lastAt: number;
}

/** As SQLite gives the least and the greatest of times: nulls where there are none. */
export interface FoundEdges {
  firstAt: number | null;
  lastAt: number | null;
}

/** Of a day, the edges among its rows up to one. */
interface Known {
  id: number;
  edges: Edges | null;
}

/** Days whose edges are remembered; of others all rows are looked at again. */
const daysMax = 64;

/**
 * Returns a function that gives the edges as of its transaction; null where the day has no hits.
 */
export const openEdges = (db: Database): ((siteId: number, day: number) => Edges | null) => {
  const timeOfHit = `case when type <= ${lastHitCode} then at end`; // without non-counting hits
  const newRows = db.prepare(
    `select max(id) as id, min(${timeOfHit}) as firstAt, max(${timeOfHit}) as lastAt
     from hit where site_id = ? and day = ? and id > ?`,
  );
  const known = lru<Known>(daysMax);
  return (siteId, day) => {
    const key = `${siteId} ${day}`;
    const before = known.get(key) ?? { id: 0, edges: null };
    const found = newRows.get(siteId, day, before.id) as FoundEdges & { id: number | null };
    if (found.id === null) return before.edges;
    const edges = widened(before.edges, edgesOf(found));
    known.set(key, { id: found.id, edges });
    return edges;
  };
};

/** Null where there are none. */
export const edgesOf = ({ firstAt, lastAt }: FoundEdges): Edges | null =>
  firstAt === null || lastAt === null ? null : { firstAt, lastAt };

/** The edges of both together. */
export const widened = (one: Edges | null, other: Edges | null): Edges | null => {
  if (one === null || other === null) return one ?? other;
  return { firstAt: Math.min(one.firstAt, other.firstAt), lastAt: Math.max(one.lastAt, other.lastAt) };
};
