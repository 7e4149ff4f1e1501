/** Keeps one account from filling a turn of the event loop with its requests. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HttpError } from './errors.ts';

/** Requests of an account that may wait for their turn: more than a page with all panels asks. */
const waitingMax = 1000;

interface Queue {
  /** The turn in which the newest request may begin. */
  newest: Promise<void>;
  waiting: number;
}

const queues = new Map<number, Queue>();

/**
 * Resolves when a request of the account may begin: one in each turn, in the order they come. A
 * turn takes in one new connection alone, and whoever comes with a hit waits for it. Rejects with
 * HttpError where too many wait already.
 */
export const accountTurn = async (accountId: number): Promise<void> => {
  const queue = queues.get(accountId) ?? { newest: Promise.resolve(), waiting: 0 };
  if (queue.waiting >= waitingMax) throw new HttpError('query-busy');
  queues.set(accountId, queue);
  queue.waiting++;
  queue.newest = queue.newest.then(() => nextTurn());
  await queue.newest;
  if (--queue.waiting === 0) queues.delete(accountId);
};
