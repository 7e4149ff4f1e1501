/** A collector behind a real listener on a free port, on a real database, with a clock of the test's own. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Collector, type CollectorOptions, createCollector } from '../../src/collect/collector.ts';
import { hitForms, readByShape } from '../../src/compat/families.ts';
import type { Site } from '../../src/model/site.ts';
import { dayMs } from '../../src/model/time.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { siteDirectory, sites } from '../../src/store/sites.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import { cityRecord, writeMmdb } from './mmdb.ts';

export const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** Noon of a day long gone, so that nothing depends on when the tests run. */
export const noon = 20_000 * dayMs + dayMs / 2;

/** The database that ships takes a while to read, and few tests need it. */
const smallGeoDb = (): string => {
  const file = join(temporaryDir(), 'city.mmdb');
  writeMmdb(file, 6, { '203.0.113.0/24': cityRecord('DE', 'Land Berlin', 'Berlin') });
  return file;
};

export interface TestCollector {
  url: string;
  db: Database;
  dataDir: string;
  site: Site;
  collector: Collector;
  /** What the collector takes for the time; starts at noon. */
  clock: { now: number };
  /** Events of the log. */
  logged: string[];
  /** Sends a body to POST /e, as JSON unless it is text or bytes, from a browser behind a proxy on this machine. */
  post(body: unknown, request?: Requested): Promise<Answered>;
  /** Resolves when the head of the next request has come. */
  requested(): Promise<unknown>;
  /** Ends all but the database, so that everything noted is in it. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

interface Requested {
  path?: string;
  address?: string;
  userAgent?: string;
  /** An API key. */
  key?: string;
}

export interface Answered {
  status: number;
  body: string;
  outcome: string | null;
  headers: Headers;
}

export interface TestCollectorOptions
  extends Partial<
    Pick<
      CollectorOptions,
      'trustProxy' | 'queueMax' | 'queueBytesMax' | 'senderBudget' | 'newTextsMax' | 'geoDb' | 'geoAsnDb'
    >
  > {
  /** Of an earlier collector; its site is used again. */
  dataDir?: string;
  site?: Partial<Site>;
  now?: number;
}

export const startCollector = async (options: TestCollectorOptions = {}): Promise<TestCollector> => {
  const { dataDir = temporaryDir(), now = noon } = options;
  const db = openDatabase(dataDir);
  const site = sites(db).list()[0] ?? addSite(db, options.site);
  const clock = { now };
  const logged: string[] = [];
  const collector = await createCollector({
    db,
    directory: siteDirectory(db),
    forms: hitForms,
    readByShape,
    scripts: {
      '/t.js': Buffer.from('/* the tracker */ '.repeat(100)),
      '/script.js': Buffer.from('/* the tracker under another tag */ '.repeat(100)),
      '/js/:script': Buffer.from('/* the tracker under a tag of Plausible */'),
    },
    trustProxy: options.trustProxy ?? ['loopback'],
    geoDb: options.geoDb === undefined ? smallGeoDb() : options.geoDb,
    geoAsnDb: options.geoAsnDb ?? null,
    queueMax: options.queueMax ?? 1000,
    queueBytesMax: options.queueBytesMax ?? 1_000_000,
    senderBudget: options.senderBudget ?? { senderHits: 50, senderBurst: 1000 },
    newTextsMax: options.newTextsMax ?? 200_000,
    now: () => clock.now,
    random: randomBytes,
    log: event => logged.push(event),
  });
  // Closes no idle connection by itself: where both ends wait for a busy processor, the next request may be in it already.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    if (!collector.handle(request, response, request.url!.split('?')[0]!)) response.writeHead(404).end('not mine');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= (async () => {
      server.closeAllConnections();
      server.close();
      await collector.close();
    })();
    return stopped;
  };

  return {
    url,
    db,
    dataDir,
    site,
    collector,
    clock,
    logged,
    async post(body, { path = '/e', address = '203.0.113.1', userAgent = chrome, key } = {}) {
      const response = await fetch(url + path, {
        method: 'POST',
        body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
        headers: {
          ...{ 'content-type': 'text/plain', 'x-forwarded-for': address, 'user-agent': userAgent },
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
      });
      const { status, headers } = response;
      return { status, body: await response.text(), outcome: headers.get('x-daybook'), headers };
    },
    requested: () => once(server, 'request'),
    stop,
    async close() {
      await stop();
      db.close();
    },
  };
};
