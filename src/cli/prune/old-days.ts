/** `daybook prune --older-than`: deletes what is older than a number of days, for good. */
import { utcDayName, utcDayOf } from '../../model/time.ts';
import { type Database, lockDataDir, lockImports, StoreError } from '../../store/database.ts';
import { sealSteps } from '../../store/day/seal.ts';
import { type OldDay, pruner } from '../../store/maintenance/prune.ts';
import { sweepTexts } from '../../store/maintenance/unused-texts.ts';
import { sites } from '../../store/sites.ts';
import { type Opened, type Result, UsageError } from '../command.ts';
import { counted, formatBytes, type ListingColumns, listing } from '../format.ts';
import { runShown } from '../long-work.ts';
import type { OnCluster } from '../on-cluster.ts';

const restIsNext = 'the next prune deletes the rest.';

export const pruneOldDays = async (
  context: Opened,
  keepDays: number,
  dryRun: boolean,
  cluster: OnCluster | null,
): Promise<Result> => {
  const { db, now } = context;
  const before = utcDayOf(now()) - keepDays;
  const found = summed(db, pruner(db).find(before));
  if (!dryRun) {
    await runShown(context, sealSteps(db, before, now()), restIsNext);
    await runShown(context, pruner(db).drop(before), restIsNext);
    await cluster?.dropDaysBefore(before);
  }
  const swept = !dryRun && (await sweep(context));
  const report = { before: utcDayName(before), dryRun, sites: found, swept };
  return { json: report, text: reportText(report) };
};

export const daysOf = (typed: string): number => {
  if (/^[1-9]\d{0,5}$/.test(typed)) return Number(typed);
  throw new UsageError(`${JSON.stringify(typed)} is not a number of days: write a whole number from 1.`);
};

interface PruneReport {
  /** UTC day, `2026-11-20`: what lies before it is deleted. */
  before: string;
  dryRun: boolean;
  sites: SiteSum[];
  /** Whether unused texts were deleted too. */
  swept: boolean;
}

interface SiteSum {
  domain: string;
  days: number;
  hits: number;
  bytes: number;
  first: string;
  last: string;
}

/** What there is to delete of each site, in the order of the listing. */
const summed = (db: Database, days: readonly OldDay[]): SiteSum[] =>
  sites(db)
    .list()
    .flatMap(({ id, domain }) => {
      const own = days.filter(({ siteId }) => siteId === id).sort((a, b) => a.day - b.day);
      if (own.length === 0) return [];
      const sum = (field: 'hits' | 'bytes'): number => own.reduce((total, day) => total + day[field], 0);
      const [first, last] = [own[0]!, own.at(-1)!].map(({ day }) => utcDayName(day)) as [string, string];
      return [{ domain, days: own.length, hits: sum('hits'), bytes: sum('bytes'), first, last }];
    });

/** False where a server runs, which remembers written texts, or where hits are being put back. */
const sweep = async (context: Opened): Promise<boolean> => {
  const { db, dataDir } = context;
  const unlocks: (() => void)[] = [];
  try {
    for (const lock of [lockDataDir, lockImports]) unlocks.push(lock(dataDir));
    for (const { id } of sites(db).list()) await runShown(context, sweepTexts(db, id), restIsNext);
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  } finally {
    for (const unlock of unlocks) unlock();
  }
};

const reportText = ({ before, dryRun, sites, swept }: PruneReport): string => {
  const columns: ListingColumns<SiteSum> = {
    DOMAIN: 'domain',
    DAYS: 'days',
    HITS: 'hits',
    SIZE: ({ bytes }) => formatBytes(bytes),
    FIRST: 'first',
    LAST: 'last',
  };
  const found = sites.length === 0 ? '' : `${listing(sites, columns, '').text}\n\n`;
  const hits = sites.reduce((sum, { hits }) => sum + hits, 0);
  const verb = dryRun ? 'Would delete' : 'Deleted';
  const note = !dryRun && !swept ? ' Unused texts stay until prune runs without a server.' : '';
  return `${found}${verb} ${counted(hits, 'hit')} before ${before} (UTC).${note}`;
};
