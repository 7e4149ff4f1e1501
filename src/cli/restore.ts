/** `daybook restore`: a data directory of what a server copied to BACKUP_TO. */
import { renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { placeOf, readConfig } from '../config.ts';
import { syncDirectory } from '../store/copies/directory.ts';
import { pointsIn } from '../store/copies/learn.ts';
import { keyOf, type Objects, objects } from '../store/copies/objects.ts';
import { openPlace } from '../store/copies/open-place.ts';
import { predecessorIn } from '../store/copies/owner.ts';
import { pageState, saveDigests } from '../store/copies/page-state.ts';
import type { Place } from '../store/copies/place.ts';
import { type PointName, pointName } from '../store/copies/points.ts';
import { notePredecessor } from '../store/copies/predecessor.ts';
import { openPoint, writeDatabase } from '../store/copies/restore.ts';
import {
  databaseExists,
  databaseFile,
  deleteDatabase,
  lockDataDir,
  lockFileIn,
  makeWritable,
} from '../store/database.ts';
import { damageIn } from '../store/maintenance/check.ts';
import { CommandError, type Context, command, type Opened, UsageError } from './command.ts';
import { settingFlag, switchFlag, textFlag } from './flags.ts';
import { counted, formatTime, isoTime } from './format.ts';
import { unlessAsked, withProgress } from './long-work.ts';

export const restore = command({
  name: 'restore',
  flags: {
    from: textFlag('PLACE', 'The place, as in BACKUP_TO; by default that of BACKUP_TO'),
    at: textFlag(
      'TIME',
      'Restore the newest copy that is not younger, such as 2026-11-22T10:30:00Z; by default the newest of all',
    ),
    list: switchFlag('Only list the copies that there are'),
    'backup-key': settingFlag('backupKey'),
    'aws-region': settingFlag('awsRegion'),
  },
  summary: 'Make a data directory from the copies that a server kept',
  details: `It writes the database into the data directory, which must have none, and checks it. A server can start with it at once, and goes
on with the copies, unless another one still writes to the place. The copy holds no salt: the visitors of the day on which it was made
count as new.`,
  database: 'none',
  run: async (context, { flags }) => {
    const config = readConfig(context.env, flags);
    const to = placeOf({ ...config, backupTo: flags.from ?? config.backupTo });
    if (to === null) throw new UsageError('Say where the copies are: --from PLACE, or BACKUP_TO.');
    const place = heard(context, openPlace(to));
    const points = await pointsIn(place);
    if (points.length === 0) throw new CommandError(`There are no copies in ${to.to}.`);
    const names = points.map(({ at }) => isoTime(at)!);
    if (flags.list) return { json: names, text: names.join('\n') };

    const point = chosen(points, flags.at, context.now());
    const { dataDir } = context;
    if (databaseExists(dataDir))
      throw new CommandError(`${dataDir} has a database already: choose another with --data.`);
    const pages = await inDirectory(dataDir, () => write(context, place, objects(keyOf(to)), point));
    const text = `Restored ${dataDir} as it was at ${formatTime(point.at)} UTC: ${counted(pages, 'page')}. It is sound.`;
    return { json: { at: isoTime(point.at), dataDir }, text };
  },
});

const nothingDone = 'nothing was restored.';

/** The place for somebody who may stop: another server may take long to answer. */
const heard = (context: Context, place: Place): Place => ({
  ...place,
  list: folder => unlessAsked(context, place.list(folder), nothingDone),
  get: name => unlessAsked(context, place.get(name), nothingDone),
});

/** Works in a directory that is made if missing, and taken away again if the work fails. */
const inDirectory = async <T>(dataDir: string, work: () => Promise<T>): Promise<T> => {
  const first = makeWritable(dataDir);
  const unlock = lockDataDir(dataDir);
  let isDone = false;
  try {
    const result = await work();
    isDone = true;
    return result;
  } finally {
    unlock();
    if (!isDone && first !== undefined) {
      rmSync(lockFileIn(dataDir), { force: true });
      removeEmpty(resolve(dataDir), first);
    }
  }
};

/** Removes a directory and those above it up to another, unless something has been put there. */
const removeEmpty = (dir: string, last: string): void => {
  try {
    for (let made = dir; made.length >= last.length; made = dirname(made)) rmdirSync(made);
  } catch {
    // What is in it is not this command's.
  }
};

/** Writes the database, and what a server needs to go on copying. Returns the number of pages. */
const write = async (context: Opened<undefined>, place: Place, sealed: Objects, point: PointName): Promise<number> => {
  const { dataDir } = context;
  const predecessor = await predecessorIn(place, sealed);
  const partial = join(dataDir, 'restored.partial');
  deleteDatabase(partial);
  try {
    const opened = await openPoint(place, sealed, point);
    const [of, state] = [opened.packs.length, pageState()];
    const problems = await withProgress(context, nothingDone, async step => {
      await writeDatabase(place, sealed, opened, partial, {
        state,
        onBad(_, problem) {
          throw new CommandError(`${problem} Try an earlier copy with --at (see --list).`);
        },
        onStep: pages => {
          const { pageBytes } = opened;
          step({ unit: 'byte', verb: 'restored', count: pages * pageBytes, of: of * pageBytes });
        },
      });
      return damageIn(partial, ({ done }) => step(done));
    });
    if (problems.length > 0)
      throw new CommandError(`That copy is damaged: ${problems[0]} Try an earlier one with --at (see --list).`);
    // SQLite would take the log of a database that is gone for this one's.
    deleteDatabase(databaseFile(dataDir));
    saveDigests(dataDir, pointName(point), state.digests(of));
    if (predecessor !== null) notePredecessor(dataDir, predecessor);
    renameSync(partial, databaseFile(dataDir));
    await syncDirectory(dataDir);
    return of;
  } finally {
    deleteDatabase(partial);
  }
};

/** Throws for a time before the first copy or after now, and for what is no time. */
const chosen = (points: readonly PointName[], typed: string | undefined, now: number): PointName => {
  const newest = points.at(-1)!;
  if (typed === undefined) return newest;
  const wanted = Date.parse(typed);
  if (Number.isNaN(wanted)) throw new UsageError(`--at is "${typed}": it must look like 2026-11-22T10:30:00Z.`);
  // The clock of the server may have been ahead.
  if (wanted > Math.max(now, newest.at))
    throw new CommandError(
      `--at is ${isoTime(wanted)}, which is in the future. The newest copy is of ${isoTime(newest.at)}: leave --at out to restore it.`,
    );
  const found = points.findLast(({ at }) => at <= wanted);
  if (found === undefined) throw new CommandError(`The first copy is of ${isoTime(points[0]!.at)}.`);
  return found;
};
