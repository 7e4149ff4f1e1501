/**
 * Numbers, amounts and times as text, as locale.ts says. Local times of the API
 * (`2026-11-20T14:00:00`, a site's wall clock) are shown as they are, in any zone of the browser.
 */
import { currencyDigits } from '../../model/currency.ts';
import { locale } from './locale.ts';
import { formatNumber, numberFormat } from './number.ts';
import { t } from './texts/text.ts';

export { formatNumber };
/** A quotient in a column: `1.00`. */
export const formatRate = (value: number): string =>
  numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);
/** For axes and other places where the order of magnitude is enough: `12.3k`, `2.5M`. */
export const formatShort = (value: number): string => {
  // The words are those of the language alone: British English has `m` for millions.
  const parts = numberFormat({ notation: 'compact', maximumFractionDigits: 1 }, locale().language).formatToParts(value);
  const decimal = numberFormat({ minimumFractionDigits: 1 })
    .formatToParts(0)
    .find(({ type }) => type === 'decimal')!;
  return parts
    .map(({ type, value }) => (type === 'decimal' ? decimal.value : type === 'compact' && value === 'K' ? 'k' : value))
    .join('');
};
/** `value` is in percent: `12.3%`. */
export const formatPercent = (value: number): string =>
  numberFormat({ style: 'percent', maximumFractionDigits: 1 }).format(value / 100);
/** In columns, where the decimal points should line up. */
export const alignedPercent = (value: number): string =>
  numberFormat({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value / 100);
/** A change: `+12.3%`, `−4.0%`. */
export const formatDelta = (value: number): string => {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return sign + alignedPercent(Math.abs(value));
};
/** `part` of `whole` as a percentage; never 0 for a part that is not. */
export const formatShare = (part: number, whole: number): string => {
  if (whole === 0) return '';
  const percent = (part / whole) * 100;
  return percent > 0 && percent < 0.1 ? `<${alignedPercent(0.1)}` : alignedPercent(percent);
};

/** `42s`, `2m 13s`, `1h 02m`. */
export const formatSeconds = (seconds: number): string => {
  const whole = Math.round(seconds);
  if (whole < 60) return t('time.seconds', { seconds: whole });
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole < 3600) return t('time.minutes', { minutes: Math.floor(whole / 60), seconds: two(whole % 60) });
  return t('time.hours', { hours: Math.floor(whole / 3600), minutes: two(Math.floor((whole % 3600) / 60)) });
};

/** An amount of minor units: `€49.00`; short: `€395.1B`. */
export const formatMoney = (minor: number, currency: string, isShort = false): string => {
  const digits = currencyDigits(currency);
  const major = minor / 10 ** digits;
  const width: Intl.NumberFormatOptions = isShort
    ? { notation: 'compact', maximumFractionDigits: 1 }
    : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  try {
    // Short words are those of the language alone, as in `formatShort`.
    const tag = isShort ? locale().language : locale().numbers;
    return numberFormat({ style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...width }, tag).format(major);
  } catch {
    // Not a code of three letters: shown as it is.
    return `${major.toFixed(digits)} ${currency}`;
  }
};
/** An amount in the site's currency, and those that no rate converts to it: `€12.00 + $5.00`. */
export const formatAmounts = (
  { revenue, otherRevenue = {} }: { revenue: number; otherRevenue?: Record<string, number> },
  currency: string,
): string => {
  const others = Object.entries(otherRevenue).map(([other, minor]) => formatMoney(minor, other));
  return [...(revenue === 0 && others.length > 0 ? [] : [formatMoney(revenue, currency)]), ...others].join(' + ');
};

/** Slow to make, like those of numbers. */
const formatsByZone = new Map<string, Intl.DateTimeFormat>();
const dateFormat = (
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
  tag = locale().dates,
): Intl.DateTimeFormat => {
  const key = `${tag} ${timeZone} ${JSON.stringify(options)}`;
  const format = formatsByZone.get(key) ?? new Intl.DateTimeFormat(tag, { ...options, timeZone });
  formatsByZone.set(key, format);
  return format;
};

/** A wall-clock time without zone, as the instant at which the clocks of UTC show it. */
export const wallMs = (local: string): number => Date.parse(`${local.length === 10 ? `${local}T00:00:00` : local}Z`);
/** The date of such an instant. */
export const wallDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const wall = (local: string, options: Intl.DateTimeFormatOptions): string =>
  dateFormat('UTC', options).format(wallMs(local));

