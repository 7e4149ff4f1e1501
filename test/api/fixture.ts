/** An API on a free port over a real database, and a small shop whose numbers can be counted by hand. */
import { randomBytes } from 'node:crypto';
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Api, type ApiParts, createApi } from '../../src/api/api.ts';
import { createAuditor } from '../../src/api/changes/auditor.ts';
import type { ReportKeeper } from '../../src/api/report-keeper.ts';
import { scopeNames } from '../../src/model/scopes.ts';
import type { Plan, Site } from '../../src/model/site.ts';
import { utcDayOf } from '../../src/model/time.ts';
import { createQueryPool } from '../../src/query/threads/pool.ts';
import { createDesk } from '../../src/reports/desk.ts';
import { createKeeper } from '../../src/reports/keeper.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { definitions } from '../../src/store/definitions.ts';
import { type SiteDirectory, siteDirectory } from '../../src/store/sites.ts';
import { storesOf } from '../../src/store/stores.ts';
import { type Entry, type HitRecord, recorder, type VisitRecord } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';

/** A Friday, half past two in the afternoon in Berlin. */
export const now = Date.parse('2026-11-20T13:30:00.000Z');
export const key = `tk_live_${'k'.repeat(32)}`;

export interface Got {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export interface Requested {
  /** Null: none. */
  key?: string | null;
  method?: string;
  headers?: Record<string, string>;
}

export interface TestApi {
  /** A connection of the test's own, as a command would open it. */
  db: Database;
  dataDir: string;
  base: string;
  get(path: string, requested?: Requested): Promise<Got>;
  /** What was logged. */
  logged: string[];
  setNow(at: number): void;
  close(): Promise<void>;
}

export const startApi = async (parts: Partial<ApiParts> & { deadlineMs?: number } = {}): Promise<TestApi> => {
  const { dataDir, db: own } = temporaryDatabase();
  const db = openDatabase(dataDir);
  let clock = now;
  const logged: string[] = [];
  const pool = createQueryPool({
    dataDir,
    workers: 1,
    cacheBytesMax: 2 ** 24,
    deadlineMs: parts.deadlineMs ?? 20_000,
    waitingMax: 256,
  });
  apiKeys(db).add(accounts(db).named('default', 0).id, 'test', key, 0, { scopes: [...scopeNames] });
  const directory = siteDirectory(own);
  const stores = storesOf(own);
  const keeper = (): ReportKeeper => {
    const of = { ...stores, db: own, origin: () => 'https://stats.example', now: () => clock };
    const desk = createDesk({ ...of, access: api.access, shareOf: () => undefined });
    return createKeeper({ ...of, desk, random: randomBytes, mailDomains: [], sendsMail: false, wake() {} });
  };
  const api: Api = createApi({
    reports: keeper,
    ...stores,
    alerting: { ...stores, random: randomBytes, sendsMail: true },
    directory,
    changes: changesOf(own, directory, () => clock),
    engine: pool,
    now: () => clock,
    log: (event, fields = {}) => logged.push(`${event} ${JSON.stringify(fields)}`),
    ...parts,
  });
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const path = request.url!.replace(/\?.*/s, '');
    if (!api.handle(request, response, path)) response.writeHead(418).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  // A test that failed before it closed its server ends all the same.
  server.unref();
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    db,
    dataDir,
    base,
    logged,
    get: (path, requested = {}) => get(base + path, requested),
    setNow(at) {
      clock = at;
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await api.close();
      await pool.close();
      db.close();
      own.close();
    },
  };
};

/** What keys change things with. */
const changesOf = (db: Database, directory: SiteDirectory, now: () => number): NonNullable<ApiParts['changes']> => {
  const stores = storesOf(db);
  const { audit } = stores;
  const auditing = { audit, addressOf: () => '127.0.0.1', now, log() {}, auditDays: 0, auditLog: false };
  return {
    ...{ ...stores, db, directory, now, random: randomBytes, dropRows() {}, auditor: createAuditor(auditing) },
    originOf: () => 'http://stats.example',
  };
};

