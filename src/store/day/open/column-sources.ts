/** Where each column of an open day comes from: the values of some rows, in the order in which they are wanted. */
import type { ColumnTable } from '../../../model/columns.ts';
import { numberColumn, textColumn } from '../day.ts';
import { gather, gatherDoubles } from '../gather.ts';
import type { DayRows } from './day-rows.ts';
import type { GrowingColumn } from './growing-column.ts';
import type { ColumnSource, ColumnSources } from './kept-columns.ts';
import type { VisitAggregates } from './visit-aggregates.ts';

/**
 * By table. `newVisitor` is by the row of the visit, as the facts of visits are; `placesOfHits` gives the place of each hit in the order
 * of hits by its row.
 */
export const columnSources = (
  rows: DayRows,
  facts: VisitAggregates,
  newVisitor: GrowingColumn<Uint8Array>,
  placesOfHits: () => Uint32Array,
): Record<ColumnTable, ColumnSources> => ({
  visit: { ...ofVisits(rows, facts), newVisitor: numbers(newVisitor) },
  hit: ofHits(rows, facts),
  revenue: ofRevenues(rows, placesOfHits),
  property: ofProperties(rows, placesOfHits),
});

const ofVisits = ({ visits }: DayRows, facts: VisitAggregates): ColumnSources => {
  const { visitorHigh, visitorLow, seenBefore, attributes } = visits;
  const { started, ended } = facts;
  return {
    visitor: mending(rows => ({ kind: 'hash', values: hashes(visitorHigh.values(), visitorLow.values(), rows) })),
    seenBefore: numbers(seenBefore),
    started: numbers(started),
    duration: mending(rows => numberColumn(minus(gather(ended.values(), rows), gather(started.values(), rows)))),
    hits: numbers(facts.hits),
    pageviews: numbers(facts.pageviews),
    entryPath: texts(facts.entryPath),
    // A later text takes the place of one that may stand nowhere else.
    exitPath: anew(texts(facts.exitPath).of),
    identified: anew(texts(facts.identified).of),
    traits: anew(texts(facts.traits).of),
    ...textsByName(attributes),
  };
};

const ofHits = ({ hits }: DayRows, { started, msOnPage }: VisitAggregates): ColumnSources => ({
  time: mending(rows => {
    const visits = gather(hits.visit.values(), rows);
    return numberColumn(minus(gather(hits.time.values(), rows), gather(started.values(), visits)));
  }),
  type: numbers(hits.type),
  ...textsByName(hits.pageFields),
  secondsOnPage: anew(rows => {
    const values = gather(msOnPage.values(), rows);
    for (let i = 0; i < values.length; i++) values[i] = Math.round(values[i]! / 1000);
    return numberColumn(values);
  }),
});

const ofRevenues = ({ revenues }: DayRows, placesOfHits: () => Uint32Array): ColumnSources => ({
  revenueHit: anew(rows => numberColumn(gather(placesOfHits(), gather(revenues.hit.values(), rows)))),
  revenueAmount: doubles(revenues.amount),
  revenueCurrency: texts(revenues.currency),
});

const ofProperties = ({ properties }: DayRows, placesOfHits: () => Uint32Array): ColumnSources => ({
  propertyKey: texts(properties.key),
  propertyHit: anew(rows => numberColumn(gather(placesOfHits(), gather(properties.hit.values(), rows)))),
  propertyType: numbers(properties.type),
  propertyText: texts(properties.text),
  propertyNumber: doubles(properties.number),
});

const mending = (of: ColumnSource['of']): ColumnSource => ({ of, mends: true });
const anew = (of: ColumnSource['of']): ColumnSource => ({ of, mends: false });
const numbers = (values: GrowingColumn<Uint8Array> | GrowingColumn<Uint32Array>): ColumnSource =>
  mending(rows => numberColumn(gather(values.values(), rows)));
const doubles = (values: GrowingColumn<Float64Array>): ColumnSource =>
  mending(rows => numberColumn(gatherDoubles(values.values(), rows)));
const texts = (values: GrowingColumn<Uint32Array>): ColumnSource =>
  mending(rows => textColumn(gather(values.values(), rows)));
const textsByName = (columns: Record<string, GrowingColumn<Uint32Array>>): ColumnSources =>
  Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, texts(values)]));

const hashes = (high: Uint32Array, low: Uint32Array, rows: Uint32Array): BigUint64Array => {
  const values = new BigUint64Array(rows.length);
  for (let i = 0; i < rows.length; i++) values[i] = (BigInt(high[rows[i]!]!) << 32n) | BigInt(low[rows[i]!]!);
  return values;
};

/** Subtracts in place. */
const minus = (values: Uint32Array, others: Uint32Array): Uint32Array => {
  for (let i = 0; i < values.length; i++) values[i]! -= others[i]!;
  return values;
};
