/**
 * Folds the rows of an open day into columns: groups hits into visits and visits into visitors, and works out what a visit's
 * hits say about it (end, entry and exit page, pageviews).
 *
 *     rows in order of arrival -> facts of visits -> visits in order, hits in order -> columns, as they are asked for
 *
 * Rows may keep coming. They are added to the facts of their visits and put into the orders, and columns that were made before are mended, so that
 * some hundred rows more cost little however large the day is. That holds as long as no hit or mark is earlier than one of its visit that came
 * before it. When one is, as after a clock was set back, an open day (open-day.ts) folds all its rows anew in the order of time.
 */
import { type ColumnName, type ColumnTable, columns } from '../../../model/columns.ts';
import { lastHitCode } from '../../../model/hit.ts';
import { dayMs } from '../../../model/time.ts';
import type { Column } from '../column-codec.ts';
import { type Day, type DayFacts, dayOver } from '../day.ts';
import { gather, join, rowsBetween, rowsWhere } from '../gather.ts';
import { columnSources } from './column-sources.ts';
import type { DayRows } from './day-rows.ts';
import { growingBytes, growingIntegers } from './growing-column.ts';
import { type KeptColumns, keptColumns } from './kept-columns.ts';
import { RowOrder } from './row-order.ts';
import { sortRows, sortSome } from './sort.ts';
import { VisitAggregates } from './visit-aggregates.ts';

export class Fold {
  readonly #rows: DayRows;
  readonly #visitFacts: VisitAggregates;
  readonly #visits = new RowOrder();
  readonly #hits = new RowOrder();
  readonly #revenues = new RowOrder();
  readonly #properties = new RowOrder();
  /** Visits that hold no hits so far, ascending. */
  #waiting: Uint32Array = new Uint32Array();
  /** Place of each visit in the order of visits. */
  readonly #visitPlaces = growingIntegers();
  readonly #newVisitor = growingBytes();
  #hashVisits = 0;
  /** Milliseconds since midnight. */
  #firstTime = dayMs;
  #lastTime = 0;
  /** Place of each hit in the order of hits; made when it is asked for. */
  #hitPlaces: Uint32Array | undefined;
  #version = 0;
  readonly #columns: Record<ColumnTable, KeptColumns>;

