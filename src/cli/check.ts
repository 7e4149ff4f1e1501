/** `daybook check`: looks for damage. */
import { setImmediate as turn } from 'node:timers/promises';
import { checkDatabase } from '../store/maintenance/check.ts';
import { CommandError, command, jsonFlag } from './command.ts';
import { withExistingDatabase } from './open.ts';
import { counted, print } from './print.ts';
import { progressOf } from './progress.ts';

/** Problems that are printed; more of them say nothing more. */
const shownMax = 100;

export const check = command({
  name: 'check',
  operands: [],
  flags: jsonFlag,
  summary: 'Look for damage in the database',
  details:
    'It reads everything and changes nothing, and may run beside a server. It looks at the pages of the file, at every column of every\nday (checksum, length, order), and at whether what refers to something finds it.',
  run: (context, { flags }) =>
    withExistingDatabase(context, flags, async db => {
      const progress = progressOf(context);
      const problems: string[] = [];
      let [days, hits] = [0, 0];
      for (const step of checkDatabase(db)) {
        problems.push(...step.problems);
        days += step.days;
        hits += step.hits;
        progress.show(() => `${Math.floor(step.part * 100)} %`);
        await turn();
        if (context.signal.aborted) break;
      }
      progress.end();
      if (context.signal.aborted) throw new CommandError('Interrupted.');
      const looked = `Looked at ${counted(days, 'day')} with ${counted(hits, 'hit')}`;
      const found =
        problems.length === 0 ? `${looked}: all is well.` : `${problems.slice(0, shownMax).join('\n')}\n\n${looked}.`;
      print(
        context,
        flags.json,
        { ok: problems.length === 0, days, hits, problems: problems.slice(0, shownMax) },
        found,
      );
      if (problems.length > 0) {
        throw new CommandError(
          `${counted(problems.length, 'problem')} found: restore a backup, or ask for help with what is printed above.`,
        );
      }
    }),
});
