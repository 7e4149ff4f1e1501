import { setTimeout as wait } from 'node:timers/promises';

/** Waits until the condition holds; throws with the sentence when it takes longer than `forMs`. */
export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  forMs = 15_000,
): Promise<void> => {
  for (const end = Date.now() + forMs; Date.now() < end; await wait(50)) if (await condition()) return;
  throw new Error(`${what}: not within ${forMs / 1000} s.`);
};
