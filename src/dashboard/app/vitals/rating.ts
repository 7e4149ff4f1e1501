/** Whether a web vital is good, by the thresholds of the model, and how it is written. */
import { type VitalName, vitals } from '../../../model/vitals.ts';
import { formatNumber } from '../format.ts';

export type Rating = 'good' | 'middling' | 'poor';

export const ratingNames: Record<Rating, string> = { good: 'good', middling: 'needs improvement', poor: 'poor' };

export const ratingOf = (name: VitalName, value: number): Rating => {
  const { good, poor } = vitals[name];
  if (value <= good) return 'good';
  return value > poor ? 'poor' : 'middling';
};

/** `2.51 s`, `180 ms`, `0.105`. */
export const formatVital = (name: VitalName, value: number): string => {
  if (vitals[name].unit === null) return value.toFixed(3).replace(/\.?0+$/, '') || '0';
  return value < 1000 ? `${formatNumber(Math.round(value))} ms` : `${(value / 1000).toFixed(2)} s`;
};

export const vitalMeaning = (name: VitalName): string => {
  const { meaning, good, poor } = vitals[name];
  return `${meaning}. Good up to ${formatVital(name, good)}, poor above ${formatVital(name, poor)}`;
};
