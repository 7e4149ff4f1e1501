/**
 * Folds the rows of an open day into columns: groups hits into visits and visits into visitors, and works out what a visit's
 * hits say about it (end, entry and exit page, pageviews). Rows may keep coming; columns are made anew when they are asked for
 * after that. A million hits fold in some 100 ms.
 */
import type { ColumnName } from '../../model/columns.ts';
import { hitTypes, lastHitCode, propertyTypes } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { pageFields, visitAttributes } from '../tables.ts';
import type { Column } from './column-codec.ts';
import { type Day, dayOver, numberColumn, textColumn } from './day.ts';
import { growingDoubles, growingIntegers } from './growing-column.ts';
import { sortRows } from './sort.ts';

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

/** Per row of a visit, what its hits and marks say; and per row of a hit, how long its page was looked at after it. */
interface Told {
  /** Milliseconds since midnight. */
  started: Uint32Array;
  ended: Uint32Array;
  hits: Uint32Array;
  pageviews: Uint32Array;
  /** Text ids. */
  entryPath: Uint32Array;
  exitPath: Uint32Array;
  identified: Uint32Array;
  traits: Uint32Array;
  msOnPage: Uint32Array;
}

/** Visits in the order of the columns. */
interface Ordered {
  /** Rows by place, and back. */
  order: Uint32Array;
  rank: Uint32Array;
  visitor: BigUint64Array;
  newVisitor: Uint8Array;
  hashVisits: number;
}

export class OpenDay {
  readonly #siteId: number;
  readonly #dayNumber: number;
  /** Row in the visit arrays of each visit id. */
  readonly #visitRows = new Map<number, number>();
  readonly #visitorHigh = growingIntegers();
  readonly #visitorLow = growingIntegers();
  readonly #persistent = growingIntegers();
  readonly #seenBefore = growingIntegers();
  readonly #attributes = visitAttributes.map(() => growingIntegers());

  readonly #hitVisit = growingIntegers();
  /** Milliseconds since midnight. */
  readonly #hitTime = growingIntegers();
  readonly #hitType = growingIntegers();
  readonly #pageFields = pageFields.map(() => growingIntegers());
  readonly #duration = growingIntegers();
  readonly #revenueHit = growingIntegers();
  readonly #revenueAmount = growingDoubles();
  readonly #revenueCurrency = growingIntegers();
  readonly #propertyHit = growingIntegers();
  readonly #propertyKey = growingIntegers();
  readonly #propertyType = growingIntegers();
  readonly #propertyText = growingIntegers();
  readonly #propertyNumber = growingDoubles();
  /** Text ids of name and traits, by the row of the identify. */
  readonly #identities = new Map<number, [name: number, traits: number]>();
  #folded: Day | undefined;

  constructor(siteId: number, day: number) {
    this.#siteId = siteId;
    this.#dayNumber = day;
  }

  addVisit(row: VisitRow): void {
    this.#visitRows.set(row[0], this.#visitRows.size);
    this.#visitorHigh.push(row[1].readUInt32BE(0));
    this.#visitorLow.push(row[1].readUInt32BE(4));
    this.#persistent.push(row[2]);
    this.#seenBefore.push(row[3]);
    for (let i = 0; i < visitAttributes.length; i++) this.#attributes[i]!.push(row[4 + i] as number);
    this.#folded = undefined;
  }

  /** The hit's visit must have been added before. */
  addHit(row: HitRow): void {
    const visit = this.#visitRows.get(row[1]);
    if (visit === undefined) throw new Error(`hit ${row[0]} belongs to no visit`);
    const hit = this.#hitVisit.length;
    this.#hitVisit.push(visit);
    this.#hitTime.push(row[2] - this.#dayNumber * dayMs);
    this.#hitType.push(row[3]);
    for (let i = 0; i < pageFields.length; i++) this.#pageFields[i]!.push(row[4 + i] as number);
    this.#duration.push(row[9]);
    if (row[10] !== null) {
      this.#revenueHit.push(hit);
      this.#revenueAmount.push(row[10]);
      this.#revenueCurrency.push(row[11]);
    }
    if (row[12] !== null) {
      const stored = JSON.parse(row[12]) as number[];
      if (row[3] === hitTypes.identify) this.#identities.set(hit, stored as [number, number]);
      else this.#addProperties(hit, stored);
    }
    this.#folded = undefined;
  }

