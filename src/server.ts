/** The server of `daybook serve`, which does everything, and may be the primary of a cluster. */
import { createApi } from './api/api.ts';
import { clickHouseEngine } from './cluster/clickhouse-engine.ts';
import { type ControlEndpoint, createControl } from './cluster/control-endpoint.ts';
import { whyNoRule } from './cluster/days-with-hits.ts';
import { nodeStates } from './cluster/node-states.ts';
import { primaryEngine, withSums } from './cluster/primary-engine.ts';
import { plausibleSites } from './compat/plausible/sites.ts';
import { createQuestions } from './compat/questions.ts';
import { type Config, loginBoundsOf, mailOf, placeOf } from './config.ts';
import { createDashboard, type Dashboard } from './dashboard/dashboard.ts';
import { createSiteWork } from './dashboard/site-work.ts';
import { createUploads } from './dashboard/uploads.ts';
import { requestAddressOf } from './http/client-address.ts';
import { createOutbound, type Outbound } from './http/outbound.ts';
import { metricsHandler } from './metrics.ts';
import type { OidcSettings } from './model/oidc.ts';
import { writeShards } from './model/shards.ts';
import { cacheBytesFor, foundBytesFor } from './query/cache-size.ts';
import { namedEngine, type QueryEngine } from './query/query-engine.ts';
import { queuedEngine } from './query/queued-engine.ts';
import { createQueryPool, type QueryPool } from './query/threads/pool.ts';
import { alertsOf } from './roles/alerts.ts';
import { startBackground } from './roles/background.ts';
import { collectorSources, maintain, openCollector } from './roles/collecting.ts';
import { firstStart } from './roles/first-start.ts';
import { refuseOtherCluster, startPrimaryForwarding } from './roles/forwarding.ts';
import { type Answering, type RunningServer, type ServerOptions, startListening } from './roles/listen.ts';
import { mcpHandles } from './roles/mcp.ts';
import { oauthOf } from './roles/oauth.ts';
import { outboxOf } from './roles/outbox.ts';
import { keepProvisioned, provisionAtStart, settingsApplierOf } from './roles/provisioning.ts';
import { reportsOf } from './roles/reports.ts';
import { clusterStore } from './store/cluster.ts';
import { startCopies } from './store/copies/copies.ts';
import { isBesideData, openPlace } from './store/copies/open-place.ts';
import { makeChangedPages } from './store/copies/page-watch.ts';
import { type Database, lockDataDir } from './store/database.ts';
import { refuseFollower } from './store/follower.ts';
import { type Heartbeat, startHeartbeat } from './store/heartbeat.ts';
import { openStore } from './store/moved-hits/put-back.ts';
import { noteOutage, notes } from './store/notes.ts';
import { databaseStats } from './store/read/database-stats.ts';
import { siteDirectory, sites } from './store/sites.ts';
import { storesOf } from './store/stores.ts';

/** What the last copy may take while the server stops, if SHUTDOWN_S leaves as much. */
const lastCopyMs = 5000;
/** A server that was down for longer is noted on the days of all sites: their numbers lack hits. */
const outageMs = 5 * 60_000;
/**
 * Throws StoreError when the data directory is in use or its file cannot be used, and the
 * listener's own error when a port is taken.
 */
export const startServer = (options: ServerOptions): Promise<RunningServer> =>
  startListening(options, ownCollectorUrl => startParts(options, ownCollectorUrl));

/** Notes on all sites that no server ran, if it was for long. */
const startNotedHeartbeat = (
  dataDir: string,
  db: Database,
  now: () => number,
): Heartbeat & { down: { from: number; to: number } | null } => {
  const heartbeat = startHeartbeat(dataDir, now);
  const { lastAt } = heartbeat;
  const down = lastAt !== null && now() - lastAt > outageMs ? { from: lastAt, to: now() } : null;
  if (down !== null) noteOutage(notes(db), sites(db).list(), down.from, down.to);
  return { ...heartbeat, down };
};

