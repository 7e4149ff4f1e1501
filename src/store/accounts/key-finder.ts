/** Finds the API key that a request carries, and stamps when each key was last used. */
import type { ApiKey } from '../../model/site.ts';
import { minuteMs } from '../../model/time.ts';
import type { ApiKeys } from './accounts.ts';

export interface KeyFinder {
  /**
   * The key of a token; undefined when there is none, and when it has expired. Every request looks
   * its key up, in some 5 µs, so a revoked key stops working at once, whoever revoked it.
   */
  find(token: string): ApiKey | undefined;
  /** Writes the stamps that still wait. */
  close(): void;
}

export interface KeyFinderParts {
  keys: Pick<ApiKeys, 'find' | 'stampUsed'>;
  now: () => number;
  /** Called when a stamp could not be written. */
  onStampFailed: (error: unknown) => void;
}

/** Hits wait while stamps are written: a key that is used all the time gets one a minute. */
const stampEveryMs = minuteMs;
/** The stamps of many requests are written together, this long after the first. */
const stampDelayMs = 1000;

export const keyFinder = ({ keys, now, onStampFailed }: KeyFinderParts): KeyFinder => {
  let uses = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;

  const writeStamps = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (uses.size === 0) return;
    const written = uses;
    uses = new Map();
    try {
      keys.stampUsed(written);
    } catch (error) {
      // The stamp is a hint for the key's owner. It is not worth failing a request, nor trying
      // again.
      onStampFailed(error);
    }
  };

  return {
    find(token) {
      const key = keys.find(token);
      if (key === undefined || (key.expiresAt !== null && key.expiresAt <= now())) return undefined;
      if (key.lastUsedAt !== null && Math.abs(now() - key.lastUsedAt) < stampEveryMs) return key;
      uses.set(key.id, now());
      timer ??= setTimeout(writeStamps, stampDelayMs).unref();
      return key;
    },
    close: writeStamps,
  };
};
