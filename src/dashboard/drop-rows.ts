/** Deletes the rows of removed and reset sites while the server runs, a few milliseconds at a time. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Log, reasonOf } from '../log.ts';
import type { Sites } from '../store/sites.ts';

export interface RowDropper {
  start(): void;
  /** Stops after the step at hand; the next start of the server goes on. */
  close(): Promise<void>;
}

/** Hits that were on their way when the site was removed are written by then. */
const firstRestMs = 1000;
/** Between two steps, for the hits of other sites. */
const restMs = 10;

export const rowDropper = (sites: Sites, log: Log): RowDropper => {
  const stop = new AbortController();
  let last: Promise<void> = Promise.resolve();

  const rest = (ms: number): Promise<void> => wait(ms, undefined, { signal: stop.signal, ref: false });

  const drop = async (): Promise<void> => {
    await rest(firstRestMs);
    for (const _ of sites.drop()) await rest(restMs);
  };

  return {
    start() {
      last = last.then(drop).catch(error => {
        if (!stop.signal.aborted) log('drop-failed', { reason: reasonOf(error) });
      });
    },
    async close() {
      stop.abort();
      await last;
    },
  };
};
