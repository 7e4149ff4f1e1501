/** Chance that repeats itself: the same seed gives the same numbers on every machine. */

export type Weighted<T> = readonly (readonly [item: T, weight: number])[];

export interface Chance {
  /** 0 to below 1. */
  number(): number;
  /** Integer from 0 to below `n`. */
  below(n: number): number;
  is(probability: number): boolean;
  one<T>(items: readonly T[]): T;
  weighted<T>(items: Weighted<T>): T;
  /**
   * Log-normal around a median: most values are near it, few are many times it. A spread of 0.5
   * keeps two thirds within a factor of 1.65.
   */
  around(median: number, spread: number): number;
  /** How many of many rare things happen where `mean` are expected. */
  count(mean: number): number;
}

/** Chance from a seed (a PRNG of 32 bits of state, after sfc32's little sister mulberry32). */
export const chanceFrom = (seed: number): Chance => {
  let state = seed | 0;
  const number = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** Standard normal, by Box and Muller. */
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - number())) * Math.cos(2 * Math.PI * number());
  return {
    number,
    below: n => Math.floor(number() * n),
    is: probability => number() < probability,
    one: items => items[Math.floor(number() * items.length)]!,
    weighted(items) {
      let rest = number() * items.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [item, weight] of items) {
        rest -= weight;
        if (rest < 0) return item;
      }
      return items.at(-1)![0];
    },
    around: (median, spread) => median * Math.exp(spread * normal()),
    // Poisson, which is as good as normal where many are expected.
    count(mean) {
      if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()));
      let product = number();
      let count = 0;
      for (const end = Math.exp(-mean); product > end; product *= number()) count++;
      return count;
    },
  };
};

/**
 * A seed for a part of what another seed makes, so that parts do not depend on how much the others
 * drew.
 */
export const seedOf = (seed: number, part: number): number => Math.imul(seed ^ Math.imul(part, 0x9e3779b1), 0x85ebca6b);
