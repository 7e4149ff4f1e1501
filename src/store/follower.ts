/** Who a server is that follows a primary, and what it goes on with while that is away. */
import { type Database, StoreError } from './database.ts';

export interface Follower {
  /** Random, and its own. */
  identity: string;
  /** What an earlier primary called it, under which its days of then are; null for none. */
  number: number | null;
  primaryUrl: string;
  /** Where the primary says that ClickHouse is, as the setting has it. */
  clickhouse: string | null;
  /** Of the control state that it has; null for none, or one of a primary of an earlier version. */
  tag: string | null;
}

export const followerStore = (db: Database) => {
  const select = db.prepare(
    'select identity, number, primary_url as primaryUrl, clickhouse, tag from follower where one = 1',
  );
  const replace = db.prepare(
    `insert or replace into follower (one, identity, number, primary_url, clickhouse, tag)
     values (1, @identity, @number, @primaryUrl, @clickhouse, @tag)`,
  );
  return {
    /** Undefined for a server that follows nobody. */
    get: () => select.get() as Follower | undefined,
    set: (follower: Follower): void => void replace.run(follower),
  };
};

/**
 * Throws StoreError where a database has sites of its own: they and their hits would go as soon as
 * it followed another.
 */
export const refuseOwnSites = (db: Database): void => {
  const hasSites = db.prepare('select exists (select 1 from site)').pluck().get() === 1;
  if (hasSites && followerStore(db).get() === undefined)
    throw new StoreError('This directory holds sites of its own. Name an empty one with --data.');
};

/** Throws StoreError where a database follows a primary, which alone may change what is in it. */
export const refuseFollower = (db: Database): void => {
  const follower = followerStore(db).get();
  if (follower !== undefined)
    throw new StoreError(`This directory follows the primary at ${follower.primaryUrl}. Change things there.`);
};
