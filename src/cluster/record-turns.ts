/** When what is recorded besides hits is brought to the cluster. */
import { utcDayOf } from '../model/time.ts';
import { type RecordShipper, recentMs } from './ship-records.ts';

const recordsEveryMs = 5000;
/** From one look at the last two days as a whole to the next. */
const compareEveryMs = 3600_000;
/** Hits wait no longer than this for days that are compared. */
const compareMs = 500;

export interface RecordTurns {
  /** Of days before it all is there, since records had to wait for long; 0 while unknown. */
  comparedBefore(): number;
  /** Sends what is to be sent by now. Rejects as the shipper does. */
  turn(now: number): Promise<void>;
}

/**
 * Sends what is recorded besides hits, every few seconds; and whole days, as far as they are there
 * otherwise: the last two now and then, and all at the start and after an outage.
 */
export const recordTurns = (shipper: RecordShipper): RecordTurns => {
  let [turnedAt, comparedAt, comparedTo] = [0, 0, -1];
  /** Days that are to be shipped; null before they are known. */
  let waiting: number[] | null = null;
  return {
    comparedBefore: () => (waiting === null ? 0 : (waiting[0] ?? comparedTo + 1)),
    async turn(now) {
      // A clock that is set back also leaves days to compare.
      const [sinceTurn, sinceCompared] = [Math.abs(now - turnedAt), Math.abs(now - comparedAt)];
      if (sinceTurn < recordsEveryMs) return;
      const today = utcDayOf(now);
      if (sinceTurn > recentMs) waiting = null;
      await shipper.turn(now);
      if (waiting === null || sinceCompared > compareEveryMs) {
        const first = waiting === null ? 0 : Math.min(waiting[0] ?? today, today - 1);
        waiting = await shipper.changedDays(first, today);
        [comparedAt, comparedTo] = [now, today];
      }
      const until = performance.now() + compareMs;
      while (waiting.length > 0 && performance.now() < until) {
        await shipper.shipDay(waiting[0]!);
        waiting.shift();
      }
      turnedAt = now;
    },
  };
};
