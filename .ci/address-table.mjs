/**
 * Compiles the tables of texts by address that src/collect/address-table.ts reads from disk. An
 * address counts by its first 64 bits, those of an IPv4 address with 32 zeros behind it, since what
 * lies below is one network's own. A range ends where the next one begins. Numbers are
 * little-endian, and of 32 bits where nothing else is said:
 *
 *     header   "DBAT", version 3, the day of the data since 1970, groups of texts and their bytes,
 *              and of IPv4 and of IPv6: the blocks and their bytes
 *     index    of IPv4, then of IPv6: of each block the upper half of its first address, then of
 *              each the lower half, then of each where it ends; then of each group where it ends;
 *              each number as its difference from the one before, which packs into half
 *     blocks   of IPv4, then of IPv6: each of at most 128 ranges
 *     texts    in UTF-8, in groups of 16: how many bytes of the one before a text begins with, in a
 *              group, how many follow, a byte each, and these; the first one is empty
 *
 * A block says first how many ranges it has, and how many texts it names, both less one (8 bits
 * each); then of each range which of them it has (8 bits), of each text the lower 16 bits of its
 * number, then of each the upper 8, and how far each range but the last one reaches: a length is an
 * odd number times a power of two, 2^e * (2h + 1). Its byte holds e in the upper six bits, and h in
 * the lower two; 3 says that h - 3 follows, seven bits in a byte from the lowest on, as long as the
 * uppermost bit is set. A block ends before a range that begins where no double can say how far it
 * is from the block's start, so that a reader needs no larger numbers.
 */
const [magic, formatVersion, blockRanges, groupTexts] = [0x54414244, 3, 128, 16];

const bytesOf = (...numbers) => Buffer.from(Uint32Array.from(numbers.flat()).buffer);
const differences = numbers => numbers.map((number, i) => number - (numbers[i - 1] ?? 0));

/** Each text once, and the numbers of those given. Like texts are neighbours, which packs best. */
const encodeTexts = texts => {
  const sorted = [...new Set(['', ...texts])].sort();
  if (sorted.length > 2 ** 24) throw new Error('There are too many texts for the table.');
  const numbers = new Map(sorted.map((text, number) => [text, number]));
  const [parts, ends] = [[], []];
  let end = 0;
  let before = Buffer.alloc(0);
  for (const [number, text] of sorted.entries()) {
    const bytes = Buffer.from(text);
    if (bytes.length > 255) throw new Error(`A text is too long for the table: ${text}`);
    let shared = 0;
    if (number % groupTexts > 0) while (shared < before.length && before[shared] === bytes[shared]) shared++;
    const more = bytes.subarray(shared);
    parts.push(Buffer.of(shared, more.length), more);
    end += 2 + more.length;
    before = bytes;
    if ((number + 1) % groupTexts === 0 || number === sorted.length - 1) ends.push(end);
  }
  return { numbers: texts.map(text => numbers.get(text)), ends, bytes: Buffer.concat(parts) };
};

/** Writes a length, given as two halves, at a place in a block; returns the place behind it. */
const writeLength = (out, at, above, below) => {
  const zeros = below === 0 ? 32 + trailingZeros(above) : trailingZeros(below);
  const odd = (above * 2 ** 32) / 2 ** zeros + Math.floor(below / 2 ** zeros);
  if (odd > Number.MAX_SAFE_INTEGER) throw new Error('A range is too long for the table.');
  let half = (odd - 1) / 2;
  out[at++] = (zeros << 2) | Math.min(half, 3);
  if (half < 3) return at;
  for (half -= 3; half > 127; half = Math.floor(half / 128)) out[at++] = (half % 128) | 128;
  out[at++] = half;
  return at;
};
const trailingZeros = value => 31 - Math.clz32(value & -value);

/** Places of the ranges that differ from the one before. */
const kept = texts => {
  const found = new Uint32Array(texts.length);
  let count = 0;
  for (let i = 0; i < texts.length; i++) if (i === 0 || texts[i] !== texts[i - 1]) found[count++] = i;
  return found.subarray(0, count);
};

/** Writes a block of these ranges, and returns its length. */
const encodeBlock = ({ highs, lows, texts }, ranges, out) => {
  const named = new Map();
  let at = 2;
  for (const range of ranges) {
    const text = texts[range];
    if (!named.has(text)) named.set(text, named.size);
    out[at++] = named.get(text);
  }
  out[0] = ranges.length - 1;
  out[1] = named.size - 1;
  for (const text of named.keys()) at = out.writeUInt16LE(text % 65_536, at);
  for (const text of named.keys()) at = out.writeUInt8(text >>> 16, at);
  for (let i = 1; i < ranges.length; i++) {
    const [from, to] = [ranges[i - 1], ranges[i]];
    const isBorrowed = lows[to] < lows[from];
    const above = highs[to] - highs[from] - (isBorrowed ? 1 : 0);
    at = writeLength(out, at, above, lows[to] - lows[from] + (isBorrowed ? 2 ** 32 : 0));
  }
  return at;
};

/** How many of the ranges from a place on its block has. */
const blockLength = ({ highs, lows }, ranges, from) => {
  const wide = range => (BigInt(highs[range]) << 32n) + BigInt(lows[range]);
  const start = wide(ranges[from]);
  let to = from + 1;
  while (to < ranges.length && to - from < blockRanges) {
    const distance = wide(ranges[to]) - start;
    if (BigInt(Number(distance)) !== distance) break;
    to++;
  }
  return to - from;
};

const encodeFamily = family => {
  const ranges = kept(family.texts);
  const [highs, lows, ends, blocks] = [[], [], [], []];
  const out = Buffer.alloc(2 + blockRanges * 16);
  let end = 0;
  for (let from = 0; from < ranges.length; ) {
    const to = from + blockLength(family, ranges, from);
    const length = encodeBlock(family, ranges.subarray(from, to), out);
    blocks.push(Buffer.from(out.subarray(0, length)));
    highs.push(family.highs[ranges[from]]);
    lows.push(family.lows[ranges[from]]);
    end += length;
    ends.push(end);
    from = to;
  }
  return { facts: [blocks.length, end], index: bytesOf(...[highs, lows, ends].map(differences)), blocks };
};

/**
 * The table of ascending ranges of IPv4 and of IPv6, as of a day since 1970. Of a family `highs` and
 * `lows` are the two halves of the first 64 bits of each range, from 0 on, and `texts` its text's
 * place in `texts`.
 */
export const compileTable = ({ ipv4, ipv6, texts, day }) => {
  const { numbers, ends, bytes } = encodeTexts(texts);
  const families = [ipv4, ipv6].map(family => encodeFamily({ ...family, texts: family.texts.map(i => numbers[i]) }));
  const facts = families.map(family => family.facts);
  const header = bytesOf(magic, formatVersion, day, ends.length, bytes.length, ...facts);
  const indexes = [...families.map(({ index }) => index), bytesOf(differences(ends))];
  return Buffer.concat([header, ...indexes, ...families.flatMap(({ blocks }) => blocks), bytes]);
};
