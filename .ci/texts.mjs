/**
 * `npm run texts` makes what the code has to know of the files of texts: which languages there are,
 * and what each text is given, so that a value that is missing is a type error. A test says when it
 * has to be run.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = 'src/dashboard/app/texts';
const note = '// Made by `npm run texts` from the files of texts. Do not change it by hand.\n';

/** What src/dashboard/app/pieces.ts fetches: code that has texts of its own once it is built. */
export const pieces = ['form-pages', 'site-pages', 'step-pages'];

const quoted = text => (/^[a-z]\w*$/i.test(text) ? text : `'${text}'`);

/** What a text is given: names of values, `</name>` for elements, `count` where it has forms. */
const partsOf = text => {
  const sentence = typeof text === 'string' ? text : text.other;
  const values = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const tags = [...sentence.matchAll(/<\/\w+>/g)].map(([tag]) => tag);
  const parts = [...new Set([...values, ...tags, ...(typeof text === 'string' ? [] : ['count'])])];
  return parts.length === 0 ? 'never' : parts.map(part => `'${part}'`).join(' | ');
};

const textsOf = name => JSON.parse(readFileSync(join(root, folder, `${name}.json`), 'utf8'));

/** English first: it is what other languages fall back to. */
const languageNames = () => {
  const names = readdirSync(join(root, folder)).flatMap(file => /^(\w\w)\.json$/.exec(file)?.[1] ?? []);
  return ['en', ...names.filter(name => name !== 'en').sort()];
};

/** What the server says by itself, by language. */
export const serverTexts = () => {
  const from = pick => Object.fromEntries(languageNames().map(name => [name, pick(textsOf(name))]));
  return {
    needsScript: from(texts => texts['shell.needsScript']),
    said: from(texts => Object.fromEntries(Object.entries(texts).filter(([key]) => key.startsWith('failure.')))),
  };
};

/** Their content by path. */
export const madeOfTexts = () => {
  const sorted = languageNames();
  const rows = sorted.map(name => `  ${name}: '${textsOf(name)['language.name']}',\n`).join('');
  const firstOf = name =>
    name === 'en'
      ? `(await import('./en.ts')).en`
      : `(await import('./${name}.json', { with: { type: 'json' } })).default`;
  const files = sorted.map(name =>
    [
      `  ${name}: {\n    first: async () => ${firstOf(name)},\n`,
      ...pieces.map(piece => `    '${piece}': async () => (await import('texts:${piece}/${name}')).default,\n`),
      '  },\n',
    ].join(''),
  );
  const parts = Object.entries(textsOf('en')).map(([key, text]) => `  ${quoted(key)}: ${partsOf(text)};\n`);
  return {
    'src/model/languages.ts': `${note}
/** Each language of the pages by its own name. */
export const languages = {
${rows}} as const;
`,
    [`${folder}/made.ts`]: `${note}import type { Language } from '../../../model/locale.ts';

export type Texts = Readonly<Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>>;

/** Code that has texts of its own once it is built. */
export type Piece = ${pieces.map(piece => `'${piece}'`).join(' | ')};

/**
 * The files of texts. A browser fetches those of its language: the first beside the first code, and
 * one with each piece. Before they are built, the first holds all texts.
 */
export const textFiles: Record<Language, Record<'first' | Piece, () => Promise<Texts>>> = {
${files.join('')}};

/** What each English text is given. */
export interface TextParts {
${parts.join('')}}
`,
  };
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, content] of Object.entries(madeOfTexts())) writeFileSync(join(root, path), content);
