/**
 * Sorts lines by time, however many: in a scratch database, which keeps what fits in memory and the
 * rest in a temporary file.
 */
import { type Database, openScratch } from '../database.ts';

export interface LineSorter {
  add(at: number, line: string): void;
  /**
   * Every line, in the order of time and, at one time, of arrival; then the sorter is empty again.
   */
  drain(): Generator<string>;
  close(): void;
}

/**
 * A million lines of 220 characters take 2 seconds in order, 4 in no order, and 64 MiB of memory.
 */
export const lineSorter = (beside: Database): LineSorter => {
  const db = openScratch(beside);
  db.exec('create table line (arrival integer primary key, at integer not null, text text not null)');
  const insert = db.prepare('insert into line (at, text) values (?, ?)');
  const byArrival = db.prepare('select text from line order by arrival').pluck();
  const byTime = db.prepare('select text from line order by at, arrival').pluck();
  const clear = db.prepare('delete from line');
  let latest = Number.NEGATIVE_INFINITY;
  let inOrder = true;

  return {
    add(at, line) {
      if (!db.inTransaction) db.exec('begin');
      insert.run(at, line);
      if (at < latest) inOrder = false;
      else latest = at;
    },
    *drain() {
      if (!db.inTransaction) return;
      yield* (inOrder ? byArrival : byTime).iterate() as IterableIterator<string>;
      clear.run();
      db.exec('commit');
      latest = Number.NEGATIVE_INFINITY;
      inOrder = true;
    },
    close: () => db.close(),
  };
};
