/**
 * The rows of an open day in the order of arrival, each column a typed array: what a day is folded
 * from.
 */
import { pageFields, visitAttributes } from '../../../model/columns.ts';
import { hitTypes, isTextCode, lastHitCode } from '../../../model/hit.ts';
import { snakeCase } from '../../../model/snake-case.ts';
import { positionAmong } from '../ascending.ts';
import { rowsBetween } from '../gather.ts';
import type { Part } from '../part.ts';
import { type GrowingColumn, growingByName, growingBytes, growingDoubles, growingIntegers } from './growing-column.ts';

/** What is read of a row of `visit`, in the order of OpenVisitRow. */
export const visitRowColumns = ['id', 'visitor', 'persistent', 'seen_before', ...visitAttributes.map(snakeCase)];
/** The visitor is 16 hexadecimal digits. */
export type OpenVisitRow = [
  id: number,
  visitor: string,
  persistent: number,
  seenBefore: number,
  ...visitAttributes: number[],
];
const visitAttributesAt = 4;

/** What is read of a row of `hit`, in the order of OpenHitRow. */
export const hitRowColumns = [
  ...['id', 'visit_id', 'at', 'type', 'duration', 'amount', 'currency', 'properties', 'scroll'],
  ...pageFields,
];
/** Its time is in milliseconds since midnight. */
export type OpenHitRow = [
  id: number,
  visitId: number,
  time: number,
  type: number,
  duration: number,
  amount: number | null,
  currency: number,
  properties: number[] | null,
  /** As model/hit.ts codes it. */
  scroll: number,
  ...pageFields: number[],
];
const pageFieldsAt = 9;

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
    pageFields: growingByName(pageFields),
    duration: growingIntegers(),
    scroll: growingBytes(),
    /** Its number among all hits of the day, from 0 in the order of ids. */
    number: growingIntegers(),
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

  constructor(siteId: number, day: number, part: Part) {
    this.siteId = siteId;
    this.day = day;
    this.part = part;
  }

  /** All columns, table by table. The first of all but the visits refers to a visit or a hit. */
  get tables(): Record<RowTable, readonly GrowingColumn[]> {
    const { visits, hits } = this;
    return {
      visits: [
        ...[visits.id, visits.visitorHigh, visits.visitorLow, visits.persistent, visits.seenBefore],
        ...Object.values(visits.attributes),
      ],
      hits: [
        hits.visit,
        hits.time,
        hits.type,
        hits.duration,
        hits.scroll,
        hits.number,
        ...Object.values(hits.pageFields),
      ],
      revenues: Object.values(this.revenues),
      properties: Object.values(this.properties),
      identities: Object.values(this.identities),
    };
  }

  addVisits(rows: readonly OpenVisitRow[]): void {
    const { id, visitorHigh, visitorLow, persistent, seenBefore, attributes } = this.visits;
    id.append(cells(rows, 0));
    visitorHigh.append(wordsOfHash(rows, 0));
    visitorLow.append(wordsOfHash(rows, 8));
    persistent.append(cells(rows, 2));
    seenBefore.append(cells(rows, 3));
    for (const [i, name] of visitAttributes.entries()) attributes[name].append(cells(rows, visitAttributesAt + i));
  }

  /** The hits' visits must have been added before. If it throws, drop the rows. */
  addHits(rows: readonly OpenHitRow[]): void {
    const first = this.hits.visit.length;
    this.addSomeHits(rows, {
      first,
      visits: rowsOfVisits(this.visits.id.values(), rows),
      numbers: rowsBetween(first, first + rows.length),
    });
  }

  /**
   * Adds hits of the day that are not all of its hits, given the rows of their visits and their
   * numbers in the day. Properties name the first by the row `first`.
   */
  addSomeHits(
    rows: readonly OpenHitRow[],
    { first, visits, numbers }: { first: number; visits: ArrayLike<number>; numbers: ArrayLike<number> },
  ): void {
    const { visit, time, type, pageFields: fields, duration, scroll, number } = this.hits;
    visit.append(visits);
    number.append(numbers);
    time.append(cells(rows, 2));
    type.append(cells(rows, 3));
    duration.append(cells(rows, 4));
    scroll.append(cells(rows, 8));
    for (const [i, name] of pageFields.entries()) fields[name].append(cells(rows, pageFieldsAt + i));
    for (const [i, row] of rows.entries()) this.#addExtras(first + i, row);
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
      (sum, columns) =>
        sum + columns[0]!.length * columns.reduce((width, { values }) => width + values().BYTES_PER_ELEMENT, 0),
      0,
    );
  }
  get bytes(): number {
    return Object.values(this.tables)
      .flat()
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** What few hits have. */
  #addExtras(hit: number, row: OpenHitRow): void {
    const [, , , type, , amount, currency, stored] = row;
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

// Loops stand in functions of their own: V8 would compile a closure again for each batch of rows.

/** One number of each row. */
const cells = (rows: readonly (OpenVisitRow | OpenHitRow)[], at: number): Float64Array => {
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = rows[i]![at] as number;
  return values;
};

/** Of each visitor's hash, the 32 bits whose digits begin at a position. */
const wordsOfHash = (rows: readonly OpenVisitRow[], from: number): Uint32Array => {
  const words = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) words[i] = Number.parseInt(rows[i]![1].slice(from, from + 8), 16);
  return words;
};

const rowsOfVisits = (visitIds: Float64Array, hits: readonly OpenHitRow[]): Uint32Array => {
  const rows = new Uint32Array(hits.length);
  for (let i = 0; i < hits.length; i++) rows[i] = rowOfVisit(visitIds, hits[i]!);
  return rows;
};

/** Without gaps between ids it is at the difference of ids; else it is found by halving. */
const rowOfVisit = (visitIds: Float64Array, [id, visitId]: OpenHitRow): number => {
  const likely = visitId - visitIds[0]!;
  if (visitIds[likely] === visitId) return likely;
  const row = positionAmong(visitIds, visitId);
  if (row === -1) throw new Error(`hit ${id} belongs to no visit`);
  return row;
};
