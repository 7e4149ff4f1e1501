/** Long work: a line on the terminal that shows progress. */
import type { Context } from './command.ts';

export interface Progress {
  /** Replaces the line, but not more often than people can read. */
  show(text: () => string): void;
  /** Clears the line. */
  end(): void;
}

const everyMs = 200;

/** Does nothing if stderr is not a terminal. */
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
