/** One request to the server and its JSON, or why there is none. */
import type { Failure, ProofWay } from '../wire.ts';
import { t } from './texts/text.ts';

/** The answer is not 2xx, or there is none. `status` is 0 when the server could not be reached. */
export class RequestFailed extends Error {
  readonly status: number;
  readonly field: string | undefined;
  /** How to prove who one is, where that is all that is missing. */
  readonly ways: readonly ProofWay[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, { error, field, ways, retryAfterSeconds }: Failure) {
    super(error);
    this.status = status;
    this.field = field;
    this.ways = ways;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface JsonResponse {
  status: number;
  /** Undefined if it is not JSON, such as the page of a proxy. */
  body: unknown;
}

/**
 * Throws RequestFailed when the server cannot be reached, or the signal's own error once it is
 * aborted.
 */
export const fetchJson = (path: string, init: RequestInit): Promise<JsonResponse> =>
  orRequestFailed(init.signal, async () => readJson(await fetch(path, init)));

export const readJson = async (response: Response): Promise<JsonResponse> => ({
  status: response.status,
  body: parsed(await response.text()),
});

/**
 * Runs `receive`, which fetches and reads a response to its last byte. Until then the request may
 * be aborted or the server may go away, and half an answer must count as none: throws the abort's
 * own error, or RequestFailed.
 */
export const orRequestFailed = async <T>(
  signal: AbortSignal | null | undefined,
  receive: () => Promise<T>,
): Promise<T> => {
  try {
    return await receive();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestFailed(0, { error: t('common.unreachable') });
  }
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The body of a successful response. Throws RequestFailed for any other. */
export const bodyOf = <T>({ status, body }: JsonResponse): T => {
  const isOk = status >= 200 && status < 300;
  if (isOk && body !== undefined) return body as T;
  if (isOk) throw new RequestFailed(status, { error: t('common.invalidAnswer') });
  throw new RequestFailed(status, (body as Failure) ?? { error: `The server answered with status ${status}.` });
};
