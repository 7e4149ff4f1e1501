/** Whether a site's hits come in, for its owner who has just put the tracker into a page. Cheap enough to be asked every second. */
import { dayMs } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { type OutcomeCount, outcomesSince } from './database-stats.ts';

export interface ArrivalCounts {
  /** Some hit was recorded, ever. */
  received: boolean;
  /** How the hits of the last 24 hours ended, most frequent first. */
  outcomes: OutcomeCount[];
}

export const arrivals = (db: Database): ((siteId: number, now: number) => ArrivalCounts) => {
  const received = db
    .prepare(`select exists (select 1 from outcome where site_id = ? and outcome = 'recorded')`)
    .pluck();
  return (siteId, now) => ({
    received: received.get(siteId) === 1,
    outcomes: outcomesSince(db, now - dayMs, siteId),
  });
};
