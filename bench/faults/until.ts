import { setTimeout as wait } from 'node:timers/promises';

const tickMs = 50;

/**
 * Waits until the condition holds; throws with the sentence when it takes longer than `forMs`. Counted in turns, so that a machine which was
 * asleep, and its programs with it, is not taken for a server that hangs.
 */
export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  forMs = 15_000,
): Promise<void> => {
  for (let turn = 0; turn < forMs / tickMs; turn++) {
    if (await condition()) return;
    await wait(tickMs);
  }
  throw new Error(`${what}: not within ${forMs / 1000} s.`);
};
