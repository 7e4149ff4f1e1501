/** `daybook backup`: a copy of everything, beside a running server. */
import { resolve } from 'node:path';
import { backUp } from '../store/maintenance/backup.ts';
import { command } from './command.ts';
import { switchFlag } from './flags.ts';
import { counted, formatBytes } from './format.ts';
import { withProgress } from './long-work.ts';

export const backup = command({
  name: 'backup',
  operands: { FILE: String },
  flags: {
    force: switchFlag('Replace the file if it exists'),
    'with-salt': switchFlag(
      'Copy the salt of the day too, so that visits go on where the copy is restored: to move to another machine',
    ),
    damaged: switchFlag('Keep the copy even if it is damaged'),
  },
  summary: 'Copy the whole database to a file',
  details: `It may run beside a server. The copy holds everything acknowledged before it began. It is checked as by daybook check, and gets its
name only if it is sound. Without --with-salt it holds no salt: where it is restored, the visitors of that day count as new. To restore, stop the server, delete daybook.db, daybook.db-wal and daybook.db-shm in the data
directory, and copy the file there as daybook.db.`,
  database: 'find',
  run: async (context, { operands: { FILE: file }, flags }) => {
    const options = { replace: flags.force, keepDamaged: flags.damaged, withSalt: flags['with-salt'] };
    const { bytes, problems } = await withProgress(context, 'no backup was made.', onStep =>
      backUp(context.dataDir, resolve(file), { ...options, onStep }),
    );
    const verdict = problems.length === 0 ? 'The copy is sound' : `The copy has ${counted(problems.length, 'problem')}`;
    return { json: { file, bytes, problems }, text: `Copied ${formatBytes(bytes)} to ${file}. ${verdict}.` };
  },
});
