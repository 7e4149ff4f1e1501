/**
 * Folds the rows of an open day into columns: groups hits into visits and visits into visitors, and
 * works out what a visit's hits say about it (end, entry and exit page, pageviews).
 *
 *     rows as they came -> aggregates of visits -> visits and hits in order -> columns, on demand
 *
 * Rows may keep coming. They are added to the aggregates of their visits and inserted into the
 * orders, and columns that were made before are patched, so that some hundred rows more cost little
 * however large the day is. That holds as long as no hit is earlier than one of its visit that came
 * before it. When one is, as after a clock was set back, an open day (open-days.ts) folds all its
 * rows again in the order of time.
 */
import { type ColumnName, type ColumnTable, columns } from '../../../model/columns.ts';
import { lastHitCode } from '../../../model/hit.ts';
import { dayMs } from '../../../model/time.ts';
import type { Column } from '../column-codec.ts';
import { type Changes, type Day, type DayFacts, dayOver } from '../day.ts';
import { gather, joined, rowsBetween, rowsWhere } from '../gather.ts';
import { marksDay } from '../mark-visits.ts';
import type { DayRows } from './day-rows.ts';
import { growingBytes, growingIntegers } from './growing-column.ts';
import { type ColumnInputs, type OpenColumns, openColumns } from './open-columns.ts';
import { RowOrder } from './row-order.ts';
import { sortRows, sortSome } from './sort.ts';
import { VisitAggregates } from './visit-aggregates.ts';

export class Fold {
  readonly #rows: DayRows;
  readonly #aggregates: VisitAggregates;
  readonly #visits = new RowOrder();
  readonly #hits = new RowOrder();
  readonly #revenues = new RowOrder();
  readonly #properties = new RowOrder();
  /** Visits that hold no counting hits so far, ascending. */
  #empty: Uint32Array = new Uint32Array();
  /** Position of each visit in the order of visits. */
  readonly #visitPositions = growingIntegers();
  readonly #newVisitor = growingBytes();
  /** By the row of the visit, the version in which it changed last. */
  readonly #changedIn = growingIntegers();
  #hashVisits = 0;
  /** Milliseconds since midnight. */
  #firstTime = dayMs;
  #lastTime = 0;
  /** Position of each hit in the order of hits; made when it is asked for. */
  #hitPositions: Uint32Array | undefined;
  #version = 0;
  readonly #columns: Record<ColumnTable, OpenColumns>;
  readonly #inputs: ColumnInputs;