/** Hours and minutes. */
const timeOptions = (): Intl.DateTimeFormatOptions =>
  locale().clock === 12
    ? { hour: 'numeric', minute: '2-digit', hourCycle: 'h12' }
    : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };

export type ShownBucket = 'hour' | 'day' | 'week' | 'month';
/** The width of the buckets of a series, from the first two. */
export const bucketOf = (dates: readonly string[]): ShownBucket => {
  const [first, second] = dates;
  if (first === undefined || second === undefined) return 'day';
  const hours = (wallMs(second) - wallMs(first)) / 3_600_000;
  return hours > 48 ? 'month' : hours > 12 ? 'day' : 'hour';
};

/** A bucket in full, for tips and tables. */
export const formatBucket = (local: string, bucket: ShownBucket): string => {
  if (bucket === 'month') return wall(local, { month: 'long', year: 'numeric' });
  if (bucket === 'week') return formatDays(local, wallDate(wallMs(local) + 6 * 86_400_000));
  const day = wall(local, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  return bucket === 'day' ? day : `${day}, ${wall(local, timeOptions())}`;
};
/** A bucket on an axis. */
export const formatTick = (local: string, bucket: ShownBucket): string => {
  if (bucket === 'month') return wall(local, { month: 'short', year: 'numeric' });
  if (bucket === 'day' || bucket === 'week') return wall(local, { day: 'numeric', month: 'short' });
  if (local.slice(11, 16) === '00:00') return wall(local, { day: 'numeric', month: 'short' });
  return wall(local, locale().clock === 12 ? { hour: 'numeric', hourCycle: 'h12' } : timeOptions());
};

/** The time of day of a wall clock: `14:03`. */
export const formatWallTime = (local: string): string => wall(local, timeOptions());
export const formatDay = (local: string): string => wall(local, { day: 'numeric', month: 'short', year: 'numeric' });
export const formatDayInFull = (local: string): string =>
  wall(local, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
export const formatWeekday = (local: string): string => wall(local, { weekday: 'long' });
/** For narrow columns: `Mo`, `lu`. */
export const formatShortWeekday = (local: string): string =>
  wall(local, { weekday: 'short' }).replace('.', '').slice(0, 2);
export const formatMonth = (local: string): string => wall(local, { month: 'long', year: 'numeric' });
/** `1 – 7 Oct 2026` */
export const formatDays = (from: string, to: string): string =>
  from === to ? formatDay(from) : dateFormat('UTC', dayOptions).formatRange(wallMs(from), wallMs(to));
const dayOptions = { day: 'numeric', month: 'short', year: 'numeric' } as const;

/** An instant as a zone's clocks show it: `20 Nov, 14:03`; with another year than this, too. */
export const formatInstant = (iso: string, timeZone: string, now = Date.parse(iso)): string =>
  dateFormat(timeZone, {
    day: 'numeric',
    month: 'short',
    ...(localDate(now, timeZone).slice(0, 4) === localDate(Date.parse(iso), timeZone).slice(0, 4)
      ? {}
      : { year: 'numeric' }),
    ...timeOptions(),
  }).format(Date.parse(iso));
export const formatClock = (iso: string, timeZone: string): string =>
  dateFormat(timeZone, { ...timeOptions(), second: '2-digit' }).format(Date.parse(iso));
/** The time of day of an instant, by the clock of this browser: `09:21`. */
export const formatTime = (ms: number): string => new Intl.DateTimeFormat(locale().dates, timeOptions()).format(ms);
/** The local date of an instant, as `2026-11-20`. */
export const localDate = (ms: number, timeZone: string): string =>
  dateFormat(timeZone, { year: 'numeric', month: '2-digit', day: '2-digit' }, 'en-CA').format(ms);

/** A value of a property as text. Dates are instants; one at midnight is a day. */
export const formatValue = (value: string): string => value.replace(/^(\d{4}-\d\d-\d\d)T00:00:00\.000Z$/, '$1');

/** How long ago, in the largest unit that fits: `3 min ago`. */
export const formatAgo = (iso: string, now: number): string => {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 10) return t('time.justNow');
  if (seconds < 60) return t('time.secondsAgo', { count: Math.floor(seconds) });
  if (seconds < 3600) return t('time.minutesAgo', { count: Math.floor(seconds / 60) });
  if (seconds < 86_400) return t('time.hoursAgo', { count: Math.floor(seconds / 3600) });
  return t('time.daysAgo', { count: Math.floor(seconds / 86_400) });
};

/** `Germany, France or Italy` */
export const formatAny = (values: readonly string[]): string =>
  new Intl.ListFormat(locale().dates, { type: 'disjunction' }).format(values);
