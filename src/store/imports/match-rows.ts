/**
 * Tells which records of an import are rows that an earlier one brought. Where the file names a
 * visitor by an id, a row is its visitor, time, type, page and event. Else it is all that tells of
 * it but the visitor: of past days each import makes visitors of addresses its own. Each stored hit
 * stands for one row, so twins in a file are two.
 */

import type { PageField } from '../../model/columns.ts';
import { pageFields } from '../../model/columns.ts';
import { lazy } from '../../model/remember.ts';
import { type VisitTextName, visitTextNames } from '../../model/visit-fields.ts';
import { idsOf, timesOf } from '../day/compose-day.ts';
import type { Day } from '../day/day.ts';
import { gather } from '../day/gather.ts';
import { sortRows } from '../day/open/sort.ts';
import { columnOf } from './fold-hits.ts';
import { lastingBit, word } from './hit-words.ts';

/** Rows in the order of some columns, the most significant first. */
interface Sorted {
  columns: readonly Uint32Array[];
  order: Uint32Array;
}

/** What an import brought of a part of a day. */
export interface StoredRows {
  importId: number;
  named(): Sorted;
  unnamed(): Sorted;
  /** By hit, 1 where a row was found to be it. */
  taken: Uint8Array;
  /** From when to when a visitor was here, in milliseconds since midnight. */
  spanOf(lasts: boolean, high: number, low: number): { from: number; to: number } | undefined;
}

/** Texts that tell visitors of an address apart, as far as all of their hits have the same. */
const pageTexts = ['path', 'event', 'query', 'title', 'hostname'] as const satisfies readonly PageField[];
const visitTexts = ['browser', 'os', 'device', 'country', 'region', 'city'] as const satisfies readonly VisitTextName[];

const sorted = (columns: readonly Uint32Array[]): Sorted => ({ columns, order: sortRows(columns[0]!.length, columns) });

export const storedRows = (day: Day, importId: number): StoredRows => {
  const hitsOf = Uint32Array.from(day.numbers('hits'));
  const visitOf = new Uint32Array(day.hits);
  for (let visit = 0, hit = 0; visit < day.visits; visit++)
    for (const end = hit + hitsOf[visit]!; hit < end; hit++) visitOf[hit] = visit;
  const hashes = day.hashes();
  const high = Uint32Array.from(hashes, hash => Number(hash >> 32n));
  const low = Uint32Array.from(hashes, hash => Number(hash & 0xffffffffn));
  const lasting = new Uint32Array(day.visits).fill(1, day.hashVisits);
  const rows = lazy(() => [timesOf(day), Uint32Array.from(day.numbers('type'))] as const);
  const [started, duration] = [day.numbers('started'), day.numbers('duration')];
  return {
    importId,
    taken: new Uint8Array(day.hits),
    named: lazy(() => {
      const visitor = [lasting, high, low].map(of => gather(of, visitOf));
      return sorted([...visitor, ...rows(), idsOf([day], 'path'), idsOf([day], 'event')]);
    }),
    unnamed: lazy(() => {
      const ofVisits = visitTexts.map(name => gather(idsOf([day], name), visitOf));
      return sorted([...rows(), ...pageTexts.map(name => idsOf([day], name)), ...ofVisits]);
    }),
    spanOf(lasts, ofHigh, ofLow) {
      const [begin, end] = lasts ? [day.hashVisits, day.visits] : [0, day.hashVisits];
      const first = firstOf(hashes, (BigInt(ofHigh) << 32n) | BigInt(ofLow), begin, end);
      let span: { from: number; to: number } | undefined;
      for (let visit = first; visit < end && high[visit] === ofHigh && low[visit] === ofLow; visit++) {
        const [from, to] = [started[visit]!, started[visit]! + duration[visit]!];
        span = { from: Math.min(span?.from ?? from, from), to: Math.max(span?.to ?? to, to) };
      }
      return span;
    },
  };
};

/** The first of ascending hashes that is not below another. */
const firstOf = (hashes: BigUint64Array, hash: bigint, begin: number, end: number): number => {
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hashes[middle]! < hash) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Ids in the database of texts of records, by their numbers; `noText` where it has none. */
export type IdOf = (number: number) => number;
export const noText = 0xffffffff;

/** Calls `found` for each of some records that is a stored row. */
export const matchRecords = (
  words: Uint32Array,
  begins: Uint32Array,
  isNamed: boolean,
  stored: StoredRows,
  idOf: IdOf,
  found: (record: number) => void,
): void => {
  const at = (offset: number): Uint32Array => columnOf(words, begins, offset);
  const page = (name: PageField): Uint32Array => at(word.page + pageFields.indexOf(name)).map(idOf);
  const visit = (name: VisitTextName): Uint32Array => at(word.visit + visitTextNames.indexOf(name)).map(idOf);
  const kinds = at(word.kind);
  const rows = [at(word.time), kinds.map(kind => kind & 0xff)];
  const visitor = [kinds.map(kind => ((kind & lastingBit) === 0 ? 0 : 1)), at(word.visitorHigh), at(word.visitorLow)];
  const records = sorted(
    isNamed
      ? [...visitor, ...rows, page('path'), page('event')]
      : [...rows, ...pageTexts.map(page), ...visitTexts.map(visit)],
  );
  eachPair(records, isNamed ? stored.named() : stored.unnamed(), stored.taken, found);
};

/** Pairs rows that are equal in all columns, each row once. */
const eachPair = (some: Sorted, others: Sorted, taken: Uint8Array, found: (row: number) => void): void => {
  for (let i = 0, j = 0; i < some.order.length && j < others.order.length; ) {
    const [row, other] = [some.order[i]!, others.order[j]!];
    const difference = taken[other] === 1 ? 1 : compare(some.columns, row, others.columns, other);
    if (difference === 0) {
      taken[other] = 1;
      found(row);
    }
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
};

const compare = (some: readonly Uint32Array[], row: number, others: readonly Uint32Array[], other: number): number => {
  for (let i = 0; i < some.length; i++) {
    const [value, with_] = [some[i]![row]!, others[i]![other]!];
    if (value !== with_) return value < with_ ? -1 : 1;
  }
  return 0;
};
