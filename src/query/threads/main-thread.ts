/** Watches how busy the main thread is, which takes hits: so many query threads may work beside it, and so long they rest (core-slots.ts). */
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

/** How often it is looked, while there are questions. */
const lookMs = 50;
/** Of a shorter time, such as that between two questions, nothing can be told. A timer may come a little early. */
const toldFromMs = 40;
/** The part of its time that the main thread works, above which one core is left to it: some 1,300 hits a second. */
const busyAbove = 0.15;
/** From here on, some 3,500 hits a second, query threads rest for the longest; between the two the longer the busier it is. */
const busiestFrom = 0.25;
/**
 * Query threads rest at most so many times as long as they worked. On two cores with 5,000 hits a second the slowest hundredth of hits takes some 2.3 times as
 * long beside questions as without them where threads rest three times as long, and some 1.8 times where six times.
 */
const restsPerWorkMax = 6;

const restsPerWorkAt = (busy: number): number =>
  restsPerWorkMax * Math.min(1, (busy - busyAbove) / (busiestFrom - busyAbove));

export interface MainThreadWatchOptions {
  /** Of so many query threads. */
  threads: number;
  /** Has so many of them work at once, and where that is not all, rest so many times as long as they worked. */
  allow(count: number, restsPerWork: number): void;
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
  let busyBefore = 0;
  let looking: NodeJS.Timeout | undefined;
  const look = (): void => {
    const since = utilization(seen);
    if (since.active + since.idle >= toldFromMs) {
      seen = utilization();
      // Busy is who is found busy twice in a row: a single look may fall on a page's answers, or on the start.
      const busy = Math.min(busyBefore, since.utilization);
      busyBefore = since.utilization;
      if (busy > busyAbove) allow(besideHits, restsPerWorkAt(busy));
      else allow(threads, 0);
    }
    looking = isNeeded() ? setTimeout(look, lookMs).unref() : undefined;
  };
  return () => {
    if (looking === undefined) look();
  };
};
