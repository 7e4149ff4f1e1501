/**
 * Tasks that wait until their asker may have another one running: each asker has a queue of its
 * own, and a bound on how many run.
 */
import { type Asker, askerKey, shareOf } from './askers.ts';
import type { PendingTask } from './pending-task.ts';

/** All tasks that run at a time: each may hold what it has found so far. */
export const runningMax = 32;

export type FairQueue = ReturnType<typeof createFairQueue>;

/** At most `waitingMax` wait, of all askers. */
export const createFairQueue = (waitingMax: number) => {
  /** Oldest first. */
  const waiting: PendingTask[] = [];

  return {
    size: () => waiting.length,
    /** Whether an asker may have one more waiting. */
    hasRoom: (asker: Asker) =>
      waiting.length < waitingMax &&
      countOf(waiting, asker) < Math.max(1, Math.floor(waitingMax * shareOf(asker).waitingPart)),
    push: (pending: PendingTask): void => void waiting.push(pending),
    takeOut(pending: PendingTask) {
      const at = waiting.indexOf(pending);
      if (at >= 0) waiting.splice(at, 1);
    },
    /**
     * Takes out the task that should run beside others: the oldest of the asker who has the fewest
     * running for their share. Undefined when none may run.
     */
    next(running: readonly PendingTask[]) {
      if (running.length >= runningMax) return undefined;
      let best: { pending: PendingTask; load: number } | undefined;
      for (const pending of waiting) {
        const { asker } = pending.errand;
        const share = shareOf(asker);
        const own = countOf(running, asker);
        const load = own / share.weight;
        if (own < share.runningMax && load < (best?.load ?? Number.POSITIVE_INFINITY)) best = { pending, load };
      }
      if (best !== undefined) this.takeOut(best.pending);
      return best?.pending;
    },
    /** Takes out all. */
    clear: () => waiting.splice(0),
  };
};

const countOf = (tasks: readonly PendingTask[], asker: Asker): number =>
  tasks.filter(({ errand }) => askerKey(errand.asker) === askerKey(asker)).length;
