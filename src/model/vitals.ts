/**
 * The Core Web Vitals, one row each: what the collector takes, the table `vital`, its readers, the
 * API and its description are made from this list. The thresholds are Google's
 * (web.dev/articles/vitals): up to `good` is good, above `poor` is poor.
 */
import { clsMax, vitalMsMax } from './limits.ts';

export interface Vital {
  good: number;
  poor: number;
  /** Reports above it are dropped. */
  max: number;
  /**
   * Values are told apart in steps of one part in so many: whole milliseconds, thousandths of a
   * layout shift.
   */
  steps: number;
  unit: 'ms' | null;
  meaning: string;
}

export const vitals = {
  lcp: { good: 2500, poor: 4000, max: vitalMsMax, steps: 1, unit: 'ms', meaning: 'Largest Contentful Paint' },
  inp: { good: 200, poor: 500, max: vitalMsMax, steps: 1, unit: 'ms', meaning: 'Interaction to Next Paint' },
  cls: { good: 0.1, poor: 0.25, max: clsMax, steps: 1000, unit: null, meaning: 'Cumulative Layout Shift' },
  fcp: { good: 1800, poor: 3000, max: vitalMsMax, steps: 1, unit: 'ms', meaning: 'First Contentful Paint' },
  ttfb: { good: 800, poor: 1800, max: vitalMsMax, steps: 1, unit: 'ms', meaning: 'Time to First Byte' },
} as const satisfies Record<string, Vital>;

export type VitalName = keyof typeof vitals;
export const vitalNames = Object.keys(vitals) as VitalName[];

export const isVital = (name: string): name is VitalName => Object.hasOwn(vitals, name);

/** Values of one report; null where it had none. */
export type VitalValues = Record<VitalName, number | null>;
