import type { Language } from '../../../model/locale.ts';
import { textFiles } from './made.ts';
import { setTexts } from './text.ts';

/** Fetches the texts of a language. To be awaited before anything is drawn. */
export const loadTexts = async (language: Language): Promise<void> => setTexts(language, await textFiles[language]());
