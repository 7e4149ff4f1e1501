/** How often a token may call, so that a model that loops costs little. */
import { HttpError } from '../http/errors.ts';

const callsMax = 120;
const windowMs = 60_000;
/** Tokens that are known at once: each is valid, so an account has few. */
const tokensMax = 10_000;

/** Throws HttpError for the call that is one too many within a minute. */
export const callBudget = (now: () => number): { take(token: string): void } => {
  // In the order in which their minutes began.
  const windows = new Map<string, { since: number; calls: number }>();
  return {
    take(token) {
      const at = now();
      for (const [oldest, { since }] of windows) {
        if (at < since + windowMs && windows.size <= tokensMax) break;
        windows.delete(oldest);
      }
      const window = windows.get(token) ?? { since: at, calls: 0 };
      windows.set(token, window);
      if (++window.calls <= callsMax) return;
      const retryAfterSeconds = Math.ceil((window.since + windowMs - at) / 1000);
      throw new HttpError('mcp-too-many', { retryAfterSeconds });
    },
  };
};
