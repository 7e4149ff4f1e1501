/** `daybook upgrade`: brings the database to this program's version, or says what it would take. */
import { upgradeOf } from '../store/database.ts';
import { rehearseUpgrade, upgradeDatabase } from '../store/maintenance/upgrade.ts';
import { command } from './command.ts';
import { switchFlag } from './flags.ts';
import { withProgress } from './long-work.ts';

export const upgrade = command({
  name: 'upgrade',
  flags: {
    check: switchFlag('Only try it on a copy, which goes away, and say what would change and how long it takes'),
  },
  summary: 'Bring the database to the version of this program',
  details: `A server does so by itself when it starts, and so does each command that writes. With --check nothing is changed, and a server of
the older version may run: use the new program on its data directory. The copy needs as much space as the database.`,
  database: 'find',
  run: async (context, { flags }) => {
    const { dataDir, now } = context;
    const { from, to, change } = upgradeOf(dataDir);
    if (change === null) {
      const text = `The database is of version ${to}, which is this program's. Nothing would change.`;
      return { json: { from, to, changes: [], seconds: 0 }, text };
    }
    const begun = now();
    const work = flags.check ? rehearseUpgrade : upgradeDatabase;
    await withProgress(context, 'nothing was changed.', onStep => work(dataDir, onStep));
    const seconds = (now() - begun) / 1000;
    const head = flags.check
      ? `The database is of version ${from}, this program's is ${to}. This would change:`
      : `The database was of version ${from} and is of ${to} now. This changed:`;
    const tail = flags.check
      ? `It took ${seconds.toFixed(1)} s on a copy. A server takes no hits for about as long when it starts, and keeps a copy of the old file.`
      : `It took ${seconds.toFixed(1)} s. The old file is beside it, as daybook.db.before-version-${to}.`;
    return { json: { from, to, changes: [change], seconds }, text: `${head}\n  ${change}\n${tail}` };
  },
});
