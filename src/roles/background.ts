/** What a server with all its data does to it on the side, besides the maintenance. */
import { dropDaysBefore } from '../cluster/drop.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import type { Database } from '../store/database.ts';
import { startSiteDropper } from '../store/maintenance/drop-sites.ts';
import { type TrustedDay, trustedDay } from '../store/trusted-day.ts';
import { keepDaysOfSites } from './keep-days.ts';
import { keepSums } from './keep-sums.ts';

export interface Background {
  /** Starts deleting the data of removed and reset sites. */
  dropRows: () => void;
  /** A clock by which old days are not deleted yet; null mostly. */
  clockLeap: TrustedDay['leap'];
  /** Stops each after the step at hand. */
  close(): Promise<void>;
}

export const startBackground = (
  { dataDir, clickhouse, keepHitsDays }: Config,
  parts: { db: Database; now: () => number; log: Log },
  engine: QueryEngine,
): Background => {
  const dropper = startSiteDropper(parts.db, parts.log);
  const sums = keepSums({ ...parts, engine });
  const trusted = trustedDay({ dataDir, ...parts });
  const days = keepDaysOfSites({
    ...{ ...parts, keepDays: keepHitsDays, trusted },
    dropElsewhere: clickhouse && ((siteId, before) => dropDaysBefore(clickhouse, before, siteId)),
  });
  return {
    ...{ dropRows: dropper.start, clockLeap: trusted.leap },
    async close() {
      await Promise.all([dropper.close(), sums.close(), days.close()]);
    },
  };
};
