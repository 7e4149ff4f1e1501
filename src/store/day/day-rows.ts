/** The rows of an open day in the order in which they came, each column a typed array: what a day is folded from. */
import { hitTypes, lastHitCode, propertyTypes } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { pageFields, visitAttributes } from '../tables.ts';
import { growingBytes, growingDoubles, growingIntegers } from './growing-column.ts';

/** A row of `visit` after its site_id and day, as better-sqlite3's raw mode gives it. */
export type VisitRow = [id: number, visitor: Buffer, persistent: number, seenBefore: number, ...attributes: number[]];

/** A row of `hit` after its site_id and day. */
export type HitRow = [
  id: number,
  visitId: number,
  at: number,
  type: number,
  path: number,
  hostname: number,
  title: number,
  query: number,
  event: number,
  duration: number,
  amount: number | null,
  currency: number,
  properties: string | null,
];

export class DayRows {
  readonly siteId: number;
  readonly day: number;

  readonly visits = {
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

  /** Row of each visit id. */
  readonly #visitRows = new Map<number, number>();

  constructor(siteId: number, day: number) {
    this.siteId = siteId;
    this.day = day;
  }

  addVisit(row: VisitRow): void {
    const { visitorHigh, visitorLow, persistent, seenBefore, attributes } = this.visits;
    this.#visitRows.set(row[0], this.#visitRows.size);
    visitorHigh.push(row[1].readUInt32BE(0));
    visitorLow.push(row[1].readUInt32BE(4));
    persistent.push(row[2]);
    seenBefore.push(row[3]);
    for (let i = 0; i < attributes.length; i++) attributes[i]!.push(row[4 + i] as number);
  }

  /** The hit's visit must have been added before. */
  addHit(row: HitRow): void {
    const visitRow = this.#visitRows.get(row[1]);
    if (visitRow === undefined) throw new Error(`hit ${row[0]} belongs to no visit`);
    const { visit, time, type, pageFields: fields, duration } = this.hits;
    const hit = visit.length;
    visit.push(visitRow);
    time.push(row[2] - this.day * dayMs);
    type.push(row[3]);
    for (let i = 0; i < fields.length; i++) fields[i]!.push(row[4 + i] as number);
    duration.push(row[9]);
    if (row[10] !== null) {
      this.revenues.hit.push(hit);
      this.revenues.amount.push(row[10]);
      this.revenues.currency.push(row[11]);
    }
    if (row[12] !== null) {
      const stored = JSON.parse(row[12]) as number[];
      if (row[3] === hitTypes.identify) this.identities.set(hit, stored as [number, number]);
      else if (row[3] <= lastHitCode) this.#addProperties(hit, stored);
    }
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
