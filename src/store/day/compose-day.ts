/**
 * A day made of hits of other days, as if only these had come: how hits are taken out of a day
 * (some-hits.ts). What its hits say about a visit is worked out again: start, end, entry and exit
 * page, numbers. What came with the visit or its hits stays as it was.
 */
import { type ColumnName, columns } from '../../model/columns.ts';
import { dayMs } from '../../model/time.ts';
import type { Column } from './column-codec.ts';
import { type Day, dayOver, type NumberName, numberColumn, type TextName, textColumn } from './day.ts';
import { derive } from './derived.ts';
import { gather, joined } from './gather.ts';
import { sortRows } from './open/sort.ts';

/** Rows of the sources are counted through: those of the second follow those of the first. */
export interface Composition {
  /** Of each visit, a row that has what came with it. */
  visits: Uint32Array;
  /** Of each visit, a row that says who its visitor is; missing where it is that of `visits`. */
  identities?: Uint32Array;
  /** Milliseconds since midnight. */
  started: Uint32Array;
  ended: Uint32Array;
  /** How many of the hits are each visit's. */
  hitsOf: Uint32Array;
  hits: Uint32Array;
  /** How many of the visits are of hash mode. They come first. */
  hashVisits: number;
}

/**
 * Columns are made when they are asked for; the sources must be readable until then. `timesOfAll`
 * are those of all hits of the sources.
 */
export const composeDay = (
  sources: readonly Day[],
  made: Composition,
  timesOfAll: Uint32Array = joined(sources.map(timesOf)),
): Day => {
  const [{ siteId, day, part, version }] = sources as [Day];
  const sealed = sources.every(source => source.sealed);
  const { visits, hashVisits, hits } = made;
  const times = gather(timesOfAll, hits);
  const [first, last] = bounds(times);
  const [firstAt, lastAt] = hits.length === 0 ? [0, 0] : [day * dayMs + first, day * dayMs + last];
  const facts = {
    ...{ siteId, day, part, sealed, version },
    ...{ visits: visits.length, hashVisits, hits: hits.length, firstAt, lastAt },
  };
  const make = columnMaker(sources, made, times);
  const composed: Day = dayOver(facts, name => derive(composed, name) ?? make(name));
  return composed;
};

/** Of each hit of a day, milliseconds since midnight. */
export const timesOf = (day: Day): Uint32Array => {
  const times = Uint32Array.from(day.numbers('time'));
  const [started, hitsOf] = [day.numbers('started'), day.numbers('hits')];
  for (let visit = 0, hit = 0; visit < day.visits; visit++)
    for (const end = hit + hitsOf[visit]!; hit < end; hit++) times[hit]! += started[visit]!;
  return times;
};

const columnMaker = (
  sources: readonly Day[],
  made: Composition,
  times: Uint32Array,
): ((name: ColumnName) => Column) => {
  const positions = positionsOf(made.hits, rowsIn(sources, 'type'));
  const rows = {
    visit: () => made.visits,
    hit: () => made.hits,
    revenue: () => sparseRows(positions, [numbersOf(sources, 'revenueHit', hitsBefore(sources))]),
    property: () =>
      sparseRows(positions, [numbersOf(sources, 'propertyHit', hitsBefore(sources)), idsOf(sources, 'propertyKey')]),
  };
  const positionsAt = (name: 'revenueHit' | 'propertyHit', table: 'revenue' | 'property'): Uint32Array =>
    gather(positions, gather(numbersOf(sources, name, hitsBefore(sources)) as Uint32Array, rows[table]()));
  const identityColumn = (name: 'identified' | 'traits') => (): Column =>
    textColumn(gather(idsOf(sources, name), made.identities ?? made.visits));
  const workedOut: Partial<Record<ColumnName, () => Column>> = {
    identified: identityColumn('identified'),
    traits: identityColumn('traits'),
    newVisitor: () => numberColumn(newVisitors(gatherHashes(sources, made.visits), made.hashVisits)),
    started: () => numberColumn(made.started),
    duration: () => numberColumn(made.ended.map((ended, visit) => ended - made.started[visit]!)),
    hits: () => numberColumn(made.hitsOf),
    time: () => numberColumn(sinceStart(times, made)),
    revenueHit: () => numberColumn(positionsAt('revenueHit', 'revenue')),
    propertyHit: () => numberColumn(positionsAt('propertyHit', 'property')),
  };
  return name => {
    const { table, kind } = columns[name];
    const own = workedOut[name];
    if (own !== undefined) return own();
    if (kind === 'hash') return { kind, values: gatherHashes(sources, rows[table]()) };
    if (kind === 'text') return textColumn(gather(idsOf(sources, name as TextName), rows[table]()));
    return numberColumn(gatherNumbers(numbersOf(sources, name as NumberName), rows[table]()));
  };
};

