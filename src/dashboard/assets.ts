/**
 * The browser app's files, as .ci/dashboard.mjs makes and compresses them. Their names carry a hash
 * of their content, so browsers keep them for ever. Beside them is the documentation: `/docs` lists
 * its pages, and `/docs/tracker` is one.
 */
import { extname, join } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { acceptsEncoding } from '../model/headers.ts';
import { type Language, languageNames } from '../model/locale.ts';
import { lazy } from '../model/remember.ts';
import { keptShipped, readShipped, shippedNames } from '../package-root.ts';
import { pageHeaders } from './page-headers.ts';
import type { DashboardRoute } from './route.ts';

/** The files that the shell names, as paths such as `/assets/app-XYZ.js`. */
export interface ShellAssets {
  script: string;
  style: string;
  icon: string;
  /** Sets the chosen colours before the first paint. */
  theme: string;
  /** The typeface. */
  font: string;
  /** What the script imports, so that the browser need not find out one file after the other. */
  preload: string[];
  texts: Record<Language, string>;
  /** What each language says to a browser without scripts. */
  needsScript: Record<Language, string>;
}

/** What the server says by itself: failures, and that a page needs its script. */
export type ServerTexts = Record<Language, Readonly<Record<string, string>>>;

export interface Assets {
  said: ServerTexts;
  shell: ShellAssets;
  routes: DashboardRoute[];
}

const folder = '/assets/';
/** Lists the files that the shell names. It is written last: when it exists, the others do too. */
const listFile = 'shell.json';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** Best first; without one the files are sent as they are. */
const encodings = ['br', 'gzip'] as const;

/** A file, as it is sent in each encoding. */
interface Asset {
  type: string;
  as: { br?: () => Buffer; gzip?: () => Buffer; identity: () => Buffer };
  headers: Record<string, string>;
}

/** Of a file that is stored in the first of them. */
const packedEnding = /\.br$/;
/** Of a page of the documentation, as .ci/docs.mjs makes them from docs/*.md, or of their list. */
const docsFile = /^docs(?:-(\w+))?\.html\.br$/;

/** Throws an Error that says what to do when the files are not there. */
export const readAssets = (dir: string): Assets => {
  const list = join(dir, listFile);
  const names = shippedNames(dir);
  if (!names.includes(listFile)) throw new Error(`The dashboard is not built: npm run build makes ${list}.`);
  const { said, ...shell } = JSON.parse(readShipped(list).toString()) as ShellAssets & { said: ServerTexts };
  const path = (name: string): string => folder + name;
  return {
    said,
    shell: {
      script: path(shell.script),
      style: path(shell.style),
      icon: path(shell.icon),
      theme: path(shell.theme),
      font: path(shell.font),
      preload: shell.preload.map(path),
      texts: Object.fromEntries(languageNames.map(name => [name, path(shell.texts[name])])) as ShellAssets['texts'],
      needsScript: shell.needsScript,
    },
    routes: names.flatMap(file => routesOf(dir, file)),
  };
};

/** Everybody may read the files, and the documentation. */
const routesOf = (dir: string, file: string): DashboardRoute[] => {
  const as = encoded(join(dir, file));
  const [isDocs, page] = docsFile.exec(file) ?? [];
  if (isDocs !== undefined) {
    const headers = { 'cache-control': 'public, max-age=600', ...pageHeaders };
    return [
      assetRoute(page === undefined ? '/docs' : `/docs/${page}`, { type: 'text/html; charset=utf-8', as, headers }),
    ];
  }
  const name = file.replace(packedEnding, '');
  const type = types[extname(name)];
  const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
  return type === undefined ? [] : [assetRoute(folder + name, { type, as, headers })];
};

/** By encoding. Most are stored in the best one; the others are made when they are asked for. */
const encoded = (file: string): Asset['as'] => {
  const stored = keptShipped(file);
  if (!packedEnding.test(file)) return { identity: stored };
  const identity = lazy(() => brotliDecompressSync(stored()));
  return { br: stored, gzip: lazy(() => gzipSync(identity(), { level: 9 })), identity };
};

const assetRoute = (path: string, { type, as, headers }: Asset): DashboardRoute => ({
  ...{ method: 'GET', path, right: 'anybody' },
  answer({ request }) {
    const accepted = request.headers['accept-encoding']?.toString();
    const encoding = encodings.find(name => name in as && acceptsEncoding(accepted, name));
    return {
      status: 200,
      headers: {
        'content-type': type,
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
        ...headers,
        vary: 'accept-encoding',
      },
      body: as[encoding ?? 'identity']!(),
    };
  },
});
