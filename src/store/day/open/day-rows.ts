/**
 * The rows of an open day in the order of arrival, each column a typed array: what a day is folded
 * from.
 */
import { pageFields, visitAttributes } from '../../../model/columns.ts';
import { hitTypes, isTextCode, lastHitCode } from '../../../model/hit.ts';
import { positionAmong } from '../ascending.ts';
import type { Part } from '../part.ts';
import { type GrowingColumn, growingByName, growingBytes, growingDoubles, growingIntegers } from './growing-column.ts';

/** Rows of `visit` that come, as columns. */
export interface VisitRows {
  ids: Float64Array;
  /** The others of `DayRows.visits`, in their order. */
  columns: readonly Uint32Array[];
}

/** Rows of `hit` that come. */
export interface HitRows {
  ids: Float64Array;
  visitIds: Float64Array;
  /** Those of `DayRows.hits` behind `visit`, in their order. */
  columns: readonly Uint32Array[];
  /** Ascending by row. */
  extras: readonly HitExtra[];
}

/** What few hits have; the properties as the recorder writes them. */
export type HitExtra = [row: number, amount: number | null, currency: number, properties: number[] | null];

export const rowTables = ['visits', 'hits', 'revenues', 'properties', 'identities'] as const;
export type RowTable = (typeof rowTables)[number];

export class DayRows {
  readonly siteId: number;
  readonly day: number;
  readonly part: Part;

  readonly visits = {
    /**
     * Ascending, since rows are read in their order; of a server with one site they have no gaps.
     */
    id: growingDoubles(),
    /** The first and the last 32 bits of the visitor's hash. */
    visitorHigh: growingIntegers(),
    visitorLow: growingIntegers(),
    persistent: growingBytes(),
    seenBefore: growingBytes(),
    attributes: growingByName(visitAttributes),
  };
  /** Non-counting hits are among them. */
  readonly hits = {
    /** Row of the visit. */
    visit: growingIntegers(),
    /** Milliseconds since midnight. */
    time: growingIntegers(),
    type: growingBytes(),
    duration: growingIntegers(),
    scroll: growingBytes(),
    pageFields: growingByName(pageFields),
  };
  readonly revenues = { hit: growingIntegers(), amount: growingDoubles(), currency: growingIntegers() };
  readonly properties = {
    hit: growingIntegers(),
    key: growingIntegers(),
    type: growingBytes(),
    text: growingIntegers(),
    number: growingDoubles(),
  };
  /** Text ids of name and traits, by the row of the identify. Rows ascend. */
  readonly identities = { hit: growingIntegers(), name: growingIntegers(), traits: growingIntegers() };

  /** All columns, table by table. The first of all but the visits refers to a visit or a hit. */
  readonly tables: Record<RowTable, readonly GrowingColumn[]>;

  constructor(siteId: number, day: number, part: Part) {
    this.siteId = siteId;
    this.day = day;
    this.part = part;
    const { attributes, ...visits } = this.visits;
    const { pageFields: fields, ...hits } = this.hits;
    this.tables = {
      visits: [...Object.values(visits), ...Object.values(attributes)],
      hits: [...Object.values(hits), ...Object.values(fields)],
      revenues: Object.values(this.revenues),
      properties: Object.values(this.properties),
      identities: Object.values(this.identities),
    };
  }

  addVisits({ ids, columns }: VisitRows): void {
    [ids, ...columns].forEach((values, i) => {
      this.tables.visits[i]!.append(values);
    });
  }

  /** The hits' visits must have been added before. If it throws, drop the rows. */
  addHits(rows: HitRows): void {
    const first = this.hits.visit.length;
    this.addHitsOf(rowsOfVisits(this.visits.id.values(), rows), rows, first);
  }

  /** Adds hits, given the rows of their visits. Properties name the first by the row `first`. */
  addHitsOf(visits: Uint32Array, { columns, extras }: Pick<HitRows, 'columns' | 'extras'>, first: number): void {
    const types = columns[hitTypesAt]!;
    [visits, ...columns].forEach((values, i) => {
      this.tables.hits[i]!.append(values);
    });
    for (const extra of extras) this.#addExtra(first + extra[0], types[extra[0]]!, extra);
  }

  /** Makes room for so many more rows of each table. */
  reserve(more: Readonly<Record<RowTable, number>>): void {
    const { tables } = this;
    for (const table of rowTables) for (const column of tables[table]) column.reserve(column.length + more[table]);
  }

  /** Forgets all rows. */
  clear(): void {
    for (const column of Object.values(this.tables).flat()) column.clear();
  }

  /** What the rows take, and what they take with the memory that waits for others. */
  get usedBytes(): number {
    return Object.values(this.tables).reduce(
      (sum, columns) => sum + columns[0]!.length * columns.reduce((sum, { width }) => sum + width, 0),
      0,
    );
  }
  get bytes(): number {
    return Object.values(this.tables)
      .flat()
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #addExtra(hit: number, type: number, [, amount, currency, stored]: HitExtra): void {
    if (amount !== null) {
      this.revenues.hit.push(hit);
      this.revenues.amount.push(amount);
      this.revenues.currency.push(currency);
    }
    if (stored === null) return;
    if (type === hitTypes.identify) {
      this.identities.hit.push(hit);
      this.identities.name.push(stored[0]!);
      this.identities.traits.push(stored[1]!);
    } else if (type <= lastHitCode) this.#addProperties(hit, stored);
  }

  /** `stored` is key, type and value in turn, as the recorder writes them. */
  #addProperties(hit: number, stored: readonly number[]): void {
    const { properties } = this;
    for (let i = 0; i < stored.length; i += 3) {
      const isText = isTextCode(stored[i + 1]!);
      properties.hit.push(hit);
      properties.key.push(stored[i]!);
      properties.type.push(stored[i + 1]!);
      properties.text.push(isText ? stored[i + 2]! : 0);
      properties.number.push(isText ? 0 : stored[i + 2]!);
    }
  }
}

/** The place of the types in `HitRows.columns`. */
const hitTypesAt = 1;

const rowsOfVisits = (ofDay: Float64Array, { ids, visitIds }: HitRows): Uint32Array => {
  const rows = new Uint32Array(ids.length);
  for (let i = 0; i < rows.length; i++) {
    // Without gaps between ids it is at the difference of ids; else it is found by halving.
    const likely = visitIds[i]! - ofDay[0]!;
    const row = ofDay[likely] === visitIds[i] ? likely : positionAmong(ofDay, visitIds[i]!);
    if (row === -1) throw new Error(`hit ${ids[i]} belongs to no visit`);
    rows[i] = row;
  }
  return rows;
};