/** Connections are used again, as browsers do. */
const agent = new Agent({ keepAlive: true });

const get = (url: string, { key: token = key, method = 'GET', headers = {} }: Requested): Promise<Got> =>
  new Promise((resolve, reject) => {
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const sent = httpRequest(url, { method, headers: { ...authorization, ...headers }, agent }, async response => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const body =
        response.headers['content-type']?.startsWith('application/json') && text !== '' ? JSON.parse(text) : null;
      resolve({ status: response.statusCode!, headers: response.headers, text, body });
    });
    sent.on('error', reject).end();
  });

/** A path of the API with what it names: a site, or the team of the shop. */
export const filled = (path: string, site: Pick<Site, 'uuid' | 'domain'>): string =>
  path.replace('{id}', site.uuid).replace('{domain}', site.domain).replace('{team}', 'default');

/** The account's id of a plan, with a key of its own. */
export const addAccount = (db: Database, name: string, plan: Plan, token: string): number => {
  const { id } = accounts(db).add(name, plan, 0);
  apiKeys(db).add(id, name, token, 0);
  return id;
};

type Attributes = Partial<VisitRecord>;
type Hit = Partial<HitRecord> & { after?: number };

/** A visit that began at an instant, by a visitor known by a number, with hits so many seconds after its beginning. */
export interface Visit extends Attributes {
  began: string;
  by: number;
  hits: Hit[];
}

export const record = (db: Database, site: Site, visits: readonly Visit[], sealedUntil = now): void => {
  const writer = recorder(db);
  const entries = visits.flatMap(({ began, by, hits, ...attributes }, i): Entry[] => {
    const start = Date.parse(began);
    const own = { siteId: site.id, day: utcDayOf(start) };
    const id = writer.nextVisitId() + i;
    const visitor = Buffer.alloc(8);
    visitor.writeUInt32BE(by, 4);
    return hits.map(({ after = 0, ...hit }, place) =>
      recordedEntry(
        hitRecord({ ...own, visitId: id, at: start + after * 1000, ...hit }),
        place === 0 ? visitRecord({ ...own, id, visitor, ...attributes }) : undefined,
      ),
    );
  });
  writer.write(entries);
  sealAll(db, utcDayOf(sealedUntil), sealedUntil);
};

const desktop = { browser: 'Chrome', os: 'Windows', device: 'desktop', language: 'de-DE', width: 1440, height: 900 };
const phone = { browser: 'Mobile Safari', os: 'iOS', device: 'mobile', language: 'fr-FR', width: 390, height: 844 };
const berlin = { country: 'DE', region: 'Land Berlin', city: 'Berlin' };
const paris = { country: 'FR', region: 'Île-de-France', city: 'Paris' };
const text = (name: string, value: string) => ({ key: name, type: 'string' as const, value });
const size = (name: string, value: number) => ({ key: name, type: 'number' as const, value });