  constructor(rows: DayRows) {
    this.#rows = rows;
    this.#aggregates = new VisitAggregates(rows);
    this.#inputs = {
      rows,
      aggregates: this.#aggregates,
      newVisitor: this.#newVisitor,
      hitPositions: () => this.#positionsOfHits(),
    };
    this.#columns = {
      visit: openColumns('visit', this.#visits, this.#inputs),
      hit: openColumns('hit', this.#hits, this.#inputs),
      revenue: openColumns('revenue', this.#revenues, this.#inputs),
      property: openColumns('property', this.#properties, this.#inputs),
    };
  }

  /**
   * Adds hits, non-counting ones included, and the visits that have come with them. Those of one
   * visit must come in the order of time, over all calls: if not, it returns false, and the fold
   * must be dropped.
   */
  add(rows: Uint32Array): boolean {
    this.#version++;
    if (!this.#aggregates.add(rows)) return false;
    const visits = this.#rows.visits.id.length;
    this.#empty = joined([this.#empty, rowsBetween(this.#visitPositions.length, visits)]);
    this.#visitPositions.lengthen(visits, noPosition);
    this.#newVisitor.lengthen(visits, 1);
    this.#changedIn.lengthen(visits, 0);
    const positions = this.#visitPositions.values();
    const withHits = gather(this.#rows.hits.visit.values(), rows);
    const continued = rowsWhere(withHits, positions, hasPosition);
    const noLongerNew = this.#insertVisits();
    const changedIn = this.#changedIn.values();
    for (const changed of [withHits, noLongerNew]) for (const visit of changed) changedIn[visit] = this.#version;
    for (const updated of [continued, noLongerNew]) this.#visits.update(updated, gather(positions, updated));
    this.#insertHits(rows);
    this.#hitPositions = undefined;
    for (const kept of Object.values(this.#columns)) kept.dropUnpatchable();
    return true;
  }

  /**
   * The day as it is now. Its columns can be asked for until more rows are added; then it throws.
   */
  day(): Day {
    const version = this.#version;
    const midnight = this.#rows.day * dayMs;
    const hits = this.#hits.rows.length;
    const facts: DayFacts = {
      siteId: this.#rows.siteId,
      day: this.#rows.day,
      part: this.#rows.part,
      sealed: false,
      version: 0,
      visits: this.#visits.rows.length,
      hashVisits: this.#hashVisits,
      hits,
      firstAt: hits === 0 ? 0 : midnight + this.#firstTime,
      lastAt: hits === 0 ? 0 : midnight + this.#lastTime,
    };
    const read = (column: (name: ColumnName) => Column) => (name: ColumnName) => {
      if (version !== this.#version) throw new Error('rows have come since the day was read');
      return column(name);
    };
    const day = dayOver(
      facts,
      read(name => this.#column(name)),
    );
    const changes: Changes = {
      of: this,
      version,
      rows: this.#hits.rows,
      visitsSince: since => rowsWhere(rowsBetween(0, facts.visits), this.#changesInOrder(), last => last > since),
    };
    return { ...day, marks: () => this.#marks(facts, read), changes };
  }

  /** Of each visit of the day, the version in which it changed last. */
  #changesInOrder(): Uint32Array {
    return gather(this.#changedIn.values(), this.#visits.rows);
  }

  /** Visits of marks alone. Those that nothing came of yet are not among them. */
  #marks(facts: DayFacts, read: (column: (name: ColumnName) => Column) => (name: ColumnName) => Column): Day {
    const { persistent, visitorHigh, visitorLow } = this.#rows.visits;
    const started = this.#aggregates.started.values();
    const keys = [persistent.values(), visitorHigh.values(), visitorLow.values(), started];
    const order = new RowOrder();
    order.insert(sortSome(rowsWhere(this.#empty, started, isStarted), keys), () => false);
    const hashVisits = rowsWhere(order.rows, persistent.values(), isZero).length;
    const columnsOfVisits = openColumns('visit', order, this.#inputs);
    return marksDay(
      { ...facts, visits: order.rows.length, hashVisits },
      read(name => columnsOfVisits.column(name)),
    );
  }

  /** The row of each visit of the day. */
  get visitRows(): Uint32Array {
    return this.#visits.rows;
  }

  /** What it takes in memory, about, without the rows. */
  get bytes(): number {
    const orders = [this.#visits, this.#hits, this.#revenues, this.#properties];
    return (
      [this.#aggregates, this.#visitPositions, this.#newVisitor, this.#changedIn].reduce(
        (sum, { bytes }) => sum + bytes,
        0,
      ) +
      orders.reduce((sum, { rows }) => sum + rows.byteLength, 0) +
      Object.values(this.#columns).reduce((sum, { bytes }) => sum + bytes, 0) +
      (this.#hitPositions?.byteLength ?? 0)
    );
  }

  #column(name: ColumnName): Column {
    const { table } = columns[name];
    if (table === 'revenue') this.#insertRevenues();
    if (table === 'property') this.#insertProperties();
    return this.#columns[table].column(name);
  }

  /**
   * Inserts the visits whose first counting hits have come into their order: by visitor and start.
   * Visits without any are left out: no slice can select them. Returns visits that were there
   * before and whose visitor is no longer new there.
   */
  #insertVisits(): Uint32Array {
    const visitPositions = this.#visitPositions.values();
    const hits = this.#aggregates.hits.values();
    const persistent = this.#rows.visits.persistent.values();
    const keys = [
      persistent,
      this.#rows.visits.visitorHigh.values(),
      this.#rows.visits.visitorLow.values(),
      this.#aggregates.started.values(),
    ];
    const inserted = rowsWhere(this.#empty, hits, isNotZero);
    this.#empty = rowsWhere(this.#empty, hits, isZero);
    const positions = this.#visits.insert(sortSome(inserted, keys), (visit, other) => {
      for (const key of keys) if (key[visit] !== key[other]) return key[visit]! < key[other]!;
      return visit < other;
    });
    if (positions.length === 0) return positions;
    const order = this.#visits.rows;
    for (let position = positions[0]!; position < order.length; position++) visitPositions[order[position]!] = position;
    for (const visit of inserted) if (persistent[visit] === 0) this.#hashVisits++;
    return this.#markNewVisitors(positions);
  }

  /**
   * Updates `newVisitor` of visits at these positions and of the one behind each. Returns those
   * that are no longer new.
   */
  #markNewVisitors(positions: Uint32Array): Uint32Array {
    const order = this.#visits.rows;
    const newVisitor = this.#newVisitor.values();
    const { persistent, visitorHigh, visitorLow } = this.#rows.visits;
    const keys = [visitorLow.values(), visitorHigh.values(), persistent.values()];
    const noLongerNew: number[] = [];
    for (const inserted of positions) {
      for (let position = Math.max(inserted, 1); position <= inserted + 1 && position < order.length; position++) {
        const [visit, before] = [order[position]!, order[position - 1]!];
        if (newVisitor[visit] === 0 || keys.some(key => key[visit] !== key[before])) continue;
        newVisitor[visit] = 0;
        noLongerNew.push(visit);
      }
    }
    return Uint32Array.from(noLongerNew);
  }

  /** Inserts counting hits into their order: by visit and time, in which they come. */
  #insertHits(rows: Uint32Array): void {
    const visitPositions = this.#visitPositions.values();
    const hitVisit = this.#rows.hits.visit.values();
    const hitTime = this.#rows.hits.time.values();
    const hits = rowsWhere(rows, this.#rows.hits.type.values(), isCounting);
    for (const row of hits) {
      this.#firstTime = Math.min(this.#firstTime, hitTime[row]!);
      this.#lastTime = Math.max(this.#lastTime, hitTime[row]!);
    }
    const inserted = gather(hits, sortRows(hits.length, [gather(visitPositions, gather(hitVisit, hits))]));
    this.#hits.insert(inserted, (row, other) => visitPositions[hitVisit[row]!]! < visitPositions[hitVisit[other]!]!);
  }

  /**
   * Revenue rows are in the order of their hits. They name a hit by its position among the hits.
   */
  #insertRevenues(): void {
    const hit = this.#rows.revenues.hit.values();
    if (this.#revenues.rows.length === hit.length) return;
    const positions = this.#positionsOfHits();
    const inserted = rowsBetween(this.#revenues.rows.length, hit.length);
    const sorted = gather(inserted, sortRows(inserted.length, [gather(positions, gather(hit, inserted))]));
    this.#revenues.insert(sorted, (row, other) => positions[hit[row]!]! < positions[hit[other]!]!);
  }

  /** Property rows are in the order of their keys, and those of a key in that of their hits. */
  #insertProperties(): void {
    const hit = this.#rows.properties.hit.values();
    if (this.#properties.rows.length === hit.length) return;
    const key = this.#rows.properties.key.values();
    const positions = this.#positionsOfHits();
    const inserted = rowsBetween(this.#properties.rows.length, hit.length);
    const keys = [gather(key, inserted), gather(positions, gather(hit, inserted))];
    this.#properties.insert(gather(inserted, sortRows(inserted.length, keys)), (row, other) =>
      key[row] === key[other] ? positions[hit[row]!]! < positions[hit[other]!]! : key[row]! < key[other]!,
    );
  }

  /** By the row of a hit; 0 for non-counting ones. */
  #positionsOfHits(): Uint32Array {
    if (this.#hitPositions !== undefined) return this.#hitPositions;
    const order = this.#hits.rows;
    const positions = new Uint32Array(this.#rows.hits.visit.length);
    for (let position = 0; position < order.length; position++) positions[order[position]!] = position;
    this.#hitPositions = positions;
    return positions;
  }
}

const noPosition = 0xffffffff;

const hasPosition = (position: number): boolean => position !== noPosition;
const isStarted = (time: number): boolean => time < dayMs;
const isZero = (count: number): boolean => count === 0;
const isNotZero = (count: number): boolean => count !== 0;
const isCounting = (type: number): boolean => type <= lastHitCode;