const rowsIn = (sources: readonly Day[], name: NumberName): number =>
  sources.reduce((sum, day) => sum + day.numbers(name).length, 0);

/** Of each source, how many hits those before it have. */
const hitsBefore = (sources: readonly Day[]): number[] =>
  sources.map((_, i) => sources.slice(0, i).reduce((sum, day) => sum + day.hits, 0));

/** The values of all sources, each raised by what `raise` has for its source. */
const numbersOf = (
  sources: readonly Day[],
  name: NumberName,
  raise: readonly number[] = [],
): Uint32Array | Float64Array => {
  const parts = sources.map(day => day.numbers(name));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const all = parts.some(part => part instanceof Float64Array) ? new Float64Array(length) : new Uint32Array(length);
  let at = 0;
  parts.forEach((part, i) => {
    all.set(part, at);
    const by = raise[i] ?? 0;
    for (const end = at + part.length; at < end; at++) all[at]! += by;
  });
  return all;
};

/** The ids of a text of all sources. */
export const idsOf = (sources: readonly Day[], name: TextName): Uint32Array =>
  joined(
    sources.map(day => {
      const { codes, dictionary } = day.texts(name);
      return gather(dictionary, Uint32Array.from(codes));
    }),
  );

const gatherNumbers = (values: Uint32Array | Float64Array, rows: Uint32Array): Uint32Array | Float64Array => {
  const gathered = values instanceof Float64Array ? new Float64Array(rows.length) : new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) gathered[i] = values[rows[i]!]!;
  return gathered;
};

const gatherHashes = (sources: readonly Day[], rows: Uint32Array): BigUint64Array => {
  const all = new BigUint64Array(sources.reduce((sum, { visits }) => sum + visits, 0));
  sources.reduce((at, day) => {
    all.set(day.hashes(), at);
    return at + day.visits;
  }, 0);
  const values = new BigUint64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = all[rows[i]!]!;
  return values;
};

const absent = 0xffffffff;

/** Where each hit of the sources stands among some of them, or `absent`. */
const positionsOf = (hits: Uint32Array, all: number): Uint32Array => {
  const positions = new Uint32Array(all).fill(absent);
  for (let position = 0; position < hits.length; position++) positions[hits[position]!] = position;
  return positions;
};

/**
 * The rows of a sparse table whose hits are there, in the order of `orders`, the least significant
 * first; the first of them names hits of the sources.
 */
const sparseRows = (positions: Uint32Array, orders: readonly (Uint32Array | Float64Array)[]): Uint32Array => {
  const [hits, ...others] = orders as Uint32Array[];
  const present = new Uint32Array(hits!.length);
  let count = 0;
  for (let row = 0; row < hits!.length; row++) if (positions[hits![row]!] !== absent) present[count++] = row;
  const rows = present.slice(0, count);
  const keys = [gather(positions, gather(hits!, rows)), ...others.map(key => gather(key, rows))];
  return gather(rows, sortRows(count, keys.toReversed()));
};

const bounds = (values: Uint32Array): [least: number, most: number] => {
  let [least, most] = [dayMs, 0];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
};

/** Visitors are adjacent, within hash mode and within cookie mode. */
const newVisitors = (hashes: BigUint64Array, hashVisits: number): Uint32Array => {
  const isNew = new Uint32Array(hashes.length);
  for (let visit = 0; visit < hashes.length; visit++)
    isNew[visit] = visit === 0 || visit === hashVisits || hashes[visit] !== hashes[visit - 1] ? 1 : 0;
  return isNew;
};

const sinceStart = (times: Uint32Array, { started, hitsOf }: Composition): Uint32Array => {
  const since = new Uint32Array(times.length);
  for (let visit = 0, hit = 0; visit < hitsOf.length; visit++)
    for (const end = hit + hitsOf[visit]!; hit < end; hit++) since[hit] = times[hit]! - started[visit]!;
  return since;
};
