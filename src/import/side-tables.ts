/** Tables that say more about records, such as properties of hits: read before these. */

import type { RowFormat, SumFormat } from '../compat/import-format.ts';
import type { Database } from '../store/database.ts';
import { type SideRows, sideRows } from '../store/imports/side-rows.ts';
import { type FileTable, readRows } from './tables.ts';

/** A table of a format beside that of its hits. */
export interface SideTable {
  table: FileTable;
  kind: string;
  /** The column that its rows are looked up by. */
  key: string;
}

/** Which side table of a format a table is; undefined for none. */
export const sideOf = ({ sides = {} }: RowFormat | SumFormat, table: FileTable): SideTable | undefined => {
  for (const [kind, keyIn] of Object.entries(sides)) {
    const key = keyIn(table.names, table.name);
    if (key !== undefined) return { table, kind, key };
  }
  return undefined;
};

/** To be closed by the caller. */
export const readSides = async (beside: Database, tables: readonly SideTable[]): Promise<SideRows> => {
  const sides = sideRows(beside);
  try {
    for (const { table, kind, key } of tables)
      for await (const chunk of table.chunks())
        readRows(chunk, table.writing, table.name, row => {
          sides.add(kind, row.text(key), Object.fromEntries([...table.names].map(name => [name, row.text(name)])));
        });
    return sides;
  } catch (error) {
    sides.close();
    throw error;
  }
};
