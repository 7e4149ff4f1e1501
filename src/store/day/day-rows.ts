/** The rows of an open day in the order in which they came, each column a typed array: what a day is folded from. */
import { hitTypes, lastHitCode, propertyTypes } from '../../model/hit.ts';
import { pageFields, visitAttributes } from '../tables.ts';
import { placeAmong } from './ascending.ts';
import { growingBytes, growingDoubles, growingIntegers } from './growing-column.ts';

/** A row of `visit` after its site_id and day; the visitor is 16 hexadecimal digits. */
export type VisitRow = [id: number, visitor: string, persistent: number, seenBefore: number, ...attributes: number[]];

/** A row of `hit` after its site_id and day; its time is in milliseconds since midnight. */
export type HitRow = [
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

  addVisits(rows: readonly VisitRow[]): void {
    const { id, visitorHigh, visitorLow, persistent, seenBefore, attributes } = this.visits;
    id.extend(rows.length, i => rows[i]![0]);
    visitorHigh.extend(rows.length, i => Number.parseInt(rows[i]![1].slice(0, 8), 16));
    visitorLow.extend(rows.length, i => Number.parseInt(rows[i]![1].slice(8), 16));
    persistent.extend(rows.length, i => rows[i]![2]);
    seenBefore.extend(rows.length, i => rows[i]![3]);
    for (const [at, attribute] of attributes.entries()) attribute.extend(rows.length, i => rows[i]![4 + at] as number);
  }

  /** The hits' visits must have been added before. If it throws, the rows are of no more use. */
  addHits(rows: readonly HitRow[]): void {
    const { visit, time, type, pageFields: fields, duration } = this.hits;
    const first = visit.length;
    const visitIds = this.visits.id.values();
    visit.extend(rows.length, i => rowOfVisit(visitIds, rows[i]!));
    time.extend(rows.length, i => rows[i]![2]);
    type.extend(rows.length, i => rows[i]![3]);
    for (const [at, field] of fields.entries()) field.extend(rows.length, i => rows[i]![4 + at] as number);
    duration.extend(rows.length, i => rows[i]![9]);
    for (const [i, row] of rows.entries()) this.#addExtras(first + i, row);
  }

  /** What few hits have. */
  #addExtras(hit: number, row: HitRow): void {
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

/** Found where it is if ids have no gaps, else by halving. */
const rowOfVisit = (visitIds: Float64Array, [id, visitId]: HitRow): number => {
  const likely = visitId - visitIds[0]!;
  if (visitIds[likely] === visitId) return likely;
  const row = placeAmong(visitIds, visitId);
  if (row === -1) throw new Error(`hit ${id} belongs to no visit`);
  return row;
};
