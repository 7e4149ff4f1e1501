/**
 * Counts of what the database holds: for /metrics, `daybook doctor`, `daybook usage` and the first
 * steps of a new site.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { lastHitCode } from '../../model/hit.ts';
import type { Outcome } from '../../model/outcomes.ts';
import { hourMs, utcDayName } from '../../model/time.ts';
import { type Database, logState } from '../database.ts';
import { hitIds } from '../day/open/newest-rows.ts';
import { daysWithRows } from '../day/open/open-days.ts';
import { freeShare } from '../free-bytes.ts';

export interface DatabaseStats {
  /** Days that are sealed, over all sites, and their hits. */
  sealedDays: number;
  sealedHits: number;
  /** Newest UTC day that any site has sealed; null when there is none. */
  newestSealed: number | null;
  /** UTC milliseconds when a day was sealed last; null when none ever was. */
  lastSealedAt: number | null;
  /** Days with rows, over all sites: today's, and those that wait to be sealed or trimmed. */
  openDays: number;
  /** Oldest of those UTC days; null when there is none. */
  oldestOpen: number | null;
  /**
   * Hits of those days, non-counting ones included, by their ids: exact unless days were sealed out
   * of turn.
   */
  openRows: number;
  databaseBytes: number;
  /** How much of its disk is free, from 0 to 1. */
  freeShare: number;
  logBytes: number;
}

/** Cheap enough for the thread that commits. */
export const databaseStats = (db: Database): (() => DatabaseStats) => {
  const sealed = db.prepare(
    `select count(*) filter (where number = 0) as sealedDays, coalesce(sum(hits), 0) as sealedHits,
       max(day) as newestSealed, max(sealed_at) as lastSealedAt
     from day_part where import_id = 0 and sealed_at is not null`,
  );
  // Counting a busy day's rows would take a second.
  const idsOf = hitIds(db);
  const withRows = daysWithRows(db);
  return db.transaction((): DatabaseStats => {
    const open = withRows();
    const ids = open.map(idsOf);
    const newest = Math.max(0, ...ids.map(([, id]) => id ?? 0));
    const oldest = Math.min(newest + 1, ...ids.map(([id]) => id ?? newest + 1));
    return {
      ...(sealed.get() as Pick<DatabaseStats, 'sealedDays' | 'sealedHits' | 'newestSealed' | 'lastSealedAt'>),
      openDays: open.length,
      oldestOpen: open.length === 0 ? null : Math.min(...open.map(({ day }) => day)),
      openRows: newest === 0 ? 0 : newest - oldest + 1,
      databaseBytes: statSync(db.name).size,
      freeShare: freeShare(dirname(db.name)),
      logBytes: logState(db).bytes,
    };
  });
};

/** The oldest sites with their teams, at most so many, and how many there are. */
export const namedSites = (db: Database) => {
  const oldest = db.prepare(
    `select s.id, s.domain as site, a.name as account
     from site s join account a on a.id = s.account_id where s.members is null order by s.id limit ?`,
  );
  const count = db.prepare('select count(*) from site where members is null').pluck();
  return (max: number) => ({
    all: count.get() as number,
    some: oldest.all(max) as { id: number; site: string; account: string }[],
  });
};

export interface LatestVisits {
  visits: number;
  /** Of those, the ones whose address has a country. */
  placed: number;
}

/** Visits that are looked at. */
const latestMax = 500;

/** The newest visits of the days that are open, over all sites. */
export const latestVisits = (db: Database): LatestVisits => {
  const latest = db.prepare(
    `select id, country <> 0 as placed from visit where site_id = @siteId and day = @day order by id desc limit ${latestMax}`,
  );
  const visits = daysWithRows(db)()
    .flatMap(siteDay => latest.all(siteDay) as { id: number; placed: number }[])
    .sort((a, b) => b.id - a.id)
    .slice(0, latestMax);
  return { visits: visits.length, placed: visits.filter(({ placed }) => placed === 1).length };
};

export interface OutcomeCount {
  outcome: Outcome;
  hits: number;
}

/**
 * How many hits of all sites ended in which way since an instant, the most frequent way first. Its
 * hour counts in full.
 */
export const outcomesSince = (db: Database, at: number): OutcomeCount[] =>
  db
    .prepare(
      'select outcome, sum(hits) as hits from outcome where hour >= ? group by outcome order by hits desc, outcome',
    )
    .all(Math.floor(at / hourMs)) as OutcomeCount[];

/** UTC milliseconds of the newest hit of any site; null when there is none. */
export const newestHitAt = (db: Database): number | null => {
  const ofDay = db.prepare('select max(at) from hit where site_id = @siteId and day = @day').pluck();
  const times = daysWithRows(db)().map(siteDay => (ofDay.get(siteDay) as number | null) ?? 0);
  const sealed = db
    .prepare('select max(last_at) from day_part where import_id = 0 and sealed_at is not null')
    .pluck()
    .get() as number | null;
  return Math.max(0, sealed ?? 0, ...times) || null;
};

export const sqliteVersion = (db: Database): string => db.prepare('select sqlite_version()').pluck().get() as string;

export interface MonthUsage {
  accountId: number;
  /** UTC, `2026-11`. */
  month: string;
  /** Pageviews and events. Web vitals, crawlers and non-counting hits are left out. */
  hits: number;
}

/**
 * How many hits each account has by month, which a plan's quota is about: every month that has
 * hits, by account and month. Reads all rows of open days, a million in half a second.
 */
export const usage = (db: Database): MonthUsage[] => {
  const days = db
    .prepare(
      `select s.account_id as accountId, d.day, sum(d.hits) as hits
       from (select site_id, day, hits from day_part where sealed_at is not null
             and (import_id = 0 or import_id in (select id from import where finished_at is not null))
             union all
             select site_id, day, hits
             from (select site_id, day, count(*) as hits from hit where type <= ${lastHitCode} group by site_id, day)
             where (site_id, day) not in
               (select site_id, day from day_part where import_id = 0 and sealed_at is not null)) d
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
