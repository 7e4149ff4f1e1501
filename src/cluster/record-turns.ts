/** When what is recorded besides hits is brought to the cluster. */
import { utcDayOf } from '../model/time.ts';
import { type RecordShipper, recentMs } from './ship-records.ts';

const recordsEveryMs = 5000;
/** From one look at the last two days as a whole to the next. */
const compareEveryMs = 3600_000;
/** Hits wait no longer than this for days that are compared. */
const compareMs = 500;

export interface RecordTurns {
  /** Days before it were compared since records were last kept waiting for long. */
  comparedBefore(): number;
  /**
   * Sends what is to be sent by now, with the revision and the one after it; resolves with how many
   * slots. Rejects as the shipper does.
   */
  turn(now: number, revision: number): Promise<number>;
}

/**
 * Sends what is recorded besides hits, every few seconds; and whole days, as far as they are there
 * otherwise: the last two now and then, and all at the start and after an outage.
 */
export const recordTurns = (shipper: RecordShipper, node: number): RecordTurns => {
  // What the primary no longer has was removed. A collector forgets what has come.
  const options = { takesAway: node === 0 };
  let [turnedAt, comparedAt, nextDay] = [0, 0, 0];
  return {
    comparedBefore: () => nextDay,
    async turn(now, revision) {
      // A clock that is set back also leaves days to compare.
      const [sinceTurn, sinceCompared] = [Math.abs(now - turnedAt), Math.abs(now - comparedAt)];
      if (sinceTurn < recordsEveryMs) return 0;
      const today = utcDayOf(now);
      if (sinceTurn > recentMs) nextDay = shipper.firstDay() ?? today;
      let slots = await shipper.turn(now, revision);
      if (sinceCompared > compareEveryMs) {
        nextDay = Math.min(nextDay, today - 1);
        comparedAt = now;
      }
      const until = performance.now() + compareMs;
      for (; nextDay <= today && performance.now() < until; nextDay++)
        slots += await shipper.shipDay(nextDay, revision + 1, options);
      turnedAt = now;
      return slots;
    },
  };
};
