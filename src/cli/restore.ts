/** `daybook restore`: a data directory of what a server copied to BACKUP_TO. */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { placeOf, readConfig } from '../config.ts';
import { syncDirectory } from '../store/copies/directory.ts';
import { pointsIn } from '../store/copies/learn.ts';
import { keyOf, objects } from '../store/copies/objects.ts';
import { openPlace } from '../store/copies/open-place.ts';
import type { PointName } from '../store/copies/points.ts';
import { openPoint, problemsOf, writeDatabase } from '../store/copies/restore.ts';
import { databaseExists, databaseFile, deleteDatabase, lockDataDir } from '../store/database.ts';
import { CommandError, command, settingFlag, UsageError } from './command.ts';
import { counted, formatTime } from './format.ts';
import { progressOf } from './long-work.ts';

export const restore = command({
  name: 'restore',
  flags: {
    from: { kind: 'text', value: 'PLACE', meaning: 'The place, as in BACKUP_TO; by default that of BACKUP_TO' },
    at: {
      kind: 'text',
      value: 'TIME',
      meaning:
        'Restore the newest copy that is not younger, such as 2026-11-22T10:30:00Z; by default the newest of all',
    },
    list: { kind: 'switch', meaning: 'Only list the copies that there are' },
    'backup-key': settingFlag('backupKey'),
    'aws-region': settingFlag('awsRegion'),
  },
  summary: 'Make a data directory from the copies that a server kept',
  details: `It writes the database into the data directory, which must have none, and checks it. A server can start with it at once. The copy
holds no salt: the visitors of the day on which it was made count as new.`,
  database: 'none',
  run: async (context, { flags }) => {
    const config = readConfig(context.env, flags);
    const to = placeOf({ ...config, backupTo: flags.from ?? config.backupTo });
    if (to === null) throw new UsageError('Say where the copies are: --from PLACE, or BACKUP_TO.');
    const place = openPlace(to);
    const sealed = objects(keyOf(to));
    const points = await pointsIn(place);
    if (points.length === 0) throw new CommandError(`There are no copies in ${to.to}.`);
    const names = points.map(({ at }) => new Date(at).toISOString());
    if (flags.list) return { json: names, text: names.join('\n') };

    const point = chosen(points, flags.at);
    const { dataDir } = context;
    if (databaseExists(dataDir))
      throw new CommandError(`${dataDir} has a database already: choose another with --data.`);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const unlock = lockDataDir(dataDir);
    const partial = join(dataDir, 'restored.partial');
    const progress = progressOf(context);
    deleteDatabase(partial);
    try {
      const opened = await openPoint(place, sealed, point);
      await writeDatabase(place, sealed, opened, partial, {
        onBad(_, problem) {
          throw new CommandError(`${problem} Try an earlier copy with --at (see --list).`);
        },
        onStep(part) {
          if (context.signal.aborted) throw new CommandError('Interrupted: nothing was restored.');
          progress.show(() => `${Math.floor(part * 100)} %`);
        },
      });
      const problems = problemsOf(partial);
      if (problems.length > 0)
        throw new CommandError(`That copy is damaged: ${problems[0]} Try an earlier one with --at (see --list).`);
      // SQLite would take the log of a database that is gone for this one's.
      deleteDatabase(databaseFile(dataDir));
      renameSync(partial, databaseFile(dataDir));
      await syncDirectory(dataDir);
      const text = `Restored ${dataDir} as it was at ${formatTime(point.at)} UTC: ${counted(opened.packs.length, 'page')}. It is sound.`;
      return { json: { at: new Date(point.at).toISOString(), dataDir }, text };
    } finally {
      progress.end();
      deleteDatabase(partial);
      unlock();
    }
  },
});

/** Throws for a time before the first copy, and for what is no time. */
const chosen = (points: readonly PointName[], typed: string | undefined): PointName => {
  if (typed === undefined) return points.at(-1)!;
  const wanted = Date.parse(typed);
  if (Number.isNaN(wanted)) throw new UsageError(`--at is "${typed}": it must look like 2026-11-22T10:30:00Z.`);
  const found = points.findLast(({ at }) => at <= wanted);
  if (found === undefined) throw new CommandError(`The first copy is of ${new Date(points[0]!.at).toISOString()}.`);
  return found;
};
