/**
 * Requests to the server. The newest answers are kept while the page is open, so that going back
 * shows the old numbers at once while new ones are on their way.
 */
import type { ProofWay } from '../wire.ts';
import type { AskedAddress } from './ask.ts';
import { bodyOf, fetchJson, RequestFailed } from './fetch-json.ts';
import { requestBatcher } from './request-batcher.ts';

export interface AppClient {
  /** Throws RequestFailed, or the signal's own error once it is aborted. */
  get<T>(path: string | AskedAddress<T>, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
  /** What `get` last answered for a path, and when. */
  kept(path: string): Kept | undefined;
  /** Keeps a list that was fetched page by page, under the address of its first page. */
  keepPages(path: string, pages: object): void;
  keptPages(path: string): object | undefined;
  /** Forgets all answers, when somebody else signs in or a site changes. */
  forget(): void;
}

export interface Kept {
  data: unknown;
  /** UTC milliseconds. */
  at: number;
}

const keptMax = 200;
/** Lists may be long, and people go back to the last ones. */
const listsMax = 5;

export interface ClientParts {
  /** Token of a shared page, sent with each request; null where a cookie says who asks. */
  shareToken: string | null;
  /** Called when nobody is signed in any more. */
  onSignedOut: () => void;
  /** Asks somebody to prove who they are. Resolves with whether they did. */
  onProof: (ways: readonly ProofWay[]) => Promise<boolean>;
  /** UTC milliseconds. */
  now: () => number;
}

export const createClient = ({ shareToken, onSignedOut, onProof, now }: ClientParts): AppClient => {
  const answers = new Map<string, Kept>();
  const authorization: Record<string, string> = shareToken === null ? {} : { authorization: `Share ${shareToken}` };
  const fetchBatched = requestBatcher(authorization);

  const isSignedOut = (error: unknown): boolean =>
    error instanceof RequestFailed && error.status === 401 && shareToken === null;

  const lists = new Map<string, object>();
  const keep = <Value>(all: Map<string, Value>, most: number, path: string, value: Value): void => {
    all.delete(path);
    all.set(path, value);
    for (const oldest of all.keys()) {
      if (all.size <= most) break;
      all.delete(oldest);
    }
  };

  return {
    async get<T>(path: string, signal?: AbortSignal): Promise<T> {
      const ask = async (): Promise<T> => {
        const answer = bodyOf<T>(await fetchBatched(path, signal));
        keep(answers, keptMax, path, { data: answer, at: now() });
        return answer;
      };
      try {
        // The cookie may have changed while the question was on its way, as it does after a proof.
        return await ask().catch(error => (isSignedOut(error) ? ask() : Promise.reject(error)));
      } catch (error) {
        if (isSignedOut(error)) onSignedOut();
        throw error;
      }
    },
    async post<T>(path: string, body: object): Promise<T> {
      const headers = { 'content-type': 'application/json' };
      const send = async (): Promise<T> =>
        bodyOf<T>(await fetchJson(path, { method: 'POST', headers, body: JSON.stringify(body) }));
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof RequestFailed) || error.ways === undefined) throw error;
        if (!(await onProof(error.ways))) throw error;
        return send();
      }
    },
    kept: path => answers.get(path),
    keepPages: (path, pages) => keep(lists, listsMax, path, pages),
    keptPages: path => lists.get(path),
    forget() {
      answers.clear();
      lists.clear();
    },
  };
};
