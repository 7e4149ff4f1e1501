/**
 * A column of a day as bytes: words of 32 bits, little-endian, in this order.
 *
 *     words  what
 *     1      "DB2", magic and version of this format, and above it a byte for the kind: 1 numbers,
 *            2 texts, 3 hashes, 4 doubles, 5 texts that follow others
 *     1      CRC-32 of everything behind this word, begun with the kind
 *     then   by kind, with lists as integer-list.ts has them
 *            1  a list: the values
 *            2  a list of base 1: the dictionary behind its first entry, which is 0 for null. Each
 *               text id is given by how much more it is than the one before
 *               a list of base 0: the code of each value, its position in the dictionary
 *            3  a list of base 0: the upper halves of the hashes, each less the one before it
 *               modulo 2^64; of the first, itself
 *               a list of base 0: their lower halves
 *            4  2 words for each value: a double
 *            5  the dictionary, as of kind 2
 *               a list of base 0: the usual code for each entry of the dictionary of the leader,
 *               which is another column of the same rows
 *               a list of base 1: the rows whose code is another one, each by how much more it is
 *               than the one before; the first, than -1
 *               a list of base 0: the codes of these rows
 *
 * So a column of n codes of w bits takes some 4 words and n * w / 32. A small dictionary takes less
 * than a byte an entry.
 *
 * A reader checks magic, checksum, that the lists are as described and end with the bytes, that ids
 * ascend, and that there are as many codes as rows. That no code lies beyond the dictionary, only a
 * writer with a fault could get wrong: `daybook check` looks. Days that were sealed by an earlier
 * version have columns of the first format (first-format.ts) until they are written anew.
 */
import { crc32 } from 'node:zlib';
import { decodeFirst, firstMagic } from './first-format.ts';
import { joined } from './gather.ts';
import { ColumnError, readList, writeList } from './integer-list.ts';
import { type Codes, codesFor, largest, type Numbers, type Packed } from './packed.ts';
import { flat } from './unpack.ts';

export interface NumberColumn {
  kind: 'number';
  values: Numbers | Packed;
}
export interface TextColumn {
  kind: 'text';
  /** Per row, the position of its value in the dictionary. */
  codes: Codes | Packed;
  /** Text ids, ascending, each once; entry 0 is 0, which is null. */
  dictionary: Uint32Array;
}
export interface HashColumn {
  kind: 'hash';
  values: BigUint64Array;
}
export type Column = NumberColumn | TextColumn | HashColumn;

const magic = 0x324244;
const headerWords = 2;
const [numbers, texts, hashes, doubles, followers] = [1, 2, 3, 4, 5];

export const encodeColumn = (column: Column): Buffer => {
  if (column.kind === 'hash') return encoded(hashes, ...halvesOf(column.values));
  if (column.kind === 'text') return encoded(texts, dictionaryList(column), writeList(flat(column.codes) as Codes, 0));
  const values = flat(column.values);
  if (values instanceof Float64Array) return encoded(doubles, new Uint32Array(values.slice().buffer));
  return encoded(numbers, writeList(values, values.length === 0 || values.includes(0) ? 0 : 1));
};

/** A text column of the same rows as its leader, which mostly tells its values. */
export const encodeFollower = (column: TextColumn, leader: TextColumn): Buffer => {
  const [codes, leading] = [flat(column.codes), flat(leader.codes)];
  const usual = usualCodes(codes, leading, leader.dictionary.length);
  const rows: number[] = [];
  for (let row = 0; row < codes.length; row++) if (codes[row] !== usual[leading[row]!]) rows.push(row);
  const gaps = Uint32Array.from(rows, (row, i) => row - (i === 0 ? -1 : rows[i - 1]!));
  const others = Uint32Array.from(rows, row => codes[row]!);
  return encoded(followers, dictionaryList(column), writeList(usual, 0), writeList(gaps, 1), writeList(others, 0));
};

/**
 * Throws ColumnError on anything but what was encoded. The result may lie in the memory of `given`.
 * `leader` gives the column that this one may follow.
 */
export const decodeColumn = (given: Uint8Array, leader?: () => Column): Column => {
  // Numbers can stay where they are when they lie at multiples of their size.
  const bytes = given.byteOffset % 8 === 0 ? given : new Uint8Array(given);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = bytes.byteLength < 4 * headerWords ? 0 : view.getUint32(0, true);
  const isFirst = found === firstMagic;
  const kind = found >>> 24;
  if (!isFirst && (found & 0xffffff) !== magic) throw new ColumnError('not a column');
  if (crc32(bytes.subarray(8), isFirst ? 0 : kind) !== view.getUint32(4, true))
    throw new ColumnError('checksum does not match');
  if (isFirst) return decodeFirst(bytes);
  if (bytes.byteLength % 4 !== 0) throw new ColumnError('wrong length');
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  if (kind === doubles) return { kind: 'number', values: readDoubles(words) };
  let at = headerWords;
  const next = (): Codes | Packed => {
    const { values, end } = readList(words, at);
    at = end;
    return values;
  };
  const column = readLists(kind, next, leader);
  if (at !== words.length) throw new ColumnError('wrong length');
  return column;
};

