/** What commands that change days do about a cluster, where there is one. */
import { readSetting } from '../config.ts';
import type { Site } from '../model/site.ts';
import { utcDayOf } from '../model/time.ts';
import type { HitsOfSite } from '../query/rules/hits-of-rule.ts';
import { lockDataDir, StoreError } from '../store/database.ts';
import { CommandError, type Opened } from './command.ts';
import { settingFlag } from './flags.ts';
import { progressOf, stopIfAsked, unlessAsked } from './long-work.ts';

const again = 'run the same command again to go on.';

export const clusterFlag = { clickhouse: settingFlag('clickhouse') };

export interface OnCluster {
  /** By UTC day, the stored hits that filters select. Refuses if some cannot be left out. */
  daysWithHits(site: Site, hits: HitsOfSite): Promise<Map<number, number>>;
  /** Brings days with such hits that only the cluster has. Only while lockImports is held. */
  bring(site: Site, hits: HitsOfSite): Promise<void>;
  /** Brings changes to the cluster; false where a server runs, which does it within a minute. */
  ship(site: Site): Promise<boolean>;
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
  const { openCluster } = await import('../cluster/cluster.ts');
  const { BringError } = await import('../cluster/bring-days.ts');
  const { bringDaysWithHits, daysWithHits } = await import('../cluster/days-with-hits.ts');
  const { dropDaysBefore, dropGoneSites } = await import('../cluster/drop.ts');
  const { dayShipper } = await import('../cluster/ship-days.ts');
  const { dayTaker } = await import('../cluster/take-over.ts');
  const cluster = openCluster(shards);
  const bringing = { db, shards, cluster, node: 0, now };
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await unlessAsked(context, work(), again);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      const isClear = error instanceof BringError;
      throw new CommandError(`${isClear ? '' : 'ClickHouse: '}${(error as Error).message}`);
    }
  };
  return {
    daysWithHits: (site, hits) => told(() => daysWithHits(bringing, site, hits)),
    bring: (site, hits) =>
      told(async () => {
        const progress = progressOf(context);
        let count = 0;
        try {
          for await (const _ of bringDaysWithHits(bringing, site, hits)) {
            progress.show({ unit: 'day', verb: 'brought', count: ++count, part: null });
            stopIfAsked(context, again);
          }
        } finally {
          progress.end();
        }
      }),
    ship: site =>
      told(async () => {
        const unlock = lockUnlessServed(dataDir);
        if (unlock === null) return false;
        try {
          for await (const _ of dayTaker(db, cluster, 0)([site])) stopIfAsked(context, again);
          const ship = dayShipper(db, cluster, 0);
          for await (const _ of ship([site], { openFrom: utcDayOf(now()), takesAway: false }))
            stopIfAsked(context, again);
          return true;
        } finally {
          unlock();
        }
      }),
    dropDaysBefore: day => told(async () => void (await dropDaysBefore(shards, day))),
    dropGoneSites: () => told(() => dropGoneSites(db, shards, cluster)),
  };
};

const lockUnlessServed = (dataDir: string): (() => void) | null => {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
};
