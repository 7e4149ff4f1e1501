/** The dashboard's languages, and how an account wants numbers and times to be written. */
import { languages } from './languages.ts';

export type Language = keyof typeof languages;
export const languageNames = Object.keys(languages) as Language[];
export const languageDefault: Language = 'en';

/** Days of the week that a week begins with somewhere, as ISO 8601 numbers them. */
export const firstDays = [1, 6, 7] as const;
export type FirstDay = (typeof firstDays)[number];

/** How many hours a clock shows. */
export const clocks = [24, 12] as const;
export type Clock = (typeof clocks)[number];

/** What is null follows the browser, or what is chosen above it. */
export interface LocaleChoice {
  language: Language | null;
  /** ISO 3166 code of the country whose formats are used. */
  region: string | null;
  /** Of the week, in calendars. */
  firstDay: FirstDay | null;
  clock: Clock | null;
}

export const noLocaleChoice: Readonly<LocaleChoice> = { language: null, region: null, firstDay: null, clock: null };

/** Countries whose formats can be chosen, by ISO 3166 code: one for each way to write. */
export const formatRegions: readonly string[] = (
  'AR AT AU BE BG BR CA CH CL CN CO CZ DE DK EE ES FI FR GB GR HR HU ID IE IL IN IT JP KR LT LU LV MX MY NL NO NZ PE' +
  ' PH PL PT RO RS SE SG SI SK TH TR TW UA US VN ZA'
).split(' ');
