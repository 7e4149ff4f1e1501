/** What commands that change days do about a cluster, where there is one. */
import type { CollectedVisit, CollectedVisits } from '../cluster/person-hits.ts';
import { readSetting } from '../config.ts';
import type { Site } from '../model/site.ts';
import { utcDayOf } from '../model/time.ts';
import { TooManyVisitors, type Visitors } from '../query/person/find-visitors.ts';
import type { Filter } from '../query/query.ts';
import { type HitsOfSite, hitsIn, leftOutQuery } from '../query/removal-rules/hits-of-rule.ts';
import type { ErasedVisitor } from '../store/erased.ts';
import type { Rule } from '../store/removal-rules.ts';
import { CommandError, type Opened } from './command.ts';
import { settingFlag } from './flags.ts';
import { lockUnlessServed, stopIfAsked, unlessAsked } from './long-work.ts';

const again = 'run the same command again to go on.';

export const clusterFlag = { clickhouse: settingFlag('clickhouse') };

export interface OnCluster {
  /** By UTC day, the stored hits that filters select. Refuses if some cannot be left out. */
  daysWithHits(hits: HitsOfSite): Promise<Map<number, number>>;
  /** How many hits of collectors each of some rules of a site leaves out. */
  leftOut(siteId: number, all: readonly Rule[]): Promise<number[]>;
  /** Adds to some visitors those of whom collectors took a hit that passes filters. */
  findCollected(siteId: number, filters: readonly Filter[], found: Visitors): Promise<void>;
  /** What collectors took of some visitors. Refuses where a replica is away, or lacks hits. */
  countCollected(some: readonly ErasedVisitor[]): Promise<CollectedVisits>;
  /** Their visits, as they are stored. */
  collectedVisits(some: readonly ErasedVisitor[]): AsyncGenerator<CollectedVisit>;
  /** Erases them there. */
  eraseHits(some: readonly ErasedVisitor[]): Promise<void>;
  /**
   * Brings changes there; false where a server runs, which does it within a minute: none does
   * where the command is alone with the data.
   */
  ship(site: Site, isAlone?: boolean): Promise<boolean>;
  /** Deletes days of all sites before one. */
  dropDaysBefore(day: number): Promise<void>;
  /** Deletes the data of sites that are gone. */
  dropGoneSites(): Promise<void>;
}

/** Null where no cluster is named. What fails there is a CommandError. */
export const onCluster = async (
  context: Opened,
  flags: { clickhouse: string | undefined },
): Promise<OnCluster | null> => {
  const { db, dataDir, env, now } = context;
  const shards = readSetting('clickhouse', env, flags);
  if (shards === null) return null;
  const { clickHouseEngine } = await import('../cluster/clickhouse-engine.ts');
  const { openCluster } = await import('../cluster/cluster.ts');
  const { hitsForRule, refusalOf } = await import('../cluster/days-with-hits.ts');
  const { dropDaysBefore, dropGoneSites } = await import('../cluster/drop.ts');
  const { eraseHits } = await import('../cluster/erase-hits.ts');
  const { collectedVisits, countCollected, findCollected } = await import('../cluster/person-hits.ts');
  const { dayRuler } = await import('../cluster/rule-days.ts');
  const { settleBrought } = await import('../cluster/settle-brought.ts');
  const { dayShipper } = await import('../cluster/ship-days.ts');
  const cluster = openCluster(shards);
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await unlessAsked(context, work(), again);
    } catch (error) {
      if (error instanceof CommandError || error instanceof TooManyVisitors) throw error;
      throw new CommandError(refusalOf(error));
    }
  };
  return {
    daysWithHits: hits => told(() => hitsForRule(db, shards, hits)),
    leftOut: (siteId, all) =>
      told(async () => {
        const asker = { accountId: 0, isPublic: false };
        return hitsIn(await clickHouseEngine(shards, askMs).run(leftOutQuery(siteId, all), asker));
      }),
    findCollected: (...of) => told(() => findCollected(shards, ...of)),
    countCollected: some => told(() => countCollected(shards, some)),
    async *collectedVisits(some) {
      try {
        yield* collectedVisits(db, shards, some);
      } catch (error) {
        throw new CommandError(refusalOf(error));
      }
    },
    eraseHits: some => told(async () => void (await eraseHits(shards, some))),
    ship: (site, isAlone = false) =>
      told(async () => {
        const unlock = isAlone ? () => {} : lockUnlessServed(dataDir);
        if (unlock === null) return false;
        try {
          await settleBrought(db, cluster, site.id);
          const ship = dayShipper(db, cluster, 0)([site], { openFrom: utcDayOf(now()), takesAway: false });
          for (const work of [ship, dayRuler(db, shards).rule([site], now())])
            for await (const _ of work) stopIfAsked(context, again);
          return true;
        } finally {
          unlock();
        }
      }),
    dropDaysBefore: day => told(async () => void (await dropDaysBefore(shards, day))),
    dropGoneSites: () => told(() => dropGoneSites(db, shards, cluster)),
  };
};

/** A question about hits waits no longer. */
const askMs = 120_000;
