/**
 * `npm run fuzz`: random and broken input for everything that takes input, a million cases by default, the same for the same seed.
 *
 *     npm run fuzz [-- --cases 1000000] [--seed 1] [--only hits] [--from CASE]
 *
 * A case that fails is named with its seed and number; `--only NAME --seed S --from N --cases 1` runs it again. After each
 * target memory is looked at: what is kept must not grow with the number of cases.
 */
import { parseArgs } from 'node:util';
import { chanceFrom, seedOf } from '../src/cli/demo/random.ts';
import { answers } from './fuzz/answers.ts';
import { columns } from './fuzz/columns.ts';
import { agents, hits } from './fuzz/hits.ts';
import { files, lines } from './fuzz/lines.ts';
import { questions, requests } from './fuzz/questions.ts';
import type { Target } from './fuzz/target.ts';

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

/** What is in use after everything else was let go; without `--expose-gc` nobody can tell. */
const liveBytes = (): number => {
  if (globalThis.gc === undefined) return 0;
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const run = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
      from: { type: 'string', default: '0' },
    },
  });
  const [all, seed, from] = [Number(values.cases), Number(values.seed), Number(values.from)];
  const chosen = targets.filter(({ name }) => values.only === '' || name === values.only);
  let failed = false;
  for (const target of chosen) {
    const cases = values.only === '' ? Math.ceil(all * target.share) : all;
    const began = performance.now();
    try {
      await fuzz(target, { seed, cases, from });
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      console.log(`${target.name.padEnd(10)} ${cases.toLocaleString('en-US').padStart(9)} cases in ${seconds} s`);
    } catch (error) {
      failed = true;
      console.error(`FAILED ${(error as Error).message}`);
    }
  }
  process.exit(failed ? 1 : 0);
};

if (process.argv[1]?.endsWith('fuzz.ts')) await run();
