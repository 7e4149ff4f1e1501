/** Keeps asynchronous work of one kind from overlapping. */

/**
 * Runs one piece of work after the other, in the order they come; what fails is its caller's and
 * stops none of the others.
 */
export const serialQueue = (): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve();
  return work => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
};

/**
 * Runs the same work again and again, never twice at once; calls that come while one is waiting
 * share it.
 */
export const coalesced = (work: () => Promise<void>): (() => Promise<void>) => {
  const inTurn = serialQueue();
  let waiting: Promise<void> | undefined;
  return () => {
    waiting ??= inTurn(() => {
      waiting = undefined;
      return work();
    });
    return waiting;
  };
};
