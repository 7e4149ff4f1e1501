import type { ServerTexts, ShellAssets } from '../src/dashboard/assets.ts';

/** What the server says by itself, by language. */
export const serverTexts: () => Pick<ShellAssets, 'needsScript'> & { said: ServerTexts };
/** Content of the files that `npm run texts` makes, by path. */
export const madeOfTexts: () => Record<string, string>;
