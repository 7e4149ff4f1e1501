/** Answers of the server as the state of a component. */
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { useApp } from './app-context.ts';
import type { AskedAddress } from './ask.ts';
import type { AppClient } from './client.ts';
import { RequestFailed } from './fetch-json.ts';
import { isPassing } from './freshness.ts';

export interface AnswerState<T> {
  /** Undefined until there is one. While a new path is pending, the answer to the one before. */
  data: T | undefined;
  /** Why there is no new answer. */
  error: RequestFailed | undefined;
  /** A request is under way, and `data` is missing or old. */
  pending: boolean;
  retry(): void;
}

/** Goes up whenever the page should refresh its answers. */
export const RefreshContext = createContext(0);
/** Refreshes at once. */
export const RefreshNowContext = createContext<() => void>(() => {});

interface Held<T> {
  path: string | null;
  /** Of what kind of answer: see `useAnswer`. */
  kind: string;
  data?: T;
  /** When the data came. */
  at?: number;
  error?: RequestFailed;
}

/**
 * The server's answer to a path; null asks nothing. Until the answer comes, the one to the path
 * before stays, unless it was of another `kind`: rows of pages must never appear where countries
 * belong. Where a refresh fails, the numbers stay too.
 */
export const useAnswer = <T>(path: string | AskedAddress<T> | null, kind = ''): AnswerState<T> => {
  const { client, now } = useApp();
  const refresh = useContext(RefreshContext);
  const [attempt, setAttempt] = useState(0);
  const [held, setHeld] = useState<Held<T>>({ path: null, kind });

  // Asks while the page is drawn, from top to bottom, in the task of a click. All questions go out
  // together at its end, so the server works while the browser paints. A refresh and a retry ask
  // again.
  const request = useMemo(() => {
    if (path === null) return null;
    const gone = new AbortController();
    client.get<T>(path, gone.signal).then(
      data => setHeld({ path, kind, data, at: now() }),
      (error: unknown) => {
        // Any other error is the abort.
        if (!(error instanceof RequestFailed)) return;
        setHeld(last => ({ ...(last.path === path ? last : { path, kind, ...keptOf<T>(client, path) }), error }));
      },
    );
    return gone;
  }, [client, path, kind, refresh, attempt]);
  useLayoutEffect(() => () => request?.abort(), [request]);

  const retry = useCallback(() => setAttempt(last => last + 1), []);
  const own = held.path === path;
  const { data: kept } = path === null ? {} : keptOf<T>(client, path);
  const data = own ? held.data : (kept ?? (held.kind === kind && path !== null ? held.data : undefined));
  const error = own ? held.error : undefined;
  const isStale = useStale(error, own ? held.at : undefined);
  return { data, error: isStale ? undefined : error, pending: path !== null && !own && kept === undefined, retry };
};

const keptOf = <T>(client: AppClient, path: string): { data?: T; at?: number } =>
  (client.kept(path) ?? {}) as { data?: T };

/**
 * Whether the numbers of `at` stay though they could not be refreshed. Then the page's banner says
 * so.
 */
export const useStale = (error: RequestFailed | undefined, at: number | undefined): boolean => {
  const { freshness } = useApp();
  const isStale = error !== undefined && at !== undefined && isPassing(error);
  const status = error?.status ?? 0;
  useEffect(() => (isStale ? freshness.report({ at, status }) : undefined), [freshness, isStale, at, status]);
  return isStale;
};
