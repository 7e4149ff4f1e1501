/** Hits as a Parquet file, a row each: for DuckDB, pandas, or a warehouse. */
import { ByteWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { pageFields } from '../model/columns.ts';
import type { ExportedVisit, StoredHit } from '../model/exported-visit.ts';
import { visitTextNames } from '../model/visit-fields.ts';

/** Rows that are gathered before they are written. */
const groupRows = 50_000;

type Value = string | number | boolean | Date | null;

interface ParquetColumn {
  name: string;
  type: 'STRING' | 'INT32' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP' | 'JSON';
  value: (hit: StoredHit, visit: ExportedVisit) => Value;
}

const columns: readonly ParquetColumn[] = [
  { name: 'at', type: 'TIMESTAMP', value: hit => new Date(hit.at) },
  { name: 'type', type: 'STRING', value: hit => hit.type },
  { name: 'visitor', type: 'STRING', value: (_, visit) => visit.visitor },
  { name: 'visitStart', type: 'TIMESTAMP', value: (_, visit) => new Date(visit.from) },
  { name: 'visitEnd', type: 'TIMESTAMP', value: (_, visit) => new Date(visit.to) },
  { name: 'hasCookie', type: 'BOOLEAN', value: (_, visit) => visit.isPersistent },
  ...pageFields.map(name => ({ name, type: 'STRING' as const, value: (hit: StoredHit) => hit.page[name] })),
  { name: 'secondsOnPage', type: 'INT32', value: hit => hit.secondsOnPage },
  { name: 'scroll', type: 'INT32', value: hit => hit.scroll },
  { name: 'amount', type: 'DOUBLE', value: hit => hit.revenue?.amount ?? null },
  { name: 'currency', type: 'STRING', value: hit => hit.revenue?.currency ?? null },
  {
    name: 'properties',
    type: 'STRING',
    value: hit => (hit.properties.length === 0 ? null : JSON.stringify(Object.fromEntries(hit.properties))),
  },
  ...visitTextNames.map(name => ({
    ...{ name, type: 'STRING' as const },
    value: (_: StoredHit, visit: ExportedVisit) => visit.texts[name],
  })),
  { name: 'width', type: 'INT32', value: (_, visit) => visit.width || null },
  { name: 'height', type: 'INT32', value: (_, visit) => visit.height || null },
  { name: 'traits', type: 'STRING', value: (_, visit) => visit.traits },
];

/** Gives the bytes of the file piece by piece. */
export const parquetWriter = () => {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: schemaFromColumnData({ columnData: columns.map(({ name, type }) => ({ name, type, data: [] })) }),
    createdBy: 'Daybook',
  });
  let rows: Value[][] = columns.map(() => []);

  const taken = (): Buffer => {
    const piece = Buffer.from(new Uint8Array(bytes.buffer, 0, bytes.index));
    bytes.index = 0;
    return piece;
  };
  const writeGroup = (): Buffer => {
    const columnData = columns.map(({ name, type }, i) => ({ name, type, data: rows[i]! }));
    if (rows[0]!.length > 0) void writer.write({ columnData, rowGroupSize: groupRows });
    rows = columns.map(() => []);
    return taken();
  };
  return {
    visit(visit: ExportedVisit): Buffer | null {
      for (const hit of visit.hits) for (const [i, { value }] of columns.entries()) rows[i]!.push(value(hit, visit));
      return rows[0]!.length >= groupRows ? writeGroup() : null;
    },
    end(): Buffer {
      const last = writeGroup();
      void writer.finish();
      return Buffer.concat([last, taken()]);
    },
  };
};
