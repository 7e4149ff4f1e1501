/** Whether a site's hits come in, for its owner who has just put the tracker into a page. Cheap enough to be asked every second. */
import type { Outcome } from '../model/outcomes.ts';
import { dayMs, hourMs } from '../model/time.ts';
import type { Database } from './database.ts';

export interface ArrivalCounts {
  /** Some hit was recorded, ever. */
  received: boolean;
  /** How the hits of the last 24 hours ended, most frequent first. */
  outcomes: { outcome: Outcome; hits: number }[];
}

export const arrivals = (db: Database): ((siteId: number, now: number) => ArrivalCounts) => {
  const received = db
    .prepare(`select exists (select 1 from outcome where site_id = ? and outcome = 'recorded')`)
    .pluck();
  const recent = db.prepare(
    `select outcome, sum(hits) as hits from outcome where site_id = ? and hour > ? group by outcome order by hits desc, outcome`,
  );
  return (siteId, now) => ({
    received: received.get(siteId) === 1,
    outcomes: recent.all(siteId, Math.floor((now - dayMs) / hourMs)) as ArrivalCounts['outcomes'],
  });
};
