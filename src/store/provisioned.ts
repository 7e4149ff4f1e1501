/** What a file of settings named when it was applied last (src/provision/). */
import type { Database } from './database.ts';

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

type Stored = Omit<ProvisionedRow, 'key' | 'fields' | 'isMade'> & { key: string; fields: string; isMade: number };
const rowOf = (row: Stored): ProvisionedRow => ({
  ...row,
  key: JSON.parse(row.key) as string[],
  fields: JSON.parse(row.fields) as string[],
  isMade: row.isMade === 1,
});

export const provisioned = (db: Database): Provisioned => {
  const select = 'select kind, owner, key, fields, is_made as isMade, file from provisioned';
  const all = db.prepare(`${select} order by kind, owner, key`);
  const one = db.prepare(`${select} where kind = ? and owner = ? and key = ?`);
  const clear = db.prepare('delete from provisioned');
  const insert = db.prepare(
    'insert into provisioned (kind, owner, key, fields, is_made, file) values (@kind, @owner, @key, @fields, @isMade, @file)',
  );
  return {
    list: () => (all.all() as Stored[]).map(rowOf),
    find(kind, owner, key) {
      const row = one.get(kind, owner, JSON.stringify([key])) as Stored | undefined;
      return row && rowOf(row);
    },
    replace: db.transaction((rows: readonly ProvisionedRow[]) => {
      clear.run();
      for (const { key, fields, isMade, ...row } of rows)
        insert.run({ ...row, key: JSON.stringify(key), fields: JSON.stringify(fields), isMade: isMade ? 1 : 0 });
    }),
  };
};
