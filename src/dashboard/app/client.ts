/**
 * Requests to the server. Answers are kept for as long as the page is open, a bounded number of them, so that going back shows what was
 * there at once, while it is asked for anew.
 */
import type { Failure } from '../wire.ts';

/** An answer that is not 2xx, or none at all. `status` is 0 when the server could not be reached. */
export class RequestFailed extends Error {
  readonly status: number;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, { error, field, retryAfterSeconds }: Failure) {
    super(error);
    this.status = status;
    this.field = field;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

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

  const request = async <T>(path: string, init: RequestInit): Promise<T> => {
    const { isOk, status, text } = await reach(path, init);
    const body = parsed(text);
    if (isOk && body !== undefined) return body as T;
    if (isOk) throw new RequestFailed(status, { error: 'The server’s answer cannot be read.' });
    throw new RequestFailed(status, (body as Failure) ?? { error: `The server answered with status ${status}.` });
  };

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
        const answer = await request<T>(path, { headers: authorization, ...(signal === undefined ? {} : { signal }) });
        keep(path, answer);
        return answer;
      } catch (error) {
        if (error instanceof RequestFailed && error.status === 401 && shareToken === null) onSignedOut();
        throw error;
      }
    },
    post: (path, body) =>
      request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    kept: path => answers.get(path),
    forget: () => answers.clear(),
  };
};

/**
 * An answer to its last byte: until then it may be taken back, or the server may go away, and half an answer must pass for none. Tells the one
 * from the other.
 */
const reach = async (path: string, init: RequestInit): Promise<{ isOk: boolean; status: number; text: string }> => {
  try {
    const response = await fetch(path, init);
    return { isOk: response.ok, status: response.status, text: await response.text() };
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestFailed(0, { error: 'The server cannot be reached. Is it running?' });
  }
};

/** Undefined where it is no JSON, such as the page of a proxy. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
