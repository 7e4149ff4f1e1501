/**
 * Which texts of a site pass a filter. Each is tested once for all days, and what was found out is
 * kept for later questions: a site may have a million pages.
 */
import { readablePath } from '../../model/readable-path.ts';
import { traitText } from '../../model/traits.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import type { QueryContext } from '../context.ts';
import type { FieldFilter } from '../query.ts';
import { canTestLines, linesPassing, matches } from './match.ts';

/** For ascending ids: 1 where the id passes. */
export type IdTest = (ids: Uint32Array) => Uint8Array;

/** Passes these ids; undefined is none. */
export const testIds =
  (wanted: readonly (number | undefined)[]): IdTest =>
  ids => {
    const passing = new Uint8Array(ids.length);
    for (const id of wanted) {
      const position = id === undefined ? -1 : positionAmong(ids, id);
      if (position >= 0) passing[position] = 1;
    }
    return passing;
  };

/** What is known of a text, by its id. */
const [unknown, fails, passes] = [0, 1, 2];

/**
 * The texts of so many ids are read at once, as one string, when more than some of them were asked
 * for: it takes as long as to read a hundred by themselves.
 */
const [blockSize, worthBlock] = [1024, 48];

export interface TextTester extends Pick<FieldFilter, 'operator' | 'values'> {
  /** Compares texts as people read them: see `readablePath`. */
  isRead?: boolean;
  /** Compares what texts, which are traits as JSON, hold under this key. */
  trait?: string;
}

/** The filter may be one of `is`, which compares ids, only for a trait. */
export const testTexts = ({ operator, values, isRead = false, trait }: TextTester, context: QueryContext): IdTest => {
  const { query, reader, text } = context;
  const test = { field: '', operator, negated: false, values };
  const how = `${isRead ? 'read ' : ''}${trait === undefined ? '' : JSON.stringify([trait])}`;
  const key = `texts of site ${query.siteId} ${how}${operator} ${JSON.stringify(values)}`;
  const compared = (of: string): string => (isRead ? readablePath(of) : of);
  const textIn = (of: string): string | null => (trait === undefined ? compared(of) : traitText(of, trait));
  const areInLines = trait === undefined && canTestLines({ operator, values });
  let known = reader.cache.find<Uint8Array>(key) ?? new Uint8Array(0);

  const learn = (id: number, of: string | null): void => {
    known[id] = matches(test, of === null ? null : textIn(of)) ? passes : fails;
  };

  /** Returns false where the block cannot be told apart into its texts. */
  const learnBlock = (first: number): boolean => {
    const last = first + blockSize - 1;
    const texts = compared(reader.texts.lines(query.siteId, first, last));
    const passing = linesPassing(test, texts);
    const ids = reader.texts.ids(query.siteId, first, last);
    if (passing.length > 0 && lineCount(texts) !== ids.length) return false;
    for (const id of ids) known[id] = fails;
    for (const line of passing) known[ids[line]!] = passes;
    return true;
  };

  /** Learns of the ids from one position up to, and without, another, which are of one block. */
  const learnSome = (ids: Uint32Array, from: number, to: number): void => {
    const isNew = (id: number): boolean => known[id] === unknown;
    const wanted = ids.subarray(from, to).filter(isNew);
    if (wanted.length === 0) return;
    const first = wanted[0]! - (wanted[0]! % blockSize);
    const isWorth = wanted.length + countKnown(known, first, first + blockSize) > worthBlock;
    if (isWorth && areInLines && learnBlock(first)) return;
    for (const id of wanted) learn(id, text(id));
  };

  return ids => {
    known = withRoom(known, ids.at(-1) ?? 0, larger => reader.cache.put(key, larger));
    for (let from = 0, to = 0; from < ids.length; from = to) {
      to = endOfBlock(ids, from);
      if (hasUnknown(ids, from, to, known)) learnSome(ids, from, to);
    }
    return passing(ids, known);
  };
};

const lineCount = (lines: string): number => {
  let count = 0;
  for (let at = lines.indexOf('\n', 1); at >= 0; at = lines.indexOf('\n', at + 1)) count++;
  return count;
};

/** A list by id that has room for an id; `keep` is called with a larger one. */
export const withRoom = (known: Uint8Array, id: number, keep: (larger: Uint8Array) => Uint8Array): Uint8Array => {
  if (id < known.length) return known;
  const larger = new Uint8Array(Math.ceil((1.1 * (id + 1)) / blockSize) * blockSize);
  larger.set(known);
  return keep(larger);
};

const endOfBlock = (ids: Uint32Array, from: number): number => {
  const bound = (Math.floor(ids[from]! / blockSize) + 1) * blockSize;
  let to = from + 1;
  while (to < ids.length && ids[to]! < bound) to++;
  return to;
};

const hasUnknown = (ids: Uint32Array, from: number, to: number, known: Uint8Array): boolean => {
  for (let i = from; i < to; i++) if (known[ids[i]!] === unknown) return true;
  return false;
};

const countKnown = (known: Uint8Array, from: number, to: number): number => {
  let count = 0;
  for (let id = from; id < to; id++) count += known[id] === unknown ? 0 : 1;
  return count;
};

const passing = (ids: Uint32Array, known: Uint8Array): Uint8Array => {
  const found = new Uint8Array(ids.length);
  for (let i = 0; i < ids.length; i++) found[i] = known[ids[i]!]! >>> 1;
  return found;
};
