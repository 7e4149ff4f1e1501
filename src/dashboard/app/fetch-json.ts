/** What the server says to a request, or why it could not be heard. */
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

export interface Heard {
  status: number;
  /** Undefined where it is no JSON, such as the page of a proxy. */
  body: unknown;
}

/** Throws RequestFailed when the server cannot be reached, or the signal's own error once it is aborted. */
export const fetchJson = (path: string, init: RequestInit): Promise<Heard> =>
  whole(init.signal, async () => heard(await fetch(path, init)));

export const heard = async (response: Response): Promise<Heard> => ({
  status: response.status,
  body: parsed(await response.text()),
});

/**
 * An answer to its last byte: until then it may be taken back, or the server may go away, and half an answer must pass for none. Tells the one
 * from the other.
 */
export const whole = async <T>(signal: AbortSignal | null | undefined, hear: () => Promise<T>): Promise<T> => {
  try {
    return await hear();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestFailed(0, { error: 'The server cannot be reached. Is it running?' });
  }
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What was asked for, out of what was heard. Throws RequestFailed where that is something else. */
export const answered = <T>({ status, body }: Heard): T => {
  const isOk = status >= 200 && status < 300;
  if (isOk && body !== undefined) return body as T;
  if (isOk) throw new RequestFailed(status, { error: 'The server sent an invalid answer.' });
  throw new RequestFailed(status, (body as Failure) ?? { error: `The server answered with status ${status}.` });
};
