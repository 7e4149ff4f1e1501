/**
 * Keeps the write-ahead log short. Copying it into the database file is not enough: the log starts
 * over only with a commit that finds all of it copied and nobody reading from it. Under load there
 * is always a newer commit and mostly a reader. Hence three ways, each used only where the one
 * before was not enough:
 *
 * - Each second, what readers allow is copied while everything goes on.
 * - Above `logPagesMax`, commits pause while the rest is copied, so that the next one starts the
 *   log over if nobody reads.
 * - When the file is several times as large, or must be emptied, new questions wait until the
 *   running ones have ended. Then commits pause while the rest is copied, and the file is emptied.
 *
 * Hits never wait for a reader, and nothing waits for other programs that read: it is tried again
 * later.
 */
import type { Log } from '../../log.ts';
import type { LogState } from '../database.ts';

/** How the maintenance gets the collector's writer out of its way. */
export interface CommitGate {
  /** Resolves when every hit that arrived so far is committed. */
  idle(): Promise<void>;
  /** Commits wait, hits gather, until `resume`. */
  pause(): void;
  resume(): void;
}

/** How the maintenance gets questions out of its way. */
export interface QuestionGate {
  /**
   * New questions wait until `release`. Resolves with true when none reads any more; with false
   * when some still do after `patienceMs`, and then nothing is held.
   */
  hold(patienceMs: number): Promise<boolean>;
  release(): void;
}

export interface CheckpointOptions {
  /**
   * Copies the log; with `truncate` empties its file. Gives the pages that were in it, or null when
   * something was in the way.
   */
  copy: (truncate: boolean) => Promise<number | null>;
  /** Of the log's file. */
  logState: () => LogState;
  /** Called at each look at a log that has not changed for long: what copies it may end. */
  rest: () => void | Promise<void>;
  commits: Pick<CommitGate, 'pause' | 'resume'>;
  questions: QuestionGate;
  /** Runs what must not happen while the maintenance itself reads. */
  alone: (work: () => Promise<boolean>) => Promise<boolean>;
  log: Log;
  logPagesMax: number;
  patienceMinMs: number;
  restFactor: number;
}

export type Checkpoints = ReturnType<typeof keepLogShort>;

const pageBytes = 4096;
/** A log that is the same at so many looks is left alone. Each look before has copied it. */
const quietLooks = 30;
/**
 * Times `logPagesMax`, as the size of the file above which questions wait: 256 MiB. Below it
 * commits mostly find a moment without a reader by themselves; above it the log costs more than the
 * tenth of a second that questions wait.
 */
const emptyFactor = 4;
/**
 * Patience doubles after each try that failed, up to this. No question runs for longer than its
 * deadline, so in the end even a long one is waited for.
 */
const patienceMaxMs = 60_000;

export const keepLogShort = (options: CheckpointOptions) => {
  const { copy, logState, logPagesMax } = options;
  const isLarge = (): boolean => logState().bytes > emptyFactor * logPagesMax * pageBytes;
  const looks = countLooks(logState);
  const copying = pausedCopies(options);
  const emptying = patientEmptying(options, copying.empty, isLarge);
  let mustEmpty = false;

  return {
    /**
     * One look at the log, and what follows from it. Rejects when the disk refused; not to be
     * called before it has ended.
     */
    async run() {
      if (looks() > quietLooks && !mustEmpty && !isLarge()) return await options.rest();
      const logPages = await copy(false);
      if ((mustEmpty || isLarge()) && !emptying.isResting()) {
        // Before and not after, since what is to go may come into the log while it is being
        // emptied.
        mustEmpty = false;
        let isEmpty = false;
        try {
          isEmpty = await emptying.run();
        } finally {
          mustEmpty ||= !isEmpty;
        }
      } else if (logPages !== null && logPages > logPagesMax) await copying.finish(false);
    },
    /** Has the file emptied as soon as readers allow, however short it is. */
    emptySoon() {
      mustEmpty = true;
    },
  };
};

/** A function that counts, each time it is called, how often in a row the log was the same. */
const countLooks = (logState: () => LogState): (() => number) => {
  let last: LogState | undefined;
  let count = 0;
  return () => {
    const state = logState();
    count = state.bytes === last?.bytes && state.changedAt === last.changedAt ? count + 1 : 0;
    last = state;
    return count;
  };
};

/**
 * Copies of the log while commits, or commits and questions, are out of the way. Each tells whether
 * nothing was in the way.
 */
const pausedCopies = ({ copy, commits, questions }: CheckpointOptions) => {
  const finish = async (truncate: boolean): Promise<boolean> => {
    commits.pause();
    try {
      return (await copy(truncate)) !== null;
    } finally {
      commits.resume();
    }
  };
  const empty = async (patienceMs: number): Promise<boolean> => {
    if (!(await questions.hold(patienceMs))) return false;
    try {
      // What those questions kept from being copied, while hits go on.
      await copy(false);
      return await finish(true);
    } finally {
      questions.release();
    }
  };
  return { finish, empty };
};

/**
 * Empties the log, with more patience after each try that failed, and rests in between. Logs when a
 * large log cannot be emptied.
 */
const patientEmptying = (
  { alone, log, logState, patienceMinMs, restFactor }: CheckpointOptions,
  empty: (patienceMs: number) => Promise<boolean>,
  isLarge: () => boolean,
) => {
  let patienceMs = patienceMinMs;
  let isResting = false;
  let isReported = false;

  const rest = (): void => {
    isResting = true;
    const wake = (): void => {
      isResting = false;
    };
    setTimeout(wake, restFactor * patienceMs).unref();
    patienceMs = Math.min(2 * patienceMs, patienceMaxMs);
  };

  return {
    isResting: () => isResting,
    async run(): Promise<boolean> {
      const { bytes } = logState();
      const isEmpty = await alone(() => empty(patienceMs));
      if (isEmpty) {
        if (isReported) log('log-emptied', { bytes });
        [isReported, patienceMs] = [false, patienceMinMs];
        return true;
      }
      rest();
      if (!isReported && isLarge()) {
        isReported = true;
        log('log-held', { bytes });
      }
      return false;
    },
  };
};
