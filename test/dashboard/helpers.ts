/** The dashboard behind a listener of its own, with the API beside it, and browsers that keep their cookie. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { serverTexts } from '../../.ci/texts.mjs';
import { createApi } from '../../src/api/api.ts';
import type { ProgramLogins } from '../../src/api/auth.ts';
import { createDashboard, type DashboardParts } from '../../src/dashboard/dashboard.ts';
import { createSiteWork } from '../../src/dashboard/site-work.ts';
import { createUploads } from '../../src/dashboard/uploads.ts';
import type { Me, State } from '../../src/dashboard/wire.ts';
import type { LogFields } from '../../src/log.ts';
import { createQueryPool } from '../../src/query/threads/pool.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { startSiteDropper } from '../../src/store/maintenance/drop-sites.ts';
import { type SiteDirectory, siteDirectory } from '../../src/store/sites.ts';
import { storesOf } from '../../src/store/stores.ts';
import { temporaryDir } from '../helpers.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is for its test to know
  json: any;
}

export interface Browser {
  /** The cookie of its login that it would send now. */
  cookie: string | undefined;
  /** All other cookies, by name. */
  others: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** As the app does it: JSON, from a page of the same host. A header that is undefined is left out. */
  post(path: string, body?: unknown, headers?: Record<string, string | undefined>): Promise<Answer>;
}

export interface TestDashboard {
  url: string;
  dataDir: string;
  db: Database;
  /** The one that the collector and the API would share. */
  directory: SiteDirectory;
  /** Moves with `pass`. */
  clock: { now: number };
  logged: [event: string, fields: LogFields][];
  firstRunPath(): string | null;
  /** For programs that sign in with a password. */
  passwordLogins(): ProgramLogins;
  browser(): Browser;
  /** Somebody who has used the first-run link. */
  signedIn(): Promise<{ browser: Browser; me: Me }>;
  /** Puts a new dashboard on the same data in the place of the old one. */
  restart(): void;
  close(): Promise<void>;
}

export const email = 'ada@example.com';
export const password = 'correct horse';
/** Tests sign in often. */
const cheap = { logN: 8, r: 8, p: 1 };

