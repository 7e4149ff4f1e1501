/** Core Web Vitals as Google's library measures them. */
import { onCLS, onFCP, onINP, onLCP, onTTFB } from 'web-vitals';
import type { VitalName } from '../src/model/vitals.ts';

export type Vitals = Partial<Record<VitalName, number>>;

/**
 * Begins to measure and keeps the latest values: the build has the library tell every change, and
 * not only the final ones.
 */
export const measureVitals = (vitals: Vitals): void => {
  for (const on of [onLCP, onINP, onCLS, onFCP, onTTFB])
    on(({ name, value }) => {
      vitals[name.toLowerCase() as keyof Vitals] = value;
    });
};
