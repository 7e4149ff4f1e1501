/** Deletes days that are older than a site keeps, while the server runs. */
import { type Log, reasonOf } from '../log.ts';
import { isRollup } from '../model/site.ts';
import { hourMs, utcDayName } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { erasedVisitors } from '../store/erased.ts';
import { pruner } from '../store/maintenance/prune.ts';
import { sites } from '../store/sites.ts';
import type { TrustedDay } from '../store/trusted-day.ts';
import { untilClosed } from '../until-closed.ts';

export interface KeepDaysOptions {
  db: Database;
  /** KEEP_HITS_DAYS: of sites that say nothing else; null keeps all. */
  keepDays: number | null;
  /** Deletes days of a cluster, if there is one; resolves with whether there were any. */
  dropElsewhere: ((siteId: number, before: number) => Promise<boolean>) | null;
  /** The day to go by. */
  trusted: Pick<TrustedDay, 'look'>;
  log: Log;
  /** How often it looks: a day goes within this after midnight (UTC). */
  everyMs?: number;
}

/** Between two steps, for hits that come meanwhile. */
const restMs = 10;

export const keepDaysOfSites = (options: KeepDaysOptions) => {
  const { db, trusted, log, everyMs = hourMs } = options;
  const { signal, rest, run, close } = untilClosed();
  const [prune, erased] = [pruner(db), erasedVisitors(db)];

  const keep = async (siteId: number, before: number): Promise<void> => {
    erased.forget(siteId, before);
    const isHere = prune.hasOld(siteId, before);
    if (isHere) for (const _ of prune.drop(before, { siteId })) await rest(restMs);
    const isElsewhere = (await options.dropElsewhere?.(siteId, before)) ?? false;
    if (isHere || isElsewhere) log('pruned', { site: siteId, before: utcDayName(before) });
  };

  /** Hits of no site have no setting of their own. */
  const kept = (): { siteId: number; days: number | null }[] => [
    { siteId: 0, days: options.keepDays },
    ...sites(db)
      .list()
      .filter(site => !isRollup(site))
      .map(({ id, keepDays }) => ({ siteId: id, days: keepDays ?? options.keepDays })),
  ];

  const keepAll = async (): Promise<void> => {
    while (true) {
      const today = trusted.look();
      for (const { siteId, days } of kept()) {
        if (days === null) continue;
        await keep(siteId, today - days).catch(error => {
          signal.throwIfAborted();
          log('prune-failed', { site: siteId, reason: reasonOf(error) });
        });
      }
      await rest(everyMs);
    }
  };
  run(async () => {
    await rest(everyMs / 60);
    await keepAll();
  });
  /** Stops after the step at hand. */
  return { close };
};
