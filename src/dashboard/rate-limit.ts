/**
 * Limits attempts, so that nobody can guess a password by trying many. Kept in memory alone: a
 * restart forgets them.
 */
import ipaddr from 'ipaddr.js';

export interface RateLimit {
  /**
   * Counts an attempt of `key`. Returns 0 when it may go ahead, else the milliseconds until it may.
   */
  take(key: string): number;
  /** Takes back an attempt that was right. */
  giveBack(key: string): void;
  /** Takes back all attempts of a key. */
  forget(key: string): void;
}

export interface RateLimitOptions {
  now: () => number;
  /** Attempts in one window. A window begins with its first attempt. */
  max: number;
  windowMs: number;
  /** Keys remembered at most. The key whose window began first is dropped. */
  keysMax?: number;
}

export const createRateLimit = ({ now, max, windowMs, keysMax = 10_000 }: RateLimitOptions): RateLimit => {
  // In the order in which the windows began: a key whose window begins again moves to the end.
  const windows = new Map<string, { since: number; count: number }>();

  const begin = (key: string): { since: number; count: number } => {
    windows.delete(key);
    for (const oldest of windows.keys()) {
      if (windows.size < keysMax) break;
      windows.delete(oldest);
    }
    const begun = { since: now(), count: 0 };
    windows.set(key, begun);
    return begun;
  };

  return {
    take(key) {
      let window = windows.get(key);
      if (window === undefined || now() >= window.since + windowMs) window = begin(key);
      if (window.count >= max) return window.since + windowMs - now();
      window.count++;
      return 0;
    },
    giveBack(key) {
      const window = windows.get(key);
      if (window !== undefined && window.count > 0) window.count--;
    },
    forget(key) {
      windows.delete(key);
    },
  };
};

/** The network of an address: an IPv6 customer has a whole network of 64 bits. */
export const networkOf = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toNormalizedString().split(':').slice(0, 4).join(':');
};
