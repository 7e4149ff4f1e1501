/**
 * The browser app's files, as .ci/dashboard.mjs makes and compresses them. Their names carry a hash
 * of their content, so browsers keep them for ever.
 */
import { basename, extname, join } from 'node:path';
import type { Reply } from '../http/reply.ts';
import { acceptsEncoding } from '../model/headers.ts';
import { type Language, languageNames } from '../model/locale.ts';
import { keptShipped, readShipped, shippedNames } from '../package-root.ts';
import { docsRoutes } from './docs.ts';
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
/** Best first. */
const encodings = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof encodings;

interface Asset {
  type: string;
  plain: () => Buffer;
  encoded: Partial<Record<Encoding, () => Buffer>>;
}

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
    routes: [
      ...docsRoutes(dir, names),
      ...names.flatMap((name): DashboardRoute[] => {
        const type = types[extname(name)];
        if (type === undefined) return [];
        const asset = readAsset(join(dir, name), type, names);
        const answer: DashboardRoute['answer'] = ({ request }) =>
          assetReply(asset, request.headers['accept-encoding']?.toString());
        return [{ method: 'GET', path: path(name), right: 'anybody', answer }];
      }),
    ],
  };
};

const readAsset = (file: string, type: string, names: readonly string[]): Asset => {
  const encoded: Asset['encoded'] = {};
  for (const [encoding, ending] of Object.entries(encodings) as [Encoding, string][]) {
    if (names.includes(basename(file) + ending)) encoded[encoding] = keptShipped(file + ending);
  }
  return { type, plain: keptShipped(file), encoded };
};

const assetReply = ({ type, plain, encoded }: Asset, accepted: string | undefined): Reply => {
  const encoding = (Object.keys(encodings) as Encoding[]).find(
    name => encoded[name] && acceptsEncoding(accepted, name),
  );
  return {
    status: 200,
    headers: {
      'content-type': type,
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    },
    body: (encoding === undefined ? plain : encoded[encoding]!)(),
  };
};
