/**
 * A column of a day as bytes. Little-endian, in this order:
 *
 *     offset  size  what
 *     0       4     "DBC1": magic and version of this format
 *     4       4     CRC-32 of everything from offset 8 on
 *     8       1     kind: 1 number, 2 text, 3 hash
 *     9       1     width of a code in bits: 0, 1, 2, 4, 8, 16, 24, 32 or 64
 *     10      2     layout: 0 dense, 1 sparse
 *     12      4     count: values in the column
 *     16      4     entries: length of the dictionary (text only, else 0)
 *     20      4     codes: how many stand here; dense, all of them
 *     24      4*entries, padded to 8: the dictionary, ascending text ids; the first is 0, null
 *     then    ceil(count / 8), sparse only: a bit per value from the low bit up, 1 if not 0
 *     then    ceil(codes * width / 8): the codes; sparse, only those that are not 0
 *
 * The code of a text value is its position in the dictionary. Width 0 means that all codes are 0,
 * and takes no bytes. Codes narrower than 8 bits are packed from the low bits of each byte up. A
 * number column of width 64 holds doubles, one of any other width unsigned integers; a hash column
 * has width 64 and holds unsigned integers.
 *
 * The layout is whichever is shorter. Much is sparse: most hits are no event, and the first of each
 * visit has time 0.
 *
 * A reader checks magic, checksum, that the length is exactly what the header implies, and that
 * there is a code for every bit of the mask. That no code lies beyond the dictionary, only a writer
 * with a fault could get wrong: `daybook check` looks.
 */
import { crc32 } from 'node:zlib';
import { bitsIn } from './mask.ts';
import type { Codes, Numbers, Packed } from './packed.ts';
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

const magic = 0x31434244;
const headerBytes = 24;
/**
 * More than any day has. Values of width 0 take no bytes, so a wrong count would not be found by
 * the length.
 */
const countMax = 2 ** 28;
const kinds = ['number', 'text', 'hash'] as const;
const widths = [0, 1, 2, 4, 8, 16, 24, 32, 64];

/** Thrown when bytes are not a column as described above: the file is damaged. */
export class ColumnError extends Error {}

export const encodeColumn = (column: Column): Buffer => {
  const values =
    column.kind === 'text' ? flat(column.codes) : column.kind === 'number' ? flat(column.values) : column.values;
  if (values.length > countMax) throw new RangeError(`a day of ${values.length} rows cannot be sealed`);
  const dictionary = column.kind === 'text' ? column.dictionary : new Uint32Array(0);
  const width = widthOf(values);
  const stored = width === 64 ? values.length : notZero(values as Codes);
  const maskBytes = Math.ceil(values.length / 8);
  const isSparse = maskBytes + bytesOf(stored, width) < bytesOf(values.length, width);
  const standing = isSparse ? values.filter(value => value !== 0) : values;
  const maskAt = maskOffset(dictionary.length);
  const codesAt = isSparse ? maskAt + maskBytes : maskAt;
  const bytes = Buffer.alloc(codesAt + bytesOf(standing.length, width));
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt8(kinds.indexOf(column.kind) + 1, 8);
  bytes.writeUInt8(width, 9);
  bytes.writeUInt16LE(isSparse ? 1 : 0, 10);
  bytes.writeUInt32LE(values.length, 12);
  bytes.writeUInt32LE(dictionary.length, 16);
  bytes.writeUInt32LE(standing.length, 20);
  dictionary.forEach((id, entry) => {
    bytes.writeUInt32LE(id, headerBytes + 4 * entry);
  });
  if (isSparse) writeMask(bytes, maskAt, values as Codes);
  writeCodes(bytes, codesAt, standing as typeof values, width);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
};

/**
 * Throws ColumnError on anything but what encodeColumn makes. The result may lie in the memory of
 * `given`.
 */
