/** Databases as an earlier version left them, or a later one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { packageRoot } from '../../src/package-root.ts';
import { databaseFile, deleteDatabase } from '../../src/store/database.ts';

/** Puts the oldest database that fixtures.test.ts knows into a directory. */
export const writeOlder = (dataDir: string): void => writeFixture(dataDir, 21);

/** The same with the fixture of a version. */
export const writeFixture = (dataDir: string, version: number): void => {
  deleteDatabase(databaseFile(dataDir));
  const fixture = readFileSync(join(packageRoot, `test/fixtures/schema-${version}.json.gz`));
  const { database } = JSON.parse(gunzipSync(fixture).toString()) as { database: string };
  writeFileSync(databaseFile(dataDir), gunzipSync(Buffer.from(database, 'base64')), { mode: 0o600 });
};

/** Changes what a database says of its version. */
export const setVersion = (dataDir: string, version: number): void => {
  const db = new Sqlite(databaseFile(dataDir));
  db.pragma(`user_version = ${version}`);
  db.close();
};

/** The same with so many days of the fixture's site more, each as one that is there. */
export const writeLargeOlder = (dataDir: string, days: number): void => {
  writeOlder(dataDir);
  const db = new Sqlite(databaseFile(dataDir));
  const times = 'first_at + @by * 86400000, last_at + @by * 86400000';
  const ofDay = 'site_id = 1 and day = 20001';
  const copies = [
    `sealed_day select site_id, day + @by, visits, hash_visits, hits, ${times}, bytes, sealed_at, version from sealed_day`,
    `sealed_part select site_id, day + @by, number, visits, hash_visits, hits, ${times} from sealed_part`,
    'sealed_column (site_id, day, name, data) select site_id, day + @by, name, data from sealed_column',
  ].map(rows => db.prepare(`insert into ${rows} where ${ofDay}`));
  db.transaction(() => {
    for (let day = 0; day < days; day++) for (const copy of copies) copy.run({ by: 1000 + day });
  })();
  db.close();
};
