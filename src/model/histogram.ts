/** Durations counted by how long they were, for /metrics. An observation costs some ten nanoseconds and keeps nothing of its own. */

/** Upper bounds in seconds, each about twice the one before; what is longer counts only in the total. */
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

  /** Pairs of an upper bound and how many observations were not above it. */
  buckets(): [bound: number, count: number][] {
    let count = 0;
    return bounds.map((bound, i) => {
      count += this.#counts[i]!;
      return [bound, count];
    });
  }
}
