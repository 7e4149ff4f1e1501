/**
 * Counts what somebody does, so that nobody does it too often, such as trying passwords. Kept in
 * memory alone: a restart forgets it.
 */
import { type ErrorCode, HttpError } from './errors.ts';

export type RateLimit = ReturnType<typeof createRateLimit>;

export interface RateLimitOptions {
  now: () => number;
  /** Attempts in one window. A window begins with its first attempt. */
  max: number;
  windowMs: number;
  /**
   * While so many keys have a window, no other may try. By default, whoever counts bounds how many
   * there are.
   */
  keysMax?: number;
}

/**
 * Remembers a key until its window is over and never drops one before, so that nobody can make it
 * forget another.
 */
export const createRateLimit = ({ now, max, windowMs, keysMax = Number.POSITIVE_INFINITY }: RateLimitOptions) => {
  // In the order in which the windows began: a key whose window begins again moves to the end.
  const windows = new Map<string, { since: number; count: number }>();

  const open = (key: string): { since: number; count: number } | undefined => {
    const window = windows.get(key);
    return window !== undefined && now() < window.since + windowMs ? window : undefined;
  };

  const dropOver = (): void => {
    for (const oldest of windows.keys()) {
      if (open(oldest) !== undefined) break;
      windows.delete(oldest);
    }
  };

  const begin = (key: string): { since: number; count: number } => {
    windows.delete(key);
    dropOver();
    const begun = { since: now(), count: 0 };
    windows.set(key, begun);
    return begun;
  };

  const waitMs = (key: string): number => {
    const window = open(key);
    if (window !== undefined) return window.count >= max ? window.since + windowMs - now() : 0;
    if (windows.size < keysMax) return 0;
    dropOver();
    return windows.size < keysMax ? 0 : windows.values().next().value!.since + windowMs - now();
  };
  const count = (key: string): void => {
    (open(key) ?? begin(key)).count++;
  };

  return {
    /** Milliseconds until `key` may try; 0: now. Counts nothing. */
    waitMs,
    count,
    /** Counts an attempt if `key` may try now. Milliseconds until it may. */
    take(key: string): number {
      const wait = waitMs(key);
      if (wait === 0) count(key);
      return wait;
    },
    /** Takes back an attempt. */
    giveBack(key: string): void {
      const window = open(key);
      if (window !== undefined && window.count > 0) window.count--;
    },
    /** Takes back all attempts of a key. */
    forget(key: string): void {
      windows.delete(key);
    },
  };
};

/** Throws HttpError where somebody has to wait, with how long. */
export const refuseWaiting = (waitMs: number, code: ErrorCode): void => {
  if (waitMs > 0) throw new HttpError(code, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
};
