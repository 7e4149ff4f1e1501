/** `daybook cluster import`: brings days to ClickHouse for `daybook serve --clickhouse`. */
import { readSetting } from '../config.ts';
import type { Site } from '../model/site.ts';
import { utcDayOf } from '../model/time.ts';
import { clusterStore } from '../store/cluster.ts';
import type { Database } from '../store/database.ts';
import { dayVersions } from '../store/day/day-versions.ts';
import { sites } from '../store/sites.ts';
import { CommandError, command, UsageError } from './command.ts';
import { settingFlag, switchFlag } from './flags.ts';
import { counted, listing } from './format.ts';
import { eachUnlessAsked, unlessAsked, withProgress } from './long-work.ts';

interface SiteReport {
  domain: string;
  /** Days that came, and their hits; days that went. */
  days: number;
  hits: number;
  removed: number;
}

export const clusterImport = command({
  name: 'cluster import',
  flags: {
    clickhouse: settingFlag('clickhouse'),
    'delete-newer': switchFlag('Delete hits of this machine on ClickHouse that this database, an older copy, has not'),
  },
  summary: 'Bring the days of all sites to ClickHouse',
  details:
    'A day is counted on every replica before anything is asked of it there. Days that are there and have not changed are skipped, so an interrupted import goes on where it was, and an hourly one keeps up. Days that are no longer here are removed there. The server may run meanwhile.',
  database: 'change',
  run: async (context, { flags }) => {
    const { db, env, now, random } = context;
    const shards = readSetting('clickhouse', env, flags);
    if (shards === null) throw new UsageError('Say where ClickHouse is: --clickhouse http://127.0.0.1:8123/daybook.');
    const { openCluster } = await import('../cluster/cluster.ts');
    const { dayShipper } = await import('../cluster/ship-days.ts');
    const { newerDays, OlderCopyError } = await import('../cluster/older-copy.ts');
    const { recordShipper } = await import('../cluster/ship-records.ts');
    const cluster = openCluster(shards);
    const all = sites(db).list();
    const reports = new Map(all.map(({ id, domain }) => [id, { domain, days: 0, hits: 0, removed: 0 }]));
    const heard = <T>(work: Promise<T>): Promise<T> => unlessAsked(context, work, meaning);
    await withProgress(context, meaning, async step => {
      await heard(cluster.makeTables(clusterStore(db).makeId(random)));
      for (const newer of await heard(newerDays(db, cluster, 0))) {
        if (!flags['delete-newer']) throw new OlderCopyError(newer);
        // What is here of it comes again. Days that are not here go below.
        if (newer.isHere) await heard(cluster.reopen(newer));
      }
      const days = dayShipper(db, cluster, 0)(all, { openFrom: utcDayOf(now()), takesAway: true });
      const partOf = partOfSites(db, all);
      let brought = 0;
      for await (const { site, day, hits } of eachUnlessAsked(context, days, meaning)) {
        const report = reports.get(site.id)!;
        if (hits === null) report.removed++;
        else report.days++;
        report.hits += hits ?? 0;
        brought += hits ?? 0;
        step({ unit: 'hit', verb: 'brought', count: brought, part: partOf(site, day) });
      }
      step({ unit: 'record', verb: 'brought', count: 0, part: null });
      await heard(recordShipper(db, shards, 0).shipSince(0, now()));
      await heard(cluster.sweep());
    }).catch(error => {
      if (error instanceof CommandError) throw error;
      if (error instanceof OlderCopyError) throw new CommandError(error.message);
      throw new CommandError(`The import to ClickHouse failed: ${(error as Error).message}`);
    });
    return resultOf([...reports.values()]);
  },
});

const meaning = 'what is there stays, and the next import goes on from it.';

/** Given each day as it is done, in order: how much of all sites’ days is done, 0 to 1. */
const partOfSites = (db: Database, all: readonly Site[]): ((site: Site, day: number) => number) => {
  const versions = dayVersions(db);
  const days = all.map(({ id }) => [...versions(id, 0, Number.MAX_SAFE_INTEGER).keys()].sort((a, b) => a - b));
  const total = days.reduce((sum, { length }) => sum + length, 0);
  return (site, day) => {
    const at = all.findIndex(({ id }) => id === site.id);
    const before = days.slice(0, at).reduce((sum, { length }) => sum + length, 0);
    return total === 0 ? 1 : (before + days[at]!.filter(other => other <= day).length) / total;
  };
};

const resultOf = (reports: SiteReport[]) => {
  const { text } = listing(
    reports,
    { DOMAIN: 'domain', DAYS: 'days', HITS: 'hits', REMOVED: 'removed' },
    'There are no sites yet.',
  );
  const days = reports.reduce((sum, report) => sum + report.days, 0);
  return { json: reports, text: `${text}\n\nBrought ${counted(days, 'day')} to ClickHouse.` };
};
