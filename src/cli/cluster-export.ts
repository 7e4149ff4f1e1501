/** `daybook cluster export`: brings the days of a cluster back into one database. */
import { existsSync, mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Cluster } from '../cluster/cluster.ts';
import { readSetting } from '../config.ts';
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { dayMs, utcDayName, utcDayOf } from '../model/time.ts';
import { type Database, databaseFile, lockDataDir, lockImports, openDatabase } from '../store/database.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { sealSteps } from '../store/day/seal.ts';
import { backUp } from '../store/maintenance/backup.ts';
import { sites } from '../store/sites.ts';
import { CommandError, command, type Opened, settingFlag, UsageError } from './command.ts';
import { counted, listing } from './format.ts';
import { eachUnlessAsked, progressOf, runShown, type StepProgress, stopIfAsked, unlessAsked } from './long-work.ts';

export const clusterExport = command({
  name: 'cluster export',
  flags: {
    clickhouse: settingFlag('clickhouse'),
    to: {
      kind: 'text',
      value: 'DIR',
      required: true,
      meaning: 'The data directory that the days go to; it gets a copy of this database if it has none',
    },
  },
  summary: 'Bring the days of all sites back from ClickHouse into one database',
  details: `The directory gets a copy of this database with its sites, keys and accounts, and then all days before today that
ClickHouse has and the copy has not, of all collectors, with their web vitals, crawls and outcomes. An interrupted export goes on
where it was, and a later one brings what came since. In the end the hits of each day are counted on both. To go on
with one machine, run daybook serve on the directory.`,
  database: 'open',
  ofPrimary: true,
  run: async (context, { flags }) => {
    const shards = readSetting('clickhouse', context.env, flags);
    if (shards === null) throw new UsageError('Say where ClickHouse is: --clickhouse http://127.0.0.1:8123/daybook.');
    const dir = resolve(flags.to);
    const progress = progressOf(context);
    try {
      const isCopy = await copyTo(context, dir, progress);
      const unlocks = [lockDataDir(dir), lockImports(dir)];
      const db = openDatabase(dir);
      try {
        return await exportTo(context, { db, isCopy, shards, progress });
      } finally {
        db.close();
        for (const unlock of unlocks) unlock();
      }
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`The export from ClickHouse failed: ${(error as Error).message}`);
    } finally {
      progress.end();
    }
  },
});

const meaning = 'what came stays, and the next export goes on from it.';

/** Resolves with whether the copy was made now. */
const copyTo = async (context: Opened<'open'>, dir: string, progress: StepProgress): Promise<boolean> => {
  const { dataDir } = context;
  if (dir === resolve(dataDir)) throw new UsageError('--to needs another directory than that of this database.');
  if (existsSync(databaseFile(dir))) return false;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  await backUp(dataDir, databaseFile(dir), {
    ...{ replace: false, keepDamaged: false, withSalt: true },
    onStep(done) {
      stopIfAsked(context, meaning);
      progress.show(done);
    },
  });
  return true;
};

interface Export {
  db: Database;
  isCopy: boolean;
  shards: Shards;
  progress: StepProgress;
}

const exportTo = async (context: Opened<'open'>, { db, isCopy, shards, progress }: Export) => {
  const { now } = context;
  const heard = <T>(work: Promise<T>): Promise<T> => unlessAsked(context, work, meaning);
  const { openCluster } = await import('../cluster/cluster.ts');
  const { bringDays } = await import('../cluster/bring-days.ts');
  const { bringRecords } = await import('../cluster/bring-records.ts');
  const cluster = openCluster(shards);
  // A day of the copy that is over can be brought together with what others have of it.
  await runShown(context, sealSteps(db, utcDayOf(now()), now()), meaning);
  const bringing = { db, shards, cluster, node: 0, isCopy, now };
  const all = sites(db).list();
  const reports = new Map(all.map(({ id, domain }) => [id, { domain, days: 0, hits: 0 }]));
  let brought = 0;
  for await (const { site, hits } of eachUnlessAsked(context, bringDays(bringing, all), meaning)) {
    const report = reports.get(site.id)!;
    report.days++;
    report.hits += hits;
    brought += hits;
    progress.show({ unit: 'hit', verb: 'brought', count: brought, part: all.indexOf(site) / all.length });
  }
  const siteIds = all.map(({ id }) => id);
  await heard(bringRecords(bringing, siteIds));
  progress.show(() => 'Comparing');
  const problems = await heard(differingDays(db, cluster, all, utcDayOf(now())));
  return resultOf([...reports.values()], problems);
};

/** The days before today whose number of hits differs, each as a sentence. */
const differingDays = async (
  db: Database,
  cluster: Pick<Cluster, 'shipped'>,
  sites: readonly Site[],
  today: number,
): Promise<string[]> => {
  const differing: string[] = [];
  const reader = dayReader(db, 0);
  for (const { id, domain } of sites) {
    const there = hitsByDay(await cluster.shipped(id));
    const here = hitsByDay(reader.days(id, 0, today * dayMs));
    for (const day of new Set([...there.keys(), ...here.keys()])) {
      const [far, near] = [there.get(day) ?? 0, here.get(day) ?? 0];
      if (day < today && far !== near)
        differing.push(`${domain}, ${utcDayName(day)}: ${far} hits on ClickHouse and ${near} here.`);
    }
  }
  return differing;
};

const hitsByDay = (parts: Iterable<{ day: number; hits: number }>): Map<number, number> => {
  const sums = new Map<number, number>();
  for (const { day, hits } of parts) if (hits > 0) sums.set(day, (sums.get(day) ?? 0) + hits);
  return sums;
};

const resultOf = (reports: { domain: string; days: number; hits: number }[], problems: string[]) => {
  const { text } = listing(
    reports,
    { DOMAIN: ({ domain }) => domain, DAYS: ({ days }) => days, HITS: ({ hits }) => hits },
    'There are no sites yet.',
  );
  const days = reports.reduce((sum, report) => sum + report.days, 0);
  return {
    json: { sites: reports, problems },
    text: `${text}\n\nBrought ${counted(days, 'day')} back.${problems.length === 0 ? ' All days have as many hits on both.' : ''}`,
    failure: problems.length === 0 ? undefined : problems.join('\n'),
  };
};
