/** Ascending ranges: the upper and lower 32 bits of where each begins, and its text's place in a list. */
export interface Ranges {
  highs: ArrayLike<number>;
  lows: ArrayLike<number>;
  texts: Uint32Array;
}
/** The table that src/collect/address-table.ts reads, as of a day since 1970. */
export declare const compileTable: (given: { ipv4: Ranges; ipv6: Ranges; texts: string[]; day: number }) => Buffer;
