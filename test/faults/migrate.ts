/** Brings the database of a directory to a version that does not exist, slowly, so that it can be killed in the middle. */
import { openDatabase } from '../../src/store/database.ts';
import { type Migration, migrations } from '../../src/store/migrations.ts';

/** Copies the rows some times over, as a migration that rebuilds a table does. */
export const slowMigration: Migration[] = [
  ...migrations,
  {
    purpose: 'Takes long.',
    sql: `create table hit_copy as select hit.* from hit, (select 1 union all select 2 union all select 3);
          create table column_copy as select * from sealed_column;`,
  },
];

if (process.argv[1] === import.meta.filename) openDatabase(process.argv[2]!, slowMigration).close();
