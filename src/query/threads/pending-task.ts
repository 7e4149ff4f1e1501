/** Tasks that somebody waits for: until they are settled, their deadline has passed, or their signal says that nobody does any more. */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { QueryCanceled, type QueryError, QueryTimeout } from '../errors.ts';
import type { ResultOf, Task } from './messages.ts';
import { uniteKeyOf } from './unite-queries.ts';

export interface PendingTask {
  task: Task;
  /** Names what is asked: equal for the same question. */
  key: string;
  /** Equal for questions that are answered together where they wait together; null for one that is answered alone. */
  uniteKey: string | null;
  /** Nobody waits for it any more. */
  abandoned: boolean;
  succeed(result: ResultOf<Task>): void;
  fail(error: QueryError): void;
}

export type TaskOutcome = 'answered' | 'timeout' | 'canceled' | 'failed';

export interface PendingTaskOptions<T extends Task> {
  deadlineMs: number;
  signal: AbortSignal | undefined;
  /** Those of the promise that somebody waits for. */
  resolve(result: ResultOf<T>): void;
  reject(error: QueryError): void;
  /** Called once, with the time since it began. */
  onEnd(outcome: TaskOutcome, seconds: number): void;
  /** Called when nobody waits any more, before it was settled or failed by somebody else. */
  onAbandon(waiting: PendingTask): void;
}

/** Rejects with QueryTimeout, QueryCanceled (the signal), or what it fails with. */
export const beginTask = <T extends Task>(
  task: T,
  { deadlineMs, signal, resolve, reject, onEnd, onAbandon }: PendingTaskOptions<T>,
): PendingTask => {
  const began = performance.now();
  const giveUp = (error: QueryError): void => {
    waiting.fail(error);
    waiting.abandoned = true;
    onAbandon(waiting);
  };
  const abort = (): void => giveUp(new QueryCanceled());
  const deadline = setTimeout(() => giveUp(new QueryTimeout(deadlineMs)), deadlineMs);
  // A job that was given up is ended once more when its thread says that it stopped.
  let ended = false;
  const end = (outcome: TaskOutcome): void => {
    if (ended) return;
    ended = true;
    clearTimeout(deadline);
    signal?.removeEventListener('abort', abort);
    onEnd(outcome, (performance.now() - began) / 1000);
  };
  const waiting: PendingTask = {
    task,
    key: keyOf(task),
    uniteKey: task.kind === 'report' ? uniteKeyOf(task.query) : null,
    abandoned: false,
    succeed(result) {
      end('answered');
      resolve(result as ResultOf<T>);
    },
    fail(error) {
      end(outcomeOf(error));
      reject(error);
    },
  };
  signal?.addEventListener('abort', abort, { once: true });
  return waiting;
};

/** As long for a long question as for a short one. */
const keyOf = (task: Task): string => createHash('sha256').update(JSON.stringify(task)).digest('base64');

const outcomeOf = (error: QueryError): TaskOutcome => {
  if (error instanceof QueryTimeout) return 'timeout';
  return error instanceof QueryCanceled ? 'canceled' : 'failed';
};
