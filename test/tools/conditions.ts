/** What must hold, now or before long. */
import { setTimeout as wait } from 'node:timers/promises';

const tickMs = 20;

/** Throws with the sentence unless the condition holds. */
export function must(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(sentence);
}

/**
 * Waits until the condition holds; throws with the sentence when it takes longer than `forMs`. It counts turns, so that it
 * does not take a machine which was asleep, and its programs with it, for a server that hangs.
 */
export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  forMs = 60_000,
): Promise<void> => {
  for (let turn = 0; turn < forMs / tickMs; turn++) {
    if (await condition()) return;
    await wait(tickMs);
  }
  throw new Error(`${what}: not within ${forMs / 1000} s.`);
};
