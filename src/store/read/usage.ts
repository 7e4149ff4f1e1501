/** How many hits each account has, by month: what a plan's quota is about. */
import { lastHitCode } from '../../model/hit.ts';
import { utcDayName } from '../../model/time.ts';
import type { Database } from '../database.ts';

export interface MonthUsage {
  accountId: number;
  /** UTC, `2026-11`. */
  month: string;
  /** Pageviews and events; marks, web vitals and crawlers never count. */
  hits: number;
}

/** Every month of every account that has hits, by account and month. Reads all rows of open days: a million take half a second. */
export const usage = (db: Database): MonthUsage[] => {
  const days = db
    .prepare(
      `select s.account_id as accountId, d.day, sum(d.hits) as hits
       from (select site_id, day, hits from sealed_day
             union all
             select site_id, day, hits
             from (select site_id, day, count(*) as hits from hit where type <= ${lastHitCode} group by site_id, day)
             where (site_id, day) not in (select site_id, day from sealed_day)) d
       join site s on s.id = d.site_id
       where d.hits > 0
       group by s.account_id, d.day
       order by s.account_id, d.day`,
    )
    .all() as { accountId: number; day: number; hits: number }[];
  const months = new Map<string, MonthUsage>();
  for (const { accountId, day, hits } of days) {
    const month = utcDayName(day).slice(0, 7);
    const key = `${accountId} ${month}`;
    const sum = months.get(key);
    if (sum === undefined) months.set(key, { accountId, month, hits });
    else sum.hits += hits;
  }
  return [...months.values()];
};
