/** One line on a terminal that tells how far a long command is. */
import type { Context } from './command.ts';

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
