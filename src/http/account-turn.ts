/** Keeps one account from filling the event loop with its requests. */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { HttpError } from './errors.ts';

/** Requests of an account that may wait for their turn: more than a page with all panels asks. */
const waitingMax = 1000;
/** However slow the machine is, the next request comes soon. */
const restMaxMs = 100;
/** Timers are no finer. */
const restMinMs = 1;

interface Queue {
  /** Resolves when the next request may begin. */
  free: Promise<void>;
  waiting: number;
}

const queues = new Map<number, Queue>();

/**
 * Resolves when a request of the account may begin: one in a turn, in the order they come, and
 * after each as much time without one as that turn took. What somebody sends takes several turns,
 * from the connection to the answer, and so does not meet such a request in each of them. Rejects
 * with HttpError where too many wait already.
 */
export const accountTurn = async (accountId: number): Promise<void> => {
  const queue = queues.get(accountId) ?? { free: Promise.resolve(), waiting: 0 };
  if (queue.waiting >= waitingMax) throw new HttpError('query-busy');
  queues.set(accountId, queue);
  queue.waiting++;
  const begins = queue.free.then(() => nextTurn());
  queue.free = begins.then(async () => {
    await rest();
    if (queue.waiting === 0 && queues.get(accountId) === queue) queues.delete(accountId);
  });
  await begins;
  queue.waiting--;
};

/** Called when a request begins: it runs before the next turn. */
const rest = async (): Promise<void> => {
  const began = performance.now();
  await nextTurn();
  const tookMs = performance.now() - began;
  if (tookMs >= restMinMs) await wait(Math.min(tookMs, restMaxMs));
};
