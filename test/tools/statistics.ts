/** What is said of many measurements. */

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The value below which a part of the others lie; NaN of none. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
};

/** As a table shows it: with as many digits as mean something. */
export const rounded = (value: number): number => Number(value.toPrecision(Math.abs(value) < 10 ? 2 : 3));

export const tenths = (value: number): number => Math.round(value * 10) / 10;
