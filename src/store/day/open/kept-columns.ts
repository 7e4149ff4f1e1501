/** The columns of an order of rows: each is made when it is first asked for, kept, and mended when the order has changed since. */
import type { ColumnName } from '../../../model/columns.ts';
import type { Column } from '../column-codec.ts';
import { mendColumn } from './patch-column.ts';
import type { Change, RowOrder } from './row-order.ts';

export interface ColumnSource {
  /** The column of some rows, in their order. */
  of(rows: Uint32Array): Column;
  /** Whether it changes only where the order says so, and can be mended there; else it is made anew once rows have come. */
  mends: boolean;
}

export type ColumnSources = Partial<Record<ColumnName, ColumnSource>>;

export interface KeptColumns {
  /** What it returned is never written again. Throws for a column that has no source here. */
  column(name: ColumnName): Column;
  /** Forgets the columns that can't be mended: to be called when rows have come. */
  dropUnmendable(): void;
}

export const keptColumns = (order: RowOrder, sources: ColumnSources): KeptColumns => {
  const kept = new Map<ColumnName, { column: Column; version: number }>();

  const upToDate = (name: ColumnName, source: ColumnSource): Column => {
    const known = kept.get(name);
    if (known === undefined) return source.of(order.rows);
    const mend = (column: Column, change: Change): Column => mendColumn(column, source.of(change.rows), change);
    return order.changesSince(known.version)?.reduce(mend, known.column) ?? source.of(order.rows);
  };

  return {
    column(name) {
      const source = sources[name];
      if (source === undefined) throw new Error(`no source for column ${name}`);
      const column = upToDate(name, source);
      kept.set(name, { column, version: order.version });
      return column;
    },
    dropUnmendable() {
      for (const name of kept.keys()) if (!sources[name]!.mends) kept.delete(name);
    },
  };
};