export const decodeColumn = (given: Uint8Array): Column => {
  // Numbers can stay where they are when they lie at multiples of their size.
  const isAligned = given.byteOffset % 8 === 0;
  const bytes = isAligned ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength) : new Uint8Array(given);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < headerBytes || view.getUint32(0, true) !== magic) throw new ColumnError('not a column');
  if (crc32(bytes.subarray(8)) !== view.getUint32(4, true)) throw new ColumnError('checksum does not match');
  const kind = kinds[view.getUint8(8) - 1];
  const width = view.getUint8(9);
  const layout = view.getUint16(10, true);
  const count = view.getUint32(12, true);
  const entries = view.getUint32(16, true);
  const stored = view.getUint32(20, true);
  const isSparse = layout === 1;
  const maskAt = maskOffset(entries);
  const codesAt = isSparse ? maskAt + Math.ceil(count / 8) : maskAt;
  if (kind === undefined || !widths.includes(width) || layout > 1)
    throw new ColumnError('unknown kind, width or layout');
  if (count > countMax) throw new ColumnError('more values than a day can have');
  if (isSparse ? stored > count || width === 64 : stored !== count) throw new ColumnError('wrong number of codes');
  if (bytes.byteLength !== codesAt + bytesOf(stored, width)) throw new ColumnError('wrong length');

  if (width === 64) {
    if (kind === 'text') throw new ColumnError('a text has no 64-bit codes');
    const [buffer, at] = [bytes.buffer, bytes.byteOffset + codesAt];
    if (kind === 'number') return { kind, values: new Float64Array(buffer, at, count) };
    return { kind, values: new BigUint64Array(buffer, at, count) };
  }
  if (kind === 'hash') throw new ColumnError('a hash has 64 bits');
  const codes = bytes.subarray(codesAt);
  const mask = isSparse ? readMask(bytes, maskAt, count) : null;
  if (mask !== null && bitsIn(mask, count) !== stored) throw new ColumnError('the codes do not match their mask');
  const values =
    mask === null && width >= 8 && width !== 24
      ? inPlace(codes, count, width)
      : { length: count, width, bytes: codes, stored, mask };
  if (kind === 'number') return { kind, values };
  return { kind, codes: values, dictionary: new Uint32Array(bytes.buffer, bytes.byteOffset + headerBytes, entries) };
};

/** Whether no code lies beyond the dictionary. */
export const areCodesInDictionary = (column: Column): boolean =>
  column.kind !== 'text' || column.codes.length === 0 || largest(flat(column.codes)) < column.dictionary.length;

const maskOffset = (entries: number): number => headerBytes + 8 * Math.ceil((4 * entries) / 8);
const bytesOf = (codes: number, width: number): number => Math.ceil((codes * width) / 8);

const notZero = (codes: Codes): number => {
  let count = 0;
  for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) count++;
  return count;
};

const writeMask = (bytes: Buffer, at: number, codes: Codes): void => {
  for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) bytes[at + (i >> 3)]! |= 1 << (i & 7);
};

/** The mask as words of 32 bits, where it lies unless the last word would reach beyond the end. */
const readMask = (bytes: Uint8Array, maskAt: number, count: number): Uint32Array => {
  const words = Math.ceil(count / 32);
  if (maskAt + 4 * words <= bytes.byteLength) return new Uint32Array(bytes.buffer, bytes.byteOffset + maskAt, words);
  const copy = new Uint32Array(words);
  new Uint8Array(copy.buffer).set(bytes.subarray(maskAt, maskAt + Math.ceil(count / 8)));
  return copy;
};

/** The largest value; 0 of none. */
export const largest = (values: ArrayLike<number>): number => {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!;
  return most;
};

const widthOf = (values: Numbers | BigUint64Array): number => {
  if (values instanceof BigUint64Array || values instanceof Float64Array) return 64;
  const most = largest(values);
  return widths.find(width => most < 2 ** width)!;
};

const writeCodes = (bytes: Buffer, at: number, values: Numbers | BigUint64Array, width: number): void => {
  if (width === 64) {
    const wide = values as Float64Array | BigUint64Array;
    bytes.set(new Uint8Array(wide.buffer, wide.byteOffset, wide.byteLength), at);
    return;
  }
  const codes = values as Codes;
  if (width < 8) {
    for (let i = 0; i < codes.length; i++) {
      const bit = i * width;
      bytes[at + (bit >> 3)]! |= codes[i]! << (bit & 7);
    }
    return;
  }
  const size = width / 8;
  for (let i = 0; i < codes.length; i++) bytes.writeUIntLE(codes[i]!, at + i * size, size);
};

/** Codes of whole words in the very bytes that were read, which lie at a multiple of 8. */
const inPlace = ({ buffer, byteOffset }: Uint8Array, count: number, width: number): Codes =>
  width === 8
    ? new Uint8Array(buffer, byteOffset, count)
    : width === 16
      ? new Uint16Array(buffer, byteOffset, count)
      : new Uint32Array(buffer, byteOffset, count);
