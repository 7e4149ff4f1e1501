/** Answers that are not 2xx, thrown from wherever it is found out that there is no other. */
import { json, type Reply } from '../api/reply.ts';
import type { Failure } from './wire.ts';

export class Failed extends Error {
  readonly reply: Reply;

  /** `error` is a sentence for the person who sees it. */
  constructor(status: number, error: string, more: Omit<Failure, 'error'> = {}, headers: Record<string, string> = {}) {
    super(error);
    const { retryAfterSeconds } = more;
    const retry: Record<string, string> =
      retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    this.reply = json(status, { error, ...more } satisfies Failure, { ...retry, ...headers });
  }
}
