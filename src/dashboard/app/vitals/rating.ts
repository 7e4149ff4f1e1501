/** Whether a web vital is good, by the thresholds of the model, and how it is written. */
import { type VitalName, vitals } from '../../../model/vitals.ts';
import { formatRate } from '../format.ts';
import { numberFormat } from '../number.ts';
import { t } from '../texts/text.ts';

export type Rating = 'good' | 'middling' | 'poor';

export const ratingOf = (name: VitalName, value: number): Rating => {
  const { good, poor } = vitals[name];
  if (value <= good) return 'good';
  return value > poor ? 'poor' : 'middling';
};

/** `2.51 s`, `180 ms`, `0.105`. */
export const formatVital = (name: VitalName, value: number): string => {
  if (vitals[name].unit === null) return numberFormat({ maximumFractionDigits: 3 }).format(value);
  if (value < 1000) return t('vitals.ms', { value: Math.round(value) });
  return t('vitals.seconds', { value: formatRate(value / 1000) });
};

export const vitalMeaning = (name: VitalName): string => {
  const { meaning, good, poor } = vitals[name];
  return t('vitals.thresholds', { meaning, good: formatVital(name, good), poor: formatVital(name, poor) });
};
