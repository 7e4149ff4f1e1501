/** `daybook backup`: a copy of everything, beside a running server. */
import { resolve } from 'node:path';
import { backUp } from '../store/maintenance/backup.ts';
import { CommandError, command, jsonFlag } from './command.ts';
import { dataDirOf, requireDatabase } from './open.ts';
import { counted, formatBytes, print } from './print.ts';
import { progressOf } from './progress.ts';

export const backup = command({
  name: 'backup',
  operands: ['FILE'],
  flags: {
    force: { kind: 'switch', meaning: 'Replace the file if it is there' },
    damaged: { kind: 'switch', meaning: 'Keep the copy though damage is found in it' },
    ...jsonFlag,
  },
  summary: 'Copy the whole database to a file',
  details: `It may run beside a server, and holds what was acknowledged before it began. The copy is looked through as daybook check does,
and gets its name when it is sound. To restore, stop the server, delete daybook.db, daybook.db-wal and daybook.db-shm from the data
directory, and put the file there as daybook.db.`,
  run: async (context, { operands: [file], flags }) => {
    const dataDir = dataDirOf(context, flags);
    requireDatabase(dataDir);
    const progress = progressOf(context);
    try {
      const { bytes, problems } = await backUp(dataDir, resolve(file), {
        replace: flags.force,
        keepDamaged: flags.damaged,
        onStep(part) {
          if (context.signal.aborted) throw new CommandError('Interrupted: there is no backup.');
          progress.show(() => `${Math.floor(part * 100)} %`);
        },
      });
      progress.end();
      const verdict =
        problems.length === 0 ? 'and found it sound' : `though it has ${counted(problems.length, 'problem')}`;
      print(context, flags.json, { file, bytes, problems }, `Copied ${formatBytes(bytes)} to ${file}, ${verdict}.`);
    } finally {
      progress.end();
    }
  },
});
