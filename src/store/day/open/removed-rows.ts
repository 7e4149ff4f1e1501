/**
 * Which hits of an open day were taken out after the fact. Their rows stay until the day is sealed,
 * because the collector and the readers go on from them; whoever reads the day leaves them out.
 */
import type { Database } from '../../database.ts';
import { decodeColumn, encodeColumn } from '../column-codec.ts';
import { numberColumn } from '../day.ts';
import { flat } from '../unpack.ts';

/** What one removal took out of an open day. */
export interface RemovedRows {
  removalId: number;
  /** Rows of `hit` of the day, counted from 0 in the order of ids, ascending. */
  rows: Uint32Array;
}

interface SiteDay {
  siteId: number;
  day: number;
}

export interface RemovedHits {
  /** By removal. */
  of(siteId: number, day: number): RemovedRows[];
  /**
   * Changes whenever the hits that are taken out of a day change; empty when there are none. Cheap
   * enough for every question.
   */
  key(siteId: number, day: number): string;
  /** Replaces what a removal took out of a day. Only inside a transaction. */
  put(siteDay: SiteDay, removed: RemovedRows): void;
  /** The hits are back. */
  drop(siteDay: SiteDay, removalId: number): void;
}

export const removedHits = (db: Database): RemovedHits => {
  const select = db.prepare(
    'select removal_id as removalId, hits from removed_hits where site_id = ? and day = ? order by removal_id',
  );
  const key = db
    .prepare(
      `select group_concat(removal_id || ':' || length(hits) order by removal_id)
       from removed_hits where site_id = ? and day = ?`,
    )
    .pluck();
  const put = db.prepare(
    'insert or replace into removed_hits (site_id, day, removal_id, hits) values (@siteId, @day, @removalId, @hits)',
  );
  const drop = db.prepare(
    'delete from removed_hits where site_id = @siteId and day = @day and removal_id = @removalId',
  );
  return {
    of: (siteId, day) =>
      (select.all(siteId, day) as { removalId: number; hits: Buffer }[]).map(({ removalId, hits }) => ({
        removalId,
        rows: rowsIn(hits),
      })),
    key: (siteId, day) => (key.get(siteId, day) as string | null) ?? '',
    put(siteDay, { removalId, rows }) {
      put.run({ ...siteDay, removalId, hits: encodeColumn(numberColumn(rows)) });
    },
    drop(siteDay, removalId) {
      drop.run({ ...siteDay, removalId });
    },
  };
};

const rowsIn = (hits: Buffer): Uint32Array => {
  const column = decodeColumn(hits);
  if (column.kind !== 'number') throw new Error('removed hits are numbers');
  return Uint32Array.from(flat(column.values));
};
