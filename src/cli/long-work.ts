/** Long work: in small transactions, so that a server beside it goes on taking hits, and with a line on the terminal that tells how far it is. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from './command.ts';

/** How time passes, in milliseconds; tests have their own. */
export interface Pace {
  now(): number;
  rest(ms: number): Promise<void>;
}

const realPace: Pace = { now: () => performance.now(), rest: ms => wait(ms) };

/** Steps that are shorter go on together up to this, since a rest for each would make them last. */
const workMinMs = 5;
/** A writer that waits looks again after 100 ms at the latest. */
const restMaxMs = 100;

/**
 * Runs the steps with rests between them; `between` may throw to stop. Gives what they return.
 *
 * SQLite's writers do not queue: one that finds the file locked looks again after some milliseconds, the later the longer it has
 * waited, and must find it free then. So the file is left alone for as long as it was worked on.
 */
export const runSteps = async <T>(
  steps: Generator<void, T>,
  between: () => void = () => {},
  { now, rest }: Pace = realPace,
): Promise<T> => {
  let began = now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    between();
    const workedMs = now() - began;
    if (workedMs < workMinMs) continue;
    await rest(Math.min(workedMs, restMaxMs));
    began = now();
  }
};

export interface Progress {
  /** Shows a line in the place of the one before, but not more often than people can read. */
  show(text: () => string): void;
  /** Wipes the line away. */
  end(): void;
}

const everyMs = 200;

/** Does nothing where stderr is no terminal. */
export const progressOf = ({ stderr, isTerminal, now }: Context): Progress => {
  let shownAt = Number.NEGATIVE_INFINITY;
  const put = (text: string): void => {
    stderr.write(`\r${text}\x1b[K`);
  };
  return {
    show(text) {
      if (!isTerminal.stderr || now() - shownAt < everyMs) return;
      shownAt = now();
      put(text());
    },
    end() {
      if (shownAt !== Number.NEGATIVE_INFINITY) put('');
      shownAt = Number.NEGATIVE_INFINITY;
    },
  };
};
