/**
 * Unsigned integers of up to 32 bits, as columns store them (column-codec.ts): words of 32 bits, in
 * this order. A code is a value less the base. Codes stand side by side from the low bits of each
 * word up, and what is behind the last one means nothing.
 *
 *     words  what
 *     1      bits 0 to 5: width of a code in bits, 0 to 32
 *            bits 6 and 7: layout: 0 dense, 1 masked, 2 patched
 *            bit 8: base: no value is less
 *            bits 9 to 31: count of the values; all 1: it is in a word behind this one
 *     then   by layout
 *            dense    ceil(count * width / 32): the codes
 *            masked   ceil(count / 32): a bit per value, 1 where its code is not 0
 *                     ceil(ones * width / 32): the codes that are not 0
 *            patched  ceil(count * width / 32): the low bits of the codes
 *                     a dense list of base 1: of each code with more bits than these, how many rows
 *                     it is behind the one before; of the first, behind row -1
 *                     a dense list of base 0: the bits above the low ones of each of them
 *
 * The layout is the shortest, with two exceptions, since decoding has its price. Dense codes of 7
 * and of 13 to 15 bits take whole bytes, and are used where they lie. A patched list is an array in
 * memory unless its width is 0, so it must be an eighth shorter than the others.
 */
import { gather, joined } from './gather.ts';
import { bitsIn, wordsFor } from './mask.ts';
import { type Codes, codesFor, largest, type Packed } from './packed.ts';
import { flat, packCodes, unpackStored } from './unpack.ts';

/** Thrown when bytes are not a column as the codec writes it: the file is damaged. */
export class ColumnError extends Error {}

/**
 * More than any day has. Values of width 0 take no bytes, so a wrong count would not be found by
 * the length.
 */
export const countMax = 2 ** 28;

const [dense, masked, patched] = [0, 1, 2];
/** Counts from this on have a word of their own. */
const countFrom = 2 ** 23 - 1;

const patchedPartMax = 7 / 8;
/** How much more whole bytes may take than as many bits as are needed. */
const wholePartMax = 5 / 4;

/** A list as words. `base` is 0, or 1 where no value is 0. */
export const writeList = (values: Codes, base: 0 | 1): Uint32Array => {
  const codes = codesOf(values, base);
  const ofWidth = countWidths(codes);
  const width = Math.max(
    0,
    ofWidth.findLastIndex(count => count > 0),
  );
  const [count, ones] = [codes.length, codes.length - ofWidth[0]!];
  const list = (layout: number, bits: number, ...parts: readonly Uint32Array[]): Uint32Array =>
    joined([headOf(count, bits, layout, base), ...parts]);
  const [inMask, inBits] = [wordsFor(count) + wordsOf(ones, width), wordsOf(count, width)];
  const low = lowWidth(ofWidth, count, width);
  const patches = low < width ? patchesOf(codes, low) : null;
  const patchedMax = (low === 0 ? 1 : patchedPartMax) * Math.min(inMask, inBits);
  if (patches !== null && wordsOf(count, low) + patches.length < patchedMax)
    return list(patched, low, packCodes(lowBits(codes, low), low), patches);
  if (inMask >= inBits) return list(dense, wholeWidth(width), packCodes(codes, wholeWidth(width)));
  const rows = rowsAbove(codes, 0);
  return list(masked, width, maskWith(rows, count), packCodes(gather(codes, rows), width));
};

/** The codes of more than so many bits, as two lists. */
const patchesOf = (codes: Uint32Array, low: number): Uint32Array => {
  const rows = rowsAbove(codes, 2 ** low - 1);
  const [gaps, highs] = [new Uint32Array(rows.length), new Uint32Array(rows.length)];
  for (let i = 0, before = -1; i < rows.length; i++) {
    gaps[i] = rows[i]! - before;
    highs[i] = codes[rows[i]!]! >>> low;
    before = rows[i]!;
  }
  return joined([denseList(gaps, 1), denseList(highs, 0)]);
};

const headOf = (count: number, width: number, layout: number, base: number): Uint32Array => {
  const form = width | (layout << 6) | (base << 8);
  return count < countFrom ? Uint32Array.of(form | (count << 9)) : Uint32Array.of(form | (countFrom << 9), count);
};

const denseList = (values: Uint32Array, base: 0 | 1): Uint32Array => {
  const codes = codesOf(values, base);
  const width = bitsFor(largest(codes));
  return joined([headOf(codes.length, width, dense, base), packCodes(codes, width)]);
};

/**
 * Reads the list that begins at a word, and says where it ends. It may lie in the memory of
 * `words`. Throws ColumnError on what writeList never makes.
 */
export const readList = (words: Uint32Array, at: number): { values: Codes | Packed; end: number } => {
  const head = readHead(words, at);
  const { length, width, base } = head;
  if (head.layout === masked) {
    const mask = piece(words, head.at, wordsFor(length));
    const stored = bitsIn(mask, length);
    const codes = piece(words, head.at + mask.length, wordsOf(stored, width));
    return { values: { length, width, words: codes, stored, mask, base }, end: head.at + mask.length + codes.length };
  }
  const codes = piece(words, head.at, wordsOf(length, width));
  const packed = { length, width, words: codes, stored: length, mask: null, base };
  const end = head.at + codes.length;
  return head.layout === patched ? readPatches(words, end, packed) : { values: inPlace(packed), end };
};

