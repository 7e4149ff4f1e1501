/**
 * `npm run fuzz`: random and broken input for everything that takes input, a million cases by default, the same for the same seed.
 *
 *     npm run fuzz [-- --cases 1000000] [--seed 1] [--only hits] [--from CASE]
 *
 * A case that fails is named with its seed and number; `--only NAME --seed S --from N --cases 1` runs it again. After each
 * target memory is looked at: what is kept must not grow with the number of cases. A whole run puts its figures into docs/benchmarks.md.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { chanceFrom, seedOf } from '../src/cli/demo/random.ts';
import { answers } from './fuzz/answers.ts';
import { columns } from './fuzz/columns.ts';
import { agents, hits } from './fuzz/hits.ts';
import { files, lines } from './fuzz/lines.ts';
import { questions, requests } from './fuzz/questions.ts';
import type { Target } from './fuzz/target.ts';
import { chosen, optionsOf } from './options.ts';
import { machine, markdownTable, publish } from './results.ts';

export const targets: readonly Target[] = [hits, agents, lines, files, columns, questions, requests, answers];

export interface FuzzOptions {
  seed: number;
  /** Of this target. */
  cases: number;
  /** Number of the first case. */
  from?: number;
}

/** Live memory may grow by this from the first third of the cases to the last: caches fill until they are full. */
const growthBytesMax = 96 * 2 ** 20;

/** Runs the cases of a target; throws at the first that fails, with its number. */
export const fuzz = async ({ name, lanes, open }: Target, { seed, cases, from = 0 }: FuzzOptions): Promise<void> => {
  const trial = await open();
  let next = from;
  let early = 0;
  const lane = async (): Promise<void> => {
    while (next < from + cases) {
      const number = next++;
      if (number === from + Math.floor(cases / 3)) early = liveBytes();
      try {
        const ended = trial.one(chanceFrom(seedOf(seed, number)));
        if (ended !== undefined) await ended;
      } catch (error) {
        next = Number.POSITIVE_INFINITY;
        throw new Error(`${name}, seed ${seed}, case ${number}: ${(error as Error).stack}`);
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  const failed = ended.find(end => end.status === 'rejected');
  if (failed !== undefined) {
    // Nothing more is asked of what failed already, than that it lets go.
    await Promise.resolve(trial.close()).catch(() => {});
    throw failed.reason;
  }
  const growth = liveBytes() - early;
  if (growth > growthBytesMax) throw new Error(`${name}: memory grew by ${Math.round(growth / 2 ** 20)} MiB.`);
  await trial.close();
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is in use after everything else was let go. */
const liveBytes = (): number => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

export const run = async (): Promise<void> => {
  const { cases: all, seed, only, from, isFull } = optionsOf({ cases: 1_000_000 }, { seed: 1, only: '', from: 0 });
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
};
