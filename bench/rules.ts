/**
 * What does a rule that leaves hits out cost? The same questions are asked of the same sealed days
 * without a rule, and with one that leaves out about one hit of a hundred on every day:
 *
 *     npm run bench -- rules [--hits 10000000] [--rounds 5]
 *
 * `first` is the first question under the rule in a process that has read the days, when the hits
 * that the rule is about are looked for. Times are those of the processor.
 */
import { dayMs } from '../src/model/time.ts';
import { addRule } from '../src/query/removal-rules/hits-of-rule.ts';
import { openDatabase } from '../src/store/database.ts';
import { rules } from '../src/store/removal-rules.ts';
import { withCopyOf } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { median, rounded } from '../test/tools/statistics.ts';
import { usualPages } from './generate.ts';
import { sealedData } from './query-data.ts';
import { runTrial } from './trials.ts';

const [days, firstDay] = [30, 20_000];
/** Of which about one hit of a hundred is. */
const country = 'SZ';

export const run = async (args: readonly string[]): Promise<void> => {
  const { hits, rounds, isFull } = optionsOf(args, { hits: 10_000_000, rounds: 5 }, {});
  const data = sealedData({ seed: 1, hits, days, firstDay, cookies: 0, pages: usualPages });
  await withCopyOf(data, async dir => {
    const settings = {
      engine: 'daybook' as const,
      places: { data: dir, competitors: '', packages: '' },
      window: { from: firstDay * dayMs, to: (firstDay + days) * dayMs },
      words: { country: 'BK', path: '/blog/page-5' },
      only: [],
      rounds,
      ofProcessor: true,
    };
    const without = await runTrial(settings);
    const { made, undone } = makeRule(dir, settings.window);
    const under = await runTrial(settings);
    const ratios = under.results.map(({ warm }, i) => warm / without.results[i]!.warm);
    const rows = under.results.map(({ name, first, warm }, i) => {
      const { warm: before, first: firstBefore } = without.results[i]!;
      return [name, ...[firstBefore, first, before, warm, ratios[i]!].map(rounded)];
    });
    const table = markdownTable(['ms', 'first', 'first, rule', 'warm', 'warm, rule', 'ratio'], rows);
    const said = [
      `Making the rule took ${rounded(made)} ms, undoing it ${rounded(undone)} ms.`,
      `The median of the ratios is ${rounded(median(ratios))}, the highest ${rounded(Math.max(...ratios))}.`,
      `Memory at most: ${[without, under].map(({ peakBytes }) => `${Math.round(peakBytes / 1e6)} MB`).join(', with the rule ')}.`,
    ];
    publish('rules', `${table}\n\n${said.join(' ')} ${machine(Date.now())}`, isFull);
  });
};

/** Milliseconds that making and undoing it took; then makes it again. */
const makeRule = (dir: string, window: { from: number; to: number }): { made: number; undone: number } => {
  const db = openDatabase(dir);
  const table = rules(db);
  const siteId = db.prepare('select id from site').pluck().get() as number;
  const filters = [{ field: 'country' as const, operator: 'is' as const, negated: false, values: [country] }];
  const task = { siteId, ...window, filters, filtersText: `country=${country}`, period: 'all' };
  const make = (): number => addRule(table, { ...task, madeBy: null, reason: null }, window.to).id;
  const timed = <T>(work: () => T): [T, number] => {
    const begun = performance.now();
    return [work(), performance.now() - begun];
  };
  const [id, made] = timed(make);
  const [, undone] = timed(() => table.drop(siteId, id));
  make();
  db.close();
  return { made, undone };
};
