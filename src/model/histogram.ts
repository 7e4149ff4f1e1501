/**
 * A histogram of durations, for /metrics. An observation takes about ten nanoseconds and no memory.
 */

/**
 * Upper bounds in seconds, each about twice the one before; longer durations count only in the
 * total.
 */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export class Histogram {
  readonly #counts = new Float64Array(bounds.length);
  /** Observations, and their sum in seconds. */
  count = 0;
  sum = 0;

  observe(seconds: number): void {
    this.count++;
    this.sum += seconds;
    for (let i = 0; i < bounds.length; i++) {
      if (seconds > bounds[i]!) continue;
      this.#counts[i]!++;
      return;
    }
  }

  /** Pairs of an upper bound and the number of observations up to it. */
  buckets(): [bound: number, count: number][] {
    let count = 0;
    return bounds.map((bound, i) => {
      count += this.#counts[i]!;
      return [bound, count];
    });
  }
}
