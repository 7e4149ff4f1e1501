/** Time on page: runs while the page is visible. */
import { durationMsMax } from '../src/model/limits.ts';

export interface Clock {
  /** Runs from now, unless it does, or nobody sees the page. */
  start(): void;
  /** Milliseconds that it ran, at most 30 minutes; 0 if it did not. */
  stop(): number;
}

export const createClock = (now: () => number, isVisible: () => boolean): Clock => {
  let startedAt: number | undefined;
  return {
    start() {
      if (isVisible()) startedAt ??= now();
    },
    stop() {
      const ms = now() - (startedAt ?? now());
      startedAt = undefined;
      return Math.min(Math.round(ms), durationMsMax);
    },
  };
};