const readPatches = (words: Uint32Array, at: number, low: Packed): ReturnType<typeof readList> => {
  const [gaps, end] = readDense(words, at, 1);
  const [highs, after] = readDense(words, end, 0);
  const { length, base } = low;
  if (highs.length !== gaps.length || highs.width + low.width > 32) throw new ColumnError('wrong patches');
  const rows = flat(gaps) as Uint32Array;
  for (let i = 0, row = -1; i < rows.length; i++) {
    row += rows[i]!;
    if (row >= length) throw new ColumnError('a patch is behind the last row');
    rows[i] = row;
  }
  if (low.width === 0) return { values: { ...highs, length, base, mask: maskWith(rows, length) }, end: after };
  const values = unpackStored(low, new Uint32Array(length));
  const above = flat(highs);
  for (let i = 0; i < rows.length; i++) values[rows[i]!]! += above[i]! * 2 ** low.width;
  const narrow = codesFor(2 ** (highs.width + low.width) - 1 + base, length);
  narrow.set(values);
  return { values: narrow, end: after };
};

interface Head {
  length: number;
  width: number;
  layout: number;
  base: number;
  /** The word behind it. */
  at: number;
}

const readHead = (words: Uint32Array, at: number): Head => {
  const [form] = piece(words, at, 1) as unknown as [number];
  const isLong = form >>> 9 === countFrom;
  const length = isLong ? piece(words, at + 1, 1)[0]! : form >>> 9;
  const [width, layout, base] = [form & 63, (form >>> 6) & 3, (form >>> 8) & 1];
  if (length > countMax) throw new ColumnError('more values than a day can have');
  if (width > 32 || layout > patched) throw new ColumnError('unknown width or layout');
  return { length, width, layout, base, at: at + (isLong ? 2 : 1) };
};

const readDense = (words: Uint32Array, from: number, baseWanted: 0 | 1): [Packed, end: number] => {
  const { length, width, layout, base, at } = readHead(words, from);
  if (layout !== dense || base !== baseWanted) throw new ColumnError('unknown patches');
  const codes = piece(words, at, wordsOf(length, width));
  return [{ length, width, words: codes, stored: length, mask: null, base }, at + codes.length];
};

const piece = (words: Uint32Array, from: number, count: number): Uint32Array => {
  if (from + count > words.length) throw new ColumnError('wrong length');
  return words.subarray(from, from + count);
};

/** Codes of whole words where they lie. */
const inPlace = (packed: Packed): Codes | Packed => {
  const { words, length, width, base } = packed;
  if (base !== 0 || (width !== 8 && width !== 16 && width !== 32)) return packed;
  const { buffer, byteOffset } = words;
  if (width === 32) return words;
  return width === 8 ? new Uint8Array(buffer, byteOffset, length) : new Uint16Array(buffer, byteOffset, length);
};

/** Words of so many codes. */
const wordsOf = (codes: number, width: number): number => Math.ceil((codes * width) / 32);

/** How many bits a value needs. */
const bitsFor = (value: number): number => 32 - Math.clz32(value);

const wholeWidth = (width: number): number => {
  const whole = width > 8 ? 16 : 8;
  return width <= whole && whole <= wholePartMax * width ? whole : width;
};

/** A copy, less the base. */
const codesOf = (values: Codes, base: number): Uint32Array => {
  const codes = new Uint32Array(values);
  for (let i = 0; base > 0 && i < codes.length; i++) codes[i]! -= base;
  return codes;
};

/** How many codes need each number of bits. */
const countWidths = (codes: Uint32Array): Uint32Array => {
  const counts = new Uint32Array(33);
  for (let i = 0; i < codes.length; i++) counts[32 - Math.clz32(codes[i]!)]!++;
  return counts;
};

/** How many low bits make a patched list the shortest, about; `width` where none do. */
const lowWidth = (ofWidth: Uint32Array, count: number, width: number): number => {
  let [best, least, above] = [width, Math.min(count * width, count + (count - ofWidth[0]!) * width), 0];
  for (let low = width - 1; low >= 0; low--) {
    above += ofWidth[low + 1]!;
    // Few gaps are more than eight times as long as they are on average.
    const bits = count * low + above * (width - low + bitsFor(count / above) + 2);
    if (bits < least) [best, least] = [low, bits];
  }
  return best;
};

const rowsAbove = (codes: Uint32Array, most: number): Uint32Array => {
  const rows = new Uint32Array(codes.length);
  let count = 0;
  for (let row = 0; row < codes.length; row++) if (codes[row]! > most) rows[count++] = row;
  return rows.slice(0, count);
};

const lowBits = (codes: Uint32Array, width: number): Uint32Array => {
  const bits = new Uint32Array(codes.length);
  for (let i = 0; i < codes.length; i++) bits[i] = codes[i]! & (2 ** width - 1);
  return bits;
};

const maskWith = (rows: Uint32Array, length: number): Uint32Array => {
  const mask = new Uint32Array(wordsFor(length));
  for (let i = 0; i < rows.length; i++) mask[rows[i]! >>> 5]! |= 1 << (rows[i]! & 31);
  return mask;
};
