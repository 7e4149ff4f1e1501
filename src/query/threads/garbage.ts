/**
 * Has memory that threads shared go soon after nobody needs it. V8 looks for garbage once enough was allocated, but does not count shared memory:
 * lists of visitors, hundreds of MB of a question about millions of them, would stay until something else was allocated a lot.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** So much is worth a search for all garbage, which stops the thread for some ten milliseconds. */
const worthBytes = 256 * 1024 * 1024;
/** By then an answer that was being added up has been given. */
const delayMs = 250;

/** Has V8 look for all garbage of this thread. */
const collector = (): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
};

/** For one thread. Returns what is to be called with the bytes that will soon be needed no more. `collect` is another for tests. */
export const createGarbage = (collect = collector()): ((bytes: number) => void) => {
  let bytes = 0;
  const end = (): void => {
    bytes = 0;
    collect();
  };
  return more => {
    if (bytes < worthBytes && bytes + more >= worthBytes) setTimeout(end, delayMs).unref();
    bytes += more;
  };
};