/** The app as far as the server knows of it: some files by name, and the list of them. */
const assets = new Map<string, string | Buffer>();
const addAsset = (name: string, text: string): void => {
  assets.set(`${name}.br`, brotliCompressSync(text));
};
addAsset('app-1.js', 'console.log("app")');
addAsset('app-2.css', 'body { color: black }');
addAsset('part-3.js', 'console.log("part")');
for (const language of ['en', 'de', 'fr']) addAsset(`part-${language}.js`, `export const ${language} = {};`);
addAsset('theme-5.js', 'console.log("theme")');
assets.set('geist-6.woff2', 'a font').set('icon-4.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
assets.set(
  'shell.json',
  JSON.stringify({
    ...{ script: 'app-1.js', style: 'app-2.css', icon: 'icon-4.svg', theme: 'theme-5.js', font: 'geist-6.woff2' },
    ...{ preload: ['part-3.js'], texts: { en: 'part-en.js', de: 'part-de.js', fr: 'part-fr.js' }, ...serverTexts() },
  }),
);

export const assetsDir = (): string => {
  const dir = join(temporaryDir(), 'assets');
  mkdirSync(dir);
  for (const [name, content] of assets) writeFileSync(join(dir, name), content);
  return dir;
};

export const startDashboard = async (
  parts: Partial<DashboardParts> = {},
  dataDir = temporaryDir(),
): Promise<TestDashboard> => {
  const db = openDatabase(dataDir);
  const directory = siteDirectory(db);
  const clock = { now: Date.UTC(2026, 10, 20, 12) };
  const now = (): number => clock.now;
  const logged: [string, LogFields][] = [];
  const log = (event: string, fields: LogFields = {}): void => {
    logged.push([event, fields]);
  };
  const dropper = startSiteDropper(db, log);
  const geo = { geoDb: '/dev/null', geoAsnDb: '/dev/null' };
  const work = createSiteWork({ dataDir, geo, now, random: randomBytes, log });
  const uploads = createUploads({ dataDir, bytesMax: 4_000_000, now, random: randomBytes });
  const pool = createQueryPool({ dataDir, workers: 1, cacheBytesMax: 1 << 24, deadlineMs: 120_000, waitingMax: 10 });
  const start = () =>
    createDashboard({
      engine: pool,
      db,
      directory,
      now,
      random: randomBytes,
      log,
      addressOf: request => String(request.headers['x-test-address'] ?? '127.0.0.1'),
      baseUrl: null,
      collectorUrl: () => null,
      dropRows: dropper.start,
      ...{ work, uploads },
      nodes: () => [],
      otherHosts: () => [],
      assetsDir: assetsDir(),
      passwordCost: cheap,
      ...parts,
    });
  let dashboard = start();
  const stores = storesOf(db);
  const api = createApi({
    ...stores,
    alerting: { ...stores, random: randomBytes, sendsMail: false },
    directory,
    engine: pool,
    now,
    log,
    authenticators: dashboard.authenticators,
    onExported: dashboard.onExported,
  });
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const path = request.url!.split('?')[0]!;
    if (api.handle(request, response, path) || dashboard.handle(request, response, path)) return;
    response.writeHead(404).end('nobody’s');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const browser = (): Browser => {
    const request = async (path: string, init: RequestInit): Promise<Answer> => {
      const cookies = [own.cookie, ...[...own.others].map(pair => pair.join('='))].filter(Boolean).join('; ');
      const cookie: [string, string][] = cookies === '' ? [] : [['cookie', cookies]];
      const response = await fetch(url + path, {
        redirect: 'manual',
        ...init,
        headers: [...cookie, ...(init.headers as [string, string][])],
      });
      const text = await response.text();
      for (const set of response.headers.getSetCookie()) keep(set);
      const isJson = response.headers.get('content-type')?.startsWith('application/json');
      return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
    };
    const keep = (set: string): void => {
      const [, name = '', value = '', seconds] = /^([^=]+)=([^;]*).*?Max-Age=(\d+)/.exec(set) ?? [];
      if (!/^(__Host-)?daybook$/.test(name)) own.others.set(name, value);
      else if (seconds !== '0') own.cookie = `${name}=${value}`;
      else if (own.cookie?.startsWith(`${name}=`)) own.cookie = undefined;
    };
    const own: Browser = {
      cookie: undefined,
      others: new Map(),
      get: (path, headers = {}) => request(path, { headers: Object.entries(headers) }),
      post: (path, body = {}, headers = {}) => {
        const all = { 'content-type': 'application/json', origin: url, 'sec-fetch-site': 'same-origin', ...headers };
        return request(path, {
          method: 'POST',
          body: typeof body === 'string' ? body : JSON.stringify(body),
          headers: Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined),
        });
      },
    };
    return own;
  };

  const firstRunPath = (): string | null => dashboard.firstRunPath();
  return {
    url,
    dataDir,
    db,
    directory,
    clock,
    logged,
    firstRunPath,
    passwordLogins: () => dashboard.passwordLogins,
    browser,
    async signedIn() {
      const one = browser();
      const { json } = await one.post('/app/link/use', { token: tokenOf(firstRunPath()), email, password });
      return { browser: one, me: json };
    },
    restart() {
      dashboard = start();
    },
    async close() {
      await new Promise<void>(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await Promise.all([dropper.close(), work.close()]);
      await api.close();
      await pool.close();
      db.close();
    },
  };
};

/** The bytes of a secret of one-time codes. */
export const fromBase32 = (base32: string): Buffer => {
  const bits = [...base32].map(letter =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  return Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map(byte => Number.parseInt(byte, 2)),
  );
};

export const tokenOf = (path: string | null): string => path!.split('#')[1]!;

/** What the shell carries. */
export const stateOf = ({ text }: Answer): State =>
  JSON.parse(/<script type="application\/json" id="state">(.*?)<\/script>/s.exec(text)![1]!);

/** A link to a public page of a site, and where it is changed. */
export interface PublicLink {
  url: string;
  token: string;
  path: string;
}

export const makePublic = async (browser: Browser, siteId: string, settings: object = {}): Promise<PublicLink> => {
  const path = `/app/sites/${siteId}/shares`;
  const { data } = (await browser.post(path, { name: 'public', ...settings })).json;
  const { id, url } = data.at(-1);
  return { url, token: url.split('/share/')[1], path: `${path}/${id}` };
};

export const berlin = { timezone: 'Europe/Berlin', currency: 'EUR' };