  /** `stored` is key, type and value in turn, as the recorder writes them. */
  #addProperties(hit: number, stored: readonly number[]): void {
    for (let i = 0; i < stored.length; i += 3) {
      const isText = stored[i + 1] === propertyTypes.string;
      this.#propertyHit.push(hit);
      this.#propertyKey.push(stored[i]!);
      this.#propertyType.push(stored[i + 1]!);
      this.#propertyText.push(isText ? stored[i + 2]! : 0);
      this.#propertyNumber.push(isText ? 0 : stored[i + 2]!);
    }
  }

  /** The columns of all rows so far. */
  day(): Day {
    this.#folded ??= this.#fold();
    return this.#folded;
  }

  #fold(): Day {
    const hitVisit = this.#hitVisit.values();
    const hitTime = this.#hitTime.values();
    const hitType = this.#hitType.values();
    const byTime = sortRows(hitTime.length, [hitTime]);
    const told = this.#tellVisits(byTime);
    const visits = this.#orderVisits(told);
    const inTime = selectRows(byTime, hitType, hitTypes.pageview, lastHitCode);
    const hitRank = gather(visits.rank, gather(hitVisit, inTime));
    const hitOrder = gather(inTime, sortRows(inTime.length, [hitRank]));

    const made = new Map<ColumnName, Column>();
    this.#makeVisitColumns(told, visits, made);
    this.#makeHitColumns(told, hitOrder, made);
    this.#makeSparseColumns(hitOrder, made);

    const midnight = this.#dayNumber * dayMs;
    const timeOf = (row: number | undefined): number => (row === undefined ? 0 : midnight + hitTime[row]!);
    const facts = {
      siteId: this.#siteId,
      day: this.#dayNumber,
      sealed: false,
      visits: visits.order.length,
      hashVisits: visits.hashVisits,
      hits: hitOrder.length,
      firstAt: timeOf(inTime[0]),
      lastAt: timeOf(inTime[inTime.length - 1]),
    };
    return dayOver(facts, name => made.get(name)!);
  }

  /** What each visit's hits and marks say about it, told in order of time. */
  #tellVisits(byTime: Uint32Array): Told {
    const hitVisit = this.#hitVisit.values();
    const hitTime = this.#hitTime.values();
    const hitType = this.#hitType.values();
    const duration = this.#duration.values();
    const path = this.#pageFields[0]!.values();
    const rows = this.#visitRows.size;
    const ofVisits = (): Uint32Array => new Uint32Array(rows);
    const told: Told = {
      started: ofVisits().fill(dayMs),
      ended: ofVisits(),
      hits: ofVisits(),
      pageviews: ofVisits(),
      entryPath: ofVisits(),
      exitPath: ofVisits(),
      identified: ofVisits(),
      traits: ofVisits(),
      msOnPage: new Uint32Array(byTime.length),
    };
    const { started, ended, hits, pageviews, entryPath, exitPath, identified, traits, msOnPage } = told;
    const lastPageview = new Int32Array(rows).fill(-1);
    for (let place = 0; place < byTime.length; place++) {
      const row = byTime[place]!;
      const visit = hitVisit[row]!;
      const type = hitType[row]!;
      if (started[visit] === dayMs) started[visit] = hitTime[row]!;
      ended[visit] = hitTime[row]!;
      const page = lastPageview[visit]!;
      if (page >= 0) msOnPage[page]! += duration[row]!;
      if (type === hitTypes.identify) {
        const identity = this.#identities.get(row);
        if (identity !== undefined) [identified[visit], traits[visit]] = identity;
      }
      if (type > lastHitCode) continue;
      hits[visit]!++;
      if (type !== hitTypes.pageview) continue;
      if (pageviews[visit]!++ === 0) entryPath[visit] = path[row]!;
      exitPath[visit] = path[row]!;
      lastPageview[visit] = row;
    }
    return told;
  }

  /** The visits that hold hits, by visitor and start. Those with nothing but marks are left out: no slice can select them. */
  #orderVisits({ started, hits }: Told): Ordered {
    const persistent = this.#persistent.values();
    const high = this.#visitorHigh.values();
    const low = this.#visitorLow.values();
    const order = selectRows(sortRows(hits.length, [persistent, high, low, started]), hits, 1, dayMs);
    const rank = new Uint32Array(hits.length);
    const visitor = new BigUint64Array(order.length);
    const newVisitor = new Uint8Array(order.length).fill(1);
    let hashVisits = 0;
    for (let place = 0; place < order.length; place++) {
      const visit = order[place]!;
      rank[visit] = place;
      visitor[place] = (BigInt(high[visit]!) << 32n) | BigInt(low[visit]!);
      if (persistent[visit] === 0) hashVisits++;
      // The first cookie-mode visit begins a new visitor whatever its hash is.
      else if (place === hashVisits) continue;
      if (place > 0 && visitor[place] === visitor[place - 1]) newVisitor[place] = 0;
    }
    return { order, rank, visitor, newVisitor, hashVisits };
  }

  #makeVisitColumns(told: Told, { order, visitor, newVisitor }: Ordered, made: Map<ColumnName, Column>): void {
    const numbers = (values: Uint32Array): Column => numberColumn(gather(values, order));
    const texts = (values: Uint32Array): Column => textColumn(gather(values, order));
    made.set('visitor', { kind: 'hash', values: visitor });
    made.set('newVisitor', { kind: 'number', values: newVisitor });
    made.set('seenBefore', numbers(this.#seenBefore.values()));
    made.set('started', numbers(told.started));
    made.set('duration', numberColumn(order.map(visit => told.ended[visit]! - told.started[visit]!)));
    made.set('hits', numbers(told.hits));
    made.set('pageviews', numbers(told.pageviews));
    for (const name of ['entryPath', 'exitPath', 'identified', 'traits'] as const) made.set(name, texts(told[name]));
    visitAttributes.forEach((name, i) => {
      made.set(name, texts(this.#attributes[i]!.values()));
    });
  }

  #makeHitColumns({ started, msOnPage }: Told, order: Uint32Array, made: Map<ColumnName, Column>): void {
    const hitVisit = this.#hitVisit.values();
    const hitTime = this.#hitTime.values();
    const time = new Uint32Array(order.length);
    const secondsOnPage = new Uint32Array(order.length);
    for (let place = 0; place < order.length; place++) {
      const row = order[place]!;
      time[place] = hitTime[row]! - started[hitVisit[row]!]!;
      secondsOnPage[place] = Math.round(msOnPage[row]! / 1000);
    }
    made.set('time', numberColumn(time));
    made.set('secondsOnPage', numberColumn(secondsOnPage));
    made.set('type', numberColumn(gather(this.#hitType.values(), order)));
    pageFields.forEach((name, i) => {
      made.set(name, textColumn(gather(this.#pageFields[i]!.values(), order)));
    });
  }

  /** Revenue rows by hit, property rows by key and hit. They name a hit by its place among the hits. */
  #makeSparseColumns(hitOrder: Uint32Array, made: Map<ColumnName, Column>): void {
    const placeOf = new Uint32Array(this.#hitVisit.length);
    for (let place = 0; place < hitOrder.length; place++) placeOf[hitOrder[place]!] = place;

    const revenueHit = gather(placeOf, this.#revenueHit.values());
    const byHit = sortRows(revenueHit.length, [revenueHit]);
    made.set('revenueHit', numberColumn(gather(revenueHit, byHit)));
    made.set('revenueAmount', numberColumn(gatherDoubles(this.#revenueAmount.values(), byHit)));
    made.set('revenueCurrency', textColumn(gather(this.#revenueCurrency.values(), byHit)));

    const propertyHit = gather(placeOf, this.#propertyHit.values());
    const byKey = sortRows(propertyHit.length, [this.#propertyKey.values(), propertyHit]);
    made.set('propertyKey', textColumn(gather(this.#propertyKey.values(), byKey)));
    made.set('propertyHit', numberColumn(gather(propertyHit, byKey)));
    made.set('propertyType', numberColumn(gather(this.#propertyType.values(), byKey)));
    made.set('propertyText', textColumn(gather(this.#propertyText.values(), byKey)));
    made.set('propertyNumber', numberColumn(gatherDoubles(this.#propertyNumber.values(), byKey)));
  }
}

/** The rows of `order` whose value lies between two bounds, both included. */
const selectRows = (order: Uint32Array, values: Uint32Array, least: number, most: number): Uint32Array => {
  const selected = new Uint32Array(order.length);
  let count = 0;
  for (let place = 0; place < order.length; place++) {
    const row = order[place]!;
    if (values[row]! >= least && values[row]! <= most) selected[count++] = row;
  }
  return selected.subarray(0, count);
};

const gather = (values: Uint32Array, order: Uint32Array): Uint32Array =>
  gatherInto(new Uint32Array(order.length), values, order);
const gatherDoubles = (values: Float64Array, order: Uint32Array): Float64Array =>
  gatherInto(new Float64Array(order.length), values, order);

const gatherInto = <Values extends Uint32Array | Float64Array>(
  into: Values,
  from: Values,
  order: Uint32Array,
): Values => {
  for (let place = 0; place < order.length; place++) into[place] = from[order[place]!]!;
  return into;
};
