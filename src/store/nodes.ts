/** Whether a primary has collectors, or had any. */
import type { Database } from './database.ts';

export const nodes = (db: Database) => {
  const any = db.prepare('select exists (select 1 from node)').pluck();
  const insert = db.prepare('insert into node (identity, created_at) values (?, ?)');
  return {
    any: () => any.get() === 1,
    /** Notes that there is one: the first is kept. */
    note: (identity: string, now: number): void => {
      if (any.get() === 0) insert.run(identity, now);
    },
  };
};
