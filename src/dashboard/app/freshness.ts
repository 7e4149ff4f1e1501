/**
 * Which numbers on the page are older than they should be, because the server could not be asked
 * again. They stay, and one banner says so.
 */
import type { RequestFailed } from './fetch-json.ts';

export interface Stale {
  /** When the numbers came, UTC milliseconds; null where none did. */
  at: number | null;
  /** HTTP status of the request for newer ones; 0 when the server could not be reached. */
  status: number;
}

export interface Freshness {
  /** Says that some numbers are old; the function that it returns takes that back. */
  report(stale: Stale): () => void;
  /** The oldest of them; null where all are fresh. */
  oldest(): Stale | null;
  /** Calls the listener after each change, until the function that it returns is called. */
  listen(listener: () => void): () => void;
}

export const createFreshness = (): Freshness => {
  const reports = new Set<Stale>();
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    report(stale) {
      reports.add(stale);
      tell();
      return () => {
        reports.delete(stale);
        tell();
      };
    },
    oldest: () => [...reports].reduce<Stale | null>((a, b) => (a === null || ageOf(b) < ageOf(a) ? b : a), null),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

const ageOf = ({ at }: Stale): number => at ?? Number.POSITIVE_INFINITY;

const [firstPauseMs, longestPauseMs] = [5000, 5 * 60_000];

/**
 * How long to wait before numbers are asked again: `everyMs`, or, after that many failures in a
 * row, a pause that grows with each.
 */
export const refreshPauseMs = (everyMs: number, failures: number): number =>
  failures === 0 ? everyMs : Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);

/** Whether the same question may well be answered a little later. */
export const isPassing = ({ status }: RequestFailed): boolean => status === 0 || status === 429 || status >= 500;
