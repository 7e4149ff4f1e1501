/** Long work: how far it is, how fast it goes and how long it will take. */
import { once } from 'node:events';
import type { WorkDone } from '../model/work-done.ts';
import { lockDataDir, lockImports, StoreError } from '../store/database.ts';
import { runSteps } from '../store/run-steps.ts';
import { CommandError, type Context } from './command.ts';
import { counted, formatBytes, formatCount } from './format.ts';

/** What long work needs of the world. */
type LongContext = Pick<Context, 'stderr' | 'isTerminal' | 'now' | 'signal'>;

/** On a terminal, where each line takes the place of the one before; and in what a script keeps. */
const [terminalMs, linesMs] = [200, 10_000];
/** Before that, nobody can tell how fast it goes. */
const tellsSpeedMs = 1000;

/**
 * A line that changes where stderr is a terminal, and elsewhere a line every ten seconds: of work
 * that is done sooner, a script hears nothing.
 */
export const progressOf = ({ stderr, isTerminal, now }: Pick<Context, 'stderr' | 'isTerminal' | 'now'>) => {
  const everyMs = isTerminal.stderr ? terminalMs : linesMs;
  let shownAt = isTerminal.stderr ? Number.NEGATIVE_INFINITY : now();
  let isShown = false;
  let began: { at: number; from: WorkDone } | undefined;
  const put = (text: string): void => {
    stderr.write(isTerminal.stderr ? `\r${text}\x1b[K` : `${text}\n`);
  };
  return {
    /** Says how far the work is, but not more often than people can read. */
    show(state: WorkDone) {
      const at = now();
      if (began?.from.verb !== state.verb) began = { at, from: state };
      if (at - shownAt < everyMs) return;
      shownAt = at;
      isShown = true;
      put(textOf(state, began.from, at - began.at));
    },
    /** Clears the line. */
    end() {
      if (isShown && isTerminal.stderr) put('');
      isShown = false;
    },
  };
};

/** `meaning` says what it means for whoever stopped the work. */
const interrupted = (meaning: string): CommandError => new CommandError(`Interrupted: ${meaning}`);

/** Throws when the work is to stop. */
export const stopIfAsked = ({ signal }: Pick<Context, 'signal'>, meaning: string): void => {
  if (signal.aborted) throw interrupted(meaning);
};

/**
 * Runs work that calls `step` now and then: that shows how far it is, where it says so, and throws
 * when the work is to stop.
 */
export const withProgress = async <T>(
  context: LongContext,
  meaning: string,
  work: (step: (done?: WorkDone) => void) => Promise<T>,
): Promise<T> => {
  const progress = progressOf(context);
  try {
    return await work(done => {
      if (done !== undefined) progress.show(done);
      stopIfAsked(context, meaning);
    });
  } finally {
    progress.end();
  }
};

/** Runs steps beside a server. */
export const runShown = <T>(context: LongContext, steps: Generator<WorkDone, T>, meaning: string): Promise<T> =>
  withProgress(context, meaning, step => runSteps(steps, step));

/** As runShown, for steps that count days; `verb` says what is done with each. */
export const runDays = <T>(
  context: LongContext,
  steps: Generator<{ done: number; of: number }, T>,
  verb: string,
  meaning: string,
): Promise<T> =>
  withProgress(context, meaning, step =>
    runSteps(steps, ({ done: count, of }) => step({ unit: 'day', verb, count, of })),
  );

/** Locks a data directory, and gives what lets go of it; null where a server runs on it. */
export const lockUnlessServed = (dataDir: string): (() => void) | null => {
  try {
    return lockDataDir(dataDir);
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
};

/** Works while nothing else imports hits or puts removed ones back. */
export const withImportsLocked = async <T>(dataDir: string, work: () => Promise<T>): Promise<T> => {
  const unlock = lockImports(dataDir);
  try {
    return await work();
  } finally {
    unlock();
  }
};

/** Whether a server runs on a data directory. */
export const isServed = (dataDir: string): boolean => {
  const unlock = lockUnlessServed(dataDir);
  unlock?.();
  return unlock === null;
};

/**
 * What work gives that may wait for a disk or another server. When it is to stop, this throws at
 * once, and the work is left where it is: the process ends, and what it has begun must bear that.
 */
export const unlessAsked = async <T>(
  context: Pick<Context, 'signal'>,
  work: Promise<T>,
  meaning: string,
): Promise<T> => {
  const { signal } = context;
  const settled = new AbortController();
  const asked = async (): Promise<never> => {
    if (!signal.aborted) await once(signal, 'abort', { signal: settled.signal });
    throw interrupted(meaning);
  };
  try {
    return await Promise.race([work, asked()]);
  } finally {
    settled.abort();
  }
};

/** As unlessAsked, for each thing that work yields. */
export async function* eachUnlessAsked<T>(
  context: Pick<Context, 'signal'>,
  work: AsyncIterable<T>,
  meaning: string,
): AsyncGenerator<T> {
  const steps = work[Symbol.asyncIterator]();
  while (true) {
    const step = await unlessAsked(context, steps.next(), meaning);
    if (step.done) return;
    yield step.value;
  }
}

/** `499,252 lines read (26 %), 36,700 a second, about 2 min left`. */
const textOf = (state: WorkDone, from: WorkDone, ms: number): string => {
  const { verb, count, of } = state;
  const part = partOf(state);
  const begun = partOf(from) ?? 0;
  const done = of === undefined ? amount(state, count) : `${number(state, count)} of ${amount(state, of)}`;
  const percent = part === null ? '' : ` (${Math.floor(part * 100)} %)`;
  if (ms < tellsSpeedMs) return `${done} ${verb}${percent}`;
  const speed = `, ${number(state, speedOf(count - from.count, ms))} a second`;
  const left = part === null || part <= begun ? '' : `, about ${duration((ms * (1 - part)) / (part - begun))} left`;
  return `${done} ${verb}${percent}${speed}${left}`;
};

const partOf = ({ count, of, part }: WorkDone): number | null =>
  part !== undefined || of === undefined ? (part ?? null) : of === 0 ? 1 : count / of;

const number = ({ unit }: WorkDone, count: number): string =>
  unit === 'byte' ? formatBytes(count) : formatCount(count);
const amount = ({ unit }: WorkDone, count: number): string =>
  unit === 'byte' ? formatBytes(count) : counted(count, unit);

/** Three digits, since more would flicker. */
const speedOf = (count: number, ms: number): number => {
  const speed = (count * 1000) / ms;
  return speed < 100 ? Number(speed.toPrecision(2)) : Math.round(Number(speed.toPrecision(3)));
};

const duration = (ms: number): string => {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 6) / 10} h`;
};
