/** Time on page: runs while the page is visible. */
import { durationMsMax } from '../src/model/limits.ts';

export interface Clock {
  /**
   * Milliseconds that the page was visible since the last call, at most 30 minutes; starts again
   * when `visible`.
   */
  lap(visible: boolean): number;
}

export const createClock = (now: () => number): Clock => {
  let startedAt: number | undefined;
  return {
    lap(visible) {
      const at = now();
      const ms = Math.round(at - (startedAt ?? at));
      startedAt = visible ? at : undefined;
      return Math.min(ms, durationMsMax);
    },
  };
};
