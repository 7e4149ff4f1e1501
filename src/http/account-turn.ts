/** Keeps one account from filling a turn of the event loop with its requests. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** By account, the turn in which its newest request may begin. */
const newest = new Map<number, Promise<void>>();

/**
 * Resolves when a request of the account may begin: one in each turn, in the order they come. A
 * turn takes in one new connection alone, and whoever comes with a hit waits for it.
 */
export const accountTurn = async (accountId: number): Promise<void> => {
  const turn = (newest.get(accountId) ?? Promise.resolve()).then(() => nextTurn());
  newest.set(accountId, turn);
  await turn;
  if (newest.get(accountId) === turn) newest.delete(accountId);
};
