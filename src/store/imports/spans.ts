/** Times that a site has hits of: what it collected itself, and what imports cover. */
import { lastHitCode } from '../../model/hit.ts';
import { utcDayOf } from '../../model/time.ts';
import type { Database } from '../database.ts';

/** UTC milliseconds, both included. */
export interface DaySpan {
  /** Null for what the site collected itself. */
  importId: number | null;
  from: number;
  to: number;
}

interface OfDay {
  day: number;
  firstAt: number;
  lastAt: number;
}

export const spans = (db: Database) => {
  const sealed = db.prepare(
    `select day, min(first_at) as firstAt, max(last_at) as lastAt from day_part
     where site_id = ? and import_id = 0 and sealed_at is not null and hits > 0 group by day`,
  );
  const open = db.prepare(
    `select day, min(at) as firstAt, max(at) as lastAt from hit
     where site_id = @siteId and type <= ${lastHitCode}
       and day not in (select day from day_part where site_id = @siteId and import_id = 0 and sealed_at is not null)
     group by day`,
  );
  const finished = `site_id = @siteId and kind = 'hits' and finished_at is not null`;
  const others = db.prepare(
    `select id as importId, first_at as "from", last_at as "to" from import
     where ${finished} and last_at > 0 and format <> @format order by id`,
  );
  const same = db.prepare(`select id from import where ${finished} and format = @format`).pluck();
  return {
    /** What was collected: from the first to the last hit of a run of days, or up to now. */
    collected(siteId: number, now: number) {
      const days = [...(sealed.all(siteId) as OfDay[]), ...(open.all({ siteId }) as OfDay[])];
      const found: DaySpan[] = [];
      let before = Number.NEGATIVE_INFINITY;
      for (const { day, firstAt, lastAt } of days.sort((a, b) => a.day - b.day)) {
        const run = found.at(-1);
        if (run !== undefined && day - before <= 1) run.to = lastAt;
        else found.push({ importId: null, from: firstAt, to: lastAt });
        before = day;
      }
      const newest = found.at(-1);
      // Hits go on coming.
      if (newest !== undefined && utcDayOf(now) - before <= 1) newest.to = Math.max(newest.to, now);
      return found;
    },
    /** What imports of single hits cover, but those of a format. */
    otherFormats: (siteId: number, format: string) => others.all({ siteId, format }) as DaySpan[],
    /** The imports of a format, those of crawls alone too. */
    ofFormat: (siteId: number, format: string) => new Set(same.all({ siteId, format }) as number[]),
  };
};
