/**
 * `npm run fuzz`: a million cases of random and broken input by default, the same for the same seed.
 *
 *     npm run fuzz [-- --cases 1000000] [--seed 1] [--only hits] [--from CASE]
 *
 * A case that fails is named with its seed and number; `--only NAME --seed S --from N --cases 1` runs it again. After each target it
 * looks at the memory: what is kept must not grow with the number of cases. A whole run puts its figures into docs/benchmarks.md.
 *
 *     npm run fuzz -- worlds [--seed 1] [--worlds 20] [--steps 40]
 *
 * runs random worlds (test/worlds/). One that fails prints its steps: `--seed S --worlds 1 --steps N` runs it again up to there, and
 * `--skip 3,5` leaves steps out while all others stay as they are.
 */
import { chosen, optionsOf } from '../tools/options.ts';
import { machine, markdownTable, publish } from '../tools/results.ts';
import { runWorlds } from '../worlds/main.ts';
import { fuzz, targets } from './fuzz.ts';

if (process.argv[2] === 'worlds') process.exit((await runWorlds(process.argv.slice(3))) ? 0 : 1);

const sizes = { cases: 1_000_000 };
const {
  cases: all,
  seed,
  only,
  from,
  isFull,
} = optionsOf(process.argv.slice(2), sizes, { seed: 1, only: '', from: 0 });
const tried = chosen(targets, only);
const rows: [string, number][] = [];
for (const target of tried) {
  const cases = only === '' ? Math.ceil(all * target.share) : all;
  const began = performance.now();
  try {
    await fuzz(target, { seed, cases, from });
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    rows.push([target.what, cases]);
    console.log(`${target.name.padEnd(10)} ${cases.toLocaleString('en-US').padStart(9)} cases in ${seconds} s`);
  } catch (error) {
    console.error(`FAILED ${(error as Error).message}`);
  }
}
const allPassed = rows.length === tried.length;
const table = markdownTable(['random and broken', 'cases'], rows);
publish('fuzz', `${table}\n\nSeed ${seed}. ${machine(Date.now())}`, isFull && allPassed && only === '');
process.exit(allPassed ? 0 : 1);
