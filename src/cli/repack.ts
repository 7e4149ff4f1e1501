/** `daybook repack`: writes days that an earlier version sealed as this one seals them. */
import { type RepackStep, repack as repackDays } from '../store/maintenance/repack.ts';
import { runSteps, runStepsAlone } from '../store/run-steps.ts';
import { command } from './command.ts';
import { counted, formatBytes } from './format.ts';
import { isServed, withProgress } from './long-work.ts';

export const repack = command({
  name: 'repack',
  summary: 'Write days of earlier versions in less space',
  details: `Days that an earlier version sealed stay as they are until this command writes them anew. Nothing else about them changes: all
answers stay, and a cluster takes no day again. It may run beside a server, and may be stopped at any time: the next one goes on.

The file does not shrink: its space is used again. A copy (BACKUP_TO) takes all pages that were written, once.`,
  run: async context => {
    const { db, dataDir } = context;
    let { parts, before, after } = { parts: 0, before: 0, after: 0 };
    const meaning = 'days that are written anew stay so, and the next repack goes on.';
    await withProgress(context, meaning, async step => {
      const between = ({ done, ...sums }: RepackStep): void => {
        ({ parts, before, after } = sums);
        step(done);
      };
      if (isServed(dataDir)) await runSteps(repackDays(db), between);
      else await runStepsAlone(db)(repackDays(db), between);
    });
    const text =
      parts === 0
        ? 'Every sealed day is as this version writes it.'
        : `Wrote ${counted(parts, 'part')} of days anew: ${formatBytes(before)} became ${formatBytes(after)}.`;
    return { json: { parts, before, after }, text };
  },
});
