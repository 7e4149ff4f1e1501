/** What must hold, now or before long. */
import { setTimeout as wait } from 'node:timers/promises';

const tickMs = 20;
const pauseMsMax = 250;

/** Throws with the sentence unless the condition holds. */
export function must(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(sentence);
}

/**
 * Waits until the condition holds; throws with the sentence when it takes longer than `forMs`. It counts pauses, so that it
 * does not take a machine which was asleep, and its programs with it, for a server that hangs. A condition that is dear
 * is looked at less often, so that it leaves the processor to what it waits for.
 */
export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  forMs = 60_000,
): Promise<void> => {
  for (let waitedMs = 0; waitedMs < forMs; ) {
    const began = performance.now();
    if (await condition()) return;
    const pauseMs = Math.min(pauseMsMax, Math.max(tickMs, 3 * (performance.now() - began)));
    await wait(pauseMs);
    waitedMs += pauseMs;
  }
  throw new Error(`${what}: not within ${forMs / 1000} s.`);
};
