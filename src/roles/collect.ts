/**
 * The server of `daybook collect`: takes hits of the primary's sites into its own database, and
 * brings them to ClickHouse. It goes on while the primary or ClickHouse is away.
 */
import { oldCopyCheck } from '../cluster/old-copy.ts';
import { metricsHandler } from '../metrics.ts';
import type { Shards } from '../model/shards.ts';
import type { QuestionGate } from '../store/maintenance/checkpoints.ts';
import { databaseStats } from '../store/read/database-stats.ts';
import { hitStats, maintain, openCollector } from './collecting.ts';
import { openFollower } from './follower.ts';
import { shedIfOld, startForwarding } from './forwarding.ts';
import { type Answering, type RunningServer, type ServerOptions, startListening } from './listen.ts';

/** Throws what `openFollower` does, and the listener's own error when a port is taken. */
export const startCollect = (options: ServerOptions): Promise<RunningServer> =>
  startListening(options, () => startParts(options));

const startParts = async (options: ServerOptions): Promise<Answering> => {
  const { config, now, log } = options;
  const { db, directory, following, start, stop, close } = await openFollower(options, 'collect');
  const shards = (): Shards => config.clickhouse ?? following.shards();
  const shipping = { db, following, shards, check: oldCopyCheck(db), keepDays: config.keepDays, now, log };
  await shedIfOld(shipping);
  const collector = await openCollector(options, db, directory);
  const maintenance = maintain(options, db, collector, noQuestions);
  const forwarding = startForwarding(shipping);
  start(() => ({ ...forwarding.stats() }));
  const metrics = metricsHandler(
    {
      hits: hitStats(collector),
      pool: null,
      stored: databaseStats(db),
      copies: null,
      primaryAt: following.heardAt,
      forwarding: forwarding.stats,
      collectors: () => [],
      startedAt: now(),
    },
    config.metricsToken,
    log,
  );
  return {
    collector,
    before: [metrics],
    after: [],
    firstRunPath: () => null,
    needsStart: forwarding.isOldCopy.then(
      () => 'This is an old copy of a collector. It has to be started again, to leave out what ClickHouse has of it.',
    ),
    async close() {
      await Promise.all([maintenance.close(), stop()]);
      await collector.close();
      await forwarding.close();
      close();
    },
  };
};

/** Nobody asks here. */
const noQuestions: QuestionGate = { hold: async () => true, release: () => {} };
