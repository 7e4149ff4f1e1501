/** The languages of the dashboard, each by its own name. A new one is a row here and a file of texts. */
export const languages = { en: 'English', de: 'Deutsch', fr: 'Français' } as const;

export type Language = keyof typeof languages;
export const languageNames = Object.keys(languages) as Language[];
export const languageDefault: Language = 'en';
