/**
 * A day made of hits of other days, as if only these had come: how hits are taken out of a day
 * (some-hits.ts). What its hits say about a visit is worked out again: start, end, entry and exit
 * page, numbers. What came with the visit or its hits stays as it was.
 */
import { type ColumnName, columns } from '../../model/columns.ts';
import { lazy } from '../../model/remember.ts';
import { dayMs } from '../../model/time.ts';
import type { ByteCache } from './byte-cache.ts';
import type { Column } from './column-codec.ts';
import { type Day, type DayFacts, dayOver, type NumberName, numberColumn, type TextName, textColumn } from './day.ts';
import { derive, withUsed } from './derived.ts';
import { gather, joined } from './gather.ts';
import { sortRows } from './open/sort.ts';

/**
 * What of the sources is in the day, each worked out when it is needed: few columns need all of it.
 * Rows are counted through: those of the second source follow those of the first.
 */
export interface Composition {
  /** Of each visit, a row that has what came with it. */
  visits(): Uint32Array;
  /** Of each visit, a row that says who its visitor is; missing where it is that of `visits`. */
  identities?(): Uint32Array;
  /** When each visit began and ended, in milliseconds since midnight. */
  spans(): { started: Uint32Array; ended: Uint32Array };
  /** How many of the hits are each visit's. */
  hitsOf(): Uint32Array;
  hits(): Uint32Array;
  /** How many of the visits are of hash mode. They come first. */
  hashVisits(): number;
  /** Of all hits of the sources, milliseconds since midnight. */
  times(): Uint32Array;
}

/** A day that is not made yet. */
export interface ComposedDay {
  facts(): DayFacts;
  /** A column but for those that `derive` makes of others. */
  column(name: ColumnName): Column;
}

/**
 * Facts and columns are made when they are asked for; the sources must be readable until then. The
 * day is named as its first source is.
 */
export const composeDay = (sources: readonly Day[], made: Composition): ComposedDay => {
  const times = lazy(() => gather(made.times(), made.hits()));
  return {
    facts() {
      const [{ siteId, day, part, version }] = sources as [Day];
      const sealed = sources.every(source => source.sealed);
      const [visits, hits] = [made.visits().length, made.hits().length];
      const [first, last] = bounds(times());
      const [firstAt, lastAt] = hits === 0 ? [0, 0] : [day * dayMs + first, day * dayMs + last];
      return { siteId, day, part, sealed, version, visits, hashVisits: made.hashVisits(), hits, firstAt, lastAt };
    },
    column: columnMaker(sources, made, times),
  };
};

/** The day now, with columns made each time when they are asked for. */
export const dayOf = ({ facts, column }: ComposedDay): Day => {
  const day: Day = dayOver(facts(), name => derive(day, name) ?? column(name));
  return day;
};

/** The day with all that is made of it kept in a cache under a name. */
export const cachedDay = ({ facts, column }: ComposedDay, cache: ByteCache, name: string, keeper = asItIs): Day => {
  const day: Day = dayOver(cache.get(`${name} facts`, facts), of =>
    cache.get(`${name} ${of}`, () => keeper(derive(day, of) ?? column(of))),
  );
  return day;
};
const asItIs = (column: Column): Column => column;

/** Of each hit of a day, milliseconds since midnight. */
export const timesOf = (day: Day): Uint32Array => {
  const times = new Uint32Array(day.numbers('time'));
  const [started, hitsOf] = [day.numbers('started'), day.numbers('hits')];
  for (let visit = 0, hit = 0; visit < day.visits; visit++)
    for (const end = hit + hitsOf[visit]!; hit < end; hit++) times[hit]! += started[visit]!;
  return times;
};

