/** Databases as an earlier version left them, or a later one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { packageRoot } from '../../src/package-root.ts';
import { databaseFile, deleteDatabase } from '../../src/store/database.ts';

/** Puts a database of version 0.1.0 into a directory. */
export const writeOlder = (dataDir: string): void => {
  deleteDatabase(databaseFile(dataDir));
  const fixture = readFileSync(join(packageRoot, 'test/fixtures/schema-24.json.gz'));
  const { database } = JSON.parse(gunzipSync(fixture).toString()) as { database: string };
  writeFileSync(databaseFile(dataDir), gunzipSync(Buffer.from(database, 'base64')), { mode: 0o600 });
};

/** Changes what a database says of its version. */
export const setVersion = (dataDir: string, version: number): void => {
  const db = new Sqlite(databaseFile(dataDir));
  db.pragma(`user_version = ${version}`);
  db.close();
};

/** The first of the sites that writeLargeOlder adds, and how many crawls each has. */
export const [addedSite, addedCrawls] = [1000, 300];

/** A database of version 0.1.0 with crawls of so many sites more, which are to be dropped. */
export const writeLargeOlder = (dataDir: string, sites: number): void => {
  writeOlder(dataDir);
  const db = new Sqlite(databaseFile(dataDir));
  const numbers = 'with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ?)';
  const addSites = db.prepare(`insert into dropped_site (id) ${numbers} select ${addedSite} + i from n`);
  const addCrawls = db.prepare(
    `insert into crawl (site_id, quarter, name, path, status, crawls)
     ${numbers} select s.id, i, 1, 2, 200, 1 from dropped_site s, n where s.id >= ${addedSite}`,
  );
  db.transaction(() => {
    addSites.run(sites);
    addCrawls.run(addedCrawls);
  })();
  db.close();
};
