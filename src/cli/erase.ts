/** `daybook erase`: erases all visits of a person for good. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CollectedVisits } from '../cluster/person-hits.ts';
import type { Site } from '../model/site.ts';
import { utcDayOf } from '../model/time.ts';
import type { Visitors } from '../query/person/find-visitors.ts';
import type { Database } from '../store/database.ts';
import { sealSteps } from '../store/day/seal.ts';
import { type ErasedSoFar, eraseVisits } from '../store/erase.ts';
import { type ErasedVisitor, erasedStages, erasedVisitors } from '../store/erased.ts';
import { forwardedStore } from '../store/forwarded.ts';
import { imports } from '../store/imports/imports.ts';
import { overwriteFree } from '../store/maintenance/overwrite-free.ts';
import { sweepTexts } from '../store/maintenance/unused-texts.ts';
import { nodes } from '../store/nodes.ts';
import { rules } from '../store/removal-rules.ts';
import { CommandError, command, type Opened, type Result } from './command.ts';
import { switchFlag } from './flags.ts';
import { counted } from './format.ts';
import { runDays, runShown, withImportsLocked } from './long-work.ts';
import { siteWithHits } from './lookup.ts';
import { clusterFlag, type OnCluster, onCluster } from './on-cluster.ts';
import { personFlags, personOf, visitorsMeant } from './person.ts';
import { leftOut } from './prune/remove-hits.ts';

const nothingChanged = 'nothing was erased.';
const again = 'the visits are gone, but not yet from freed pages: run the same command again.';

export const erase = command({
  name: 'erase',
  operands: { DOMAIN: String },
  flags: {
    ...personFlags,
    ...clusterFlag,
    'dry-run': switchFlag('Only say how much would be erased'),
  },
  summary: 'Erase all visits of a person to a site for good',
  details: `--where finds visitors: of each who has a visit with a hit that passes all filters, all visits go: with a cookie those of all
days, else those of that day. daybook person-data shows these visits first. Days are written without them. Texts that nothing else
uses go, and so do rules that leave out no other hit. Then the file is written anew, which takes as much room on the disk again. What
is interrupted before the visits are gone changes nothing. Copies, backups and the files of removals may still hold them: see
"Erasing a person" in docs/operations.md.
On a cluster, run it on the primary with --clickhouse: hits of collectors go there, too. Collectors erase what they hold themselves
once they hear of it, and what was not sent yet never counts for long.`,
  exclusive: true,
  run: async (context, { operands: { DOMAIN }, flags }) => {
    const { db, dataDir, now } = context;
    const site = siteWithHits(db, DOMAIN, flags.account);
    const person = personOf(db, site, flags);
    return withImportsLocked(dataDir, async () => {
      const isDry = flags['dry-run'];
      refuseUnfinished(db, site);
      const cluster = await onCluster(context, flags);
      // What is pending would be sealed when the server starts.
      if (!isDry) await runShown(context, sealSteps(db, utcDayOf(now()), now()), nothingChanged);
      const visitors = await visitorsMeant(context, db, { site, person, cluster, meaning: nothingChanged });
      const before = now();
      const noted = visitors.list().map(of => ({ ...of, siteId: site.id, before }));
      const collected = (await cluster?.countCollected(noted)) ?? { visits: 0, hits: 0, days: new Set<number>() };
      const here = await eraseAtOnce(context, site, { visitors, noted, collected, cluster, isDry });
      if (!isDry) {
        await runShown(context, sweepTexts(db, site.id), again);
        rewrite(context);
        await eraseThere(db, site, cluster);
      }
      return resultOf(site, here, isDry, undoFilesIn(dataDir));
    });
  },
});

/** Also whom a command erased before that was interrupted. */
const eraseThere = async (db: Database, site: Site, cluster: OnCluster | null): Promise<void> => {
  if (cluster === null) return;
  const list = erasedVisitors(db);
  const noted = list.upTo(erasedStages.noted);
  try {
    await cluster.eraseHits(noted);
  } catch (error) {
    throw new CommandError(
      `The visits are gone here, and not yet from ClickHouse: run the same command again, or start the server, which goes on with it. ${(error as Error).message}`,
    );
  }
  list.set(noted, erasedStages.rows);
  // Days of which no hit is left count otherwise under rules. Where it fails, the server does it.
  await cluster.ship(site, true).catch(() => false);
};

/** Whether ClickHouse has, or had, hits that collectors took: this machine, or others. */
const hasCollected = (db: Database): boolean => nodes(db).any() || (forwardedStore(db).last()?.node ?? 0) !== 0;

