/** Rows of `hit` (schema.ts), in RowBinary, as the day that wrote them (day-rows.ts). */
import { type ColumnName, columnNames, pageFields } from '../model/columns.ts';
import { hitTypes, instantCode, isTextCode, propertyTypes } from '../model/hit.ts';
import { dayMs } from '../model/time.ts';
import { visitTextNames } from '../model/visit-fields.ts';
import type { Column } from '../store/day/column-codec.ts';
import { type Day, dayOver, numberColumn, textColumn } from '../store/day/day.ts';
import { gather, gatherDoubles } from '../store/day/gather.ts';
import { type GrowingColumn, growingDoubles, growingIntegers } from '../store/day/open/growing-column.ts';
import { sortRows } from '../store/day/open/sort.ts';
import type { DayPart } from '../store/day/part.ts';
import { type BinaryRow, type RowName, rowBinaryReader } from './row-binary-reader.ts';

export interface RowsOfDay {
  /** Adds rows: visits in any order, and each visit's hits in any order. */
  add(rows: Buffer): void;
  hits(): number;
  /** The texts that were met, from 1 on. */
  texts(): readonly string[];
  /**
   * The day of all rows, or the part of it that they are. `textIds` has the id of each text. Throws
   * RowsError where hits of a visit are missing.
   */
  day(siteId: number, part: DayPart, textIds: Uint32Array): Day;
}

/** Rows that are not those of whole visits. */
export class RowsError extends Error {}

const visitTexts = ['entryPath', 'exitPath', 'identified', 'traits', ...visitTextNames] as const;
const visitNumbers = ['started', 'duration', 'hits', 'pageviews', 'seenBefore'] as const;
const hitNumbers = ['type', 'secondsOnPage', 'scroll'] as const;

type DayColumns<N extends string> = Record<N, GrowingColumn<Uint32Array>>;
const columnsFor = <N extends string>(names: readonly N[]): DayColumns<N> =>
  Object.fromEntries(names.map(name => [name, growingIntegers()])) as DayColumns<N>;

const ofVisit = [
  'persistent',
  'high',
  'low',
  'nameHigh',
  'nameLow',
  'isOfSet',
  'screen',
  ...visitNumbers,
  ...visitTexts,
] as const;
const ofHit = ['visit', 'at', 'order', 'currency', ...hitNumbers, ...pageFields] as const;
const ofProperty = ['hit', 'key', 'type', 'text'] as const;

/** What was read of rows, in the order they came. */
interface Read {
  visits: DayColumns<(typeof ofVisit)[number]>;
  hits: DayColumns<(typeof ofHit)[number]>;
  amounts: GrowingColumn<Float64Array>;
  properties: DayColumns<(typeof ofProperty)[number]>;
  propertyNumbers: GrowingColumn<Float64Array>;
}

export const rowsOfDay = (): RowsOfDay => {
  const texts: string[] = [];
  const numbersOfTexts = new Map<string, number>([['', 0]]);
  const textNumber = (text: string): number => {
    const known = numbersOfTexts.get(text);
    if (known !== undefined) return known;
    numbersOfTexts.set(text, texts.push(text));
    return texts.length;
  };
  const read: Read = {
    visits: columnsFor(ofVisit),
    hits: columnsFor(ofHit),
    amounts: growingDoubles(),
    properties: columnsFor(ofProperty),
    propertyNumbers: growingDoubles(),
  };
  /** The visits that are known, by the upper and the lower bits of what they are called. */
  const visits = new Map<number, Map<number, number>>();
  return {
    add(rows) {
      for (const row of rowBinaryReader(rows)) {
        const [high, low] = [row.high('visit'), row.low('visit')];
        const ofHigh = visits.get(high) ?? new Map<number, number>();
        visits.set(high, ofHigh);
        let visit = ofHigh.get(low);
        if (visit === undefined) {
          visit = read.visits.hits.length;
          ofHigh.set(low, visit);
          addVisit(read.visits, row, textNumber);
        }
        addHit(read, row, visit, textNumber);
      }
    },
    hits: () => read.hits.type.length,
    texts: () => texts,
    day: (siteId, part, textIds) => dayOf(read, siteId, part, textIds),
  };
};

