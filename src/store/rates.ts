/** The rate table: what currencies are worth in each other. */
import type { Database } from './database.ts';

export interface Rate {
  source: string;
  target: string;
  /** Major units of `target` for one major unit of `source`. */
  rate: number;
}

export type Rates = ReturnType<typeof rates>;

export const rates = (db: Database) => {
  const all = db.prepare('select source, target, rate from rate order by source, target');
  const set = db.prepare(
    'insert into rate (source, target, rate) values (?, ?, ?) on conflict do update set rate = excluded.rate',
  );
  const remove = db.prepare('delete from rate where source = ? and target = ?');
  return {
    remove: (source: string, target: string): void => void remove.run(source, target),
    list: () => all.all() as Rate[],
    set: ({ source, target, rate }: Rate): void => void set.run(source, target, rate),
  };
};
