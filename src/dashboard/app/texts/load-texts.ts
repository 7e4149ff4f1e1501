/** The files of texts. A browser fetches the one of its language, beside the code. */
import type { Language } from '../../../model/locale.ts';
import { setTexts, type Texts } from './text.ts';

const files: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
};

/** To be awaited before anything is drawn. */
export const loadTexts = async (language: Language): Promise<void> => setTexts(language, await files[language]());