type TextNumber = (text: string) => number;

const addVisit = (to: Read['visits'], row: BinaryRow, text: TextNumber): void => {
  to.persistent.push(row.number('persistent'));
  to.high.push(row.high('visitor'));
  to.low.push(row.low('visitor'));
  to.nameHigh.push(row.high('visit'));
  to.nameLow.push(row.low('visit'));
  to.isOfSet.push(row.uint64('key') === 0n ? 0 : 1);
  to.screen.push(row.number('width') * 65_536 + row.number('height'));
  for (const name of visitNumbers) to[name].push(name === 'started' ? sinceMidnight(row, name) : row.number(name));
  for (const name of visitTexts) to[name].push(text(row.text(name)));
};

const sinceMidnight = (row: BinaryRow, name: RowName): number => row.number(name) - row.number('day') * dayMs;

const addHit = (
  { hits, amounts, properties, propertyNumbers }: Read,
  row: BinaryRow,
  visit: number,
  text: TextNumber,
): void => {
  const hit = hits.visit.length;
  hits.visit.push(visit);
  hits.at.push(sinceMidnight(row, 'at'));
  hits.order.push(row.low('id') & 0xfffff);
  hits.currency.push(text(row.text('currency')));
  for (const name of hitNumbers) hits[name].push(row.number(name));
  for (const name of pageFields) hits[name].push(text(row.text(name)));
  amounts.push(row.number('amount'));
  const types = row.numbers('prop_type');
  if (types.length === 0) return;
  const [keys, values, numbers] = [row.texts('prop_key'), row.texts('prop_text'), row.numbers('prop_number')];
  for (const [i, type] of types.entries()) {
    properties.hit.push(hit);
    properties.key.push(text(keys[i]!));
    properties.type.push(type);
    properties.text.push(isTextCode(type) ? text(values[i]!) : 0);
    propertyNumbers.push(numberOf(type, values[i]!, numbers[i]!));
  }
};

const numberOf = (type: number, text: string, number: number): number => {
  if (type === propertyTypes.number) return number;
  if (type === propertyTypes.boolean) return text === 'true' ? 1 : 0;
  return type === instantCode ? Date.parse(text) : 0;
};

const dayOf = (read: Read, siteId: number, { day, part }: DayPart, textIds: Uint32Array): Day => {
  const ids = Uint32Array.from([0, ...textIds]);
  const { visits, hits } = read;
  const visitOrder = sortRows(
    visits.high.length,
    (['persistent', 'high', 'low', 'started', 'nameHigh', 'nameLow'] as const).map(name => visits[name].values()),
  );
  const places = inverse(visitOrder);
  const hitOrder = sortRows(hits.visit.length, [
    gather(places, hits.visit.values()),
    hits.at.values(),
    hits.order.values(),
  ]);
  const made = { read, ids, visitOrder, hitOrder, hitPlaces: inverse(hitOrder) };
  countHits(made);
  const at = hits.at.values();
  const bounds = at.reduce(([from, to], time) => [Math.min(from!, time), Math.max(to!, time)], [dayMs, 0]);
  const [firstAt, lastAt] = at.length === 0 ? [0, 0] : bounds.map(time => day * dayMs + time);
  const hashVisits = visits.persistent.values().reduce((sum, persistent) => sum + (1 - persistent), 0);
  const facts = {
    ...{ siteId, day, part, sealed: true, version: 0 },
    ...{ visits: visitOrder.length, hashVisits, hits: hitOrder.length, firstAt: firstAt!, lastAt: lastAt! },
  };
  const all = new Map<ColumnName, Column>([...visitColumnsOf(made), ...hitColumnsOf(made), ...sparseColumnsOf(made)]);
  for (const name of columnNames) if (!all.has(name)) throw new Error(`column ${name} is missing`);
  return dayOver(facts, name => all.get(name)!);
};

interface Made {
  read: Read;
  /** Of texts, by their number. */
  ids: Uint32Array;
  /** Which visit, as it came, stands at each place of the day; and which hit. */
  visitOrder: Uint32Array;
  hitOrder: Uint32Array;
  hitPlaces: Uint32Array;
}

