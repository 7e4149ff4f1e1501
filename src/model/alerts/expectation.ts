/**
 * What a site brings at each hour of its week, from its own last weeks, and how far it usually is
 * from that.
 */
import { hourMs } from '../time.ts';
import {
  hourOfWeek,
  type LocalOf,
  median,
  pastWeeks,
  type Slots,
  slotMs,
  slotsPerHour,
  slotsPerWeek,
  sumsOf,
} from './slots.ts';

const hoursPerWeek = 168;
/**
 * Of squared distances, in variances: so many are below where chance is normal. The large ones are
 * days to be found, and no measure of chance.
 */
const quantilePart = 0.6;
const quantileVariances = 0.708;
/** With fewer weeks there is no band, only fixed numbers. */
const bandWeeksMin = 3;
/** With fewer weeks silence is so many hours without a hit. */
const silenceWeeksMin = 2;

export interface Expectation {
  windowSlots: number;
  /** By hour of the week at which a window ends, with the first again at the end. */
  middles: Float64Array;
  spreads: Float64Array;
  /** Mean of the hour that begins there, which is not 0 where the median is. */
  hourly: Float64Array;
  /** Variance divided by mean: 1 for single visits, more where they come in flocks. */
  dispersion: number;
  /** Of hours, from 1 to 5. */
  hourlyDispersion: number;
  hasBand: boolean;
  hasSilence: boolean;
}

/** The sums of windows that end at an hour, one of each week. */
interface Samples {
  /** By hour of the week. */
  byHour: number[][];
  weeks: number;
}

const samplesOf = ({ from, values }: Slots, windowSlots: number, local: LocalOf): Samples => {
  const sums = sumsOf(values);
  const byHour: number[][] = Array.from({ length: hoursPerWeek }, () => []);
  const offset = ((hourMs - (local(from) % hourMs)) % hourMs) / slotMs;
  let seen = 0;
  for (let end = offset; end <= values.length; end += slotsPerHour) {
    const sum = sums.between(end - windowSlots, end);
    if (Number.isNaN(sum)) continue;
    seen++;
    byHour[Math.floor(hourOfWeek(local(from + end * slotMs)))]!.push(sum);
  }
  return { byHour, weeks: seen / hoursPerWeek };
};

/** Below it, six sums of a long window say less of a weekday than those of all days together. */
const pooledBelow = 60;

/** The samples of the same hour of all days, where those of a weekday say too little. */
const pooled = ({ byHour, weeks }: Samples, windowSlots: number): Samples => {
  const isLong = windowSlots >= 24 * slotsPerHour;
  const sums = byHour.flat().sort((a, b) => a - b);
  if (!isLong || sums.length === 0 || median(sums) >= pooledBelow) return { byHour, weeks };
  const days = Array.from({ length: 24 }, (_, hour) => byHour.filter((_, i) => i % 24 === hour).flat());
  return { byHour: byHour.map((_, i) => days[i % 24]!), weeks };
};

/** The median of a sorted list without the one at a place. */
const medianWithout = (sorted: readonly number[], place: number): number => {
  const at = (i: number): number => sorted[i < place ? i : i + 1]!;
  const middle = (sorted.length - 1) >> 1;
  return sorted.length % 2 === 0 ? at(middle) : (at(middle - 1) + at(middle)) / 2;
};

/** How far each sample is from the median of the others, as variance divided by mean. */
const dispersionOf = (byHour: readonly (readonly number[])[]): number => {
  const found: number[] = [];
  for (const sums of new Set(byHour)) {
    if (sums.length < 3) continue;
    const sorted = sums.toSorted((a, b) => a - b);
    for (const [i, sum] of sorted.entries()) {
      const middle = medianWithout(sorted, i);
      found.push((sum - middle) ** 2 / Math.max(middle, 0.5));
    }
  }
  if (found.length === 0) return 1;
  found.sort((a, b) => a - b);
  return Math.max(1, found[Math.floor(quantilePart * found.length)]! / quantileVariances);
};

/** The mean, in which one great day does not count for more than a busy one. */
const cappedMean = (sums: readonly number[]): number => {
  const cap = 2 * median(sums.toSorted((a, b) => a - b)) + 3;
  return sums.length === 0 ? 0 : sums.reduce((sum, one) => sum + Math.min(one, cap), 0) / sums.length;
};

/** The windows that presets choose from, in hours. */
export const windowHours = [1, 3, 6, 24, 72] as const;
/**
 * A window has to bring so many, times the dispersion, for three times as many to stand out, or for
 * a third.
 */
const enoughPerWindow = { spike: 18, drop: 45 };

/** The expectation for the shortest window in which a site brings enough to be judged. */
export const fittingExpectation = (past: Slots, direction: 'spike' | 'drop', local: LocalOf): Expectation => {
  for (const hours of windowHours) {
    const found = expectationOf(past, hours * slotsPerHour, local);
    const usual = median(found.middles.slice(0, -1).sort());
    if (usual >= enoughPerWindow[direction] * found.dispersion || hours === windowHours.at(-1)) return found;
  }
  throw new Error('unreachable');
};

/** `past` ends where the judging begins; what is before the last weeks of it is left out. */
export const expectationOf = (past: Slots, windowSlots: number, local: LocalOf): Expectation => {
  const first = Math.max(0, past.values.length - pastWeeks * slotsPerWeek - windowSlots);
  const kept: Slots = { from: past.from + first * slotMs, values: Array.prototype.slice.call(past.values, first) };
  const { byHour, weeks } = pooled(samplesOf(kept, windowSlots, local), windowSlots);
  const hours = windowSlots === slotsPerHour ? byHour : samplesOf(kept, slotsPerHour, local).byHour;
  const dispersion = dispersionOf(byHour);
  const [middles, spreads, hourly] = [0, 1, 2].map(() => new Float64Array(hoursPerWeek + 1)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let hour = 0; hour < hoursPerWeek; hour++) {
    const sorted = byHour[hour]!.toSorted((a, b) => a - b);
    const middle = sorted.length === 0 ? 0 : median(sorted);
    const distances = sorted.map(one => Math.abs(one - middle)).sort((a, b) => a - b);
    const mad = sorted.length < bandWeeksMin ? 0 : median(distances);
    middles[hour] = middle;
    spreads[hour] = Math.max(1.4826 * mad, Math.sqrt(dispersion * middle), 1);
    // A window that ends at an hour is the one that began an hour before.
    hourly[(hour + hoursPerWeek - 1) % hoursPerWeek] = cappedMean(hours[hour]!);
  }
  for (const one of [middles, spreads, hourly]) one[hoursPerWeek] = one[0]!;
  return {
    ...{ windowSlots, middles, spreads, hourly, dispersion },
    hourlyDispersion: Math.min(5, windowSlots === slotsPerHour ? dispersion : dispersionOf(hours)),
    hasBand: weeks >= bandWeeksMin,
    hasSilence: weeks >= silenceWeeksMin,
  };
};

/** A value by hour of the week at an hour with a fraction. */
export const atHour = (byHour: Float64Array, hour: number): number => {
  const whole = Math.floor(hour);
  const [before, after] = [byHour[whole]!, byHour[whole + 1]!];
  return before + (after - before) * (hour - whole);
};
