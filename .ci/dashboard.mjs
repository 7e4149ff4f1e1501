// Bundles the dashboard's browser app: hashed names, compressed, and a list of what the first page needs.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { buildDocs } from './docs.mjs';
import { serverTexts } from './texts.mjs';
import { textsOfPieces } from './texts-of-pieces.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const script = 'src/dashboard/app/main.tsx';
/** All that the script draws at first. */
const first = 'src/dashboard/app/app.tsx';
const style = 'src/dashboard/app/app.css';
const icon = 'src/dashboard/icon.svg';
const docsStyle = 'src/dashboard/docs.css';
const theme = 'src/dashboard/app/theme-first.js';
const font = 'src/dashboard/app/font/geist.woff2';
/** The texts of a language that the first page needs. */
const texts = /^src\/dashboard\/app\/texts\/(\w\w)\.(?:ts|json)$/;
const compressed = new Set(['.js', '.css', '.svg']);
/** Code that is loaded later. */
const later = /\/(?:(?:form|site|step)-pages\.ts|overlays\.ts|country-map\.tsx)$/;

/**
 * Code that is loaded later imports all that is loaded first. So what both use is one file, and not one for each
 * set of users: a browser has work with each.
 */
const oneFirstFile = {
  name: 'one first file',
  setup({ onLoad }) {
    onLoad({ filter: later }, ({ path }) => ({
      contents: `import '${join(root, first)}';\n${readFileSync(path, 'utf8')}`,
      loader: 'tsx',
    }));
  },
};

/** Fills the directory, which src/dashboard/assets.ts then reads. Gives the names of its files. */
export const buildDashboard = async outdir => {
  const options = {
    absWorkingDir: root,
    entryPoints: [
      { in: script, out: 'app' },
      { in: style, out: 'app' },
      { in: docsStyle, out: 'docs' },
      { in: icon, out: 'icon' },
      { in: theme, out: 'theme' },
    ],
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    loader: { '.svg': 'copy', '.woff2': 'file' },
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    charset: 'utf8',
    platform: 'browser',
    // The oldest with light-dark() in style sheets.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
  };
  const { metafile } = await build({
    ...options,
    metafile: true,
    plugins: [await textsOfPieces(options, script), oneFirstFile],
  });
  const outputs = Object.entries(metafile.outputs);
  const madeFrom = source =>
    outputs.find(
      ([, { entryPoint, inputs }]) => entryPoint === source || ([icon, font].includes(source) && source in inputs),
    )[0];
  buildDocs(outdir, {
    theme: basename(madeFrom(theme)),
    style: basename(madeFrom(docsStyle)),
    icon: basename(madeFrom(icon)),
    font: basename(madeFrom(font)),
  });
  const files = outputs.map(([file]) => join(root, file));

  for (const file of files.filter(file => compressed.has(extname(file)))) {
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file)));
    rmSync(file);
  }
  const list = {
    script: basename(madeFrom(script)),
    style: basename(madeFrom(style)),
    icon: basename(madeFrom(icon)),
    theme: basename(madeFrom(theme)),
    font: basename(madeFrom(font)),
    preload: importedAtOnce(metafile.outputs, madeFrom(script)).map(file => basename(file)),
    texts: Object.fromEntries(
      outputs.flatMap(([file, { entryPoint }]) => {
        const [, language] = texts.exec(entryPoint ?? '') ?? [];
        return language === undefined ? [] : [[language, basename(file)]];
      }),
    ),
    ...serverTexts(),
  };
  writeFileSync(join(outdir, 'shell.json'), `${JSON.stringify(list, null, 2)}\n`);
  return files.map(file => basename(file));
};

/** What a file imports before it can run, and what that does. */
const importedAtOnce = (outputs, file, found = new Set()) => {
  for (const { path, kind } of outputs[file].imports) {
    if (kind !== 'import-statement' || found.has(path)) continue;
    found.add(path);
    importedAtOnce(outputs, path, found);
  }
  return [...found];
};
