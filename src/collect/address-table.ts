/**
 * A table of texts by address that ships with Daybook and stays on disk (.ci/address-table.mjs
 * compiles and describes it). A look-up reads one block of ranges, and a text that was not read
 * lately. In memory are the first addresses of the blocks.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { lru } from 'tiny-lru';
import { ipv4Bits, ipv6Words } from '../model/address.ts';
import { dayMs } from '../model/time.ts';
import { isExecutable, packageRoot } from '../package-root.ts';

export interface AddressTable<T> {
  /** What is made of the text of an address, which is empty where none is known. */
  of(address: string): T;
  /** UTC milliseconds of the day of its data. */
  madeAt: number;
}

/** The file of a table that ships: the executable has it beside it. */
export const shippedTable = (name: string): string => join(packageRoot, isExecutable ? name : `dist/${name}`);

const [magic, formatVersion, blockRanges] = [0x54414244, 1, 128];
const headerBytes = 8 * 4;
/** Of a block: its texts, and of each range two numbers and a length of up to nine bytes. */
const blockBytesMax = 1 + blockRanges * (1 + 3 + 9);
const textBytesMax = 1 + 255;
/** Texts that are kept, in about a megabyte: no address is kept. */
const rememberedMax = 5000;

/** Throws when the file is no table. It stays open. */
export const openAddressTable = <T>(file: string, read: (text: string) => T): AddressTable<T> => {
  const fd = openSync(file, 'r');
  try {
    return tableIn(fd, read);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
};

const tableIn = <T>(fd: number, read: (text: string) => T): AddressTable<T> => {
  const numbersAt = (at: number, count: number): Uint32Array => {
    const numbers = new Uint32Array(count);
    readSync(fd, numbers, 0, numbers.byteLength, at);
    return numbers;
  };
  const [mark, version, day, textBytes, ...families] = numbersAt(0, headerBytes / 4);
  if (mark !== magic || version !== formatVersion) throw new Error('it is no table of addresses');
  const [ranges4, bytes4, ranges6, bytes6] = families as [number, number, number, number];
  const [blocks4, blocks6] = [Math.ceil(ranges4 / blockRanges), Math.ceil(ranges6 / blockRanges)];
  const at4 = headerBytes + (blocks4 + blocks6) * 3 * 4;
  const textsAt = at4 + bytes4 + bytes6;
  if (fstatSync(fd).size !== textsAt + textBytes!) throw new Error('it is cut off, or no table of addresses');
  const ipv4 = familyIn(fd, numbersAt(headerBytes, blocks4 * 3), ranges4, at4);
  const ipv6 = familyIn(fd, numbersAt(headerBytes + blocks4 * 3 * 4, blocks6 * 3), ranges6, at4 + bytes4);

  const remembered = lru<{ value: T }>(rememberedMax);
  const buffer = Buffer.alloc(textBytesMax);
  const textAt = (place: number): { value: T } => {
    readSync(fd, buffer, 0, textBytesMax, textsAt + place);
    return { value: read(buffer.toString('utf8', 1, 1 + buffer[0]!)) };
  };
  return {
    of(address) {
      const bits = ipv4Bits(address);
      const words = bits >= 0 ? null : ipv6Words(address);
      const place = bits >= 0 ? ipv4(bits, 0) : words === null ? 0 : ipv6(words[0], words[1]);
      let found = remembered.get(place);
      if (found === undefined) {
        found = textAt(place);
        remembered.set(place, found);
      }
      return found.value;
    },
    madeAt: day! * dayMs,
  };
};

/** Gives where the text lies of the first 64 bits of an address. */
const familyIn = (
  fd: number,
  index: Uint32Array,
  ranges: number,
  at: number,
): ((high: number, low: number) => number) => {
  const blocks = index.length / 3;
  const [highs, lows, ends] = [
    index.subarray(0, blocks),
    index.subarray(blocks, 2 * blocks),
    index.subarray(2 * blocks),
  ];
  const bytes = Buffer.alloc(blockBytesMax);
  return (high, low) => {
    const block = lastAtMost(highs, lows, high, low);
    const from = ends[block - 1] ?? 0;
    readSync(fd, bytes, 0, ends[block]! - from, at + from);
    const count = Math.min(blockRanges, ranges - block * blockRanges);
    const isBorrowed = low < lows[block]!;
    const above = high - highs[block]! - (isBorrowed ? 1 : 0);
    const range = rangeIn(bytes, count, above, low - lows[block]! + (isBorrowed ? 2 ** 32 : 0));
    return bytes.readUIntLE(1 + count + bytes[1 + range]! * 3, 3);
  };
};

/** The place of the last of ascending pairs that is at most a pair. The first is. */
const lastAtMost = (highs: Uint32Array, lows: Uint32Array, high: number, low: number): number => {
  let [from, to] = [0, highs.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const value = highs[middle]!;
    if (value < high || (value === high && lows[middle]! <= low)) from = middle + 1;
    else to = middle;
  }
  return from - 1;
};

/** The range of a block that holds what lies so far behind its start, in two halves. */
const rangeIn = (bytes: Buffer, count: number, high: number, low: number): number => {
  let at = 1 + count + (bytes[0]! + 1) * 3;
  for (let range = 0; range < count - 1; range++) {
    const byte = bytes[at++]!;
    let half = byte & 3;
    if (half === 3) {
      let scale = 1;
      let more: number;
      do {
        more = bytes[at++]!;
        half += (more & 127) * scale;
        scale *= 128;
      } while (more > 127);
    }
    const length = (2 * half + 1) * powers[byte >> 2]!;
    const above = Math.floor(length / 2 ** 32);
    high -= above;
    low -= length - above * 2 ** 32;
    if (low < 0) {
      low += 2 ** 32;
      high--;
    }
    if (high < 0) return range;
  }
  return count - 1;
};
const powers = Float64Array.from({ length: 64 }, (_, exponent) => 2 ** exponent);
