/** Makes the page write as its reader does: a language's texts, and their formats. */
import { type Language, noLocaleChoice } from '../../model/locale.ts';
import type { Me } from '../wire.ts';
import { localeOf, setLocale } from './locale.ts';
import { loadTexts } from './texts/load-texts.ts';

/**
 * To be awaited before anything is drawn for somebody; null for nobody, and on public pages.
 * `asked` is the language that the browser asks for.
 */
export const adoptLocale = async (asked: Language, me: Me | null): Promise<void> => {
  const choice = me?.person.locale ?? noLocaleChoice;
  const language = choice.language ?? asked;
  await loadTexts(language);
  document.documentElement.lang = language;
  setLocale(localeOf(language, choice, navigator.languages));
};
