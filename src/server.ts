/**
 * The server: puts the parts together behind one listener, or two when the collector has its own.
 * Takes them down in order: stop listening, answer what is under way, write what is queued, close
 * the files.
 */
import { createApi } from './api/api.ts';
import { clickHouseEngine } from './cluster/clickhouse-engine.ts';
import { openCluster } from './cluster/cluster.ts';
import { dividedEngine } from './cluster/divided-engine.ts';
import { createCollector } from './collect/collector.ts';
import { hitForms, tagScripts } from './compat/families.ts';
import { createQuestions } from './compat/questions.ts';
import { type Config, placeOf } from './config.ts';
import { createDashboard } from './dashboard/dashboard.ts';
import { createSiteWork } from './dashboard/site-work.ts';
import { createUploads } from './dashboard/uploads.ts';
import { clientAddressReader, socketNetwork } from './http/client-address.ts';
import { type ConnectionLimits, createListener, type Handle, limitDefaults, type Place } from './http/listener.ts';
import type { Log } from './log.ts';
import { metricsHandler } from './metrics.ts';
import { readShipped } from './package-root.ts';
import { cacheBytesFor, foundBytesFor } from './query/cache-size.ts';
import type { QueryEngine } from './query/query-engine.ts';
import { createQueryPool, type QueryPool } from './query/threads/pool.ts';
import { accounts, apiKeys } from './store/accounts/accounts.ts';
import { startCopies } from './store/copies/copies.ts';
import { isBesideData, openPlace } from './store/copies/open-place.ts';
import { makeChangedPages } from './store/copies/page-watch.ts';
import { type Database, lockDataDir, openDatabase, setLockWait } from './store/database.ts';
import { definitions } from './store/definitions.ts';
import { type Heartbeat, startHeartbeat } from './store/heartbeat.ts';
import { startSiteDropper } from './store/maintenance/drop-sites.ts';
import { startMaintenance } from './store/maintenance/maintenance.ts';
import { noteOutage, notes } from './store/notes.ts';
import { rates } from './store/rates.ts';
import { type DatabaseStats, databaseStats } from './store/read/database-stats.ts';
import { type SiteDirectory, siteDirectory, sites } from './store/sites.ts';

export interface ServerOptions {
  config: Config;
  /**
   * How many listening sockets the process was given, as systemd gives them: the first for the main
   * listener, a second for the collector's own. They stay open while the server restarts.
   */
  sockets?: number;
  /** UTC milliseconds. */
  now: () => number;
  random: (bytes: number) => Buffer;
  log: Log;
  /** Other bounds than the usual ones, for tests. */
  limits?: Partial<ConnectionLimits>;
}

export interface RunningServer {
  /**
   * Where it listens, such as `http://127.0.0.1:8080`. The collector's address is another one when
   * it has its own port.
   */
  url: string;
  collectorUrl: string;
  /**
   * The link with a one-time token that sets the first e-mail and password; null when somebody can
   * sign in already.
   */
  firstRunUrl: string | null;
  /** Resolves when every acknowledged hit is safe without the process, and everything is closed. */
  close(): Promise<void>;
}

/**
 * Commands write for some milliseconds at a time. A program that holds the file for longer must not
 * keep every hit waiting.
 */
const lockWaitMs = 1000;
/** What the last copy may take while the server stops, if SHUTDOWN_S leaves as much. */
const lastCopyMs = 5000;
/** A server that was down for longer is noted on the days of all sites: their numbers lack something. */
const outageMs = 5 * 60_000;
/** Descriptor of the first socket from systemd, as sd_listen_fds(3) has it. */
const firstSocket = 3;

/**
 * Throws StoreError when the data directory is in use or its file cannot be used, and the
 * listener's own error when a port is taken.
 */
