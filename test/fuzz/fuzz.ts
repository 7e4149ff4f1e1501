/** Random, mutated and broken input for everything that takes input, the same for the same seed. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { chanceFrom, seedOf } from '../../src/cli/demo/random.ts';
import { answers } from './answers.ts';
import { columns } from './columns.ts';
import { families } from './families.ts';
import { agents, hits } from './hits.ts';
import { files, lines } from './lines.ts';
import { questions, requests } from './questions.ts';
import type { Target } from './target.ts';

export const targets: readonly Target[] = [hits, families, agents, lines, files, columns, questions, requests, answers];

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
