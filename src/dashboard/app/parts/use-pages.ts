/** A list that is fetched page by page. */
import { useCallback, useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { RequestFailed } from '../fetch-json.ts';
import { RefreshContext, useStale } from '../use-answer.ts';

interface Page<Row> {
  data: Row[];
  next: string | null;
}

interface Held<Row> {
  path: string;
  rows: Row[];
  /** There is one page of them so far. */
  isFirst: boolean;
  /** When they came. */
  at?: number;
  /** Cursor of the next page; null on the last. */
  next: string | null;
  error: RequestFailed | undefined;
  /** The error is that of a refresh, and the rows are those of before. */
  isRefresh?: boolean;
}

export interface LoadedPages<Row> {
  /** While a new path is pending, those of the one before. */
  rows: readonly Row[];
  /** There are no more. */
  isDone: boolean;
  /** The rows are about to be replaced. */
  isPending: boolean;
  error: RequestFailed | undefined;
  /** Fetches the next page, unless it is on its way. */
  more: () => void;
  retry: () => void;
}

/**
 * `keyOf` tells rows apart. A refresh fetches the first page again, unless somebody has scrolled
 * past it.
 */
export const usePages = <Row>(path: string, keyOf: (row: Row) => string): LoadedPages<Row> => {
  const { client, now } = useApp();
  const refresh = useContext(RefreshContext);
  const [held, setHeld] = useState<Held<Row> | null>(() => (client.keptPages(path) as Held<Row> | undefined) ?? null);
  const [attempt, setAttempt] = useState(0);
  const underWay = useRef<AbortController | null>(null);
  const current = useRef(held);
  current.current = held;

  const fetchPage = useCallback(
    async (cursor: string | null): Promise<void> => {
      underWay.current?.abort();
      const gone = new AbortController();
      underWay.current = gone;
      const address = cursor === null ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
      try {
        const { data, next } = await client.get<Page<Row>>(address, gone.signal);
        setHeld(last => {
          const before = cursor === null || last === null ? [] : last.rows;
          const known = new Set(before.map(keyOf));
          const rows = [...before, ...data.filter(row => !known.has(keyOf(row)))];
          return { path, rows, isFirst: cursor === null, at: now(), next, error: undefined };
        });
      } catch (error) {
        if (!(error instanceof RequestFailed)) return;
        setHeld(last => ({
          ...(last?.path === path ? last : { path, rows: [], isFirst: true, next: null }),
          error,
          isRefresh: cursor === null,
        }));
      } finally {
        if (underWay.current === gone) underWay.current = null;
      }
    },
    [client, path, now],
  );

  // Going back finds all rows again, and so the place.
  useEffect(() => {
    if (held !== null && held.error === undefined) client.keepPages(held.path, held);
  }, [client, held]);

  // Before the browser paints, as in use-answer.ts. A refresh and a retry ask again.
  useLayoutEffect(() => {
    const last = current.current;
    const isScrolled = last?.path === path && !last.isFirst && last.error === undefined;
    if (!isScrolled) void fetchPage(null);
  }, [fetchPage, path, refresh, attempt]);
  useEffect(() => () => underWay.current?.abort(), []);

  // A new function after each page, so that the end of the list, if still in view, asks for the
  // next one.
  const more = useCallback(() => {
    if (underWay.current === null && held?.path === path && held.next !== null) void fetchPage(held.next);
  }, [fetchPage, path, held]);
  const retry = useCallback(() => setAttempt(last => last + 1), []);

  const isOwn = held?.path === path;
  const error = isOwn ? held.error : undefined;
  const isStale = useStale(error, isOwn && held.isRefresh ? held.at : undefined);
  return {
    rows: held?.rows ?? [],
    isDone: isOwn && held.next === null && (error === undefined || isStale),
    isPending: held !== null && !isOwn,
    error: isStale ? undefined : error,
    more,
    retry,
  };
};