export const startServer = async (options: ServerOptions): Promise<RunningServer> => {
  const { config, sockets = 0, log, limits } = options;
  /** Address of the collector's own listener, once it listens. */
  let ownUrl: string | null = null;
  const { collector, metrics, questions, api, dashboard, closeParts } = await startParts(options, () => ownUrl);

  const health: Handle = (request, response, path) => path === '/health' && collector.handle(request, response, path);
  const isSplit = config.collectorPort !== null;
  const bounds = {
    limits: { ...limitDefaults, connectionsMax: config.connectionsMax, ...limits },
    networkOf: socketNetwork(config.trustProxy),
    log,
  };
  const handlers = [
    ...[metrics, isSplit ? health : collector.handle],
    ...[questions.handle, api.handle, dashboard.handle],
  ];
  const main = createListener({ handlers, ...bounds });
  const own = isSplit
    ? createListener({ handlers: [collector.handle, collector.handleUnknown], ...bounds })
    : undefined;

  const placeOf = (listener: number, port: number): Place =>
    listener < sockets ? { fd: firstSocket + listener } : { host: config.host, port };

  const close = async (): Promise<void> => {
    const endAt = performance.now() + config.shutdownMs;
    await Promise.all([main.close(config.shutdownMs), own?.close(config.shutdownMs)]);
    await closeParts(() => Math.min(lastCopyMs, Math.max(0, endAt - performance.now())));
  };

  try {
    const url = await main.listen(placeOf(0, config.port));
    if (own !== undefined) ownUrl = await own.listen(placeOf(1, config.collectorPort!));
    const firstRunPath = dashboard.firstRunPath();
    const firstRunUrl = firstRunPath === null ? null : `${config.baseUrl ?? url}${firstRunPath}`;
    return { url, collectorUrl: ownUrl ?? url, firstRunUrl, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** The tracker's scripts by their paths. */
const trackerScripts = (): Record<string, Buffer> =>
  Object.fromEntries(
    Object.entries({ '/t.js': 't.js', ...tagScripts }).map(([path, file]) => [path, readShipped(`dist/${file}`)]),
  );

const storesOf = (db: Database) => ({
  accounts: accounts(db),
  keys: apiKeys(db),
  rates: rates(db),
  definitions: definitions(db),
  notes: notes(db),
});

/** Notes on all sites that no server ran, if it was for long. */
const startNotedHeartbeat = (dataDir: string, db: Database, now: () => number): Heartbeat => {
  const heartbeat = startHeartbeat(dataDir, now);
  const { lastAt } = heartbeat;
  if (lastAt !== null && now() - lastAt > outageMs) noteOutage(notes(db), sites(db).list(), lastAt, now());
  return heartbeat;
};

/** Everything behind the listeners. */
const startParts = async ({ config, now, random, log }: ServerOptions, ownCollectorUrl: () => string | null) => {
  const { dataDir, trustProxy } = config;
  const unlock = lockDataDir(dataDir);
  const db = openDatabase(dataDir);
  setLockWait(db, lockWaitMs);
  const directory = siteDirectory(db);
  const common = { db, directory, now, random, log };
  const geo = { geoDb: config.geoDb, geoAsnDb: config.geoAsnDb };
  const collector = await createCollector({
    ...common,
    trustProxy,
    ...geo,
    queueMax: config.hitQueueMax,
    queueBytesMax: config.hitQueueBytesMax,
    senderBudget: config,
    forms: hitForms,
    newTextsMax: config.newTextsMax,
    scripts: trackerScripts(),
  });
  const { writer } = collector;
  const stats = databaseStats(db);
  const pool = poolOf(config, stats);
  const addressOf = clientAddressReader(trustProxy);
  const copies = copiesOf(config, { now, random, log });
  const dropper = startSiteDropper(db, log);
  const work = createSiteWork({ dataDir, geo, now, random, log });
  const uploads = createUploads({ dataDir, bytesMax: config.importUploadBytes, now, random });
  const dashboard = createDashboard({
    ...common,
    addressOf: ({ socket, headers }) =>
      addressOf(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined),
    baseUrl: config.baseUrl,
    collectorUrl: () => config.collectorUrl ?? ownCollectorUrl(),
    dropRows: dropper.start,
    ...{ work, uploads },
  });
  const { authenticators, passwordLogins: logins } = dashboard;
  const stores = storesOf(db);
  const api = createApi({ ...common, ...stores, engine: engineOf(config, { ...common, pool }), authenticators });
  const questions = createQuestions({ ...common, access: api.access, logins });
  const heartbeat = startNotedHeartbeat(dataDir, db, now);
  const maintenance = startMaintenance({
    ...{ ...common, dataDir, commits: writer, questions: pool, onNewDay: collector.rotateSalt },
    changed: copies?.changed ?? null,
  });
  const metricsSources = {
    writer: writer.stats,
    pool: pool.stats,
    stored: stats,
    otherTexts: collector.otherTexts,
    copies: copies?.stats ?? null,
    startedAt: now(),
  };
  const metrics = metricsHandler(metricsSources, config.metricsToken, log);

  const closeParts = async (copyMs: () => number): Promise<void> => {
    await Promise.all([maintenance.close(), work.close().then(uploads.close)]);
    await collector.close();
    await api.close();
    await dropper.close();
    await pool.close();
    heartbeat.close();
    await copies?.finish(copyMs());
    // Whoever closes the database last moves the log into it, and a copier cannot.
    await copies?.close();
    db.close();
    unlock();
  };
  return { collector, metrics, questions, api, dashboard, closeParts };
};

const poolOf = (config: Config, stats: () => DatabaseStats): QueryPool =>
  createQueryPool({
    dataDir: config.dataDir,
    workers: config.queryWorkers,
    cacheBytesMax: config.queryCacheBytes ?? cacheBytesFor(stats().sealedHits),
    foundBytesMax: config.queryBytes ?? foundBytesFor(),
    deadlineMs: config.queryDeadlineMs,
    waitingMax: config.queryQueueMax,
  });

/** The query threads, and ClickHouse where there is one. */
const engineOf = (
  { clickhouse: shards, queryDeadlineMs }: Config,
  {
    pool,
    db,
    directory,
    log,
  }: Pick<ServerOptions, 'log'> & {
    pool: QueryPool;
    db: Database;
    directory: SiteDirectory;
  },
): QueryEngine => {
  if (shards === null) return pool;
  const clickHouse = clickHouseEngine(shards, queryDeadlineMs);
  const siteOf = (siteId: number) => directory.byId(siteId);
  return dividedEngine({ db, embedded: pool, clickHouse, cluster: openCluster(shards), siteOf, log });
};

/** The copies, and where changes of pages are noted for them; null where none are made. */
const copiesOf = (config: Config, world: Pick<ServerOptions, 'now' | 'random' | 'log'>) => {
  const to = placeOf(config);
  if (to === null) return null;
  openPlace(to); // so that a server with a place that cannot be does not start
  if (isBesideData(to.to, config.dataDir)) world.log('copies-beside-data', { to: to.to });
  const changed = makeChangedPages();
  const { dataDir, backupKeep: keep, backupEveryMs: everyMs, backupVerifyMs: verifyMs } = config;
  return { changed, ...startCopies({ dataDir, to, keep, everyMs, verifyMs, changed, ...world }) };
};
