/** Long work in small transactions, so that a server beside it goes on taking hits. */
import { setTimeout as wait } from 'node:timers/promises';

/** SQLite's writers do not queue: one that finds the file locked looks again after some milliseconds, and must find it free then. */
const restMs = 5;

/** Runs the steps with a rest after each; `between` may throw to stop. Gives what they return. */
export const runSteps = async <T>(steps: Generator<void, T>, between: () => void = () => {}): Promise<T> => {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    between();
    await wait(restMs);
  }
};
