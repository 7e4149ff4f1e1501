/**
 * Whether what a site brings is out of the usual. The same functions judge live, in the replay of
 * the past, and in the benchmark.
 */
import { atHour, type Expectation } from './expectation.ts';
import { hourOfWeek, type LocalOf, slotMs, slotsPerHour } from './slots.ts';

export interface Judgement {
  /** `near` is neither out of the band nor well within it; `blind` cannot be told. */
  verdict: 'out' | 'near' | 'in' | 'blind';
  value: number;
  /** Null where nothing is expected: a fixed number is compared with. */
  expected: number | null;
  low: number | null;
  high: number | null;
}

export interface BandRule {
  direction: 'spike' | 'drop';
  /** So many spreads from the middle are out. */
  k: number;
  /** A spike is at least so many. */
  floor: number;
}

/** A drop is told only where so many are expected. */
const dropFrom = 20;

const blind = (value: number): Judgement => ({ verdict: 'blind', value, expected: null, low: null, high: null });

/** Judges the sum of a window that ends at `at`. */
export const judgeBand = (
  { direction, k, floor }: BandRule,
  expectation: Expectation,
  value: number,
  at: number,
  local: LocalOf,
): Judgement => {
  if (Number.isNaN(value) || !expectation.hasBand) return blind(value);
  const hour = hourOfWeek(local(at));
  const [expected, spread] = [atHour(expectation.middles, hour), atHour(expectation.spreads, hour)];
  const [low, high] = [Math.max(0, expected - k * spread), expected + k * spread];
  const distance = (direction === 'spike' ? value - expected : expected - value) / spread;
  const isTold = direction === 'spike' ? value >= floor : expected >= dropFrom;
  const verdict = distance > k && isTold ? 'out' : distance <= k / 2 ? 'in' : 'near';
  return { verdict, value, expected, low, high };
};

/**
 * So many visits have to be missed, times the dispersion, on a site with a hundred a day. What few
 * visits tell of an hour is less sure: each halving of them asks for one more.
 */
const silenceVisits = { from: 7, to: 14, atDaily: 100 };

const visitsMissed = ({ hourly }: Expectation): number => {
  const daily = hourly.subarray(0, 7 * 24).reduce((sum, one) => sum + one, 0) / 7;
  const { from, to, atDaily } = silenceVisits;
  return Math.min(to, from + Math.max(0, Math.log2(atDaily / daily)));
};

/** What silence remembers between two slots. */
export interface SilenceSoFar {
  /** Visits that should have come since the last one. */
  missed: number;
  /** Slots since the last one. */
  slots: number;
}

export const noSilence: SilenceSoFar = { missed: 0, slots: 0 };

/** Judges the slot that begins at `at`, in which so many visits began. */
export const judgeSilence = (
  before: SilenceSoFar,
  expectation: Expectation,
  { visits, hoursMax }: { visits: number; hoursMax: number },
  at: number,
  local: LocalOf,
): { silence: SilenceSoFar; judgement: Judgement } => {
  if (Number.isNaN(visits)) return { silence: before, judgement: blind(visits) };
  if (visits > 0) {
    return { silence: noSilence, judgement: { verdict: 'in', value: visits, expected: null, low: null, high: null } };
  }
  const hour = Math.floor(hourOfWeek(local(at)));
  const silence: SilenceSoFar = {
    missed: before.missed + expectation.hourly[hour]! / slotsPerHour,
    slots: before.slots + 1,
  };
  const isSilent = expectation.hasSilence
    ? silence.missed > visitsMissed(expectation) * expectation.hourlyDispersion
    : silence.slots * slotMs >= hoursMax * slotsPerHour * slotMs;
  const judged = { value: 0, expected: silence.missed, low: null, high: null };
  return { silence, judgement: { verdict: isSilent ? 'out' : 'near', ...judged } };
};
