/**
 * What answers queries, wherever it keeps the hits: the threads that read the database of this
 * machine are one. Whoever asks does not know which it is.
 */
import type { Query, Report } from './query.ts';
import type { Asker } from './threads/askers.ts';

export interface QueryEngine {
  /**
   * Rejects with a QueryError: QueryTimeout, QueryTooLarge, QueryCanceled (the signal), QueryBusy,
   * QueryUnavailable or QueryFailed.
   */
  run(query: Query, asker: Asker, signal?: AbortSignal): Promise<Report>;
}
