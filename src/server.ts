/**
 * The server: puts the parts together behind one `node:http` listener, or two when the collector has its own, and takes
 * them down in order: stop listening, answer what is under way, write what is queued, close the files.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApi } from './api/api.ts';
import { clientAddressReader } from './collect/client-address.ts';
import { createCollector } from './collect/collector.ts';
import type { Config } from './config.ts';
import { createDashboard } from './dashboard/dashboard.ts';
import { type ConnectionLimits, createListener, type Handle, limitDefaults } from './http/listener.ts';
import type { Log } from './log.ts';
import { metricsHandler } from './metrics.ts';
import { packageRoot } from './package-root.ts';
import { cacheBytesFor } from './query/cache-size.ts';
import { createQueryPool } from './query/threads/pool.ts';
import { accounts, apiKeys, rates } from './store/accounts/accounts.ts';
import { lockDataDir, openDatabase, setLockWait } from './store/database.ts';
import { startSiteDropper } from './store/maintenance/drop-sites.ts';
import { startMaintenance } from './store/maintenance/maintenance.ts';
import { databaseStats } from './store/read/database-stats.ts';
import { siteDirectory } from './store/sites.ts';

export interface ServerOptions {
  config: Config;
  /** UTC milliseconds. */
  now: () => number;
  random: (bytes: number) => Buffer;
  log: Log;
  /** Other bounds than the usual ones, for tests. */
  limits?: Partial<ConnectionLimits>;
}

export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:8080`; the collector's is another when it has its own port. */
  url: string;
  collectorUrl: string;
  /** The link with a one-time token that sets the first e-mail and password; null when somebody can sign in already. */
  firstRunUrl: string | null;
  /** Resolves when a hit that was acknowledged is safe without the process, and nothing is open any more. */
  close(): Promise<void>;
}

/** Commands write for some milliseconds at a time; whoever holds the file for longer must not keep every hit waiting. */
const lockWaitMs = 1000;

/** Throws StoreError when the data directory is in use or its file cannot be used, and the listener's own error when a port is taken. */
export const startServer = async ({ config, now, random, log, limits }: ServerOptions): Promise<RunningServer> => {
  const { dataDir, host } = config;
  const unlock = lockDataDir(dataDir);
  const db = openDatabase(dataDir);
  setLockWait(db, lockWaitMs);
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
  const holdings = databaseStats(db);
  const pool = createQueryPool({
    dataDir,
    workers: config.queryWorkers,
    cacheBytesMax: config.queryCacheBytes ?? cacheBytesFor(holdings().sealedHits),
    deadlineMs: config.queryDeadlineMs,
    waitingMax: config.queryQueueMax,
  });
  const split = config.collectorPort !== null;
  const addressOf = clientAddressReader(config.trustProxy);
  /** Of the collector's own listener, once it listens. */
  let ownUrl: string | null = null;
  const dropper = startSiteDropper(db, log);
  const dashboard = createDashboard({
    db,
    directory,
    now,
    random,
    log,
    addressOf: ({ socket, headers }) =>
      addressOf(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined),
    baseUrl: config.baseUrl,
    collectorUrl: () => config.collectorUrl ?? ownUrl,
    dropRows: dropper.start,
  });
  const { authenticators } = dashboard;
  const [keys, currencyRates] = [apiKeys(db), rates(db)];
  const api = createApi({
    accounts: accounts(db),
    keys,
    rates: currencyRates,
    directory,
    pool,
    now,
    log,
    authenticators,
  });
  const maintenance = startMaintenance({
    db,
    dataDir,
    now,
    log,
    commits: collector.writer,
    questions: pool,
    onNewDay: collector.rotateSalt,
  });

  const metrics = metricsHandler(
    { writer: collector.writer.stats, pool: pool.stats, inventory: holdings, startedAt: now() },
    config.metricsToken,
    log,
  );

  const health: Handle = (request, response, path) => path === '/health' && collector.handle(request, response, path);
  const bounds = { ...limitDefaults, connectionsMax: config.connectionsMax, ...limits };
  const main = createListener([split ? health : collector.handle, metrics, api.handle, dashboard.handle], bounds, log);
  const own = split ? createListener([collector.handle, collector.handleUnknown], bounds, log) : undefined;

  const close = async (): Promise<void> => {
    await Promise.all([main.close(config.shutdownMs), own?.close(config.shutdownMs)]);
    await maintenance.close();
    await collector.close();
    await api.close();
    await dropper.close();
    await pool.close();
    db.close();
    unlock();
  };

  try {
    const url = await main.listen(host, config.port);
    if (own !== undefined) ownUrl = await own.listen(host, config.collectorPort!);
    const firstRunPath = dashboard.firstRunPath();
    const firstRunUrl = firstRunPath === null ? null : `${config.baseUrl ?? url}${firstRunPath}`;
    return { url, collectorUrl: ownUrl ?? url, firstRunUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
};
