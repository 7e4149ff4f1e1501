/** The rows of an open day in the order in which they came, each column a typed array: what a day is folded from. */
import { hitTypes, lastHitCode, propertyTypes } from '../../../model/hit.ts';
import { pageFields, visitAttributes } from '../../tables.ts';
import { placeAmong } from '../ascending.ts';
import { growingBytes, growingDoubles, growingIntegers } from './growing-column.ts';

/** A row of `visit` after its site_id and day; the visitor is 16 hexadecimal digits. */
export type OpenVisitRow = [
  id: number,
  visitor: string,
  persistent: number,
  seenBefore: number,
  ...attributes: number[],
];

/** A row of `hit` after its site_id and day; its time is in milliseconds since midnight. */
export type OpenHitRow = [
  id: number,
  visitId: number,
  time: number,
  type: number,
  path: number,
  hostname: number,
  title: number,
  query: number,
  event: number,
  duration: number,
  amount: number | null,
  currency: number,
  properties: number[] | null,
];

export class DayRows {
  readonly siteId: number;
  readonly day: number;

  readonly visits = {
    /** Ascending, since rows are read in their order; of a server with one site they have no gaps. */
    id: growingDoubles(),
    /** The first and the last 32 bits of the visitor's hash. */
    visitorHigh: growingIntegers(),
    visitorLow: growingIntegers(),
    persistent: growingBytes(),
    seenBefore: growingBytes(),
    attributes: visitAttributes.map(growingIntegers),
  };
  /** Marks are among them. */
  readonly hits = {
    /** Row of the visit. */
    visit: growingIntegers(),
    /** Milliseconds since midnight. */
    time: growingIntegers(),
    type: growingBytes(),
    pageFields: pageFields.map(growingIntegers),
    duration: growingIntegers(),
  };
  readonly revenues = { hit: growingIntegers(), amount: growingDoubles(), currency: growingIntegers() };
  readonly properties = {
    hit: growingIntegers(),
    key: growingIntegers(),
    type: growingBytes(),
    text: growingIntegers(),
    number: growingDoubles(),
  };
  /** Text ids of name and traits, by the row of the identify. */
  readonly identities = new Map<number, [name: number, traits: number]>();

  constructor(siteId: number, day: number) {
    this.siteId = siteId;
    this.day = day;
  }

  addVisits(rows: readonly OpenVisitRow[]): void {
    const { id, visitorHigh, visitorLow, persistent, seenBefore, attributes } = this.visits;
    id.append(cells(rows, 0));
    visitorHigh.append(wordsOfHash(rows, 0));
    visitorLow.append(wordsOfHash(rows, 8));
    persistent.append(cells(rows, 2));
    seenBefore.append(cells(rows, 3));
    for (const [i, attribute] of attributes.entries()) attribute.append(cells(rows, 4 + i));
  }

  /** The hits' visits must have been added before. If it throws, the rows are of no more use. */
  addHits(rows: readonly OpenHitRow[]): void {
    const { visit, time, type, pageFields: fields, duration } = this.hits;
    const first = visit.length;
    visit.append(rowsOfVisits(this.visits.id.values(), rows));
    time.append(cells(rows, 2));
    type.append(cells(rows, 3));
    for (const [i, field] of fields.entries()) field.append(cells(rows, 4 + i));
    duration.append(cells(rows, 9));
    for (const [i, row] of rows.entries()) this.#addExtras(first + i, row);
  }

  /** What few hits have. */
  #addExtras(hit: number, row: OpenHitRow): void {
    const [type, amount, currency, stored] = [row[3], row[10], row[11], row[12]];
    if (amount !== null) {
      this.revenues.hit.push(hit);
      this.revenues.amount.push(amount);
      this.revenues.currency.push(currency);
    }
    if (stored === null) return;
    if (type === hitTypes.identify) this.identities.set(hit, stored as [number, number]);
    else if (type <= lastHitCode) this.#addProperties(hit, stored);
  }

  /** `stored` is key, type and value in turn, as the recorder writes them. */
  #addProperties(hit: number, stored: readonly number[]): void {
    const { properties } = this;
    for (let i = 0; i < stored.length; i += 3) {
      const isText = stored[i + 1] === propertyTypes.string;
      properties.hit.push(hit);
      properties.key.push(stored[i]!);
      properties.type.push(stored[i + 1]!);
      properties.text.push(isText ? stored[i + 2]! : 0);
      properties.number.push(isText ? 0 : stored[i + 2]!);
    }
  }
}

// Loops in functions that stay: closures made for each batch of rows would be compiled for each batch anew.

/** One number of each row. */
const cells = (rows: readonly (OpenVisitRow | OpenHitRow)[], at: number): Float64Array => {
  const values = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = rows[i]![at] as number;
  return values;
};

/** Of each visitor's hash, the 32 bits whose digits stand from a place on. */
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

/** Found where it is if ids have no gaps, else by halving. */
const rowOfVisit = (visitIds: Float64Array, [id, visitId]: OpenHitRow): number => {
  const likely = visitId - visitIds[0]!;
  if (visitIds[likely] === visitId) return likely;
  const row = placeAmong(visitIds, visitId);
  if (row === -1) throw new Error(`hit ${id} belongs to no visit`);
  return row;
};