/** The database, which no other server may use or lead a cluster with. */
const openOwn = async (
  options: ServerOptions,
): Promise<{ db: Database; unlock: () => void; oidc: OidcSettings | null }> => {
  const { config, random } = options;
  const unlock = lockDataDir(config.dataDir);
  const db = openStore(config.dataDir);
  refuseFollower(db);
  try {
    if (config.clickhouse !== null) {
      clusterStore(db).makeId(random);
      await refuseOtherCluster(db, config.clickhouse);
    }
    await firstStart(db, options);
    const oidc = await provisionAtStart({ ...options, db });
    return { db, unlock, oidc };
  } catch (error) {
    db.close();
    unlock();
    throw error;
  }
};

/** Everything behind the listeners. */
const startParts = async (options: ServerOptions, ownCollectorUrl: () => string | null): Promise<Answering> => {
  const { config, now, random, log, passwordCost } = options;
  const { db, unlock, oidc } = await openOwn(options);
  const directory = siteDirectory(db);
  const common = { db, directory, now, random, log };
  const collector = await openCollector(options, db, directory);
  const pool = poolOf(config);
  const [addressOf, outbound] = [requestAddressOf(config.trustProxy), outboundOf(config)];
  const copies = copiesOf(config, { now, random, log });
  const background = startBackground(config, common, pool);
  const [control, forwarding] = [controlOf(config, common), forwardingOf(config, common)];
  const work = createSiteWork({ ...common, ...workSettings(config) });
  const uploads = createUploads({ dataDir: config.dataDir, bytesMax: config.importUploadBytes, now, random });
  const engine = engineOf(config, { ...common, pool });
  const outbox = outboxOf(config, { ...common, outbound });
  const oauth = oauthOf(config, { ...common, addressOf, outbound });
  const mail = mailOf(config) === null ? null : outbox;
  const keptFile = keepProvisioned({ ...options, ...common, oidc, dropRows: background.dropRows });
  const dashboard = createDashboard({
    ...{ ...common, ...clusterParts(config, db), engine, oauth, addressOf, mail },
    ...{ baseUrl: config.baseUrl, reports: () => ({ ...reports, siteFor: api.access.siteFor }) },
    ...{ oidc, bounds: loginBoundsOf(config, oidc) },
    collectorUrl: () => config.collectorUrl ?? ownCollectorUrl(),
    otherHosts: collector.otherHosts,
    ...{ dropRows: background.dropRows, clockLeap: background.clockLeap },
    ...{ auditDays: config.auditDays, auditLog: config.auditLog, work, uploads },
    ...(passwordCost && { passwordCost }),
    nodes: () => (control === null ? [] : nodeStates(forwarding?.stats() ?? null, control, now())),
  });
  const { passwordLogins: logins, callerOf } = dashboard;
  const stores = { ...apiStoresOf(options, db, dashboard), reports: () => reports.keeper };
  const api = createApi({ ...common, ...stores, engine, ...apiPartsOf(dashboard) });
  const reports = reportsOf(config, { ...common, access: api.access }, outbox);
  const questions = createQuestions({ ...common, access: api.access, logins });
  const mcp = mcpHandles(config, { ...common, access: api.access, oauth, callerOf }, ownCollectorUrl);
  const heartbeat = startNotedHeartbeat(config.dataDir, db, now);
  const alerts = alertsOf(config, { ...common, engine, down: heartbeat.down, wake: outbox.wake });
  const maintenance = maintain(options, db, collector, { questions: pool, changed: copies?.changed ?? null });
  const metricsSources = {
    ...collectorSources(collector),
    ...{ pool: pool.stats, stored: databaseStats(db), copies: copies?.stats, forwarding: forwarding?.stats },
    collectors: () => control?.nodes().filter(({ role }) => role === 'collect') ?? [],
    ...{ messages: outbox.stats, startedAt: now() },
  };

  const close = async (leftMs: () => number): Promise<void> => {
    await reports.dueReports?.close();
    await Promise.all([alerts.close(), maintenance.close(), work.close().then(uploads.close), outbox.close()]);
    await Promise.all([collector.close(), keptFile.close()]);
    await forwarding?.close();
    await api.close();
    await Promise.all([background.close(), pool.close()]);
    heartbeat.close();
    await copies?.finish(Math.min(lastCopyMs, leftMs()));
    // Whoever closes the database last moves the log into it, and a copier cannot.
    await copies?.close();
    db.close();
    unlock();
  };
  return {
    collector,
    before: [metricsHandler(metricsSources, config.metricsToken, log)],
    after: [...(control === null ? [] : [control.handle]), questions.handle, ...mcp, api.handle, dashboard.handle],
    firstRunPath: dashboard.firstRunPath,
    ...(forwarding && { needsStart: forwarding.isAnothers }),
    close,
  };
};

