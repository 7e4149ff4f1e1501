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
 *     24      4*entries, padded to a multiple of 8    the dictionary: ascending text ids; the first is 0, null
 *     then    ceil(count / 8), sparse only             one bit per value, from the low bit of each byte up: 1 where its code is not 0
 *     then    ceil(codes * width / 8)                 the codes; sparse, only those that are not 0
 *
 * The code of a text value is its place in the dictionary. Width 0 means that all codes are 0, and takes no bytes. Codes narrower than 8
 * bits are packed from the low bits of each byte up. A number column of width 64 holds doubles, one of any other
 * width unsigned integers; a hash column has width 64 and holds unsigned integers.
 *
 * The layout is whichever is shorter. Much is sparse: most hits are no event, and the first of each visit has time 0.
 *
 * A reader checks magic, checksum, that the length is exactly what the header implies, that there is a code for every bit, and that
 * no code lies beyond the dictionary.
 */
import { crc32 } from 'node:zlib';

/** Unsigned integers as narrow as their largest one, or doubles. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;
export type Codes = Uint8Array | Uint16Array | Uint32Array;

export interface NumberColumn {
  kind: 'number';
  values: Numbers;
}
export interface TextColumn {
  kind: 'text';
  /** Per row, the place of its value in the dictionary. */
  codes: Codes;
  /** Text ids, ascending, each once; entry 0 is 0, which is null. */
  dictionary: Uint32Array;
  /** Of a column that is mostly null, a bit per row as in the sparse layout: 1 where the code is not 0. */
  present: Uint32Array | null;
}
export interface HashColumn {
  kind: 'hash';
  values: BigUint64Array;
}
export type Column = NumberColumn | TextColumn | HashColumn;

const magic = 0x31434244;
const headerBytes = 24;
/** More than any day has. Values of width 0 take no bytes, so a wrong count would not be found by the length. */
const countMax = 2 ** 28;
const kinds = ['number', 'text', 'hash'] as const;
const widths = [0, 1, 2, 4, 8, 16, 24, 32, 64];

/** Thrown when bytes are not a column as described above: the file is damaged. */
export class ColumnError extends Error {}

export const encodeColumn = (column: Column): Buffer => {
  const values = column.kind === 'text' ? column.codes : column.values;
  if (values.length > countMax) throw new RangeError(`a day of ${values.length} rows cannot be sealed`);
  const dictionary = column.kind === 'text' ? column.dictionary : new Uint32Array(0);
  const width = widthOf(values);
  const present = width === 64 ? values.length : presentIn(values as Codes);
  const maskBytes = Math.ceil(values.length / 8);
  const isSparse = maskBytes + bytesOf(present, width) < bytesOf(values.length, width);
  const stored = isSparse ? values.filter(value => value !== 0) : values;
  const maskAt = maskOffset(dictionary.length);
  const codesAt = isSparse ? maskAt + maskBytes : maskAt;
  const bytes = Buffer.alloc(codesAt + bytesOf(stored.length, width));
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt8(kinds.indexOf(column.kind) + 1, 8);
  bytes.writeUInt8(width, 9);
  bytes.writeUInt16LE(isSparse ? 1 : 0, 10);
  bytes.writeUInt32LE(values.length, 12);
  bytes.writeUInt32LE(dictionary.length, 16);
  bytes.writeUInt32LE(stored.length, 20);
  dictionary.forEach((id, entry) => {
    bytes.writeUInt32LE(id, headerBytes + 4 * entry);
  });
  if (isSparse) writeMask(bytes, maskAt, values as Codes);
  writeCodes(bytes, codesAt, stored as typeof values, width);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
};

