/** Core Web Vitals as Google's library measures them. */
import { onCLS, onFCP, onINP, onLCP, onTTFB } from 'web-vitals';

export type Vitals = Partial<Record<'lcp' | 'inp' | 'cls' | 'fcp' | 'ttfb', number>>;

/**
 * Begins to measure and returns where the latest values stand. Every change is taken, not only the final values: the library
 * announces those on page hide, and for a prerendered page that may be after our own listener has reported.
 */
export const measureVitals = (): Vitals => {
  const vitals: Vitals = {};
  for (const on of [onLCP, onINP, onCLS, onFCP, onTTFB]) {
    on(
      ({ name, value }) => {
        vitals[name.toLowerCase() as keyof Vitals] = value;
      },
      { reportAllChanges: true },
    );
  }
  return vitals;
};