const inverse = (order: Uint32Array): Uint32Array => {
  const places = new Uint32Array(order.length);
  for (let place = 0; place < order.length; place++) places[order[place]!] = place;
  return places;
};

/**
 * A visit that went on at two collectors, on copies of one directory, has more hits than either of
 * them knew.
 */
const countHits = ({ read: { visits, hits } }: Made): void => {
  const [found, pageviews] = [new Uint32Array(visits.hits.length), new Uint32Array(visits.hits.length)];
  const type = hits.type.values();
  for (const [hit, visit] of hits.visit.values().entries()) {
    found[visit]!++;
    if (type[hit] === hitTypes.pageview) pageviews[visit]!++;
  }
  const wanted = visits.hits.values();
  const isOfSet = visits.isOfSet.values();
  const wrong = found.findIndex(
    (count, visit) => count < wanted[visit]! || (count > wanted[visit]! && !isOfSet[visit]),
  );
  if (wrong >= 0) throw new RowsError(`ClickHouse has ${found[wrong]} of ${wanted[wrong]} hits of a visit`);
  for (const [visit, count] of found.entries()) {
    if (count > wanted[visit]!) visits.pageviews.values()[visit] = pageviews[visit]!;
    wanted[visit] = count;
  }
};

const visitColumnsOf = ({ read: { visits }, ids, visitOrder }: Made): [ColumnName, Column][] => {
  const inOrder = (name: (typeof ofVisit)[number]): Uint32Array => gather(visits[name].values(), visitOrder);
  const [high, low, persistent] = [inOrder('high'), inOrder('low'), inOrder('persistent')];
  const hashes = BigUint64Array.from(high, (value, i) => (BigInt(value) << 32n) | BigInt(low[i]!));
  const isSame = (visit: number): boolean =>
    visit > 0 && hashes[visit] === hashes[visit - 1] && persistent[visit] === persistent[visit - 1];
  return [
    ['visitor', { kind: 'hash', values: hashes }],
    ['newVisitor', numberColumn(high.map((_, visit) => (isSame(visit) ? 0 : 1)))],
    ['screen', textColumn(inOrder('screen'))],
    ...visitNumbers.map((name): [ColumnName, Column] => [name, numberColumn(inOrder(name))]),
    ...visitTexts.map((name): [ColumnName, Column] => [name, textColumn(gather(ids, inOrder(name)))]),
  ];
};

const hitColumnsOf = ({ read: { visits, hits }, ids, hitOrder }: Made): [ColumnName, Column][] => {
  const inOrder = (name: (typeof ofHit)[number]): Uint32Array => gather(hits[name].values(), hitOrder);
  const started = gather(visits.started.values(), inOrder('visit'));
  return [
    ['time', numberColumn(inOrder('at').map((at, hit) => at - started[hit]!))],
    ...hitNumbers.map((name): [ColumnName, Column] => [name, numberColumn(inOrder(name))]),
    ...pageFields.map((name): [ColumnName, Column] => [name, textColumn(gather(ids, inOrder(name)))]),
  ];
};

const sparseColumnsOf = ({ read, ids, hitOrder, hitPlaces }: Made): [ColumnName, Column][] => {
  const { hits, amounts, properties, propertyNumbers } = read;
  const types = hits.type.values();
  const paid = Uint32Array.from(hitOrder.keys()).filter(place => types[hitOrder[place]!] === hitTypes.revenue);
  const paying = gather(hitOrder, paid);
  const [keys, places] = [gather(ids, properties.key.values()), gather(hitPlaces, properties.hit.values())];
  const order = sortRows(keys.length, [keys, places]);
  return [
    ['revenueHit', numberColumn(paid)],
    ['revenueAmount', numberColumn(gatherDoubles(amounts.values(), paying))],
    ['revenueCurrency', textColumn(gather(ids, gather(hits.currency.values(), paying)))],
    ['propertyKey', textColumn(gather(keys, order))],
    ['propertyHit', numberColumn(gather(places, order))],
    ['propertyType', numberColumn(gather(properties.type.values(), order))],
    ['propertyText', textColumn(gather(ids, gather(properties.text.values(), order)))],
    ['propertyNumber', numberColumn(gatherDoubles(propertyNumbers.values(), order))],
  ];
};
