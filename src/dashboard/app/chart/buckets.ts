/** What the buckets of a chart are: which of them is not over yet, and what each is called. */
import { dayMs } from '../../../model/time.ts';
import { formatBucket, type ShownBucket, wallDate, wallMs } from '../format.ts';
import { t } from '../texts/text.ts';

/** The last day of a bucket. */
export const lastDay = (local: string, bucket: ShownBucket): string => {
  const [year, month] = local.split('-').map(Number) as [number, number];
  if (bucket === 'month') return wallDate(Date.UTC(year, month, 0));
  return bucket === 'week' ? wallDate(wallMs(local.slice(0, 10)) + 6 * dayMs) : local.slice(0, 10);
};

/** Whether the last one contains today; a series of hours ends with the current one. */
export const endsOpen = (dates: readonly string[], bucket: ShownBucket, today: string): boolean => {
  const last = dates.at(-1);
  return last !== undefined && last.slice(0, 10) <= today && lastDay(last, bucket) >= today;
};

/** Where clocks are set back, an hour comes twice: the second says so. */
export const bucketName = (dates: readonly string[], index: number, bucket: ShownBucket): string => {
  const time = formatBucket(dates[index]!, bucket);
  return index > 0 && dates[index - 1] === dates[index] ? t('chart.again', { time }) : time;
};

/**
 * For each bucket the one to compare it with: that of the same place, and of hours the same hour of
 * the same day, though a day on which clocks change has 23 or 25. -1 where there is none.
 */
export const pairsOf = (dates: readonly string[], before: readonly string[], bucket: ShownBucket): number[] => {
  if (bucket !== 'hour' || dates[0]?.slice(11) !== before[0]?.slice(11)) return dates.map((_, i) => i);
  const named = (all: readonly string[]): string[] => {
    const days = [...new Set(all.map(date => date.slice(0, 10)))];
    return all.map(date => `${days.indexOf(date.slice(0, 10))} ${date.slice(11, 13)}`);
  };
  const places = named(before);
  return named(dates).map((name, i, all) =>
    all[i - 1] === name && places.lastIndexOf(name) > places.indexOf(name)
      ? places.lastIndexOf(name)
      : places.indexOf(name),
  );
};
