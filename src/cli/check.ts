/** `daybook check`: looks for damage. */
import { setImmediate as turn } from 'node:timers/promises';
import { checkDatabase } from '../store/maintenance/check.ts';
import { checkSums } from './check-sums.ts';
import { command } from './command.ts';
import { counted } from './format.ts';
import { withProgress } from './long-work.ts';

/** Problems that are printed; more of them say nothing more. */
const shownMax = 100;

export const check = command({
  name: 'check',
  summary: 'Check the database for damage',
  details: `It reads everything, changes nothing and may run beside a server. It checks the pages of the file, every column of every day
(checksum, length, order), that every reference leads somewhere, and that the sums kept of some days are right.`,
  run: async context => {
    const problems: string[] = [];
    let [days, hits] = [0, 0];
    await withProgress(context, 'not all was checked.', async step => {
      for (const found of checkDatabase(context.db)) {
        problems.push(...found.problems);
        days += found.days;
        hits += found.hits;
        await turn();
        step(found.done);
      }
      for await (const wrong of checkSums(context.db, end => context.random(4).readUInt32LE() % end)) {
        problems.push(...wrong);
        step();
      }
    });
    const checked = `Checked ${counted(days, 'day')} with ${counted(hits, 'hit')}`;
    const shown = problems.slice(0, shownMax);
    const ok = problems.length === 0;
    return {
      json: { ok, days, hits, problems: shown },
      text: ok ? `${checked}: no damage found.` : `${shown.join('\n')}\n\n${checked}.`,
      failure: ok
        ? undefined
        : `${counted(problems.length, 'problem')} found: restore a backup, or report what is printed above.`,
    };
  },
});
