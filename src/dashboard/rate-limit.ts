/** Counts attempts, so that passwords cannot be guessed by trying many. In memory alone: a restart forgives. */
import ipaddr from 'ipaddr.js';

export interface RateLimit {
  /** Counts one more attempt of `key`. Gives 0 when it may go ahead, else the milliseconds until it may. */
  take(key: string): number;
  /** Takes an attempt back that was none of a guesser's. */
  giveBack(key: string): void;
  forget(key: string): void;
}

export interface RateLimitOptions {
  now: () => number;
  /** Attempts in one window, which begins with the first. */
  max: number;
  windowMs: number;
  /** Keys remembered at most; the one whose window began first gives way. */
  keysMax?: number;
}

export const createRateLimit = ({ now, max, windowMs, keysMax = 10_000 }: RateLimitOptions): RateLimit => {
  // In the order in which the windows began, since a key that begins anew is put at the end.
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

/** Who an address belongs to, as far as it tells: an IPv6 customer has a whole network of 64 bits. */
export const networkOf = (address: string): string => {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return ipaddr.IPv6.parse(address).toNormalizedString().split(':').slice(0, 4).join(':');
};
