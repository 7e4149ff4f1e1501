/** Work of a server on the side, which goes on until it is closed. */
import { setTimeout as wait } from 'node:timers/promises';

export interface UntilClosed {
  /** Aborts when the work is to stop. */
  signal: AbortSignal;
  /** Waits so many milliseconds; rejects when the work is to stop. Nothing waits for it to end. */
  rest(ms: number): Promise<void>;
  /** Begins the work. What it rejects with after the signal has aborted is the signal's doing. */
  run(work: () => Promise<void>): void;
  /** Has the work stop after the step at hand. Rejects as the work did before. */
  close(): Promise<void>;
}

export const untilClosed = (): UntilClosed => {
  const stop = new AbortController();
  const { signal } = stop;
  let running = Promise.resolve();
  return {
    signal,
    rest: ms => wait(ms, undefined, { signal, ref: false }),
    run(work) {
      running = work().catch(error => {
        if (!signal.aborted) throw error;
      });
    },
    async close() {
      stop.abort();
      await running;
    },
  };
};
