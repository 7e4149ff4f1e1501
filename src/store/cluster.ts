/** Which cluster a database belongs to: its primary made the id, and its followers were told. */
import type { Random } from '../model/ids.ts';
import type { Database } from './database.ts';

export const clusterStore = (db: Database) => {
  const select = db.prepare('select id from cluster where one = 1').pluck();
  const replace = db.prepare('insert or replace into cluster (one, id) values (1, ?)');
  const id = (): string | null => (select.get() as string | undefined) ?? null;
  const keep = (of: string): void => {
    if (id() !== of) replace.run(of);
  };
  return {
    /** 32 hexadecimal digits; null for a database that belongs to none. */
    id,
    /** Belongs to a cluster from now on. */
    keep,
    /** The id, which a database that had none gets now. */
    makeId(random: Random) {
      if (id() === null) keep(Buffer.from(random(16)).toString('hex'));
      return id()!;
    },
  };
};
