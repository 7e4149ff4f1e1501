/**
 * Requests to the server. The newest answers are kept while the page is open, so that going back
 * shows the old numbers at once while new ones are on their way.
 */
import { bodyOf, fetchJson, RequestFailed } from './fetch-json.ts';
import { requestBatcher } from './request-batcher.ts';

export interface Client {
  /** Throws RequestFailed, or the signal's own error once it is aborted. */
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
  /** What `get` last answered for a path. */
  kept(path: string): unknown;
  /** Forgets all answers, when somebody else signs in or a site changes. */
  forget(): void;
}

const keptMax = 200;

export interface ClientParts {
  /** Token of a shared page, sent with each request; null where a cookie says who asks. */
  shareToken: string | null;
  /** Called when nobody is signed in any more. */
  onSignedOut: () => void;
}

export const createClient = ({ shareToken, onSignedOut }: ClientParts): Client => {
  const answers = new Map<string, unknown>();
  const authorization: Record<string, string> = shareToken === null ? {} : { authorization: `Share ${shareToken}` };
  const fetchBatched = requestBatcher(authorization);

  const keep = (path: string, answer: unknown): void => {
    answers.delete(path);
    answers.set(path, answer);
    for (const oldest of answers.keys()) {
      if (answers.size <= keptMax) break;
      answers.delete(oldest);
    }
  };

  return {
    async get<T>(path: string, signal?: AbortSignal): Promise<T> {
      try {
        const answer = bodyOf<T>(await fetchBatched(path, signal));
        keep(path, answer);
        return answer;
      } catch (error) {
        if (error instanceof RequestFailed && error.status === 401 && shareToken === null) onSignedOut();
        throw error;
      }
    },
    async post<T>(path: string, body: object): Promise<T> {
      const headers = { 'content-type': 'application/json' };
      return bodyOf<T>(await fetchJson(path, { method: 'POST', headers, body: JSON.stringify(body) }));
    },
    kept: path => answers.get(path),
    forget: () => answers.clear(),
  };
};
