/** `npm run fuzz -- worlds`: random worlds, the same for the same seed. */

import { startServers } from '../cluster/servers.ts';
import { withDirectory } from '../tools/directories.ts';
import { optionsOf } from '../tools/options.ts';
import { runWorld } from './world.ts';

/** Resolves with whether all answers were as they must be. */
export const runWorlds = async (given: readonly string[]): Promise<boolean> => {
  const args = given.filter(one => one !== '--cluster');
  if (args.length === given.length) return runAll(args, undefined);
  return withDirectory(async dir => {
    const servers = await startServers(dir, 1, 1);
    try {
      return await runAll(args, servers.address);
    } finally {
      await servers.close();
    }
  });
};

const runAll = async (args: readonly string[], clickhouse: string | undefined): Promise<boolean> => {
  const { worlds, steps, seed, skip } = optionsOf(args, { worlds: 20, steps: 40 }, { seed: 1, skip: '' });
  const sum = { worlds, failed: 0, steps: 0, questions: 0 };
  for (let number = seed; number < seed + worlds; number++) {
    try {
      const { questions } = await runWorld({
        ...{ seed: number, steps, skip: skip.split(',').map(Number) },
        // Each world has a database of its own.
        clickhouse: clickhouse?.replace('/daybook', `/world${number}`),
        ...(worlds === 1 && { tell: (line: string) => console.log(line) }),
      });
      if (worlds > 1) console.log(`seed ${number}: ${questions} questions`);
      sum.questions += questions;
      sum.steps += steps;
    } catch (error) {
      sum.failed++;
      console.error(`FAILED ${(error as Error).message}`);
    }
  }
  console.log(JSON.stringify(sum));
  return sum.failed === 0;
};
