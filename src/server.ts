/**
 * The server: puts the parts together behind one `node:http` listener, or two when the collector has its own, and takes
 * them down in order: stop listening, answer what is under way, write what is queued, close the files.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createApi } from './api/api.ts';
import { createCollector } from './collect/collector.ts';
import type { Config } from './config.ts';
import { type Log, reasonOf } from './log.ts';
import { metricsHandler } from './metrics.ts';
import { packageRoot } from './package-root.ts';
import { createQueryPool } from './query/pool.ts';
import { accounts, apiKeys, rates } from './store/accounts.ts';
import { lockDataDir, openDatabase } from './store/database.ts';
import { inventory } from './store/inventory.ts';
import { siteDirectory } from './store/sites.ts';
import { startUpkeep } from './store/upkeep.ts';

export interface ServerOptions {
  config: Config;
  /** UTC milliseconds. */
  now: () => number;
  random: (bytes: number) => Buffer;
  log: Log;
}

export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:8080`; the collector's is another when it has its own port. */
  url: string;
  collectorUrl: string;
  /** Resolves when a hit that was acknowledged is safe without the process, and nothing is open any more. */
  close(): Promise<void>;
}

/** Takes a request on one of its own paths; false, and nothing done, for any other. */
type Handle = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** A request's headers must be here in this time, and all of it in the next. Slower clients are closed. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
/** Longer than the minute for which proxies keep connections, so that it is they who close them. */
const keepAliveTimeoutMs = 65_000;
/** How often connections that became idle are looked for while the server closes. */
const closingTickMs = 50;

/** Throws StoreError when the data directory is in use or its file cannot be used, and the listener's own error when a port is taken. */
export const startServer = async ({ config, now, random, log }: ServerOptions): Promise<RunningServer> => {
  const { dataDir, host } = config;
  const unlock = lockDataDir(dataDir);
  const db = openDatabase(dataDir);
  const directory = siteDirectory(db);
  const collector = await createCollector({
    db,
    directory,
    now,
    random,
    log,
    trustProxy: config.trustProxy,
    geoDb: config.geoDb,
    queueMax: config.hitQueueMax,
    queueBytesMax: config.hitQueueBytesMax,
    newTextsMax: config.newTextsMax,
    tracker: readFileSync(join(packageRoot, 'dist', 't.js')),
  });
  const pool = createQueryPool({
    dataDir,
    workers: config.queryWorkers,
    cacheBytesMax: config.queryCacheBytes,
    deadlineMs: config.queryDeadlineMs,
    waitingMax: config.queryQueueMax,
  });
  const api = createApi({ accounts: accounts(db), keys: apiKeys(db), rates: rates(db), directory, pool, now, log });
  const upkeep = startUpkeep({ db, dataDir, now, log, gate: collector.writer, onMidnight: collector.rotateSalt });

  const metrics = metricsHandler(
    { writer: collector.writer.stats, pool: pool.stats, inventory: inventory(db), startedAt: now() },
    config.metricsToken,
  );

  const split = config.collectorPort !== null;
  const health: Handle = (request, response, path) => path === '/health' && collector.handle(request, response, path);
  const main = listener([split ? health : collector.handle, metrics, api.handle], log);
  const own = split ? listener([collector.handle], log) : undefined;

  const close = async (): Promise<void> => {
    const servers = own === undefined ? [main] : [main, own];
    await Promise.all(servers.map(server => closeListener(server, config.shutdownMs)));
    await upkeep.close();
    await collector.close();
    await api.close();
    await pool.close();
    db.close();
    unlock();
  };

  try {
    const url = await listen(main, host, config.port);
    const collectorUrl = own === undefined ? url : await listen(own, host, config.collectorPort!);
    return { url, collectorUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const listener = (handlers: readonly Handle[], log: Log): Server => {
  const server = createServer((request, response) => {
    const target = request.url ?? '/';
    const end = target.indexOf('?');
    const path = end < 0 ? target : target.slice(0, end);
    try {
      if (handlers.some(handle => handle(request, response, path))) return;
      request.resume();
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
    } catch (error) {
      // A fault of ours costs the one request that found it, and is named in the log.
      log('request-failed', { reason: reasonOf(error) });
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"internal error"}');
    }
  });
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = requestTimeoutMs;
  server.keepAliveTimeout = keepAliveTimeoutMs;
  return server;
};

const listen = (server: Server, host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, family, port: taken } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`);
    });
  });

/** Stops listening and waits for the answers under way, but no longer than `waitMs`. */
const closeListener = async (server: Server, waitMs: number): Promise<void> => {
  if (!server.listening) return;
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  // A connection that is kept alive counts as open until its answer is out and it is found idle.
  const idle = setInterval(() => server.closeIdleConnections(), closingTickMs);
  const impatient = setTimeout(() => server.closeAllConnections(), waitMs);
  await closed;
  clearInterval(idle);
  clearTimeout(impatient);
};
