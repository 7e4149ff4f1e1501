/** The Core Web Vitals, one row each. The thresholds are Google's (web.dev/articles/vitals): up to `good` is good, above `poor` is poor. */

export interface Vital {
  good: number;
  poor: number;
  /** Values are told apart in steps of one part in so many: whole milliseconds, thousandths of a layout shift. */
  steps: number;
  unit: 'ms' | null;
  meaning: string;
}

export const vitals = {
  lcp: { good: 2500, poor: 4000, steps: 1, unit: 'ms', meaning: 'Largest Contentful Paint' },
  inp: { good: 200, poor: 500, steps: 1, unit: 'ms', meaning: 'Interaction to Next Paint' },
  cls: { good: 0.1, poor: 0.25, steps: 1000, unit: null, meaning: 'Cumulative Layout Shift' },
  fcp: { good: 1800, poor: 3000, steps: 1, unit: 'ms', meaning: 'First Contentful Paint' },
  ttfb: { good: 800, poor: 1800, steps: 1, unit: 'ms', meaning: 'Time to First Byte' },
} as const satisfies Record<string, Vital>;

export type VitalName = keyof typeof vitals;
export const vitalNames = Object.keys(vitals) as VitalName[];
