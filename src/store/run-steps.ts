/**
 * Long work beside a server that takes hits, in small steps with rests between them.
 */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Database } from './database.ts';

/** How time passes, in milliseconds; tests have their own. */
export interface StepPace {
  now(): number;
  rest(ms: number): Promise<void>;
}

const realPace: StepPace = { now: () => performance.now(), rest: ms => wait(ms) };

/** Shorter steps run together up to this: a rest after each would make the work last. */
const workMinMs = 5;
/** A waiting writer looks again after 100 ms at the latest. */
const restMaxMs = 100;

/**
 * Runs the steps with rests between them, and gives what they return. `between` may throw to stop.
 *
 * SQLite's writers do not queue. One that finds the file locked looks again some milliseconds
 * later, at growing intervals, and must find it free then. So each rest is as long as the work
 * before it.
 */
export const runSteps = async <Step, T>(
  steps: Generator<Step, T>,
  between: (step: Step) => void = () => {},
  { now, rest }: StepPace = realPace,
): Promise<T> => {
  let began = now();
  try {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value;
      between(step.value);
      const workedMs = now() - began;
      if (workedMs < workMinMs) continue;
      await rest(Math.min(workedMs, restMaxMs));
      began = now();
    }
  } finally {
    // Steps that are stopped let go of what they have open.
    steps.return(undefined as T);
  }
};

/** Steps between two looks at the log, which nobody else keeps short. */
const stepsPerCheckpoint = 500;
/** How long signals wait to be heard. */
const turnEveryMs = 100;

/** As runSteps, where no server runs: without rests. Signals are heard all the same. */
export const runStepsAlone =
  (db: Database) =>
  async <Step>(steps: Generator<Step>, between: (step: Step) => void): Promise<void> => {
    let count = 0;
    let turnedAt = performance.now();
    for (const step of steps) {
      between(step);
      if (++count % stepsPerCheckpoint === 0) db.pragma('wal_checkpoint(truncate)');
      if (performance.now() - turnedAt < turnEveryMs) continue;
      await turn();
      turnedAt = performance.now();
    }
    db.pragma('wal_checkpoint(truncate)');
  };
