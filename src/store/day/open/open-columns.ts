/**
 * The columns of an open day. Each is made when it is first asked for, kept, and patched where the
 * order of its rows has changed since.
 */
import type { ColumnName, ColumnTable } from '../../../model/columns.ts';
import { brieflyCode } from '../../../model/hit.ts';
import { bytesOf } from '../byte-cache.ts';
import type { Column } from '../column-codec.ts';
import { numberColumn, textColumn } from '../day.ts';
import { gather, gatherDoubles } from '../gather.ts';
import type { DayRows } from './day-rows.ts';
import type { GrowingColumn } from './growing-column.ts';
import { patchColumn } from './patch-column.ts';
import type { Change, RowOrder } from './row-order.ts';
import type { VisitAggregates } from './visit-aggregates.ts';

export interface OpenColumns {
  /** What it returned is never written again. */
  column(name: ColumnName): Column;
  /** Forgets the columns that can't be patched: to be called when rows have come. */
  dropUnpatchable(): void;
  /** What the kept columns take in memory. */
  readonly bytes: number;
}

/** What columns are made of: the rows, and what was worked out from them. */
export interface ColumnInputs {
  rows: DayRows;
  aggregates: VisitAggregates;
  /** By the row of the visit. */
  newVisitor: GrowingColumn<Uint8Array>;
  /** Position of each hit in the order of hits, by its row. */
  hitPositions: () => Uint32Array;
}

/** The columns of one table of a day, whose rows are in an order. */
export const openColumns = (table: ColumnTable, order: RowOrder, inputs: ColumnInputs): OpenColumns => {
  const sources = sourcesOf[table](inputs);
  const kept = new Map<ColumnName, { column: Column; version: number }>();

  const upToDate = (name: ColumnName, source: ColumnSource): Column => {
    const known = kept.get(name);
    if (known === undefined) return source.of(order.rows);
    const patch = (column: Column, change: Change): Column => patchColumn(column, source.of(change.rows), change);
    return order.changesSince(known.version)?.reduce(patch, known.column) ?? source.of(order.rows);
  };

  return {
    column(name) {
      const source = sources[name];
      if (source === undefined) throw new Error(`no source for column ${name}`);
      const column = upToDate(name, source);
      kept.set(name, { column, version: order.version });
      return column;
    },
    dropUnpatchable() {
      for (const name of kept.keys()) if (!sources[name]!.isPatchable) kept.delete(name);
    },
    get bytes() {
      return [...kept.values()].reduce((sum, { column }) => sum + bytesOf(column), 0);
    },
  };
};

interface ColumnSource {
  /** The column of some rows, in their order. */
  of(rows: Uint32Array): Column;
  /**
   * Whether it changes only where the order says so. If not, it is made again once rows have come.
   */
  isPatchable: boolean;
}

type ColumnSources = Partial<Record<ColumnName, ColumnSource>>;

const sourcesOf: Record<ColumnTable, (inputs: ColumnInputs) => ColumnSources> = {
  visit: ({ rows: { visits }, aggregates, newVisitor }) => {
    const { visitorHigh, visitorLow, seenBefore, attributes } = visits;
    const { started, ended } = aggregates;
    return {
      visitor: patchable(rows => ({ kind: 'hash', values: hashes(visitorHigh.values(), visitorLow.values(), rows) })),
      newVisitor: numbers(newVisitor),
      seenBefore: numbers(seenBefore),
      started: numbers(started),
      duration: patchable(rows => numberColumn(minus(gather(ended.values(), rows), gather(started.values(), rows)))),
      hits: numbers(aggregates.hits),
      pageviews: numbers(aggregates.pageviews),
      entryPath: texts(aggregates.entryPath),
      // A later text replaces one that may stand nowhere else.
      exitPath: unpatchable(texts(aggregates.exitPath).of),
      identified: unpatchable(texts(aggregates.identified).of),
      traits: unpatchable(texts(aggregates.traits).of),
      ...textsByName(attributes),
    };
  },
  hit: ({ rows: { hits }, aggregates: { started, msOnPage, scroll } }) => ({
    time: patchable(rows => {
      const visits = gather(hits.visit.values(), rows);
      return numberColumn(minus(gather(hits.time.values(), rows), gather(started.values(), visits)));
    }),
    type: numbers(hits.type),
    ...textsByName(hits.pageFields),
    secondsOnPage: unpatchable(rows => {
      const values = gather(msOnPage.values(), rows);
      for (let i = 0; i < values.length; i++) values[i] = Math.round(values[i]! / 1000);
      return numberColumn(values);
    }),
    scroll: unpatchable(rows => {
      const [codes, milliseconds] = [gather(scroll.values(), rows), gather(msOnPage.values(), rows)];
      for (let i = 0; i < codes.length; i++)
        if (codes[i] === 0 && milliseconds[i]! > 0 && milliseconds[i]! < 500) codes[i] = brieflyCode;
      return numberColumn(codes);
    }),
  }),
  revenue: ({ rows: { revenues }, hitPositions }) => ({
    revenueHit: unpatchable(rows => numberColumn(gather(hitPositions(), gather(revenues.hit.values(), rows)))),
    revenueAmount: doubles(revenues.amount),
    revenueCurrency: texts(revenues.currency),
  }),
  property: ({ rows: { properties }, hitPositions }) => ({
    propertyKey: texts(properties.key),
    propertyHit: unpatchable(rows => numberColumn(gather(hitPositions(), gather(properties.hit.values(), rows)))),
    propertyType: numbers(properties.type),
    propertyText: texts(properties.text),
    propertyNumber: doubles(properties.number),
  }),
};

const patchable = (of: ColumnSource['of']): ColumnSource => ({ of, isPatchable: true });
const unpatchable = (of: ColumnSource['of']): ColumnSource => ({ of, isPatchable: false });
const numbers = (values: GrowingColumn<Uint8Array> | GrowingColumn<Uint32Array>): ColumnSource =>
  patchable(rows => numberColumn(gather(values.values(), rows)));
const doubles = (values: GrowingColumn<Float64Array>): ColumnSource =>
  patchable(rows => numberColumn(gatherDoubles(values.values(), rows)));
const texts = (values: GrowingColumn<Uint32Array>): ColumnSource =>
  patchable(rows => textColumn(gather(values.values(), rows)));
const textsByName = (columns: Record<string, GrowingColumn<Uint32Array>>): ColumnSources =>
  Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, texts(values)]));

const hashes = (high: Uint32Array, low: Uint32Array, rows: Uint32Array): BigUint64Array => {
  const values = new BigUint64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = (BigInt(high[rows[i]!]!) << 32n) | BigInt(low[rows[i]!]!);
  return values;
};

/** Subtracts in place. */
const minus = (values: Uint32Array, others: Uint32Array): Uint32Array => {
  for (let i = 0; i < values.length; i++) values[i]! -= others[i]!;
  return values;
};
