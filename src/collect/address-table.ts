/**
 * A table of texts by address that ships with Daybook and stays on disk (.ci/address-table.mjs
 * compiles and describes it). A look-up reads one block of ranges, and a text that was not read
 * lately. In memory are the first addresses of the blocks.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
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

const [magic, formatVersion, blockRanges, groupTexts] = [0x54414244, 3, 128, 16];
const headerBytes = 9 * 4;
/** Of a block: its numbers, and of each range two numbers and a length of up to nine bytes. */
const blockBytesMax = 2 + blockRanges * (1 + 3 + 9);
const textBytesMax = 255;
const groupBytesMax = groupTexts * (2 + textBytesMax);
/**
 * Texts that are kept, in about a megabyte, each in the one place that its number gives: no address
 * is kept.
 */
const rememberedMax = 8192;

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
  let at = 0;
  const numbers = (count: number): Uint32Array => {
    const read = new Uint32Array(count);
    at += readSync(fd, read, 0, read.byteLength, at);
    return read;
  };
  const summed = (count: number): Uint32Array => {
    const read = numbers(count);
    for (let i = 1; i < count; i++) read[i]! += read[i - 1]!;
    return read;
  };
  const index = (blocks: number): Index => ({
    highs: summed(blocks),
    lows: summed(blocks),
    ends: summed(blocks),
  });
  const [mark, version, day, groups, textBytes, ...families] = numbers(headerBytes / 4);
  if (mark !== magic || version !== formatVersion) throw new Error('it is no table of addresses');
  const [blocks4, bytes4, blocks6, bytes6] = families as [number, number, number, number];
  const blocksAt = headerBytes + ((blocks4 + blocks6) * 3 + groups!) * 4;
  const textsAt = blocksAt + bytes4 + bytes6;
  if (fstatSync(fd).size !== textsAt + textBytes!) throw new Error('it is cut off, or no table of addresses');
  const ipv4 = familyIn(fd, index(blocks4), blocksAt);
  const ipv6 = familyIn(fd, index(blocks6), blocksAt + bytes4);
  const ends = summed(groups!);

  const numbersKept = new Int32Array(rememberedMax).fill(-1);
  const valuesKept = new Array<T | undefined>(rememberedMax).fill(undefined);
  const buffer = Buffer.alloc(groupBytesMax);
  const text = Buffer.alloc(textBytesMax);
  const textOf = (number: number): T => {
    const group = Math.floor(number / groupTexts);
    const from = ends[group - 1] ?? 0;
    readSync(fd, buffer, 0, ends[group]! - from, textsAt + from);
    let [start, length] = [0, 0];
    for (let left = number % groupTexts; left >= 0; left--) {
      length = buffer[start]! + buffer[start + 1]!;
      buffer.copy(text, buffer[start], start + 2);
      start += 2 + buffer[start + 1]!;
    }
    return read(text.toString('utf8', 0, length));
  };
  return {
    of(address) {
      const bits = ipv4Bits(address);
      const words = bits >= 0 ? null : ipv6Words(address);
      const number = bits >= 0 ? ipv4(bits, 0) : words === null ? 0 : ipv6(words[0], words[1]);
      const place = number % rememberedMax;
      if (numbersKept[place] !== number) {
        valuesKept[place] = textOf(number);
        numbersKept[place] = number;
      }
      return valuesKept[place]!;
    },
    madeAt: day! * dayMs,
  };
};

/** Of each block the two halves of its first address, and where it ends. */
type Index = Record<'highs' | 'lows' | 'ends', Uint32Array>;

/** Gives the number of the text of the first 64 bits of an address. */
const familyIn = (fd: number, { highs, lows, ends }: Index, at: number): ((high: number, low: number) => number) => {
  const bytes = new Uint8Array(blockBytesMax);
  return (high, low) => {
    const block = lastAtMost(highs, lows, high, low);
    const from = ends[block - 1] ?? 0;
    readSync(fd, bytes, 0, ends[block]! - from, at + from);
    const [ranges, texts] = [bytes[0]! + 1, bytes[1]! + 1];
    const distance = distanceOf(high - highs[block]!, low - lows[block]!);
    const named = bytes[2 + rangeIn(bytes, 2 + ranges + texts * 3, ranges, distance)]!;
    const number = 2 + ranges + named * 2;
    return bytes[number]! + bytes[number + 1]! * 256 + bytes[2 + ranges + texts * 2 + named]! * 65_536;
  };
};

/**
 * A distance of 64 bits from the differences of its halves, rounded down to a double. What a double
 * can say and is above the distance stays above it.
 */
const distanceOf = (high: number, low: number): number => {
  const [above, below] = low < 0 ? [high - 1, low + 2 ** 32] : [high, low];
  const excess = Math.max(0, 32 - Math.clz32(above) + 32 - 53);
  return above * 2 ** 32 + (excess === 0 ? below : below - (below % 2 ** excess));
};

/** The place of the last of summed pairs that is at most a pair. The first is. */
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

/** The range of a block, whose lengths begin at a place, that holds a distance from its start. */
const rangeIn = (bytes: Uint8Array, at: number, ranges: number, distance: number): number => {
  let end = 0;
  for (let range = 0; range < ranges - 1; range++) {
    const byte = bytes[at++]!;
    let half = byte & 3;
    if (half === 3) {
      let more = bytes[at++]!;
      half += more & 127;
      for (let scale = 128; more > 127; scale *= 128) {
        more = bytes[at++]!;
        half += (more & 127) * scale;
      }
    }
    end += (2 * half + 1) * powers[byte >> 2]!;
    if (distance < end) return range;
  }
  return ranges - 1;
};
const powers = Float64Array.from({ length: 64 }, (_, exponent) => 2 ** exponent);
