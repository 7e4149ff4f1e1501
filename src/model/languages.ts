// Made by `npm run texts` from the files of texts. Do not change it by hand.

/** Each language of the pages by its own name. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
} as const;
