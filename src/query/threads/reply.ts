/** How a thread answers whoever gave it work: the pool, or another thread. */
import { QueryCanceled } from '../errors.ts';
import type { ReplyOf } from './messages.ts';

/**
 * Does some work and tells how it ended. `isCanceled` is asked at each throwIfCanceled. Whatever goes wrong belongs to this work alone and is
 * told, never thrown: the next one reads the file anew.
 */
export const replyTo = async <T>(
  id: number,
  isCanceled: () => boolean,
  work: (throwIfCanceled: () => void) => T | Promise<T>,
): Promise<ReplyOf<T>> => {
  const throwIfCanceled = (): void => {
    if (isCanceled()) throw new QueryCanceled();
  };
  try {
    return { id, ok: true, result: await work(throwIfCanceled) };
  } catch (error) {
    return { id, ok: false, canceled: error instanceof QueryCanceled, message: (error as Error).message };
  }
};
