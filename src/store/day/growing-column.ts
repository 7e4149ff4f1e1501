/** Typed arrays that grow by doubling: unsigned 32-bit integers, or doubles. */

export interface GrowingColumn<Values extends Uint32Array | Float64Array> {
  push(value: number): void;
  readonly length: number;
  /** A view of what was pushed so far; good until the next push. */
  values(): Values;
}

const growing = <Values extends Uint32Array | Float64Array>(
  make: (length: number) => Values,
): GrowingColumn<Values> => {
  let values = make(64);
  let length = 0;
  return {
    push(value) {
      if (length === values.length) {
        const larger = make(2 * length);
        larger.set(values);
        values = larger;
      }
      values[length++] = value;
    },
    get length() {
      return length;
    },
    values: () => values.subarray(0, length) as Values,
  };
};

export const growingIntegers = (): GrowingColumn<Uint32Array> => growing(length => new Uint32Array(length));
export const growingDoubles = (): GrowingColumn<Float64Array> => growing(length => new Float64Array(length));
