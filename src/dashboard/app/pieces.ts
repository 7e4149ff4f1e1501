/**
 * Pieces of the code that are fetched when somebody first needs them, each beside the texts that it
 * alone names.
 */
import { loadTextsOf } from './texts/load-texts.ts';
import type { Piece } from './texts/made.ts';

const withTexts =
  <Code>(piece: Piece, load: () => Promise<Code>) =>
  async (): Promise<Code> => {
    const [code] = await Promise.all([load(), loadTextsOf(piece)]);
    return code;
  };

export const formPages = withTexts('form-pages', () => import('./form-pages.ts'));
export const numberPages = withTexts('site-pages', () => import('./site-pages.ts'));
export const stepPages = withTexts('step-pages', () => import('./step-pages.ts'));
