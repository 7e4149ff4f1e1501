/** `daybook cluster import`: brings days to ClickHouse, where `daybook serve --clickhouse` asks about them. */
import { readSetting } from '../config.ts';
import { utcDayName, utcDayOf } from '../model/time.ts';
import { forwardedStore } from '../store/forwarded.ts';
import { sites } from '../store/sites.ts';
import { CommandError, command, settingFlag, UsageError } from './command.ts';
import { counted, listing } from './format.ts';
import { progressOf } from './long-work.ts';

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
    'delete-newer': {
      kind: 'switch',
      meaning: 'Delete hits of this machine on ClickHouse that this database, an older copy, has not',
    },
  },
  summary: 'Bring the days of all sites to ClickHouse',
  details:
    'A day is counted on every replica before anything is asked of it there. Days that are there and have not changed are skipped, so an interrupted import goes on where it was, and an hourly one keeps up. Days that are no longer here are removed there. The server may run meanwhile.',
  database: 'open',
  ofPrimary: true,
  run: async (context, { flags }) => {
    const { db, env, signal, now } = context;
    const shards = readSetting('clickhouse', env, flags);
    if (shards === null) throw new UsageError('Say where ClickHouse is: --clickhouse http://127.0.0.1:8123/daybook.');
    const { openCluster } = await import('../cluster/cluster.ts');
    const { dayShipper } = await import('../cluster/ship-days.ts');
    const { newerDays, OlderCopyError } = await import('../cluster/older-copy.ts');
    const { recordShipper } = await import('../cluster/ship-records.ts');
    const cluster = openCluster(shards);
    const all = sites(db).list();
    const reports = new Map(all.map(({ id, domain }) => [id, { domain, days: 0, hits: 0, removed: 0 }]));
    const progress = progressOf(context);
    try {
      await cluster.makeTables();
      for (const newer of await newerDays(db, cluster, 0)) {
        if (!flags['delete-newer']) throw new OlderCopyError(newer);
        // What is here of it comes again. Days that are not here go below.
        if (newer.isHere) await cluster.reopen(newer);
      }
      for await (const { site, day, hits } of dayShipper(
        db,
        cluster,
        0,
      )(all, { openFrom: utcDayOf(now()), takesAway: true })) {
        const report = reports.get(site.id)!;
        if (hits === null) report.removed++;
        else report.days++;
        report.hits += hits ?? 0;
        progress.show(() => `${site.domain}, ${utcDayName(day)}`);
        if (signal.aborted)
          throw new CommandError('Interrupted. What is there stays; the next import goes on from it.');
      }
      await recordShipper(db, shards, 0).shipSince(0, now(), Math.max(now(), forwardedStore(db).get(0).revision + 1));
      await cluster.sweep(0);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      if (error instanceof OlderCopyError) throw new CommandError(error.message);
      throw new CommandError(`The import to ClickHouse failed: ${(error as Error).message}`);
    } finally {
      progress.end();
    }
    return resultOf([...reports.values()]);
  },
});

const resultOf = (reports: SiteReport[]) => {
  const { text } = listing(
    reports,
    {
      DOMAIN: ({ domain }) => domain,
      DAYS: ({ days }) => days,
      HITS: ({ hits }) => hits,
      REMOVED: ({ removed }) => removed,
    },
    'There are no sites yet.',
  );
  const days = reports.reduce((sum, report) => sum + report.days, 0);
  return { json: reports, text: `${text}\n\nBrought ${counted(days, 'day')} to ClickHouse.` };
};