/** Whether a column is of this version's format. */
export const isOfThisFormat = (bytes: Uint8Array): boolean => bytes[2] === magic >>> 16;

/** Whether no code lies beyond the dictionary. */
export const areCodesInDictionary = (column: Column): boolean =>
  column.kind !== 'text' || column.codes.length === 0 || largest(flat(column.codes)) < column.dictionary.length;

const encoded = (kind: number, ...lists: readonly Uint32Array[]): Buffer => {
  const words = joined([Uint32Array.of(magic | (kind << 24), 0), ...lists]);
  const bytes = Buffer.from(words.buffer);
  words[1] = crc32(bytes.subarray(8), kind);
  return bytes;
};

const readLists = (kind: number, next: () => Codes | Packed, leader: (() => Column) | undefined): Column => {
  if (kind === numbers) return { kind: 'number', values: next() };
  if (kind === hashes) return { kind: 'hash', values: hashesOf(flat(next()), flat(next())) };
  if (kind !== texts && kind !== followers) throw new ColumnError('unknown kind');
  const dictionary = joined([Uint32Array.of(0), ascending(flat(next()), 0)]);
  if (kind === texts) return { kind: 'text', codes: next(), dictionary };
  const [usual, rows, others] = [flat(next()), ascending(flat(next()), -1), flat(next())];
  // Without its leader it has the same dictionary, and no rows.
  const codes = leader === undefined ? new Uint8Array(0) : codesBehind(leader(), usual, rows, others);
  return { kind: 'text', codes, dictionary };
};

const readDoubles = (words: Uint32Array): Float64Array => {
  const count = (words.length - headerWords) / 2;
  if (!Number.isInteger(count) || count < 0) throw new ColumnError('wrong length');
  return new Float64Array(words.buffer, words.byteOffset + 4 * headerWords, count);
};

const dictionaryList = ({ dictionary }: TextColumn): Uint32Array =>
  writeList(
    dictionary.subarray(1).map((id, entry) => id - dictionary[entry]!),
    dictionary.length > 1 ? 1 : 0,
  );

/** Values from how much each is more than the one before. */
const ascending = (gaps: Codes, from: number): Uint32Array => {
  const values = new Uint32Array(gaps.length);
  for (let i = 0, value = from; i < gaps.length; i++) {
    value += gaps[i]!;
    if (gaps[i] === 0 || value > 0xffffffff) throw new ColumnError('values that should ascend do not');
    values[i] = value;
  }
  return values;
};

/** For each code of the leader, one that mostly comes with it. */
const usualCodes = (codes: Codes, leading: Codes, entries: number): Uint32Array => {
  const [usual, lead] = [new Uint32Array(entries), new Uint32Array(entries)];
  for (let row = 0; row < codes.length; row++) {
    const of = leading[row]!;
    // Whoever has more than half of the votes is left in the end.
    if (lead[of] === 0) usual[of] = codes[row]!;
    lead[of]! += usual[of] === codes[row] ? 1 : -1;
  }
  return usual;
};

const codesBehind = (leader: Column, usual: Codes, rows: Uint32Array, others: Codes): Codes => {
  if (leader.kind !== 'text' || leader.dictionary.length !== usual.length || rows.length !== others.length)
    throw new ColumnError('it does not fit the column that it follows');
  const leading = flat(leader.codes);
  if (rows.length > 0 && rows.at(-1)! >= leading.length) throw new ColumnError('a row is behind the last one');
  const codes = codesFor(Math.max(largest(usual), largest(others)), leading.length);
  for (let row = 0; row < codes.length; row++) codes[row] = usual[leading[row]!]!;
  for (let i = 0; i < rows.length; i++) codes[rows[i]!] = others[i]!;
  return codes;
};

/** Upper and lower halves of what each hash is more than the one before, as two lists. */
const halvesOf = (values: BigUint64Array): [Uint32Array, Uint32Array] => {
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const [high, low] = [new Uint32Array(values.length), new Uint32Array(values.length)];
  for (let i = 0, [highBefore, lowBefore] = [0, 0]; i < values.length; i++) {
    const [ofLow, ofHigh] = [words[2 * i]!, words[2 * i + 1]!];
    low[i] = ofLow - lowBefore;
    high[i] = ofHigh - highBefore - (ofLow < lowBefore ? 1 : 0);
    [highBefore, lowBefore] = [ofHigh, ofLow];
  }
  return [writeList(high, 0), writeList(low, 0)];
};

const hashesOf = (high: Codes, low: Codes): BigUint64Array => {
  if (high.length !== low.length) throw new ColumnError('the two halves of the hashes differ in length');
  const values = new BigUint64Array(high.length);
  const words = new Uint32Array(values.buffer);
  for (let i = 0, [ofHigh, ofLow] = [0, 0]; i < values.length; i++) {
    const sum = ofLow + low[i]!;
    ofLow = sum >>> 0;
    ofHigh = (ofHigh + high[i]! + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    words[2 * i] = ofLow;
    words[2 * i + 1] = ofHigh;
  }
  return values;
};
