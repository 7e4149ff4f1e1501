// Gives each piece of the dashboard's code the texts that only this piece names, so that a first page fetches no texts of pages that are not open.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { pieces } from './texts.mjs';

const folder = 'src/dashboard/app/';
/** Of texts that the server alone says. */
const ofServer = new Set(['language', 'failure']);

const groupOf = key => key.slice(0, key.indexOf('.'));
const fileOf = language => JSON.parse(readFileSync(`${folder}texts/${language}.json`, 'utf8'));

/** All of them. The model's tables are code, of which a browser would use nothing else. */
const englishTexts = async options => {
  const entry = { ...options, entryPoints: [`${folder}texts/en.ts`], splitting: false, write: false };
  const { outputFiles } = await build(entry);
  return (await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)).en;
};

/** By group of texts (`settings` of `settings.title`) the piece that alone names it, or `first`. */
const ownersOf = (metafile, script) => {
  const starts = pieces.map(name => `${folder}${name}.ts`);
  const reached = (file, found = new Set()) => {
    if (found.has(file)) return found;
    found.add(file);
    for (const { path, external } of metafile.inputs[file].imports)
      if (!external && !starts.includes(path)) reached(path, found);
    return found;
  };
  const owners = new Map();
  for (const start of [script, ...starts])
    for (const file of reached(start)) {
      if (!file.startsWith(folder) || file.startsWith(`${folder}texts/`)) continue;
      const owner = starts.includes(start) ? basename(start, '.ts') : 'first';
      for (const [, group] of readFileSync(file, 'utf8').matchAll(/['`](\w+)\./g))
        owners.set(group, [owner, owners.get(group) ?? owner].every(each => each === owner) ? owner : 'first');
    }
  return owners;
};

/**
 * For esbuild, with the options of the build: `texts/de.json` are the texts of the first piece and
 * of those that several name, `texts:form-pages/de` the ones of that piece. Texts that nobody names
 * go nowhere, and fail the build where they are not the server's.
 */
export const textsOfPieces = async (options, script) => {
  const { metafile } = await build({ ...options, external: ['texts:*'], write: false, metafile: true });
  const owners = ownersOf(metafile, script);
  const english = await englishTexts(options);
  const unnamed = Object.keys(fileOf('en')).filter(key => !owners.has(groupOf(key)) && !ofServer.has(groupOf(key)));
  if (unnamed.length > 0) throw new Error(`No code names these texts: ${unnamed.join(', ')}`);
  // As code, because esbuild would make a variable of each text of a JSON file.
  const loaded = (language, piece, name = 'default') => {
    const all = language === 'en' ? english : fileOf(language);
    const texts = Object.entries(all).filter(([key]) => owners.get(groupOf(key)) === piece);
    return {
      contents: `const texts = ${JSON.stringify(Object.fromEntries(texts))}; export { texts as ${name} }`,
      loader: 'js',
    };
  };
  return {
    name: 'texts of pieces',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^texts:/ }, ({ path }) => ({ path: path.slice('texts:'.length), namespace: 'texts' }));
      onLoad({ filter: /./, namespace: 'texts' }, ({ path }) => loaded(basename(path), path.split('/')[0]));
      onLoad({ filter: /\/texts\/en\.ts$/ }, () => loaded('en', 'first', 'en'));
      onLoad({ filter: /\/texts\/\w\w\.json$/ }, ({ path }) => loaded(basename(path, '.json'), 'first'));
    },
  };
};
