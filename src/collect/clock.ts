/** The collector's clock: UTC milliseconds that never go back over a midnight. */
import type { Log } from '../log.ts';
import { dayMs, utcDayName, utcDayOf } from '../model/time.ts';

/** Less is a clock that is put right all the time, by a little. */
const slackMs = 60_000;

/**
 * Time as `now` tells it, but never before the start of the newest day it has shown, nor of
 * `firstDay`. A day that is over may be sealed, and a sealed day takes no more hits, so a clock
 * that is set back must not lead into it again. Says in the log when that begins and ends.
 */
export const dayClock = (now: () => number, firstDay: number, log: Log) => {
  let start = firstDay * dayMs;
  let isAhead = false;
  const tell = (at: number): void => {
    isAhead = !isAhead;
    if (isAhead) log('clock-behind', { clock: new Date(at).toISOString(), hitsCountFor: utcDayName(utcDayOf(start)) });
    else log('clock-right');
  };
  const read = (): number => {
    const at = now();
    start = Math.max(start, utcDayOf(at) * dayMs);
    if (start > at + slackMs !== isAhead) tell(at);
    return Math.max(at, start);
  };
  return {
    read,
    /** How far it is ahead of `now`, mostly 0: hits count for a day that has not come. */
    aheadMs: (): number => read() - now(),
  };
};
