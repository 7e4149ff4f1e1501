/**
 * Reads columns of the first format, which days of earlier versions have until they are written
 * anew. Little-endian, in this order:
 *
 *     offset  size  what
 *     0       4     "DBC1"
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
 * Codes stand side by side as in lists of today. Of width 64 a number column holds doubles and a
 * hash column unsigned integers.
 */
import { ColumnError, countMax } from './integer-list.ts';
import { bitsIn } from './mask.ts';

export const firstMagic = 0x31434244;
const headerBytes = 24;
const widths = [0, 1, 2, 4, 8, 16, 24, 32, 64];

/** Magic and checksum are checked. Throws ColumnError on anything but such a column. */
export const decodeFirst = (bytes: Uint8Array) => {
  if (bytes.byteLength < headerBytes) throw new ColumnError('wrong length');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = (['number', 'text', 'hash'] as const)[view.getUint8(8) - 1];
  const [width, layout] = [view.getUint8(9), view.getUint16(10, true)];
  const [count, entries, stored] = [12, 16, 20].map(at => view.getUint32(at, true)) as [number, number, number];
  const isSparse = layout === 1;
  const maskAt = headerBytes + 8 * Math.ceil((4 * entries) / 8);
  const codesAt = isSparse ? maskAt + Math.ceil(count / 8) : maskAt;
  if (kind === undefined || !widths.includes(width) || layout > 1)
    throw new ColumnError('unknown kind, width or layout');
  if (count > countMax) throw new ColumnError('more values than a day can have');
  if (isSparse ? stored > count || width === 64 : stored !== count) throw new ColumnError('wrong number of codes');
  if (bytes.byteLength !== codesAt + Math.ceil((stored * width) / 8)) throw new ColumnError('wrong length');
  const at = bytes.byteOffset + codesAt;
  if (kind === 'hash') {
    if (width !== 64) throw new ColumnError('a hash has 64 bits');
    return { kind, values: new BigUint64Array(bytes.buffer, at, count) };
  }
  if (width === 64) {
    if (kind === 'text') throw new ColumnError('a text has no 64-bit codes');
    return { kind, values: new Float64Array(bytes.buffer, at, count) };
  }
  const mask = isSparse ? wordsFrom(bytes.subarray(maskAt, codesAt)) : null;
  if (mask !== null && bitsIn(mask, count) !== stored) throw new ColumnError('the codes do not match their mask');
  const ofWords = { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array }[width];
  const values =
    mask === null && ofWords !== undefined
      ? new ofWords(bytes.buffer as ArrayBuffer, at, count)
      : { length: count, width, words: wordsFrom(bytes.subarray(codesAt)), stored, mask, base: 0 };
  if (kind === 'number') return { kind, values };
  return { kind, codes: values, dictionary: new Uint32Array(bytes.buffer, bytes.byteOffset + headerBytes, entries) };
};

/** A copy as whole words. */
const wordsFrom = (bytes: Uint8Array): Uint32Array => {
  const words = new Uint32Array(Math.ceil(bytes.byteLength / 4));
  new Uint8Array(words.buffer).set(bytes);
  return words;
};
