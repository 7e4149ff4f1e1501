/** Web servers on loopback hosts: those of the site, and the one of the site before. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { appDocument, inertiaDocument, inertiaPage, pageDocument } from './document.ts';
import type { Framework } from './frameworks.ts';
import { paths, redirectsTo } from './site.ts';
import type { SeenStep, Step } from './visits.ts';

export interface Answer {
  type: string;
  body: string | Buffer;
  status?: number;
  headers?: Record<string, string>;
}

/** What a server has at an address; undefined is 404. */
export type Respond = (url: URL, request: IncomingMessage) => Promise<Answer | undefined> | Answer | undefined;

export interface Web {
  origin: string;
  close(): Promise<void>;
}

/** Listens on a free port. */
export const openWeb = async (host: string, respond: Respond): Promise<Web> => {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const {
      status = 200,
      type,
      body,
      headers,
    } = (await respond(new URL(request.url!, 'http://web'), request)) ?? {
      status: 404,
      type: 'text/plain',
      body: 'not found',
    };
    response.writeHead(status, { 'content-type': type, ...headers }).end(body);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(error => response.destroy(error as Error));
  });
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  return {
    origin: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const html = (body: string, headers: Record<string, string> = {}): Answer => ({
  type: 'text/html; charset=utf-8',
  body,
  headers: { 'cache-control': 'no-store', ...headers },
});

const script = (body: string): Answer => ({ type: 'text/javascript', body });

/** As servers do it: the campaign goes along. */
const redirect = (search: string): Answer => ({
  status: 302,
  type: 'text/plain',
  body: '',
  headers: { location: redirectsTo + search },
});

const slowMs = 400;

/** The pages of the frameworks that we serve ourselves. `code` is their script. */
export const respondWith =
  (framework: Framework, code: string): Respond =>
  async ({ pathname, search }, request) => {
    if (pathname === '/app.js') return script(code);
    if (pathname === '/data/slow') await sleep(slowMs);
    if (pathname.startsWith('/data/')) return { type: 'application/json', body: '{}' };
    const { kind } = framework;
    const isPage = paths.includes(pathname);
    if (!isPage && pathname !== '/old') return undefined;
    if (kind === 'app') return html(appDocument(framework));
    if (!isPage) return redirect(search);
    if (pathname === '/slow') await sleep(slowMs);
    if (kind === 'pages') return html(pageDocument(framework, pathname, search));
    return request.headers['x-inertia']
      ? {
          type: 'application/json',
          body: inertiaPage(pathname, search),
          headers: { 'x-inertia': 'true', vary: 'X-Inertia', 'cache-control': 'no-store' },
        }
      : html(inertiaDocument(framework, pathname, search), { vary: 'X-Inertia' });
  };

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.css': 'text/css',
};

/** Files of a folder, each page of which is a file. `fallback` is the document of all other paths. */
export const respondFrom =
  (folder: string, fallback?: string): Respond =>
  async ({ pathname, search }) => {
    if (pathname === '/data/slow') {
      await sleep(slowMs);
      return { type: 'application/json', body: '{}' };
    }
    if (pathname === '/slow') await sleep(slowMs);
    if (pathname === '/old' && fallback === undefined) return redirect(search);
    const isKnown = pathname === '/old' || paths.includes(pathname);
    const file = [pathname, `${pathname}.html`, `${pathname}/index.html`, isKnown && fallback]
      .filter(path => path && extname(path) !== '')
      .map(path => join(folder, path as string))
      .find(existsSync);
    return file === undefined
      ? undefined
      : { type: types[extname(file)] ?? 'application/octet-stream', body: readFileSync(file) };
  };

/** What another server has. It may stream, and name its own host. */
export const respondBy =
  (origin: string): Respond =>
  async ({ pathname, search }, { headers }) => {
    const { host, connection, 'accept-encoding': _, ...asked } = headers as Record<string, string>;
    const answer = await fetch(origin + pathname + search, { headers: asked, redirect: 'manual' });
    const {
      'content-encoding': encoding,
      'transfer-encoding': transfer,
      'content-length': length,
      connection: kept,
      'keep-alive': alive,
      ...given
    } = Object.fromEntries(answer.headers);
    return {
      status: answer.status,
      type: answer.headers.get('content-type') ?? 'text/plain',
      body: Buffer.from(await answer.arrayBuffer()),
      headers: given,
    };
  };

export interface Told {
  seen: SeenStep[];
}

export interface VisitedSite extends Web {
  /** What the visitor saw, when the visit is over. Rejects with what the visitor waits for in vain. */
  told: Promise<Told>;
}

const driver = readFileSync(fileURLToPath(new URL('driver.js', import.meta.url)), 'utf8');

const bodyOf = async (request: IncomingMessage): Promise<string> => Buffer.concat(await request.toArray()).toString();

/** A site as one visitor gets it: with the tag of its collector and key, and with the visitor in it. */
export const openSite = async (
  host: string,
  respond: Respond,
  { collector, key, ...visit }: { collector: string; key: string; steps: Step[]; isHash: boolean; elsewhere: string },
): Promise<VisitedSite> => {
  let tell: (told: Told) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const told = new Promise<Told>((resolve, reject) => {
    tell = resolve;
    fail = reject;
  });
  told.catch(() => {});
  const visitor = driver.replace('/* visit */ {}', () => JSON.stringify(visit));

  const filled = (answer: Answer): Answer => {
    if (!/html|javascript|component/.test(answer.type)) return answer;
    const body = answer.body
      .toString()
      .replaceAll('https://stats.example.com', collector)

      .replaceAll('pk_live_…', key)
      .replaceAll('pk_live_\\u2026', key);
    if (!/html/.test(answer.type)) return { ...answer, body };
    return { ...answer, body: body.replace(/<head(\s[^>]*)?>/, head => `${head}<script src="/driver.js"></script>`) };
  };

  const web = await openWeb(host, async (url, request) => {
    if (url.pathname === '/driver.js') return script(visitor);
    if (url.pathname === '/favicon.ico') return { type: 'image/x-icon', body: '' };
    if (url.pathname !== '/told') {
      const answer = await respond(url, request);
      return answer && filled(answer);
    }
    const { error, seen } = JSON.parse(await bodyOf(request)) as Partial<Told> & { error?: string };
    if (error === undefined) tell({ seen: seen! });
    else fail(new Error(error));
    return { type: 'application/json', body: '{}' };
  });
  return { ...web, told };
};

/** The site before, whose link leads to `to`, and after which the visitor goes there, to `/end`. */
export const respondElsewhere: Respond = ({ searchParams }) => {
  const to = searchParams.get('to');
  return html(to ? `<script>location.href = ${JSON.stringify(to)}</script>` : '<title>Elsewhere</title>');
};
