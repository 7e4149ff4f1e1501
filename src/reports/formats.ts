/** Numbers and days as a recipient writes them. */
import { currencyDigits } from '../model/currency.ts';
import type { Language, LocaleChoice } from '../model/locale.ts';

export type Formats = ReturnType<typeof formatsOf>;

const wall = (date: string): Date => new Date(`${date.slice(0, 10)}T00:00:00Z`);

/** Of who has no region, days and numbers are those of a country that speaks the language. */
const usualRegions: Readonly<Record<Language, string>> = { en: 'GB', de: 'DE', fr: 'FR' };

export const formatsOf = (language: Language, { region }: Pick<LocaleChoice, 'region'>) => {
  const tag = `${language}-${region ?? usualRegions[language]}-u-nu-latn`;
  const numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 });
  const percents = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const dates = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  const short = new Intl.DateTimeFormat(tag, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  const regions = new Intl.DisplayNames(language, { type: 'region', fallback: 'code' });
  const sign = (value: number): string => (value > 0 ? '+' : value < 0 ? '−' : '');
  return {
    number: (value: number): string => numbers.format(value),
    /** `value` is in percent. */
    percent: (value: number): string => percents.format(value / 100),
    /** With its sign: `+3.1 %`. Empty for null. */
    change: (value: number | null): string =>
      value === null ? '' : sign(value) + percents.format(Math.abs(value) / 100),
    difference: (value: number): string => sign(value) + numbers.format(Math.abs(value)),
    money(minor: number, currency: string): string {
      const digits = currencyDigits(currency);
      try {
        return new Intl.NumberFormat(tag, { style: 'currency', currency }).format(minor / 10 ** digits);
      } catch {
        return `${(minor / 10 ** digits).toFixed(digits)} ${currency}`; // Not a code of three letters.
      }
    },
    /** `2m 13s` */
    seconds(value: number): string {
      const whole = Math.round(value);
      const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
      return [hours > 0 && `${hours}h`, (hours > 0 || minutes > 0) && `${minutes}m`, `${rest}s`]
        .filter(part => part !== false)
        .slice(0, 2)
        .join(' ');
    },
    /** Local days, both included. */
    days: (from: string, to: string): string =>
      // Thin spaces in a subject would be encoded, and some programs show them as boxes.
      from === to ? dates.format(wall(from)) : dates.formatRange(wall(from), wall(to)).replaceAll('\u2009', ' '),
    day: (date: string): string => short.format(wall(date)),
    country(code: string): string {
      try {
        return regions.of(code) ?? code;
      } catch {
        return code; // Malformed codes are shown as they are.
      }
    },
  };
};
