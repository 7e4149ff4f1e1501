/** `npm run fuzz -- worlds`: random worlds, the same for the same seed. */
import { optionsOf } from '../tools/options.ts';
import { runWorld } from './world.ts';

export const runWorlds = async (args: readonly string[]): Promise<boolean> => {
  const { worlds, steps, seed, skip } = optionsOf(args, { worlds: 20, steps: 40 }, { seed: 1, skip: '' });
  const sum = { worlds: 0, failed: 0, questions: 0 };
  for (let number = 0; number < worlds; number++) {
    try {
      const isAlone = worlds === 1;
      const { questions } = await runWorld({
        ...{ seed: seed + number, steps, skip: skip.split(',').map(Number) },
        ...(isAlone && { tell: (line: string) => console.log(line) }),
      });
      sum.questions += questions;
    } catch (error) {
      sum.failed++;
      console.error(`FAILED ${(error as Error).message}`);
    }
    sum.worlds++;
  }
  console.log(JSON.stringify({ ...sum, steps }));
  return sum.failed === 0;
};
