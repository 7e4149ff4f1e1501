/**
 * Hits on their way from a file into days, as words of 32 bits, so that they can be sent between
 * threads and wait on disk. A record:
 *
 *     0 its length in words   1 UTC day   2 milliseconds since midnight   3, 4 hash of the visitor
 *     5 type, 1 << 8 where the visitor lasts, 1 << 9 where the file names the visitor by an id,
 *     code of the scroll << 16    6 duration   7 screen
 *     8 … texts of the page, then those of the visit
 *     then of a revenue: the amount as a double (2 words), the currency
 *     of an identify: name, traits; of any other: key, type, value (2 words) of each property
 *
 * A text is a number in a list that goes beside the records; 0 is null. What is known of the visit
 * stands in each of its hits, since nobody knows yet which one is the first.
 */
import { pageFields } from '../../model/columns.ts';
import { hitTypes, isTextCode, scrollCode } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { visitTextNames } from '../../model/visit-fields.ts';
import { type HitRecord, propertyNumbers, type VisitRecord } from '../write/recorder.ts';

/** Where the words of a record are. */
export const word = {
  length: 0,
  day: 1,
  time: 2,
  visitorHigh: 3,
  visitorLow: 4,
  kind: 5,
  duration: 6,
  screen: 7,
  page: 8,
  visit: 8 + pageFields.length,
  more: 8 + pageFields.length + visitTextNames.length,
} as const;

export const lastingBit = 1 << 8;
export const namedBit = 1 << 9;
export const scrollShift = 16;

/** Words of a property: key, type, and a value of two. */
export const propertyWords = 4;

/** Records, and the texts that they refer to: the text 1 is the first of the list. */
export interface HitWords {
  words: Uint32Array;
  texts: string[];
}

export type HitWriter = ReturnType<typeof hitWriter>;

const double = new Float64Array(1);
const halves = new Uint32Array(double.buffer);

export const hitWriter = () => {
  let words = new Uint32Array(1 << 16);
  let at = 0;
  const texts = textNumbers();
  const textId = texts.id;
  const makeRoom = (needed: number): void => {
    if (at + needed <= words.length) return;
    const larger = new Uint32Array(Math.max(2 * words.length, at + needed));
    larger.set(words);
    words = larger;
  };
  const addDouble = (value: number): void => {
    double[0] = value;
    words[at++] = halves[0]!;
    words[at++] = halves[1]!;
  };
  const addMore = ({ revenue, identity, properties }: HitRecord): void => {
    if (revenue !== null) {
      addDouble(revenue.amount);
      words[at++] = textId(revenue.currency);
    }
    if (identity !== null) {
      words[at++] = textId(identity.name);
      words[at++] = textId(identity.traits);
      return;
    }
    const flat = properties.length === 0 ? [] : propertyNumbers(properties, textId, textId);
    makeRoom((flat.length / 3) * propertyWords);
    for (let i = 0; i < flat.length; i += 3) {
      words[at++] = flat[i]!;
      words[at++] = flat[i + 1]!;
      addDouble(flat[i + 2]!);
    }
  };

  return {
    /** The number of another text that goes with the records. */
    textId,
    /**
     * Adds a hit with what is known of its visit; `isNamed` if the file has an id of the visitor.
     */
    add(hit: HitRecord, visit: VisitRecord, isNamed: boolean) {
      makeRoom(word.more + 3);
      const begin = at;
      const { visitor } = visit;
      words[begin + word.day] = hit.day;
      words[begin + word.time] = hit.at - hit.day * dayMs;
      words[begin + word.visitorHigh] = visitor.readUInt32BE(0);
      words[begin + word.visitorLow] = visitor.readUInt32BE(4);
      words[begin + word.kind] =
        hitTypes[hit.type] |
        (visit.persistent ? lastingBit : 0) |
        (isNamed ? namedBit : 0) |
        (scrollCode(hit.scroll) << scrollShift);
      words[begin + word.duration] = hit.duration;
      words[begin + word.screen] = visit.width * 65536 + visit.height;
      for (let i = 0; i < pageFields.length; i++) words[begin + word.page + i] = textId(hit[pageFields[i]!]);
      for (let i = 0; i < visitTextNames.length; i++) words[begin + word.visit + i] = textId(visit[visitTextNames[i]!]);
      at = begin + word.more;
      addMore(hit);
      words[begin] = at - begin;
    },
    /** What was added since the last call. */
    take(): HitWords {
      const taken = { words: words.slice(0, at), texts: texts.take() };
      at = 0;
      return taken;
    },
  };
};

/** Numbers texts from 1. */
const textNumbers = () => {
  let texts: string[] = [];
  let numbers = new Map<string, number>();
  return {
    id(text: string | null): number {
      if (text === null || text === '') return 0;
      const known = numbers.get(text);
      if (known !== undefined) return known;
      const number = texts.push(text);
      numbers.set(text, number);
      return number;
    },
    take(): string[] {
      const taken = texts;
      texts = [];
      numbers = new Map();
      return taken;
    },
  };
};

/** Gives the texts of records other numbers: that of each by its old one. */
export const renumberTexts = (words: Uint32Array, numbers: Uint32Array): void => {
  for (let begin = 0; begin < words.length; begin += words[begin]!) {
    const end = begin + words[begin]!;
    for (let at = begin + word.page; at < begin + word.more; at++) words[at] = numbers[words[at]!]!;
    let at = begin + word.more;
    const type = words[begin + word.kind]! & 0xff;
    if (type === hitTypes.revenue) {
      words[at + 2] = numbers[words[at + 2]!]!;
      at += 3;
    }
    if (type === hitTypes.identify) {
      for (; at < end; at++) words[at] = numbers[words[at]!]!;
      continue;
    }
    for (; at < end; at += propertyWords) {
      words[at] = numbers[words[at]!]!;
      if (isTextCode(words[at + 1]!)) setDouble(words, at + 2, numbers[doubleAt(words, at + 2)]!);
    }
  }
};

export const doubleAt = (words: Uint32Array, at: number): number => {
  halves[0] = words[at]!;
  halves[1] = words[at + 1]!;
  return double[0]!;
};

const setDouble = (words: Uint32Array, at: number, value: number): void => {
  double[0] = value;
  words[at] = halves[0]!;
  words[at + 1] = halves[1]!;
};
