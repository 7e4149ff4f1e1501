/**
 * The browser app's files, as .ci/dashboard.mjs made them. Their names carry a hash of what is in them, so browsers keep them for ever; they are
 * compressed when they are built, and held in memory: a few hundred kilobytes.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { acceptsEncoding } from '../model/headers.ts';

/** What the shell names. Paths, such as `/assets/app-XYZ.js`. */
export interface ShellAssets {
  script: string;
  style: string;
  icon: string;
  /** What the script imports at once, so that it need not be found out one after the other. */
  preload: string[];
}

export interface Assets {
  shell: ShellAssets;
  handle(request: IncomingMessage, response: ServerResponse, path: string): boolean;
}

const folder = '/assets/';
/** Lists what the shell names; written last, so that where it is, the rest is too. */
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
  plain: Buffer;
  encoded: Partial<Record<Encoding, Buffer>>;
}

/** Throws an Error that says what to do when the files are not there. */
export const readAssets = (dir: string): Assets => {
  const list = join(dir, listFile);
  if (!existsSync(list)) throw new Error(`The dashboard is not built: npm run build makes ${list}.`);
  const shell = JSON.parse(readFileSync(list, 'utf8')) as ShellAssets;
  const path = (name: string): string => folder + name;
  const assets = new Map(
    readdirSync(dir).flatMap((name): [string, Asset][] => {
      const type = types[extname(name)];
      return type === undefined ? [] : [[path(name), readAsset(join(dir, name), type)]];
    }),
  );
  return {
    shell: {
      script: path(shell.script),
      style: path(shell.style),
      icon: path(shell.icon),
      preload: shell.preload.map(path),
    },
    handle(request, response, path) {
      const asset = assets.get(path);
      if (asset === undefined) return false;
      answer(request, response, asset);
      return true;
    },
  };
};

const readAsset = (file: string, type: string): Asset => {
  const encoded: Asset['encoded'] = {};
  for (const [encoding, ending] of Object.entries(encodings) as [Encoding, string][]) {
    if (existsSync(file + ending)) encoded[encoding] = readFileSync(file + ending);
  }
  return { type, plain: readFileSync(file), encoded };
};

const answer = (request: IncomingMessage, response: ServerResponse, { type, plain, encoded }: Asset): void => {
  request.resume();
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD', 'content-length': 0 }).end();
    return;
  }
  const accepted = request.headers['accept-encoding']?.toString();
  const encoding = (Object.keys(encodings) as Encoding[]).find(
    name => encoded[name] && acceptsEncoding(accepted, name),
  );
  const bytes = encoding === undefined ? plain : encoded[encoding]!;
  response.writeHead(200, {
    'content-type': type,
    'content-length': bytes.length,
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
};
