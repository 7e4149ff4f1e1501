/**
 * What answers queries, wherever it keeps the hits: the threads that read the database of this
 * machine are one. Whoever asks does not know which it is.
 */
import type { Query, Report } from './query.ts';
import type { Asker } from './threads/askers.ts';

/** As the header `x-daybook-engine` says it. */
export type EngineName = 'embedded' | 'clickhouse';

export interface QueryEngine {
  /**
   * Rejects with a QueryError: QueryTimeout, QueryTooLarge, QueryCanceled (the signal), QueryBusy,
   * QueryUnavailable or QueryFailed. Where there are several engines, `told` learns which one it
   * is.
   */
  run(query: Query, asker: Asker, signal?: AbortSignal, told?: (engine: EngineName) => void): Promise<Report>;
}

/** Says its name with each query. */
export const namedEngine = (name: EngineName, engine: QueryEngine): QueryEngine => ({
  run(query, asker, signal, told) {
    told?.(name);
    return engine.run(query, asker, signal);
  },
});
