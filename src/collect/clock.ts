/** The collector's clock: UTC milliseconds that never go back over a midnight. */
import { dayMs, utcDayOf } from '../model/time.ts';

/**
 * Time as `now` tells it, but never before the start of the newest day it has shown, nor of
 * `firstDay`. A day that is over may be sealed, and a sealed day takes no more hits, so a clock
 * that is set back must not lead into it again.
 */
export const dayClock = (now: () => number, firstDay: number): (() => number) => {
  let start = firstDay * dayMs;
  return () => {
    const at = now();
    start = Math.max(start, utcDayOf(at) * dayMs);
    return Math.max(at, start);
  };
};
