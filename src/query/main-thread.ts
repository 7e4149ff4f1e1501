/** Looks how busy the main thread is, which takes hits, and so how many query threads may work beside it (core-slots.ts). */
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

/** How often it is looked, while there are questions. */
const lookMs = 50;
/** The part of its time that the main thread works, above which one core is left to it: some 2,500 hits a second, or a page's answers. */
const busyAbove = 0.15;

export interface MainThreadWatchOptions {
  /** Of so many query threads. */
  threads: number;
  /** Has so many of them work at once. */
  allow(count: number): void;
  /** Whether some of them work. */
  isNeeded(): boolean;
  /** Of the machine; others for tests, as the next. */
  cores?: number;
  /** As Node's own of the main thread. */
  utilization?: typeof performance.eventLoopUtilization;
}

/** Returns what is to be called when query threads begin to work: it looks for as long as they do. */
export const watchMainThread = ({
  threads,
  allow,
  isNeeded,
  cores = availableParallelism(),
  utilization = since => performance.eventLoopUtilization(since),
}: MainThreadWatchOptions): (() => void) => {
  const besideHits = Math.min(Math.max(1, cores - 1), threads);
  let seen = utilization();
  let looking: NodeJS.Timeout | undefined;
  const look = (): void => {
    const since = utilization(seen);
    // Of a shorter time, such as that between two questions, nothing can be told.
    if (since.active + since.idle >= lookMs) {
      seen = utilization();
      allow(since.utilization > busyAbove ? besideHits : threads);
    }
    looking = isNeeded() ? setTimeout(look, lookMs).unref() : undefined;
  };
  return () => {
    if (looking === undefined) look();
  };
};
