/** The language of a page for somebody of whom only the browser is known. */
import { type Language, languageDefault, languageNames } from '../model/locale.ts';

/** The first language that a browser asks for in `Accept-Language` and the pages have. */
export const acceptedLanguage = (header = ''): Language => {
  const wanted = header
    .slice(0, headerCharsMax)
    .split(',')
    .map(entry => {
      const [tag = '', quality = ''] = entry.trim().split(/\s*;\s*q=/);
      return { language: tag.split('-')[0]!.toLowerCase(), quality: quality === '' ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const { language } of wanted) {
    const found = languageNames.find(name => name === language);
    if (found !== undefined) return found;
  }
  return languageDefault;
};

/** Browsers send far less. */
const headerCharsMax = 1000;
