/** The hits of a day as rows of `hit` (schema.ts), in RowBinary. */
import { pageFields } from '../model/columns.ts';
import { numberOf } from '../model/filters.ts';
import { hitTypes, propertyTypes, valueText } from '../model/hit.ts';
import { dayMs } from '../model/time.ts';
import { traitsOf } from '../model/traits.ts';
import { type VisitTextName, visitTextNames } from '../model/visit-fields.ts';
import type { QueryContext } from '../query/context.ts';
import { fieldOf } from '../query/scan/fields.ts';
import type { Day, TextName } from '../store/day/day.ts';
import { isPacked } from '../store/day/packed.ts';
import { flat } from '../store/day/unpack.ts';
import { type RowBinary, textBytes } from './row-binary.ts';

/** Whose rows they are, and what visits and hits are called, by their places in the day or part. */
export interface RowsOf {
  node: number;
  revision: bigint;
  visitOf(visit: number): bigint;
  versionOf(visit: number): bigint;
  keyOf(hit: number): bigint;
}

/** Where a visit's number has its node and its day. */
const [nodeShift, dayShift] = [48n, 32n];

/**
 * Rows of a node, whose visits have numbers below 2^32 on each of its days. `numberOf` gives that
 * of a visit by its place.
 */
export const rowsOfNode = (
  day: number,
  { node, revision }: { node: number; revision: number },
  numberOf: (visit: number) => number,
): RowsOf => {
  const firstNumber = (BigInt(node) << nodeShift) + (BigInt(day) << dayShift);
  return {
    ...{ node, revision: BigInt(revision) },
    visitOf: visit => firstNumber + BigInt(numberOf(visit)),
    versionOf: () => 0n,
    keyOf: () => 0n,
  };
};

/**
 * Writes the rows of a day, or of a part of it, visit by visit, to where its visitor belongs.
 * Yields, of each visit, its hits and the sum of their ids.
 */
export function* writeDay<To extends { writer: RowBinary }>(
  day: Day,
  context: QueryContext,
  of: RowsOf,
  placeOf: (visitor: bigint) => To,
): Generator<To & { hits: number; ids: bigint }> {
  const text = textWriter(context);
  const writeVisit = visitWriter(day, context, text, of);
  const writeHit = hitWriter(day, text, of);
  const [hashes, counts] = [day.hashes(), day.numbers('hits')];
  for (let visit = 0, hit = 0; visit < day.visits; visit++) {
    const from = hit;
    const end = hit + counts[visit]!;
    const place = placeOf(hashes[visit]!);
    const { writer } = place;
    const start = writer.size();
    writeVisit(writer, visit, from, end);
    const known = writer.size() - start;
    let ids = 0n;
    for (; hit < end; hit++) {
      if (hit > from) writer.again(start, known);
      ids += writeHit(writer, visit, hit, hit - from);
    }
    yield { ...place, hits: end - from, ids };
  }
}

type Text = (id: number) => Buffer;
const empty = textBytes('');

/** The bytes of a text by its id, kept for the next time. */
const textWriter = ({ text }: QueryContext): Text => {
  const known = new Map<number, Buffer>([[0, empty]]);
  return id => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const bytes = textBytes(text(id) ?? '');
    known.set(id, bytes);
    return bytes;
  };
};

const textOf = (day: Day, name: TextName, text: Text): ((row: number) => Buffer) => {
  const { codes, dictionary } = day.texts(name);
  const known = new Array<Buffer | undefined>(dictionary.length);
  return row => {
    const code = codes[row]!;
    known[code] ??= text(dictionary[code]!);
    return known[code];
  };
};

/** The value of a dimension that is worked out, by visit. */
const workedOut = (
  day: Day,
  context: QueryContext,
  name: 'screen' | 'channel' | 'networkKind' | 'suspect',
): ((visit: number) => Buffer) => {
  const field = fieldOf(name, context);
  const [kept, { ofEntry, ids }] = [field.codes(day), field.groups(day)];
  const codes = isPacked(kept) ? flat(kept) : kept;
  const names = Array.from(ids, id => textBytes(id === 0 ? '' : (field.name(id, context) ?? '')));
  return visit => names[ofEntry === null ? codes[visit]! : ofEntry[codes[visit]!]!]!;
};

type WriteVisit = (to: RowBinary, visit: number, from: number, end: number) => void;

const visitWriter = (day: Day, context: QueryContext, text: Text, rows: RowsOf): WriteVisit => {
  const of = (name: TextName): ((row: number) => Buffer) => textOf(day, name, text);
  const [hashes, started, duration] = [day.hashes(), day.numbers('started'), day.numbers('duration')];
  const seenBefore = day.numbers('seenBefore');
  const [pageviews, type, event] = [day.numbers('pageviews'), day.numbers('type'), of('event')];
  const { codes: screens, dictionary: sizes } = day.texts('screen');
  const texts = (['entryPath', 'exitPath', 'identified', 'traits', ...visitTextNames] as const).map(
    (name: VisitTextName | 'entryPath' | 'exitPath' | 'identified' | 'traits') => of(name),
  );
  const others = (['screen', 'channel', 'networkKind', 'suspect'] as const).map(name => workedOut(day, context, name));
  const traits = traitsWriter(of('traits'));
  return (to, visit, from, end) => {
    let [converted, paid] = [0, 0];
    for (let hit = from; hit < end; hit++) {
      if (type[hit] === hitTypes.revenue) paid = 1;
      const converts = type[hit] === hitTypes.custom || type[hit] === hitTypes.revenue;
      if (converts && event(hit) !== empty) converted = 1;
    }
    const size = sizes[screens[visit]!]!;
    to.uint32(day.siteId);
    to.uint16(day.day);
    to.uint16(rows.node);
    to.uint64(rows.revision);
    to.uint64(rows.versionOf(visit));
    to.uint64(hashes[visit]!);
    to.uint64(rows.visitOf(visit));
    to.byte(visit < day.hashVisits ? 0 : 1);
    to.whole(day.day * dayMs + started[visit]!);
    to.uint32(duration[visit]!);
    to.uint32(end - from);
    to.uint32(pageviews[visit]!);
    to.byte(seenBefore[visit]!);
    to.byte(converted);
    to.byte(paid);
    to.uint16(size >>> 16);
    to.uint16(size & 0xffff);
    for (const at of texts) to.bytes(at(visit));
    for (const at of others) to.bytes(at(visit));
    traits(to, visit);
  };
};