/** Visits of the shop: six in the last seven days, in both identity modes, and one in the seven before. */
export const shopVisits: Visit[] = [
  {
    began: '2026-11-10T10:00:00Z',
    by: 7,
    ...phone,
    ...paris,
    hits: [{ path: '/' }, { after: 30, type: 'custom', event: 'Signup', path: '/', properties: [text('plan', 'pro')] }],
  },
  {
    began: '2026-11-18T10:00:00Z',
    by: 1,
    ...desktop,
    ...berlin,
    referrer: 'google.com',
    hits: [
      { path: '/', title: 'Home' },
      { after: 60, path: '/pricing', title: 'Pricing' },
      {
        after: 90,
        type: 'custom',
        event: 'Signup',
        path: '/pricing',
        properties: [text('plan', 'pro'), size('seats', 3)],
      },
      {
        after: 95,
        type: 'identify',
        path: '/pricing',
        identity: { name: 'ada@example.com', traits: '{"email":"ada@example.com"}' },
      },
      { after: 120, type: 'revenue', event: 'Purchase', path: '/pricing', revenue: { amount: 4900, currency: 'EUR' } },
    ],
  },
  {
    began: '2026-11-18T11:00:00Z',
    by: 2,
    ...phone,
    ...paris,
    hits: [{ path: '/blog', title: 'Blog, "news"', query: 'page=2' }],
  },
  {
    began: '2026-11-19T09:00:00Z',
    by: 100,
    persistent: true,
    ...desktop,
    ...berlin,
    utmSource: 'newsletter',
    utmMedium: 'email',
    utmCampaign: 'november',
    hits: [
      { path: '/', title: 'Home' },
      { after: 10, path: '/blog', title: 'Blog, "news"' },
      { after: 20, type: 'outbound', event: 'https://partner.example/', path: '/blog' },
    ],
  },
  {
    began: '2026-11-20T08:00:00Z',
    by: 100,
    persistent: true,
    ...desktop,
    ...berlin,
    hits: [
      { path: '/pricing', title: 'Pricing' },
      {
        after: 40,
        type: 'custom',
        event: 'Signup',
        path: '/pricing',
        properties: [text('plan', 'free'), size('seats', 1)],
      },
      { after: 50, type: 'revenue', event: 'Purchase', path: '/pricing', revenue: { amount: 1000, currency: 'USD' } },
    ],
  },
  {
    began: '2026-11-20T13:20:00Z',
    by: 5,
    ...phone,
    ...paris,
    referrer: '=cmd.example',
    hits: [
      { path: '/', title: 'Home' },
      { after: 15, type: 'custom', event: '=1+1', path: '/' },
    ],
  },
  {
    began: '2026-11-20T13:28:30Z',
    by: 6,
    ...desktop,
    ...berlin,
    hits: [{ path: '/blog', title: 'Blog, "news"' }],
  },
];

/** The shop's site in the default account, filled. */
export const addShop = (db: Database): Site => {
  const site = addSite(db, {
    uuid: '5b0f6a52-7c1e-4c58-9d2c-0d6a3f6f2d11',
    publicKey: 'pk_live_4fGh2LmNpQrStUvWxYz01234',
    domain: 'shop.example',
    timezone: 'Europe/Berlin',
    createdAt: Date.parse('2026-11-01T09:00:00Z'),
  });
  record(db, site, shopVisits);
  addRecords(db, site);
  const { set } = definitions(db);
  set(site.id, 'goal', 'Signup', { conditions: 'event=Signup', value: 2500 }, 1);
  set(site.id, 'goal', 'Stayed a minute', { conditions: 'duration>=60', value: null }, 2);
  set(site.id, 'segment', 'Germany', { filters: 'country=DE' }, 3);
  return site;
};

/** Vitals, crawls and outcomes of the shop. */
const addRecords = (db: Database, { id: siteId }: Site): void => {
  const at = (clock: string): number => Date.parse(`2026-11-20T${clock}Z`);
  const vital = { siteId, outcome: 'recorded' as const };
  const entries: Entry[] = [
    ...[1200, 2500, 2600, 4100].map((lcp, i) => ({
      ...vital,
      at: at('09:00:00'),
      vital: {
        siteId,
        at: at('09:00:00'),
        path: i < 3 ? '/' : '/blog',
        device: i === 0 ? 'mobile' : 'desktop',
        lcp,
        inp: i === 0 ? null : 100 * i,
        cls: i === 3 ? 0.3 : 0.105,
        fcp: null,
        ttfb: 300.4,
      },
    })),
    ...[
      { clock: '09:05:00', name: 'Googlebot', path: '/', status: 200 },
      { clock: '09:06:00', name: 'Googlebot', path: '/blog', status: 404 },
      { clock: '10:31:00', name: 'Googlebot', path: '/', status: 200 },
      { clock: '10:31:00', name: 'GPTBot', path: '/', status: 0 },
    ].map(({ clock, ...crawl }) => ({
      siteId,
      at: at(clock),
      outcome: 'crawler' as const,
      crawl: { siteId, at: at(clock), ...crawl },
    })),
    { siteId, at: at('10:59:59'), outcome: 'bad-url' },
  ];
  recorder(db).write(entries);
};
