/**
 * How this page writes numbers, days and times: by the language of its texts, the browser, and what
 * the account has chosen. Set before anything is drawn, and again when somebody signs in or
 * chooses.
 */
import { type Clock, type Language, type LocaleChoice, languageDefault, noLocaleChoice } from '../../model/locale.ts';

export interface Locale {
  language: Language;
  /** BCP 47 tag for days and times: their words are in the language of the texts. */
  dates: string;
  /** BCP 47 tag for numbers and money. */
  numbers: string;
  /** The day that a week begins with in calendars: 1 is Monday, 7 is Sunday. */
  firstDay: number;
  clock: Clock;
}

/** `tags` are the browser's languages, the best first, as `navigator.languages` has them. */
export const localeOf = (language: Language, choice: LocaleChoice, tags: readonly string[]): Locale => {
  const region = choice.region ?? regionOf(language, choice, tags);
  const dates = `${language}-${region}`;
  const native = new Intl.Locale(`und-${region}`).maximize().language;
  // A language that is not spoken there has no formats for it. English has some for many countries,
  // but not for their money.
  const isSpoken = language !== 'en' && new Intl.NumberFormat(dates).resolvedOptions().locale === dates;
  const numbers = isSpoken ? dates : `${native}-${region}`;
  return {
    language,
    dates,
    numbers: `${numbers}-u-nu-latn`,
    firstDay: choice.firstDay ?? firstDayOf(region),
    clock: choice.clock ?? clockOf(numbers),
  };
};

/** Without a choice, formats are the browser's, unless another language was chosen. */
const regionOf = (language: Language, choice: LocaleChoice, tags: readonly string[]): string => {
  const known = tags.flatMap(tag => {
    try {
      return [new Intl.Locale(tag).maximize()];
    } catch {
      return []; // Browsers may be set to anything.
    }
  });
  const same = known.find(tag => tag.language === language);
  const best = same ?? (choice.language === null ? known[0] : undefined) ?? new Intl.Locale(language).maximize();
  return best.region ?? 'GB';
};

const clockOf = (tag: string): Clock =>
  new Intl.DateTimeFormat(tag, { hour: 'numeric' }).resolvedOptions().hour12 === true ? 12 : 24;

interface WeekInfo {
  firstDay: number;
}
const firstDayOf = (region: string): number => {
  const tag = new Intl.Locale(`und-${region}`) as Intl.Locale & { getWeekInfo?: () => WeekInfo; weekInfo?: WeekInfo };
  const info = tag.getWeekInfo?.() ?? tag.weekInfo;
  return info?.firstDay ?? (sunday.has(region) ? 7 : saturday.has(region) ? 6 : 1);
};

/** Where weeks do not begin on Monday (CLDR), for browsers that do not know it (Firefox). */
const sunday = new Set(
  (
    'AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN IS JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH' +
    ' PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW'
  ).split(' '),
);
const saturday = new Set('AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY'.split(' '));

let current = localeOf(languageDefault, noLocaleChoice, ['en-GB']);
export const locale = (): Locale => current;
export const setLocale = (next: Locale): void => {
  current = next;
};
