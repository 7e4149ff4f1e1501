/**
 * Where hits wait on disk until all of a file is read, by day: a file may have its lines in any
 * order. The file of the spool has no name, and goes with the process.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dayMs } from '../../model/time.ts';
import { type Database, inScratchDir, orStoreError } from '../database.ts';
import { joined } from '../day/gather.ts';
import type { Part } from '../day/part.ts';
import { word } from './hit-words.ts';

export interface HitSpool {
  /** Adds records (hit-words.ts). */
  add(words: Uint32Array): void;
  /** UTC days that there are hits of, ascending. */
  days(): number[];
  /** How many hits there are of a day. */
  hits(day: number): number;
  /** The records of a part of a day, in the order they came in. */
  read(day: number, part: Part): Uint32Array;
  /** Keeps what `left` leaves of the records of each part of a day; a step for each part. */
  rewrite(day: number, parts: readonly Part[], left: (words: Uint32Array) => Uint32Array): Generator<void>;
  /** UTC milliseconds of the first and the last hit; both 0 where there is none. */
  times(): { firstAt: number; lastAt: number };
  close(): void;
}

/** Records gathered before they are written by day: so few days' pieces are short. */
const gatheredBytes = 8 * 1024 * 1024;
/** Hits of a day are divided by the visitor's hash, so that a part is read without the others. */
const buckets = 64;
const bucketOf = (high: number): number => high >>> 26;

/** What is known of a day's hits. Times are since midnight. */
interface DayFacts {
  hits: number;
  first: number;
  last: number;
}

/** Records of a day that were written one behind the other. */
interface Piece {
  /** In words. */
  at: number;
  /** Where each bucket ends, from `at`. */
  ends: Uint32Array;
}

/** A file beside the database. */
export const hitSpool = (beside: Database, gatheredMax = gatheredBytes): HitSpool => {
  const file = openNameless(dirname(beside.name));
  const pieces = new Map<number, Piece[]>();
  const facts = new Map<number, DayFacts>();
  let gathered: Uint32Array[] = [];
  let bytes = 0;
  let end = 0;

  const append = (of: readonly Uint32Array[]): void => {
    for (const { day, words, ends, ...added } of byDay(of)) {
      writeAll(file, words, end);
      const piece = { at: end, ends };
      const ofDay = pieces.get(day);
      if (ofDay === undefined) pieces.set(day, [piece]);
      else ofDay.push(piece);
      const { hits, first, last } = facts.get(day) ?? { hits: 0, first: dayMs, last: 0 };
      facts.set(day, {
        hits: hits + added.hits,
        first: Math.min(first, added.first),
        last: Math.max(last, added.last),
      });
      end += words.length;
    }
  };
  const write = (): void => {
    append(gathered);
    gathered = [];
    bytes = 0;
  };

  return {
    add(words) {
      if (words.length === 0) return;
      gathered.push(words);
      bytes += words.byteLength;
      if (bytes >= gatheredMax) write();
    },
    days() {
      write();
      return [...pieces.keys()].sort((a, b) => a - b);
    },
    hits: day => facts.get(day)?.hits ?? 0,
    read: (day, part) => readPart(file, pieces.get(day) ?? [], part),
    *rewrite(day, parts, left) {
      write();
      const before = pieces.get(day) ?? [];
      pieces.delete(day);
      facts.delete(day);
      for (const part of parts) {
        append([left(readPart(file, before, part))]);
        yield;
      }
    },
    times() {
      write();
      const of = [...facts].map(([day, { first, last }]) => [day * dayMs + first, day * dayMs + last] as const);
      if (of.length === 0) return { firstAt: 0, lastAt: 0 };
      return {
        firstAt: of.reduce((least, [first]) => Math.min(least, first), Number.POSITIVE_INFINITY),
        lastAt: of.reduce((most, [, last]) => Math.max(most, last), 0),
      };
    },
    close: () => closeSync(file),
  };
};