/** What the API changes, besides reports. */
const apiStoresOf = (options: ServerOptions, db: Database, { changes }: Dashboard) => {
  const stores = storesOf(db);
  return {
    ...stores,
    alerting: { ...stores, random: options.random, sendsMail: mailOf(options.config) !== null },
    settings: settingsApplierOf({ ...options, db }, changes),
  };
};

const outboundOf = ({ outboundPrivate: isPrivateAllowed, outboundAllow: allow }: Config): Outbound =>
  createOutbound({ isPrivateAllowed, allow });

const workSettings = ({ dataDir, geoDb, geoAsnDb }: Config) => ({ dataDir, geo: { geoDb, geoAsnDb } });

const clusterParts = ({ clickhouse }: Config, db: Database) =>
  clickhouse === null ? {} : { whyNoRule: whyNoRule(db, clickhouse) };

/** What answers the other servers of a cluster; null where there is none. */
const controlOf = (
  { clickhouse, clusterToken: token }: Config,
  world: Pick<ServerOptions, 'now' | 'random' | 'log'> & { db: Database },
): ControlEndpoint | null =>
  clickhouse === null ? null : createControl({ ...world, token, clickhouse: writeShards(clickhouse) });

/** What brings the hits to ClickHouse; null where there is none. */
const forwardingOf = ({ clickhouse: shards }: Config, world: Pick<ServerOptions, 'now' | 'log'> & { db: Database }) =>
  shards === null ? null : startPrimaryForwarding({ ...world, shards });

/** About a million hits of sealed days, which a thread counts in a few milliseconds. */
const smallBytes = 32 * 1024 * 1024;

const poolOf = (config: Config): QueryPool =>
  createQueryPool({
    dataDir: config.dataDir,
    workers: config.queryWorkers,
    smallBytes,
    cacheBytesMax: config.queryCacheBytes ?? cacheBytesFor(),
    foundBytesMax: config.queryBytes ?? foundBytesFor(),
    deadlineMs: config.queryDeadlineMs,
    waitingMax: config.queryQueueMax,
  });

/** The query threads, and ClickHouse where there is one. */
const engineOf = (
  { clickhouse: shards, queryDeadlineMs: deadlineMs, queryQueueMax: waitingMax }: Config,
  { pool, db }: { pool: QueryPool; db: Database },
): QueryEngine => {
  if (shards === null) return pool;
  const clickHouse = clickHouseEngine(shards, deadlineMs, { cluster: clusterStore(db).id() });
  const queued = queuedEngine(clickHouse, { deadlineMs, waitingMax });
  const [embedded, asked] = [namedEngine('embedded', pool), namedEngine('clickhouse', withSums(db, queued))];
  return primaryEngine({ db, embedded, clickHouse: asked });
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

/** What the API has from the dashboard, and Plausible's form of what it changes. */
const apiPartsOf = ({ authenticators, changes, onExported }: Dashboard) => ({
  ...{ authenticators, changes, onExported },
  moreRoutes: plausibleSites,
});