/** What an interrupted import brought so far is in no answer, so nobody in it would be found. */
const refuseUnfinished = (db: Database, { id: siteId }: Site): void => {
  const unfinished = imports(db)
    .ofSite(siteId)
    .find(({ finishedAt }) => finishedAt === null);
  if (unfinished === undefined) return;
  const { id, source } = unfinished;
  throw new CommandError(
    `Import ${id} (${source}) was interrupted, and may hold the person: import the same again, or take it back with daybook import undo ${id}.`,
  );
};

/** What was erased, and the rules that left out nothing else: those that went, and that stay. */
interface Erasure extends ErasedSoFar {
  rules: number[];
  rulesKept: number[];
  /** Whether ClickHouse may have hits that are not erased. */
  isLeft: boolean;
}

interface Meant {
  visitors: Visitors;
  noted: readonly ErasedVisitor[];
  collected: CollectedVisits;
  cluster: OnCluster | null;
  isDry: boolean;
}

/** In one transaction, which is undone if it is interrupted, or if it was only to be tried. */
const eraseAtOnce = async (
  context: Opened,
  site: Site,
  { visitors, noted, collected, cluster, isDry }: Meant,
): Promise<Erasure> => {
  const { db } = context;
  db.exec('begin immediate');
  try {
    const steps = eraseVisits(db, site.id, visitors, new Set(collected.days));
    const { visits, hits, ...erased } = await runDays(context, steps, 'written', nothingChanged);
    const empty = await emptyRules(db, site.id);
    // These may leave hits of collectors out, which only ClickHouse has.
    const isCollected = hasCollected(db);
    // It may also have hits of this machine visit by visit, and no day that takes their place yet.
    if (isCollected || cluster !== null || forwardedStore(db).last() !== undefined) erasedVisitors(db).add(noted);
    const rulesKept = isCollected ? empty : [];
    const gone = empty.filter(id => !rulesKept.includes(id));
    for (const id of gone) rules(db).drop(site.id, id);
    db.exec(isDry ? 'rollback' : 'commit');
    const all = { visits: visits + collected.visits, hits: hits + collected.hits };
    return { ...erased, ...all, rules: gone, rulesKept, isLeft: isCollected && cluster === null };
  } finally {
    if (db.inTransaction) db.exec('rollback');
  }
};

/** Their filters and reasons may name who was erased. No hit that comes later is one of theirs. */
const emptyRules = async (db: Database, siteId: number): Promise<number[]> => {
  const all = rules(db).ofSite(siteId);
  const hits = await leftOut(db, siteId, all, null);
  return all.flatMap(({ id }, i) => (hits[i] === 0 ? [id] : []));
};

const rewrite = ({ db }: Opened): void => {
  try {
    overwriteFree(db);
  } catch (error) {
    throw new CommandError(`The file could not be written anew (${(error as Error).message}): ${again}`);
  }
};

/** Files of removals, which may hold hits of anybody. */
const undoFilesIn = (dataDir: string): string[] => {
  const removed = join(dataDir, 'removed');
  return existsSync(removed) ? readdirSync(removed).map(name => join(removed, name)) : [];
};

const resultOf = (
  site: Site,
  { visits, hits, days, rules: gone, rulesKept, isLeft }: Erasure,
  dryRun: boolean,
  files: string[],
): Result => {
  const counts = `${counted(visits, 'visit')} with ${counted(hits, 'hit')} on ${counted(days, 'day')}`;
  const others = [
    ...(gone.length === 0 ? [] : [`Rules that leave out no other hit went, too: ${gone.join(', ')}.`]),
    ...(rulesKept.length === 0
      ? []
      : [
          `Rules that leave out no hit of this machine stay, for hits of collectors: ${rulesKept.join(', ')}. ` +
            'Look in daybook prune --list whether one names the person: daybook prune --undo ID deletes it.',
        ]),
    ...(isLeft
      ? ['Where hits of collectors are on ClickHouse, run the same with --clickhouse: nobody was looked for there.']
      : []),
    'Copies at BACKUP_TO, backups, and copies from before an upgrade hold what was there when they were made.',
    ...(files.length === 0 ? [] : [`Files of removals may hold hits of the person, too: ${files.join(', ')}.`]),
  ];
  return {
    json: { site: site.domain, visits, hits, days, rules: gone, rulesKept, dryRun, removalFiles: files },
    text: dryRun
      ? `Would erase ${counts} of ${site.domain}.`
      : [`Erased ${counts} of ${site.domain}.`, ...others].join('\n'),
  };
};
