/** Paces of work in tests. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pace } from '../../src/query/pace.ts';

/**
 * Ends each turn as soon as it can, or now and then, as if others were waiting. `throwIfCanceled` may
 * throw.
 */
export const restless = (throwIfCanceled: () => void = () => {}, isOver: () => boolean = () => true): Pace => ({
  throwIfCanceled,
  mayGoOn() {
    throwIfCanceled();
    return !isOver();
  },
  async turn() {
    throwIfCanceled();
    await nextTurn();
    throwIfCanceled();
  },
});