const columnMaker = (
  sources: readonly Day[],
  made: Composition,
  times: () => Uint32Array,
): ((name: ColumnName) => Column) => {
  const positions = lazy(() => positionsOf(made.hits(), hitsIn(sources)));
  const rows = {
    visit: made.visits,
    hit: made.hits,
    revenue: () => sparseRows(positions(), [numbersOf(sources, 'revenueHit', hitsBefore(sources))]),
    property: () =>
      sparseRows(positions(), [numbersOf(sources, 'propertyHit', hitsBefore(sources)), idsOf(sources, 'propertyKey')]),
  };
  const positionsAt = (name: 'revenueHit' | 'propertyHit', table: 'revenue' | 'property'): Uint32Array =>
    gather(positions(), gather(numbersOf(sources, name, hitsBefore(sources)) as Uint32Array, rows[table]()));
  const identityColumn = (name: 'identified' | 'traits') => (): Column =>
    gatherTexts(sources, name, (made.identities ?? made.visits)());
  const workedOut: Partial<Record<ColumnName, () => Column>> = {
    identified: identityColumn('identified'),
    traits: identityColumn('traits'),
    newVisitor: () => numberColumn(newVisitors(sources, made)),
    started: () => numberColumn(made.spans().started),
    duration: () => numberColumn(durationsOf(made.spans())),
    hits: () => numberColumn(made.hitsOf()),
    time: () => numberColumn(sinceStart(times(), made.spans().started, made.hitsOf())),
    revenueHit: () => numberColumn(positionsAt('revenueHit', 'revenue')),
    propertyHit: () => numberColumn(positionsAt('propertyHit', 'property')),
  };
  return name => {
    const { table, kind } = columns[name];
    const own = workedOut[name];
    if (own !== undefined) return own();
    if (kind === 'hash') return { kind, values: gatherHashes(sources, rows[table]()) };
    if (kind === 'text') return gatherTexts(sources, name as TextName, rows[table]());
    return numberColumn(gatherNumbers(numbersOf(sources, name as NumberName), rows[table]()));
  };
};

const durationsOf = ({ started, ended }: ReturnType<Composition['spans']>): Uint32Array => {
  const durations = new Uint32Array(started.length);
  for (let visit = 0; visit < durations.length; visit++) durations[visit] = ended[visit]! - started[visit]!;
  return durations;
};

const hitsIn = (sources: readonly Day[]): number => sources.reduce((sum, { hits }) => sum + hits, 0);

/** Of each source, how many hits those before it have. */
const hitsBefore = (sources: readonly Day[]): number[] => sources.map((_, i) => hitsIn(sources.slice(0, i)));

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
      return gather(dictionary, new Uint32Array(codes));
    }),
  );

const gatherTexts = (sources: readonly Day[], name: TextName, rows: Uint32Array): Column => {
  if (sources.length > 1) return textColumn(gather(idsOf(sources, name), rows));
  const { codes, dictionary } = sources[0]!.texts(name);
  return withUsed(gather(codes, rows), dictionary);
};

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
const newVisitors = (sources: readonly Day[], made: Composition): Uint32Array => {
  const [first, ...others] = sources as [Day];
  // Of one day, its visitors can be numbered: that is quicker than to compare hashes.
  const visitors = others.length > 0 ? gatherHashes(sources, made.visits()) : gather(visitorsOf(first), made.visits());
  const hashVisits = made.hashVisits();
  const isNew = new Uint32Array(visitors.length);
  for (let visit = 0; visit < visitors.length; visit++)
    isNew[visit] = visit === 0 || visit === hashVisits || visitors[visit] !== visitors[visit - 1] ? 1 : 0;
  return isNew;
};

/** Of each visit, the number of its visitor. */
const visitorsOf = (day: Day): Uint32Array => {
  const visitors = new Uint32Array(day.numbers('newVisitor'));
  for (let visit = 1; visit < visitors.length; visit++) visitors[visit]! += visitors[visit - 1]!;
  return visitors;
};

const sinceStart = (times: Uint32Array, started: Uint32Array, hitsOf: Uint32Array): Uint32Array => {
  const since = new Uint32Array(times.length);
  for (let visit = 0, hit = 0; visit < hitsOf.length; visit++)
    for (const end = hit + hitsOf[visit]!; hit < end; hit++) since[hit] = times[hit]! - started[visit]!;
  return since;
};
