/** `daybook prune`: deletes what is older than a number of days, for good. */
import { utcDayName, utcDayOf } from '../model/time.ts';
import { type Database, lockDataDir, StoreError } from '../store/database.ts';
import { sealSteps } from '../store/day/seal.ts';
import { type OldDay, pruner } from '../store/maintenance/prune.ts';
import { sweepTexts } from '../store/maintenance/sweep.ts';
import { sites } from '../store/sites.ts';
import { CommandError, type Context, command, jsonFlag, UsageError } from './command.ts';
import { dataDirOf, withExistingDatabase } from './open.ts';
import { counted, formatBytes, print, table } from './print.ts';
import { progressOf } from './progress.ts';
import { runSteps } from './steps.ts';

export const prune = command({
  name: 'prune',
  operands: [],
  flags: {
    'older-than': {
      kind: 'text',
      value: 'DAYS',
      required: true,
      meaning: 'Keep today and this many days (UTC) before it',
    },
    'dry-run': { kind: 'switch', meaning: 'Only show what would be deleted' },
    ...jsonFlag,
  },
  summary: 'Delete hits older than a number of days, for good',
  details: `Goes over all sites: hits, web vitals, crawlers, outcomes, and cookie-mode visitors that nothing else is left of. It may run beside a
server. Texts that nothing refers to any more (titles, traits, paths) are deleted too where no server runs. The file does not
shrink: the space is used again.`,
  run: (context, { flags }) => {
    const keepDays = daysOf(flags['older-than']);
    return withExistingDatabase(context, flags, async db => {
      const before = utcDayOf(context.now()) - keepDays;
      const found = summed(db, pruner(db).find(before));
      const dryRun = flags['dry-run'];
      if (!dryRun) await drop(context, db, before);
      const swept = !dryRun && (await sweep(context, db, dataDirOf(context, flags)));
      const value = { before: utcDayName(before), dryRun, sites: found, swept };
      print(context, flags.json, value, reportText(value));
    });
  },
});

const daysOf = (typed: string): number => {
  if (/^[1-9]\d{0,5}$/.test(typed)) return Number(typed);
  throw new UsageError(`${JSON.stringify(typed)} is no number of days: it is a whole number from 1.`);
};

interface Report {
  /** UTC day, `2026-11-20`: what is before it goes. */
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

const drop = async (context: Context, db: Database, before: number): Promise<void> => {
  await runShown(context, sealSteps(db, before, context.now()));
  await runShown(context, pruner(db).drop(before));
};

/** False where a server runs, which remembers texts it has written. */
const sweep = async (context: Context, db: Database, dataDir: string): Promise<boolean> => {
  let unlock: () => void;
  try {
    unlock = lockDataDir(dataDir);
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
  try {
    for (const { id } of sites(db).list()) await runShown(context, sweepTexts(db, id));
    return true;
  } finally {
    unlock();
  }
};

/** Runs the steps, shows how far they are, and hears signals in between. */
const runShown = async (context: Context, steps: Generator<void, unknown>): Promise<void> => {
  const progress = progressOf(context);
  let done = 0;
  try {
    await runSteps(steps, () => {
      done++;
      progress.show(() => counted(done, 'step'));
      if (context.signal.aborted) throw new CommandError('Interrupted: what is left is deleted by the next prune.');
    });
  } finally {
    progress.end();
  }
};

const reportText = ({ before, dryRun, sites, swept }: Report): string => {
  const rows = sites.map(({ domain, days, hits, bytes, first, last }) => [
    domain,
    days,
    hits,
    formatBytes(bytes),
    first,
    last,
  ]);
  const found = rows.length === 0 ? '' : `${table(['DOMAIN', 'DAYS', 'HITS', 'SIZE', 'FIRST', 'LAST'], rows)}\n\n`;
  const verb = dryRun ? 'Would delete' : 'Deleted';
  const note = !dryRun && !swept ? ' Unused texts stay until prune runs without a server.' : '';
  return `${found}${verb} what is before ${before} (UTC): ${counted(
    sites.reduce((sum, { hits }) => sum + hits, 0),
    'hit',
  )}.${note}`;
};
