/** Makes a part of a day of records (hit-words.ts): visits are cut and their columns worked out. */
import { pageFields } from '../../model/columns.ts';
import { hitTypes, isTextCode } from '../../model/hit.ts';
import { visitIdleMs } from '../../model/limits.ts';
import { visitTextNames } from '../../model/visit-fields.ts';
import type { Day } from '../day/day.ts';
import { rowsBetween } from '../day/gather.ts';
import { DayRows } from '../day/open/day-rows.ts';
import { Fold } from '../day/open/fold.ts';
import { sortRows } from '../day/open/sort.ts';
import type { DayPart } from '../day/part.ts';
import { doubleAt, lastingBit, propertyWords, scrollShift, word } from './hit-words.ts';

export interface HitsOfPart extends DayPart {
  siteId: number;
  /** Records of the part, in any order. */
  words: Uint32Array;
  /** The text id of each text, by its number in the records. */
  textIds: Uint32Array;
  /** Whether a visitor who lasts had a hit on an earlier day. */
  isReturning: (high: number, low: number) => boolean;
  /** Adds what an identify says to the traits that earlier ones of its visit said. */
  mergeIdentities: (traits: number, later: { name: number; traits: number }) => { name: number; traits: number };
}

/**
 * A visit is the hits of one visitor with gaps of at most 30 minutes. What is known of it is what
 * its first hit says.
 */
export const foldHits = (part: HitsOfPart): Day => {
  const { words, siteId, day } = part;
  const begins = beginsOf(words);
  const order = inOrder(words, begins);
  const { firsts, visitOf } = cutVisits(words, begins, order);
  const rows = new DayRows(siteId, day, part.part);
  addVisits(rows, firsts, part);
  const sorted = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) sorted[i] = begins[order[i]!]!;
  addHits(rows, sorted, visitOf, part);
  const fold = new Fold(rows);
  fold.add(rowsBetween(0, sorted.length));
  return fold.day();
};

/** Where each record begins. */
export const beginsOf = (words: Uint32Array): Uint32Array => {
  let count = 0;
  for (let begin = 0; begin < words.length; begin += words[begin]!) count++;
  const begins = new Uint32Array(count);
  for (let begin = 0, i = 0; begin < words.length; begin += words[begin]!) begins[i++] = begin;
  return begins;
};

/** By visitor and time; at one time as they came. */
export const inOrder = (words: Uint32Array, begins: Uint32Array): Uint32Array =>
  sortRows(begins.length, [
    columnOf(words, begins, word.kind).map(kind => kind & lastingBit),
    columnOf(words, begins, word.visitorHigh),
    columnOf(words, begins, word.visitorLow),
    columnOf(words, begins, word.time),
  ]);

/** A word of each record. */
export const columnOf = (words: Uint32Array, begins: Uint32Array, at: number): Uint32Array => {
  const values = new Uint32Array(begins.length);
  for (let i = 0; i < begins.length; i++) values[i] = words[begins[i]! + at]!;
  return values;
};

/** Where each visit's first record is, and the visit of each record, in the order of records. */
const cutVisits = (
  words: Uint32Array,
  begins: Uint32Array,
  order: Uint32Array,
): { firsts: Uint32Array; visitOf: Uint32Array } => {
  const firsts = new Uint32Array(order.length);
  const visitOf = new Uint32Array(order.length);
  let visits = 0;
  let before = 0;
  for (let i = 0; i < order.length; i++) {
    const begin = begins[order[i]!]!;
    const goesOn =
      i > 0 &&
      words[begin + word.visitorHigh] === words[before + word.visitorHigh] &&
      words[begin + word.visitorLow] === words[before + word.visitorLow] &&
      ((words[begin + word.kind]! ^ words[before + word.kind]!) & lastingBit) === 0 &&
      words[begin + word.time]! - words[before + word.time]! <= visitIdleMs;
    if (!goesOn) firsts[visits++] = begin;
    visitOf[i] = visits - 1;
    before = begin;
  }
  return { firsts: firsts.slice(0, visits), visitOf };
};

const addVisits = (rows: DayRows, firsts: Uint32Array, { words, textIds, isReturning }: HitsOfPart): void => {
  const { id, visitorHigh, visitorLow, persistent, seenBefore, attributes } = rows.visits;
  id.append(rowsBetween(1, firsts.length + 1));
  const [highs, lows] = [word.visitorHigh, word.visitorLow].map(at => columnOf(words, firsts, at)) as [
    Uint32Array,
    Uint32Array,
  ];
  visitorHigh.append(highs);
  visitorLow.append(lows);
  const lasts = columnOf(words, firsts, word.kind).map(kind => ((kind & lastingBit) === 0 ? 0 : 1));
  persistent.append(lasts);
  seenBefore.append(lasts.map((isLasting, i) => (isLasting === 1 && isReturning(highs[i]!, lows[i]!) ? 1 : 0)));
  for (const [i, name] of visitTextNames.entries())
    attributes[name].append(textsOf(words, firsts, word.visit + i, textIds));
  attributes.screen.append(columnOf(words, firsts, word.screen));
};

const textsOf = (words: Uint32Array, begins: Uint32Array, at: number, textIds: Uint32Array): Uint32Array => {
  const ids = new Uint32Array(begins.length);
  for (let i = 0; i < begins.length; i++) ids[i] = textIds[words[begins[i]! + at]!]!;
  return ids;
};

const addHits = (rows: DayRows, begins: Uint32Array, visitOf: Uint32Array, part: HitsOfPart): void => {
  const { words, textIds } = part;
  const { visit, time, type, pageFields: fields, duration, scroll } = rows.hits;
  const kinds = columnOf(words, begins, word.kind);
  visit.append(visitOf);
  time.append(columnOf(words, begins, word.time));
  type.append(kinds.map(kind => kind & 0xff));
  duration.append(columnOf(words, begins, word.duration));
  scroll.append(kinds.map(kind => kind >>> scrollShift));
  for (const [i, name] of pageFields.entries()) fields[name].append(textsOf(words, begins, word.page + i, textIds));
  for (let row = 0; row < begins.length; row++)
    if (words[begins[row]!]! > word.more) addMore(rows, row, begins[row]!, part);
};

/** What few hits have. */
const addMore = (rows: DayRows, row: number, begin: number, { words, textIds, mergeIdentities }: HitsOfPart): void => {
  const { revenues, identities, properties } = rows;
  const end = begin + words[begin]!;
  const hitType = words[begin + word.kind]! & 0xff;
  let at = begin + word.more;
  if (hitType === hitTypes.revenue) {
    revenues.hit.push(row);
    revenues.amount.push(doubleAt(words, at));
    revenues.currency.push(textIds[words[at + 2]!]!);
    at += 3;
  }
  if (hitType === hitTypes.identify) {
    const said = { name: textIds[words[at]!]!, traits: textIds[words[at + 1]!]! };
    const last = identities.hit.length - 1;
    const visits = rows.hits.visit.values();
    const goesOn = last >= 0 && visits[identities.hit.values()[last]!] === visits[row];
    const { name, traits } = goesOn ? mergeIdentities(identities.traits.values()[last]!, said) : said;
    identities.hit.push(row);
    identities.name.push(name);
    identities.traits.push(traits);
    return;
  }
  for (; at < end; at += propertyWords) {
    const isText = isTextCode(words[at + 1]!);
    const value = doubleAt(words, at + 2);
    properties.hit.push(row);
    properties.key.push(textIds[words[at]!]!);
    properties.type.push(words[at + 1]!);
    properties.text.push(isText ? textIds[value]! : 0);
    properties.number.push(isText ? 0 : value);
  }
};
