/** Rows of tables that say more about hits, by table and key, on disk while the hits are read. */
import { type Database, openScratch } from '../database.ts';

export type SideRows = ReturnType<typeof sideRows>;

/** Of the file that stays in memory: visitors have several hits in a row. */
const cachedBytes = 32 * 1024 * 1024;

/** Rows are added before any is asked for. */
export const sideRows = (beside: Database) => {
  const db = openScratch(beside, cachedBytes);
  db.exec('create table side (kind text, key text, row text); begin');
  const insert = db.prepare('insert into side values (?, ?, ?)');
  const find = db.prepare('select row from side where kind = ? and key = ? order by rowid').pluck();
  let isIndexed = false;
  return {
    add(table: string, key: string, row: Readonly<Record<string, string>>) {
      insert.run(table, key, JSON.stringify(row));
    },
    /** In the order they were added. */
    rows(table: string, key: string): Readonly<Record<string, string>>[] {
      if (!isIndexed) db.exec('create index side_key on side (kind, key)');
      isIndexed = true;
      return (find.all(table, key) as string[]).map(row => JSON.parse(row));
    },
    close: () => void db.close(),
  };
};
