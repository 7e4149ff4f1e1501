/** Databases as an earlier version left them. */
import { openDatabase } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations.ts';

/** Takes the newest steps back, as far as names go; a negative number makes the database one of a newer program. */
export const makeOlder = (dataDir: string, steps: number): void => {
  const db = openDatabase(dataDir);
  db.pragma(`user_version = ${1 + migrations.length - steps}`);
  // What these steps add must not be there yet.
  for (const { sql } of migrations.slice(migrations.length - Math.max(steps, 0)).reverse()) {
    const indices = [...sql.matchAll(/create index (\w+) on (\w+)/g)];
    for (const [, index] of indices) db.exec(`drop index ${index}`);
    for (const [, table] of sql.matchAll(/create table (\w+)/g)) db.exec(`drop table ${table}`);
    for (const [, table, column] of sql.matchAll(/alter table (\w+) add column (\w+)/g))
      db.exec(`alter table ${table} drop column ${column}`);
    for (const [, index, table] of indices) {
      // One that the step drops first was there, on other columns.
      if (!sql.includes(`drop index ${index}`)) continue;
      const [first] = db.pragma(`table_info(${table})`) as { name: string }[];
      db.exec(`create index ${index} on ${table} (${first!.name})`);
    }
  }
  db.close();
};
