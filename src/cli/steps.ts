/** Long work in small transactions, so that a server beside it goes on taking hits. */
import { setTimeout as wait } from 'node:timers/promises';

/**
 * SQLite's writers do not queue: one that finds the file locked looks again after some milliseconds, and must find it free then. So the
 * file is left alone for as long as it was worked on, however small the steps are.
 */
const [workMs, restMs] = [5, 5];

/** Runs the steps with a rest every now and then; `between` may throw to stop. Gives what they return. */
export const runSteps = async <T>(steps: Generator<void, T>, between: () => void = () => {}): Promise<T> => {
  let began = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    between();
    if (performance.now() - began < workMs) continue;
    await wait(restMs);
    began = performance.now();
  }
};
