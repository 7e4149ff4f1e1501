import type { Language } from '../../../model/locale.ts';
import { type Piece, type Texts, textFiles } from './made.ts';
import { setTexts } from './text.ts';

let current: Language = 'en';
const pieces = new Set<Piece>();
const loaded: Partial<Record<Language, Texts>> = {};

/**
 * Fetches the texts of a language, for all code that is there. To be awaited before anything is
 * drawn.
 */
export const loadTexts = async (language: Language): Promise<void> => {
  current = language;
  await load();
};

/** Fetches the texts of a piece of the code. To be awaited before anything of it is drawn. */
export const loadTextsOf = async (piece: Piece): Promise<void> => {
  pieces.add(piece);
  await load();
};

const load = async (): Promise<void> => {
  const language = current;
  const files = textFiles[language];
  const fetched = await Promise.all([...[...pieces].map(piece => files[piece]()), files.first()]);
  loaded[language] = Object.assign({}, loaded[language], ...fetched);
  // Somebody may have chosen another language meanwhile.
  if (language !== current) return load();
  setTexts(language, loaded[language]!);
};