  constructor(rows: DayRows) {
    this.#rows = rows;
    this.#visitFacts = new VisitAggregates(rows);
    const sources = columnSources(rows, this.#visitFacts, this.#newVisitor, () => this.#placesOfHits());
    this.#columns = {
      visit: keptColumns(this.#visits, sources.visit),
      hit: keptColumns(this.#hits, sources.hit),
      revenue: keptColumns(this.#revenues, sources.revenue),
      property: keptColumns(this.#properties, sources.property),
    };
  }

  /**
   * Takes in hits and marks, and the visits that have come with them. Those of one visit must come in the order of time, over
   * all calls; if not, it returns false and is of no more use.
   */
  add(rows: Uint32Array): boolean {
    this.#version++;
    if (!this.#visitFacts.add(rows)) return false;
    const visits = this.#rows.visits.id.length;
    this.#waiting = join(this.#waiting, rowsBetween(this.#visitPlaces.length, visits));
    this.#visitPlaces.lengthen(visits, notPlaced);
    this.#newVisitor.lengthen(visits, 1);
    const visitPlaces = this.#visitPlaces.values();
    const continued = rowsWhere(gather(this.#rows.hits.visit.values(), rows), visitPlaces, isPlaced);
    const followers = this.#enterVisits();
    for (const altered of [continued, followers]) this.#visits.alter(altered, gather(visitPlaces, altered));
    this.#enterHits(rows);
    this.#hitPlaces = undefined;
    for (const kept of Object.values(this.#columns)) kept.dropUnmendable();
    return true;
  }

  day(): Day {
    const version = this.#version;
    const midnight = this.#rows.day * dayMs;
    const hits = this.#hits.rows.length;
    const facts: DayFacts = {
      siteId: this.#rows.siteId,
      day: this.#rows.day,
      sealed: false,
      visits: this.#visits.rows.length,
      hashVisits: this.#hashVisits,
      hits,
      firstAt: hits === 0 ? 0 : midnight + this.#firstTime,
      lastAt: hits === 0 ? 0 : midnight + this.#lastTime,
    };
    return dayOver(facts, name => {
      if (version !== this.#version) throw new Error('rows have come since the day was read');
      return this.#column(name);
    });
  }

  #column(name: ColumnName): Column {
    const { table } = columns[name];
    if (table === 'revenue') this.#enterRevenues();
    if (table === 'property') this.#enterProperties();
    return this.#columns[table].column(name);
  }

  /**
   * Puts the visits whose first hits have come into their order: by visitor and start. Those with nothing but marks are left out: no slice can
   * select them. Returns visits that were there before and have another `newVisitor` now.
   */
  #enterVisits(): Uint32Array {
    const visitPlaces = this.#visitPlaces.values();
    const hits = this.#visitFacts.hits.values();
    const persistent = this.#rows.visits.persistent.values();
    const keys = [
      persistent,
      this.#rows.visits.visitorHigh.values(),
      this.#rows.visits.visitorLow.values(),
      this.#visitFacts.started.values(),
    ];
    const entering = rowsWhere(this.#waiting, hits, isNotZero);
    this.#waiting = rowsWhere(this.#waiting, hits, isZero);
    const places = this.#visits.enter(sortSome(entering, keys), (visit, other) => {
      for (const key of keys) if (key[visit] !== key[other]) return key[visit]! < key[other]!;
      return visit < other;
    });
    if (places.length === 0) return places;
    const order = this.#visits.rows;
    for (let place = places[0]!; place < order.length; place++) visitPlaces[order[place]!] = place;
    for (const visit of entering) if (persistent[visit] === 0) this.#hashVisits++;
    return this.#meetVisitors(places);
  }

  /** Says of visits that have come to these places, and of each behind them, whether its visitor is new there. Returns those that are no longer. */
  #meetVisitors(places: Uint32Array): Uint32Array {
    const order = this.#visits.rows;
    const newVisitor = this.#newVisitor.values();
    const { persistent, visitorHigh, visitorLow } = this.#rows.visits;
    const keys = [visitorLow.values(), visitorHigh.values(), persistent.values()];
    const followers: number[] = [];
    for (const entered of places) {
      for (let place = Math.max(entered, 1); place <= entered + 1 && place < order.length; place++) {
        const [visit, before] = [order[place]!, order[place - 1]!];
        if (newVisitor[visit] === 0 || keys.some(key => key[visit] !== key[before])) continue;
        newVisitor[visit] = 0;
        followers.push(visit);
      }
    }
    return Uint32Array.from(followers);
  }

  /** Puts hits into their order: by visit and time, in which they come. */
  #enterHits(rows: Uint32Array): void {
    const visitPlaces = this.#visitPlaces.values();
    const hitVisit = this.#rows.hits.visit.values();
    const hitTime = this.#rows.hits.time.values();
    const hitType = this.#rows.hits.type.values();
    const hits = rowsWhere(rows, hitType, isHit);
    for (const row of hits) {
      this.#firstTime = Math.min(this.#firstTime, hitTime[row]!);
      this.#lastTime = Math.max(this.#lastTime, hitTime[row]!);
    }
    const entering = gather(hits, sortRows(hits.length, [gather(visitPlaces, gather(hitVisit, hits))]));
    this.#hits.enter(entering, (row, other) => visitPlaces[hitVisit[row]!]! < visitPlaces[hitVisit[other]!]!);
  }

  /** Revenue rows are in the order of their hits. They name a hit by its place among the hits. */
  #enterRevenues(): void {
    const hit = this.#rows.revenues.hit.values();
    if (this.#revenues.rows.length === hit.length) return;
    const places = this.#placesOfHits();
    const entering = rowsBetween(this.#revenues.rows.length, hit.length);
    const sorted = gather(entering, sortRows(entering.length, [gather(places, gather(hit, entering))]));
    this.#revenues.enter(sorted, (row, other) => places[hit[row]!]! < places[hit[other]!]!);
  }

  /** Property rows are in the order of their keys, and those of a key in that of their hits. */
  #enterProperties(): void {
    const hit = this.#rows.properties.hit.values();
    if (this.#properties.rows.length === hit.length) return;
    const key = this.#rows.properties.key.values();
    const places = this.#placesOfHits();
    const entering = rowsBetween(this.#properties.rows.length, hit.length);
    const keys = [gather(key, entering), gather(places, gather(hit, entering))];
    this.#properties.enter(gather(entering, sortRows(entering.length, keys)), (row, other) =>
      key[row] === key[other] ? places[hit[row]!]! < places[hit[other]!]! : key[row]! < key[other]!,
    );
  }

  /** By the row of a hit; 0 for marks. */
  #placesOfHits(): Uint32Array {
    if (this.#hitPlaces !== undefined) return this.#hitPlaces;
    const order = this.#hits.rows;
    const places = new Uint32Array(this.#rows.hits.visit.length);
    for (let place = 0; place < order.length; place++) places[order[place]!] = place;
    this.#hitPlaces = places;
    return places;
  }
}

const notPlaced = 0xffffffff;

const isPlaced = (place: number): boolean => place !== notPlaced;
const isZero = (count: number): boolean => count === 0;
const isNotZero = (count: number): boolean => count !== 0;
const isHit = (type: number): boolean => type <= lastHitCode;
