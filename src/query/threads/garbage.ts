/**
 * Frees the memory of visitor lists soon after they were dropped. Threads share that memory, and V8
 * does not count shared memory when it decides whether to look for garbage. Lists take hundreds of
 * MB in a question about millions of visitors with a cookie: without this the process grew to 1.2
 * GB instead of 0.9.
 */
import { garbageCollector } from '../../garbage-collector.ts';

/** So much is worth collecting all garbage, which stops the thread for some ten milliseconds. */
const worthBytes = 256 * 1024 * 1024;
/** By then the answer that used the lists has been given. */
const delayMs = 250;

const later = (work: () => void): void => void setTimeout(work, delayMs).unref();

/**
 * For one thread. Call the result with the bytes that were dropped. Tests pass another `collect`,
 * and say themselves when it is later.
 */
export const createGarbage = (collect = garbageCollector(), after = later): ((bytes: number) => void) => {
  let bytes = 0;
  const end = (): void => {
    bytes = 0;
    collect();
  };
  return more => {
    if (bytes < worthBytes && bytes + more >= worthBytes) after(end);
    bytes += more;
  };
};
