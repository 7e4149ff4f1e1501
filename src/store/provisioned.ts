/** What a file of settings named when it was applied last (src/provision/). */
import type { Database } from './database.ts';
import { rowValues } from './row-values.ts';

export interface ProvisionedRow {
  /** The list that it stands in, such as `goals`. */
  kind: string;
  /** Id of the site or team that it is in; empty for what the server has. */
  owner: string;
  /** The values that name it. */
  key: readonly string[];
  /** Fields that the file sets, which people cannot change. */
  fields: readonly string[];
  /** Whether it was made by the file, which then removes it, too. */
  isMade: boolean;
  /** The file's name. */
  file: string;
}

export interface Provisioned {
  list(): ProvisionedRow[];
  /** What the file says of one thing; undefined where it does not name it. */
  find(kind: string, owner: string, key: string): ProvisionedRow | undefined;
  replace(rows: readonly ProvisionedRow[]): void;
}

const rows = rowValues<ProvisionedRow>({ key: 'json', fields: 'json', isMade: 'flag' });

export const provisioned = (db: Database): Provisioned => {
  const select = 'select kind, owner, key, fields, is_made as isMade, file from provisioned';
  const all = db.prepare(`${select} order by kind, owner, key`);
  const one = db.prepare(`${select} where kind = ? and owner = ? and key = ?`);
  const clear = db.prepare('delete from provisioned');
  const insert = db.prepare(
    'insert into provisioned (kind, owner, key, fields, is_made, file) values (@kind, @owner, @key, @fields, @isMade, @file)',
  );
  return {
    list: () => rows.all(all.all()),
    find: (kind, owner, key) => rows.one(one.get(kind, owner, JSON.stringify([key]))),
    replace: db.transaction((given: readonly ProvisionedRow[]) => {
      clear.run();
      for (const row of given) insert.run(rows.stored(row));
    }),
  };
};
