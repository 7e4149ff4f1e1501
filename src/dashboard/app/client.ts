/**
 * Requests to the server. Answers are kept for as long as the page is open, a bounded number of them, so that going back shows what was
 * there at once, while it is asked for anew.
 */
import { answered, fetchJson, RequestFailed } from './fetch-json.ts';
import { requestBatcher } from './request-batcher.ts';

export interface Client {
  /** Throws RequestFailed, or the signal's own error once it is aborted. */
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
  /** What `get` last answered for a path. */
  kept(path: string): unknown;
  /** Forgets all answers: somebody else is signed in, or a site was changed. */
  forget(): void;
}

const keptMax = 200;

export interface ClientParts {
  /** Token of a shared page, sent along to the API; null where a cookie says who asks. */
  shareToken: string | null;
  /** Told when nobody is signed in any more. */
  onSignedOut: () => void;
}

export const createClient = ({ shareToken, onSignedOut }: ClientParts): Client => {
  const answers = new Map<string, unknown>();
  const authorization: Record<string, string> = shareToken === null ? {} : { authorization: `Share ${shareToken}` };
  const ask = requestBatcher(authorization);

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
        const answer = answered<T>(await ask(path, signal));
        keep(path, answer);
        return answer;
      } catch (error) {
        if (error instanceof RequestFailed && error.status === 401 && shareToken === null) onSignedOut();
        throw error;
      }
    },
    async post<T>(path: string, body: object): Promise<T> {
      const headers = { 'content-type': 'application/json' };
      return answered<T>(await fetchJson(path, { method: 'POST', headers, body: JSON.stringify(body) }));
    },
    kept: path => answers.get(path),
    forget: () => answers.clear(),
  };
};
