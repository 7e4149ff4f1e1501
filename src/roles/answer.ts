/**
 * The server of `daybook answer`: answers the API, the CSV export, public pages and other products'
 * clients from ClickHouse, as the primary does. It writes nothing, and nobody signs in to it.
 */
import { createApi } from '../api/api.ts';
import { followedEngine } from '../cluster/followed-engine.ts';
import { createQuestions } from '../compat/questions.ts';
import { createPublicPages } from '../dashboard/public-pages.ts';
import { requestAddressOf } from '../http/client-address.ts';
import { primaryOnly } from '../http/errors.ts';
import type { Handle } from '../http/listener.ts';
import { json, respond } from '../http/reply.ts';
import type { Log } from '../log.ts';
import { metricsHandler } from '../metrics.ts';
import { namedEngine } from '../query/query-engine.ts';
import { queuedEngine } from '../query/queued-engine.ts';
import { databaseStats } from '../store/read/database-stats.ts';
import { storesOf } from '../store/stores.ts';
import { openFollower, requirePrimary } from './follower.ts';
import { type Answering, type RunningServer, type ServerOptions, startListening } from './listen.ts';
import { mcpHandles } from './mcp.ts';

/** Throws what `openFollower` does, and the listener's own error when a port is taken. */
export const startAnswer = (options: ServerOptions): Promise<RunningServer> =>
  startListening(options, () => startParts(options));

const startParts = async (options: ServerOptions): Promise<Answering> => {
  const { config, now, random, log } = options;
  const { primaryUrl } = requirePrimary(config);
  const { db, directory, following, start, stop, close } = await openFollower(options, 'answer');
  const elsewhere = () => primaryOnly(primaryUrl);
  const common = { db, directory, now, log };
  const shards = () => config.clickhouse ?? following.shards();
  const queued = queuedEngine(followedEngine({ db, shards, deadlineMs: config.queryDeadlineMs }), {
    deadlineMs: config.queryDeadlineMs,
    waitingMax: config.queryQueueMax,
  });
  const pages = createPublicPages({
    ...common,
    random,
    addressOf: requestAddressOf(config.trustProxy),
    baseUrl: config.baseUrl,
    elsewhere,
  });
  const { authenticators } = pages;
  const api = createApi({
    ...common,
    ...storesOf(db),
    engine: namedEngine('clickhouse', queued),
    authenticators,
    primaryUrl,
  });
  const questions = createQuestions({ ...common, access: api.access, logins: noLogins(elsewhere) });
  const mcp = mcpHandles(config, { ...common, access: api.access, primaryUrl }, () => null);
  start(() => ({}));
  const sources = {
    ...{ pool: queued.stats, stored: databaseStats(db) },
    ...{ primaryAt: following.heardAt, startedAt: now() },
  };
  return {
    collector: null,
    before: [metricsHandler(sources, config.metricsToken, log), health(log)],
    after: [questions.handle, ...mcp, api.handle, pages.handle],
    firstRunPath: () => null,
    needsStart: following.isRefused,
    async close() {
      queued.close();
      await stop();
      await api.close();
      close();
    },
  };
};

/** Nobody can sign in with a password: only the primary knows them. */
const noLogins = (elsewhere: () => Error) => ({
  refuseTired() {
    throw elsewhere();
  },
  async begin() {
    throw elsewhere();
  },
  callerOf: () => undefined,
  end() {},
});

/** As the collector answers, for load balancers. */
const health =
  (log: Log): Handle =>
  (request, response, path) => {
    if (path !== '/health' || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
    respond(request, response, json(200, { ok: true, service: 'answer' }), log);
    return true;
  };