/** Throws ColumnError on anything but what encodeColumn makes. The result may lie in the memory of `given`. */
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
  // Behind a mask codes lie anywhere.
  const packed = readCodes(isSparse ? bytes.slice(codesAt) : bytes.subarray(codesAt), stored, width);
  if (kind === 'text' && count > 0 && !areBelow(packed, entries))
    throw new ColumnError('a code lies beyond the dictionary');
  const present = isSparse ? readMask(bytes.subarray(maskAt, codesAt), count) : null;
  const codes = present === null ? packed : spread(packed, present, count);
  if (kind === 'number') return { kind, values: codes };
  const dictionary = new Uint32Array(bytes.slice(headerBytes, headerBytes + 4 * entries).buffer);
  return { kind, codes, dictionary, present };
};

const maskOffset = (entries: number): number => headerBytes + 8 * Math.ceil((4 * entries) / 8);
const bytesOf = (codes: number, width: number): number => Math.ceil((codes * width) / 8);

const presentIn = (codes: Codes): number => {
  let present = 0;
  for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) present++;
  return present;
};

const writeMask = (bytes: Buffer, at: number, codes: Codes): void => {
  for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) bytes[at + (i >> 3)]! |= 1 << (i & 7);
};

/** The mask as words of 32 bits, the last of which is filled up with zeros. */
const readMask = (bytes: Uint8Array, count: number): Uint32Array => {
  const words = new Uint32Array(Math.ceil(count / 32));
  new Uint8Array(words.buffer).set(bytes);
  return words;
};

/** Puts the rows that a mask has a 1 for into `rows`, ascending, and returns their number. */
export const rowsPresent = (mask: Uint32Array, rows: Uint32Array): number => {
  let count = 0;
  for (let word = 0; word < mask.length; word++) {
    for (let bits = mask[word]!; bits !== 0; bits &= bits - 1)
      rows[count++] = 32 * word + 31 - Math.clz32(bits & -bits);
  }
  return count;
};

/** Puts the codes where the mask has a bit, and 0 everywhere else. */
const spread = (packed: Codes, mask: Uint32Array, count: number): Codes => {
  const rows = new Uint32Array(packed.length);
  const last = (): number => rows[rows.length - 1] ?? -1;
  if (rowsPresent(mask, rows) !== packed.length || last() >= count)
    throw new ColumnError('the codes do not match their mask');
  const codes = new (packed.constructor as new (length: number) => Codes)(count);
  scatter(packed, rows, codes);
  return codes;
};

const scatter = (values: Codes, rows: Uint32Array, to: Codes): void => {
  for (let i = 0; i < rows.length; i++) to[rows[i]!] = values[i]!;
};

/** Whether all codes are below a bound, which often their width alone says. */
const areBelow = (codes: Codes, bound: number): boolean =>
  bound >= 2 ** (8 * codes.BYTES_PER_ELEMENT) || largest(codes) < bound;

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

/**
 * Codes in the narrowest typed array that holds them; 24 bits become 32. Each loop has a function of its own: it is soon compiled,
 * and it is the first question after a start that waits for it.
 */
const readCodes = (bytes: Uint8Array, count: number, width: number): Codes => {
  const { buffer, byteOffset } = bytes;
  if (width === 8) return bytes;
  if (width === 16) return new Uint16Array(buffer, byteOffset, count);
  if (width === 32) return new Uint32Array(buffer, byteOffset, count);
  if (width === 24) return unpackTriples(bytes, new Uint32Array(count));
  const codes = new Uint8Array(count);
  return width === 0 ? codes : unpackBits(bytes, codes, 3 - Math.log2(width));
};

const unpackTriples = (bytes: Uint8Array, codes: Uint32Array): Uint32Array => {
  for (let i = 0, at = 0; i < codes.length; i++, at += 3) {
    codes[i] = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  }
  return codes;
};

/** Of codes that stand 2, 4 or 8 in a byte: 2 to the power of `shift`. */
const unpackBits = (bytes: Uint8Array, codes: Uint8Array, shift: number): Uint8Array => {
  const width = 8 >> shift;
  const mask = (1 << width) - 1;
  const within = (1 << shift) - 1;
  for (let i = 0; i < codes.length; i++) codes[i] = (bytes[i >> shift]! >> ((i & within) * width)) & mask;
  return codes;
};
