/**
 * The server of `daybook collect`: takes hits of the primary's sites into its own database, and
 * brings them to ClickHouse. It goes on while the primary or ClickHouse is away.
 */
import { metricsHandler } from '../metrics.ts';
import type { Shards } from '../model/shards.ts';
import { beginEpoch } from '../store/epochs.ts';
import { eraseAtStart } from '../store/erased.ts';
import type { QuestionGate } from '../store/maintenance/checkpoints.ts';
import { databaseStats } from '../store/read/database-stats.ts';
import { collectorSources, maintain, openCollector } from './collecting.ts';
import { startErasing } from './erasing.ts';
import { openFollower } from './follower.ts';
import { startForwarding } from './forwarding.ts';
import { type Answering, type RunningServer, type ServerOptions, startListening } from './listen.ts';

/** Throws what `openFollower` does, and the listener's own error when a port is taken. */
export const startCollect = (options: ServerOptions): Promise<RunningServer> =>
  startListening(options, () => startParts(options));

const startParts = async (options: ServerOptions): Promise<Answering> => {
  const { config, now, random, log } = options;
  const { db, directory, following, start, stop, close } = await openFollower(options, 'collect');
  const shards = (): Shards => config.clickhouse ?? following.shards();
  eraseAtStart(db, now());
  beginEpoch(db, following.self().identity, random);
  const collector = await openCollector(options, db, directory);
  const maintenance = maintain(options, db, collector, { questions: noQuestions, seals: false });
  const forwarding = startForwarding({ db, following, shards, keepDays: config.keepDays, now, log });
  const erasing = startErasing(db, collector, now, log);
  start(() => ({ ...forwarding.stats() }));
  const sources = {
    ...{ ...collectorSources(collector), stored: databaseStats(db) },
    ...{ primaryAt: following.heardAt, forwarding: forwarding.stats, startedAt: now() },
  };
  return {
    collector,
    before: [metricsHandler(sources, config.metricsToken, log)],
    after: [],
    firstRunPath: () => null,
    async close() {
      erasing.close();
      await Promise.all([maintenance.close(), stop()]);
      await collector.close();
      await forwarding.close();
      close();
    },
  };
};

/** Nobody asks here. */
const noQuestions: QuestionGate = { hold: async () => true, release: () => {} };
