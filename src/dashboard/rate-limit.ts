/**
 * Counts attempts, so that nobody can guess a password by trying many. Kept in memory alone: a
 * restart forgets them.
 */

export interface RateLimit {
  /** Milliseconds until `key` may try; 0: now. Counts nothing. */
  waitMs(key: string): number;
  count(key: string): void;
  /** Takes back an attempt. */
  giveBack(key: string): void;
  /** Takes back all attempts of a key. */
  forget(key: string): void;
}

export interface RateLimitOptions {
  now: () => number;
  /** Attempts in one window. A window begins with its first attempt. */
  max: number;
  windowMs: number;
}

/**
 * Remembers a key until its window is over and never drops one before, so that nobody can make it
 * forget another. Whoever counts bounds how many keys there are.
 */
export const createRateLimit = ({ now, max, windowMs }: RateLimitOptions): RateLimit => {
  // In the order in which the windows began: a key whose window begins again moves to the end.
  const windows = new Map<string, { since: number; count: number }>();

  const open = (key: string): { since: number; count: number } | undefined => {
    const window = windows.get(key);
    return window !== undefined && now() < window.since + windowMs ? window : undefined;
  };

  const begin = (key: string): { since: number; count: number } => {
    windows.delete(key);
    for (const oldest of windows.keys()) {
      if (open(oldest) !== undefined) break;
      windows.delete(oldest);
    }
    const begun = { since: now(), count: 0 };
    windows.set(key, begun);
    return begun;
  };

  return {
    waitMs(key) {
      const window = open(key);
      return window !== undefined && window.count >= max ? window.since + windowMs - now() : 0;
    },
    count(key) {
      (open(key) ?? begin(key)).count++;
    },
    giveBack(key) {
      const window = open(key);
      if (window !== undefined && window.count > 0) window.count--;
    },
    forget(key) {
      windows.delete(key);
    },
  };
};
