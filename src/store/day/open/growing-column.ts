/** Typed arrays that grow as rows come: unsigned integers of 8 or 32 bits, or doubles. */

/** What a view of outgrown memory shows instead of values: none of the numbers that are kept. */
export const outgrown = 0xffffffff;

export type Values = Uint8Array | Uint32Array | Float64Array;

export interface GrowingColumn<V extends Values = Values> {
  push(value: number): void;
  /** Pushes several values. Much faster than to push one by one. */
  append(values: ArrayLike<number>): void;
  /** Makes room for values to come, so that it is made once. */
  reserve(length: number): void;
  /** Pushes `value` until the column is `length` long. */
  lengthen(length: number, value: number): void;
  /** Forgets all values, and keeps their memory for others. */
  clear(): void;
  readonly length: number;
  /** Bytes of a value. */
  readonly width: number;
  /** What it takes in memory. */
  readonly bytes: number;
  /**
   * A view of what was pushed so far, to read and write. Take another one after values were added:
   * memory that the column has outgrown is overwritten with `outgrown`.
   */
  values(): V;
}

const growing = <V extends Values>(make: (length: number) => V): GrowingColumn<V> => {
  let values = make(0);
  let length = 0;
  const makeRoom = (needed: number): void => {
    if (needed <= values.length) return;
    const larger = make(Math.max(needed, Math.ceil(1.5 * values.length), 16));
    larger.set(values);
    values.fill(outgrown);
    values = larger;
  };
  return {
    push(value) {
      if (length === values.length) makeRoom(length + 1);
      values[length++] = value;
    },
    append(more) {
      makeRoom(length + more.length);
      values.set(more, length);
      length += more.length;
    },
    reserve: makeRoom,
    lengthen(needed, value) {
      makeRoom(needed);
      values.fill(value, length, needed);
      length = needed;
    },
    clear() {
      length = 0;
    },
    get length() {
      return length;
    },
    width: values.BYTES_PER_ELEMENT,
    get bytes() {
      return values.byteLength;
    },
    values: () => values.subarray(0, length) as V,
  };
};

export const growingBytes = (): GrowingColumn<Uint8Array> => growing(length => new Uint8Array(length));
export const growingIntegers = (): GrowingColumn<Uint32Array> => growing(length => new Uint32Array(length));
export const growingDoubles = (): GrowingColumn<Float64Array> => growing(length => new Float64Array(length));

/** A column of integers for each name. */
export const growingByName = <N extends string>(names: readonly N[]): Record<N, GrowingColumn<Uint32Array>> =>
  Object.fromEntries(names.map(name => [name, growingIntegers()])) as Record<N, GrowingColumn<Uint32Array>>;