const openNameless = (dataDir: string): number =>
  inScratchDir(dataDir, dir => openSync(join(dir, 'hits'), 'wx+', 0o600));

const writeAll = (file: number, words: Uint32Array, at: number): void => {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  for (let done = 0; done < bytes.length; )
    done += orStoreError(
      () => writeSync(file, bytes, done, bytes.length - done, at * 4 + done),
      'The temporary file of the import cannot be written',
    );
};

const readPart = (file: number, of: readonly Piece[], { number, of: parts }: Part): Uint32Array => {
  const [first, last] = [Math.floor((number * buckets) / parts), Math.ceil(((number + 1) * buckets) / parts) - 1];
  const found = of.map(({ at, ends }) => {
    const [from, to] = [first === 0 ? 0 : ends[first - 1]!, ends[last]!];
    return readWords(file, at + from, to - from);
  });
  const words = found.length === 1 ? found[0]! : joined(found);
  return parts <= buckets ? words : ofPart(words, { number, of: parts });
};

const readWords = (file: number, at: number, length: number): Uint32Array => {
  const words = new Uint32Array(length);
  const bytes = new Uint8Array(words.buffer);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(file, bytes, done, bytes.length - done, at * 4 + done);
    if (read === 0) throw new Error('the temporary file of the import is cut');
    done += read;
  }
  return words;
};

interface DayWords extends DayFacts {
  day: number;
  words: Uint32Array;
  ends: Uint32Array;
}

/** Records by day and bucket, in the order they came in. */
const byDay = (gathered: readonly Uint32Array[]): DayWords[] => {
  const days = new Map<number, DayWords>();
  for (const words of gathered) countWords(words, days);
  for (const of of days.values()) {
    const starts = of.ends.slice();
    let at = 0;
    for (let bucket = 0; bucket < buckets; bucket++) {
      at += of.ends[bucket]!;
      starts[bucket] = at - of.ends[bucket]!;
    }
    of.words = new Uint32Array(at);
    of.ends = starts;
  }
  // Afterwards each start is an end.
  for (const words of gathered) placeWords(words, days);
  return [...days.values()];
};

const countWords = (words: Uint32Array, days: Map<number, DayWords>): void => {
  let of: DayWords | undefined;
  for (let begin = 0; begin < words.length; begin += words[begin]!) {
    const day = words[begin + word.day]!;
    if (of?.day !== day) of = days.get(day);
    if (of === undefined) {
      of = { day, words: new Uint32Array(), ends: new Uint32Array(buckets), hits: 0, first: dayMs, last: 0 };
      days.set(day, of);
    }
    of.ends[bucketOf(words[begin + word.visitorHigh]!)]! += words[begin]!;
    of.hits++;
    const time = words[begin + word.time]!;
    if (time < of.first) of.first = time;
    if (time > of.last) of.last = time;
  }
};

const placeWords = (words: Uint32Array, days: ReadonlyMap<number, DayWords>): void => {
  let of: DayWords | undefined;
  for (let begin = 0; begin < words.length; begin += words[begin]!) {
    const day = words[begin + word.day]!;
    if (of?.day !== day) of = days.get(day)!;
    const bucket = bucketOf(words[begin + word.visitorHigh]!);
    let to = of.ends[bucket]!;
    const end = begin + words[begin]!;
    for (let from = begin; from < end; from++) of.words[to++] = words[from]!;
    of.ends[bucket] = to;
  }
};

const ofPart = (words: Uint32Array, { number, of }: Part): Uint32Array => {
  const some = new Uint32Array(words.length);
  let at = 0;
  for (let begin = 0; begin < words.length; begin += words[begin]!) {
    if (Math.floor((words[begin + word.visitorHigh]! * of) / 2 ** 32) !== number) continue;
    some.set(words.subarray(begin, begin + words[begin]!), at);
    at += words[begin]!;
  }
  return some.slice(0, at);
};
