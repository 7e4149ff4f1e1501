/** Reads rows of `hit` in RowBinary, as row-binary.ts writes them. */
import { hitColumns, visitColumns } from './schema.ts';

const all = [...visitColumns, ...hitColumns];
const names = all.map(([name]) => name);
const types = all.map(([, type]) => type.replace('LowCardinality(String)', 'String'));

/** The name of a column. */
export type RowName = string;

/** A row; good until the next one is asked for. */
export interface BinaryRow {
  /** Integers are exact up to 2^53. */
  number(name: RowName): number;
  /** The upper and lower 32 bits of an integer of 64. */
  high(name: RowName): number;
  low(name: RowName): number;
  uint64(name: RowName): bigint;
  text(name: RowName): string;
  numbers(name: RowName): number[];
  texts(name: RowName): string[];
}

const places = new Map(names.map((name, place) => [name, place]));
const placeOf = (name: RowName): number => {
  const place = places.get(name);
  if (place === undefined) throw new Error(`hit has no column ${name}`);
  return place;
};

const widths: Readonly<Record<string, number>> = {
  ...{ UInt8: 1, UInt16: 2, Date: 2, UInt32: 4, UInt64: 8, Int64: 8, Float64: 8 },
};
const itemOf = (type: string): string | undefined => /^Array\((.*)\)$/.exec(type)?.[1];

/** Throws RangeError where the last row is not whole. */
export function* rowBinaryReader(rows: Buffer): Generator<BinaryRow, void> {
  const begins = new Uint32Array(all.length);
  const skips = types.map(type => skipper(rows, type));
  const row = rowOver(rows, begins);
  for (let at = 0; at < rows.length; ) {
    for (let place = 0; place < skips.length; place++) {
      begins[place] = at;
      at = skips[place]!(at);
    }
    if (at > rows.length) throw new RangeError('a row is cut off');
    yield row;
  }
}

/** Integers of 64 bits in the last of some rows. */
export const lastRowOf = (rows: Buffer, wanted: readonly RowName[]): bigint[] => {
  let found: bigint[] = [];
  for (const row of rowBinaryReader(rows)) found = wanted.map(name => row.uint64(name));
  return found;
};

const rowOver = (rows: Buffer, begins: Uint32Array): BinaryRow => {
  const values = new Map(types.map(type => [type, valueReader(rows, type)]));
  const items = (name: RowName): { type: string; count: number; at: number } => {
    const place = placeOf(name);
    const [count, at] = lengthAt(rows, begins[place]!);
    return { type: itemOf(types[place]!)!, count, at };
  };
  return {
    number(name) {
      const place = placeOf(name);
      return values.get(types[place]!)!(begins[place]!);
    },
    uint64: name => rows.readBigUInt64LE(begins[placeOf(name)]!),
    low: name => rows.readUInt32LE(begins[placeOf(name)]!),
    high: name => rows.readUInt32LE(begins[placeOf(name)]! + 4),
    text: name => textAt(rows, begins[placeOf(name)]!)[0],
    numbers(name) {
      const { type, count, at } = items(name);
      const read = valueReader(rows, type);
      return Array.from({ length: count }, (_, i) => read(at + i * widths[type]!));
    },
    texts(name) {
      let { count, at } = items(name);
      const found: string[] = [];
      for (; count > 0; count--) {
        const [text, end] = textAt(rows, at);
        found.push(text);
        at = end;
      }
      return found;
    },
  };
};

/** A number of items or bytes, and where it ends. */
const lengthAt = (rows: Buffer, begin: number): [value: number, end: number] => {
  let [value, shift, at] = [0, 0, begin];
  for (; rows[at]! > 127; at++, shift += 7) value |= (rows[at]! & 127) << shift;
  return [value | (rows[at]! << shift), at + 1];
};

const textAt = (rows: Buffer, begin: number): [text: string, end: number] => {
  const [length, at] = lengthAt(rows, begin);
  return [length === 0 ? '' : rows.toString('utf8', at, at + length), at + length];
};

/** Gives, for where a value begins, where it ends. */
const skipper = (rows: Buffer, type: string): ((at: number) => number) => {
  const width = widths[type];
  if (width !== undefined) return at => at + width;
  const skipText = (begin: number): number => {
    const [length, at] = lengthAt(rows, begin);
    return at + length;
  };
  const item = itemOf(type);
  if (item === undefined) return skipText;
  const skipItem = item === 'String' ? skipText : skipper(rows, item);
  return begin => {
    let [count, at] = lengthAt(rows, begin);
    for (; count > 0; count--) at = skipItem(at);
    return at;
  };
};

const valueReader = (rows: Buffer, type: string): ((at: number) => number) => {
  if (type === 'UInt8') return at => rows[at]!;
  if (type === 'UInt16' || type === 'Date') return at => rows.readUInt16LE(at);
  if (type === 'UInt32') return at => rows.readUInt32LE(at);
  if (type === 'Float64') return at => rows.readDoubleLE(at);
  return at => rows.readUInt32LE(at) + rows.readInt32LE(at + 4) * 2 ** 32;
};
