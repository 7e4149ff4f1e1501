/**
 * Tasks that somebody waits for: until they are settled, their deadline passes, or their signal
 * says that nobody waits.
 */
import { performance } from 'node:perf_hooks';
import { QueryCanceled, type QueryError, QueryTimeout, QueryTooLarge } from '../errors.ts';
import type { Query, Report } from '../query.ts';
import type { Errand } from './messages.ts';

export interface PendingTask {
  errand: Errand;
  query: Query;
  /** Settles it; once settled, neither this nor `fail` does anything. */
  succeed(report: Report): void;
  fail(error: QueryError): void;
}

export type TaskOutcome = 'answered' | 'timeout' | 'too-large' | 'canceled' | 'failed';

export interface PendingTaskOptions {
  deadlineMs: number;
  signal: AbortSignal | undefined;
  /** Settle the promise of whoever asked. */
  resolve(report: Report): void;
  reject(error: QueryError): void;
  /** Called once, with the time since it began. */
  onEnd(outcome: TaskOutcome, seconds: number): void;
  /** Called when nobody waits any more, after it was failed. */
  onAbandon(pending: PendingTask): void;
}

/** Rejects with QueryTimeout, QueryCanceled (the signal), or what it fails with. */
export const beginTask = (
  errand: Errand,
  query: Query,
  { deadlineMs, signal, resolve, reject, onEnd, onAbandon }: PendingTaskOptions,
): PendingTask => {
  const began = performance.now();
  let settled = false;
  const settle = (outcome: TaskOutcome, tell: () => void): void => {
    if (settled) return;
    settled = true;
    clearTimeout(deadline);
    signal?.removeEventListener('abort', abort);
    onEnd(outcome, (performance.now() - began) / 1000);
    tell();
  };
  const pending: PendingTask = {
    errand,
    query,
    succeed: report => settle('answered', () => resolve(report)),
    fail: error => settle(outcomeOf(error), () => reject(error)),
  };
  const giveUp = (error: QueryError): void => {
    pending.fail(error);
    onAbandon(pending);
  };
  const abort = (): void => giveUp(new QueryCanceled());
  const deadline = setTimeout(() => giveUp(new QueryTimeout(deadlineMs)), deadlineMs);
  signal?.addEventListener('abort', abort, { once: true });
  return pending;
};

const outcomeOf = (error: QueryError): TaskOutcome => {
  if (error instanceof QueryTimeout) return 'timeout';
  if (error instanceof QueryTooLarge) return 'too-large';
  return error instanceof QueryCanceled ? 'canceled' : 'failed';
};
