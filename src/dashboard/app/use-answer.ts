/** Answers of the server as the state of a component. */
import { createContext } from 'preact';
import { useCallback, useContext, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { useApp } from './app-context.ts';
import { RequestFailed } from './fetch-json.ts';

export interface Answer<T> {
  /** Undefined until there is one. While another path is asked, the answer to the one before. */
  data: T | undefined;
  /** Why there is no new one. */
  error: RequestFailed | undefined;
  /** Under way, and `data` is missing or old. */
  pending: boolean;
  retry(): void;
}

/** Ascends whenever what is shown should be asked for anew. */
export const RefreshContext = createContext(0);
/** Has it ascend at once. */
export const RefreshNowContext = createContext<() => void>(() => {});

interface Held<T> {
  path: string | null;
  /** Of what kind of answer: see `useAnswer`. */
  kind: string;
  data?: T;
  error?: RequestFailed;
}

/**
 * What the server answers to a path; nothing is asked while it is null. Until the answer comes, the one to the path before stays, unless that
 * was of another `kind`: rows of pages must never stand where countries belong.
 */
export const useAnswer = <T>(path: string | null, kind = ''): Answer<T> => {
  const { client } = useApp();
  const refresh = useContext(RefreshContext);
  const [attempt, setAttempt] = useState(0);
  const [held, setHeld] = useState<Held<T>>({ path: null, kind });

  // Asked while the page is drawn, from its top to its bottom, in the very task of a click, at whose end all goes out together: the server works
  // while the browser paints. A refresh and another attempt ask the same again.
  const request = useMemo(() => {
    if (path === null) return null;
    const gone = new AbortController();
    client.get<T>(path, gone.signal).then(
      data => setHeld({ path, kind, data }),
      (error: unknown) => {
        // Anything else is that it was taken back.
        if (!(error instanceof RequestFailed)) return;
        setHeld(last => ({ ...(last.path === path ? last : { path, kind }), error }));
      },
    );
    return gone;
  }, [client, path, kind, refresh, attempt]);
  useLayoutEffect(() => () => request?.abort(), [request]);

  const retry = useCallback(() => setAttempt(last => last + 1), []);
  const own = held.path === path;
  const kept = path === null ? undefined : (client.kept(path) as T | undefined);
  const data = own ? held.data : (kept ?? (held.kind === kind && path !== null ? held.data : undefined));
  const error = own ? held.error : undefined;
  return { data, error, pending: path !== null && !own && kept === undefined, retry };
};
