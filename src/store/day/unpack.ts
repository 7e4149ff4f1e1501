/**
 * Unpacks codes into 32-bit integers. Each loop stands in a function of its own, so that it is
 * compiled soon: the first question after a start waits for it. Nothing follows a loop: V8 compiles
 * a running loop without what has not run yet, and drops that code when it gets there.
 */
import { scatter } from './mask.ts';
import { type Codes, codesFor, isPacked, type Numbers, type Packed, type WorkingMemory } from './packed.ts';

/** The values by row: themselves, or a new array where they are packed. */
export const flat = <Values extends Numbers>(values: Values | Packed): Values | Uint32Array =>
  isPacked(values) ? unpack(values, new Uint32Array(values.length), new Uint32Array(values.stored)) : values;

/** As many as `codesFor` makes for all that fits into the packed width. */
const bytesInArray = ({ width, length }: Packed): number => length * codesFor(2 ** width - 1, 0).BYTES_PER_ELEMENT;

/**
 * An array may take so many times the memory of packed codes: they take five times as long to
 * unpack as it takes to widen.
 */
const arrayPartMax = 1.5;

/**
 * Returns a function that gives values the form that is worth keeping. Nothing it returns lies in
 * its working memory.
 */
export const createKeeper = (): (<Values extends Numbers>(values: Values | Packed) => Values | Codes | Packed) => {
  const [wide, behindMask] = [room(), room()];
  return values => {
    if (!isPacked(values)) return values;
    const { length, width, bytes, mask, stored } = values;
    if (bytesInArray(values) > arrayPartMax * (bytes.byteLength + (mask?.byteLength ?? 0))) return values;
    const array = codesFor(2 ** width - 1, length);
    array.set(unpack(values, wide(length), behindMask(stored)));
    return array;
  };
};

/** Gives the same memory at each call, as much as is asked for. */
const room = (): ((length: number) => WorkingMemory) => {
  let memory = new Uint32Array(0);
  return length => {
    if (memory.length < length) memory = new Uint32Array(Math.ceil(1.25 * length));
    return memory.subarray(0, length);
  };
};

/**
 * Writes each code to its row's position in `to`, and returns that. `behindMask` has room for the
 * stored codes.
 */
export const unpack = (packed: Packed, to: Uint32Array, behindMask: WorkingMemory): Uint32Array => {
  if (packed.mask === null) return unpackStored(packed, to);
  to.fill(0);
  scatter(unpackStored(packed, behindMask), packed.mask, to);
  return to;
};

/** The stored codes, without those that a mask leaves out. */
export const unpackStored = ({ bytes, width, stored }: Packed, to: Uint32Array): Uint32Array => {
  if (width === 0) return to.fill(0);
  if (width === 1) unpackBits(bytes, to, stored);
  else if (width === 2) unpackQuarters(bytes, to, stored);
  else if (width === 4) unpackHalves(bytes, to, stored);
  else if (width === 8) to.set(bytes);
  else if (width === 16) unpackPairs(bytes, to, stored);
  else if (width === 24) unpackTriples(bytes, to, stored);
  else unpackWords(bytes, to, stored);
  return to;
};

const unpackBits = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  unpackRest(bytes, 1, to, count);
  for (let i = 0; i + 8 <= count; i += 8) {
    const byte = bytes[i >> 3]!;
    to[i] = byte & 1;
    to[i + 1] = (byte >> 1) & 1;
    to[i + 2] = (byte >> 2) & 1;
    to[i + 3] = (byte >> 3) & 1;
    to[i + 4] = (byte >> 4) & 1;
    to[i + 5] = (byte >> 5) & 1;
    to[i + 6] = (byte >> 6) & 1;
    to[i + 7] = byte >> 7;
  }
};

const unpackQuarters = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  unpackRest(bytes, 2, to, count);
  for (let i = 0; i + 4 <= count; i += 4) {
    const byte = bytes[i >> 2]!;
    to[i] = byte & 3;
    to[i + 1] = (byte >> 2) & 3;
    to[i + 2] = (byte >> 4) & 3;
    to[i + 3] = byte >> 6;
  }
};

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

const unpackHalves = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  const view = viewOf(bytes);
  unpackRest(bytes, 4, to, count);
  for (let i = 0; i + 8 <= count; i += 8) {
    const word = view.getUint32(i >> 1, true);
    to[i] = word & 15;
    to[i + 1] = (word >>> 4) & 15;
    to[i + 2] = (word >>> 8) & 15;
    to[i + 3] = (word >>> 12) & 15;
    to[i + 4] = (word >>> 16) & 15;
    to[i + 5] = (word >>> 20) & 15;
    to[i + 6] = (word >>> 24) & 15;
    to[i + 7] = word >>> 28;
  }
};

/**
 * The last codes, which do not fill what a loop unpacks at a time. Without them the loops are a
 * tenth faster.
 */
const unpackRest = (bytes: Uint8Array, width: number, to: Uint32Array, count: number): void => {
  const most = (1 << width) - 1;
  for (let i = count & ~7; i < count; i++) to[i] = (bytes[(i * width) >> 3]! >> ((i * width) & 7)) & most;
};

const unpackPairs = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  const view = viewOf(bytes);
  for (let i = 0; i < count; i++) to[i] = view.getUint16(2 * i, true);
};

const unpackTriples = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  for (let i = count & ~3; i < count; i++) to[i] = bytes[3 * i]! | (bytes[3 * i + 1]! << 8) | (bytes[3 * i + 2]! << 16);
  unpackTriplesByFour(viewOf(bytes), to, count & ~3);
};

const unpackTriplesByFour = (view: DataView, to: Uint32Array, count: number): void => {
  for (let i = 0, at = 0; i < count; i += 4, at += 12) {
    const first = view.getUint32(at, true);
    const second = view.getUint32(at + 4, true);
    const third = view.getUint32(at + 8, true);
    to[i] = first & 0xffffff;
    to[i + 1] = (first >>> 24) | ((second & 0xffff) << 8);
    to[i + 2] = (second >>> 16) | ((third & 0xff) << 16);
    to[i + 3] = third >>> 8;
  }
};

const unpackWords = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  const view = viewOf(bytes);
  for (let i = 0; i < count; i++) to[i] = view.getUint32(4 * i, true);
};