/** Writes the keys of a visit's traits, their texts, and the numbers that these are. */
const traitsWriter = (traitsAt: (visit: number) => Buffer): ((to: RowBinary, visit: number) => void) => {
  return (to, visit) => {
    const stored = traitsAt(visit);
    const traits = stored === empty ? [] : [...traitsOf(textIn(stored))];
    const [keys, texts] = [traits.map(([key]) => key), traits.map(([, value]) => String(value))];
    for (const column of [keys, texts]) {
      to.length(column.length);
      for (const one of column) to.bytes(textBytes(one));
    }
    to.length(texts.length);
    for (const one of texts) to.double(numberOf(one));
  };
};

/** Writes a hit, the `number`th of its visit, and returns its id. */
type WriteHit = (to: RowBinary, visit: number, hit: number, number: number) => bigint;

const hitWriter = (day: Day, text: Text, { keyOf }: RowsOf): WriteHit => {
  const [started, time, type] = [day.numbers('started'), day.numbers('time'), day.numbers('type')];
  const [seconds, scroll] = [day.numbers('secondsOnPage'), day.numbers('scroll')];
  const pages = pageFields.map(name => textOf(day, name, text));
  const [entries, exits] = edgePages(day);
  const [money, properties] = [moneyWriter(day, text), propertyWriter(day, text)];
  return (to, visit, hit, number) => {
    const at = day.day * dayMs + started[visit]! + time[hit]!;
    const id = (BigInt(at) << 20n) + BigInt(number & 0xfffff);
    to.uint64(id);
    to.uint64(keyOf(hit));
    to.whole(at);
    to.byte(type[hit]!);
    for (const textAt of pages) to.bytes(textAt(hit));
    to.uint32(seconds[hit]!);
    to.byte(scroll[hit]!);
    to.byte(entries[hit]!);
    to.byte(exits[hit]!);
    money(to, hit);
    properties(to, hit);
    return id;
  };
};

/** By hit whether it is the first page view of its visit, and whether it is the last. */
const edgePages = (day: Day): [Uint8Array, Uint8Array] => {
  const [entries, exits] = [new Uint8Array(day.hits), new Uint8Array(day.hits)];
  const [counts, type] = [day.numbers('hits'), day.numbers('type')];
  for (let visit = 0, hit = 0; visit < day.visits; visit++) {
    let [first, last] = [-1, -1];
    for (const end = hit + counts[visit]!; hit < end; hit++) {
      if (type[hit] !== hitTypes.pageview) continue;
      if (first < 0) first = hit;
      last = hit;
    }
    if (first < 0) continue;
    entries[first] = 1;
    exits[last] = 1;
  }
  return [entries, exits];
};

const moneyWriter = (day: Day, text: Text): ((to: RowBinary, hit: number) => void) => {
  const [amounts, currency] = [day.numbers('revenueAmount'), textOf(day, 'revenueCurrency', text)];
  const rows = new Map(Array.from(day.numbers('revenueHit'), (hit, row) => [hit, row]));
  return (to, hit) => {
    const row = rows.get(hit);
    to.double(row === undefined ? 0 : amounts[row]!);
    to.bytes(row === undefined ? empty : currency(row));
  };
};

const propertyWriter = (day: Day, text: Text): ((to: RowBinary, hit: number) => void) => {
  const [types, numbers] = [day.numbers('propertyType'), day.numbers('propertyNumber')];
  const [key, value] = [textOf(day, 'propertyKey', text), textOf(day, 'propertyText', text)];
  const rows = new Map<number, number[]>();
  for (const [row, hit] of day.numbers('propertyHit').entries()) {
    const known = rows.get(hit);
    if (known === undefined) rows.set(hit, [row]);
    else known.push(row);
  }
  const valueAt = (row: number): string => {
    const stored = value(row);
    const asText = stored === empty ? null : textIn(stored);
    return valueText(types[row]!, asText, numbers[row]!) ?? '';
  };
  const numberAt = (row: number): number =>
    types[row] === propertyTypes.number ? numbers[row]! : numberOf(valueAt(row));
  return (to, hit) => {
    const of = rows.get(hit) ?? [];
    to.length(of.length);
    for (const row of of) to.bytes(key(row));
    to.length(of.length);
    for (const row of of) to.byte(types[row]!);
    to.length(of.length);
    for (const row of of) to.bytes(textBytes(valueAt(row)));
    to.length(of.length);
    for (const row of of) to.double(numberAt(row));
  };
};

/** A text without its length. */
const textIn = (bytes: Buffer): string => {
  let begin = 0;
  while (bytes[begin]! > 127) begin++;
  return bytes.toString('utf8', begin + 1);
};
