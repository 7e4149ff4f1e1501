/** What the database holds and how large it is: for /metrics and `daybook doctor`. Cheap enough for the thread that commits. */
import { statSync } from 'node:fs';
import type { Outcome } from '../../model/outcomes.ts';
import { hourMs } from '../../model/time.ts';
import { type Database, logBytes } from '../database.ts';
import { daysWithRows } from '../day/open/open-days.ts';

export interface Inventory {
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
  /** Hits and marks of those days, by the ids they were given: exact unless days were sealed out of turn. */
  openRows: number;
  databaseBytes: number;
  logBytes: number;
}

export const inventory = (db: Database): (() => Inventory) => {
  const sealed = db.prepare(
    `select count(*) as sealedDays, coalesce(sum(hits), 0) as sealedHits, max(day) as newestSealed, max(sealed_at) as lastSealedAt
     from sealed_day`,
  );
  // Counting a busy day's rows would take a second; their first and last ids are a seek each.
  const edge = (end: 'min' | 'max') =>
    db.prepare(`select ${end}(id) from hit where site_id = @siteId and day = @day`).pluck();
  const [first, last] = [edge('min'), edge('max')];
  const withRows = daysWithRows(db);
  return db.transaction((): Inventory => {
    const open = withRows();
    const ids = open.map(siteDay => [first.get(siteDay), last.get(siteDay)] as [number | null, number | null]);
    const newest = Math.max(0, ...ids.map(([, id]) => id ?? 0));
    const oldest = Math.min(newest + 1, ...ids.map(([id]) => id ?? newest + 1));
    return {
      ...(sealed.get() as Pick<Inventory, 'sealedDays' | 'sealedHits' | 'newestSealed' | 'lastSealedAt'>),
      openDays: open.length,
      oldestOpen: open.length === 0 ? null : Math.min(...open.map(({ day }) => day)),
      openRows: newest === 0 ? 0 : newest - oldest + 1,
      databaseBytes: statSync(db.name).size,
      logBytes: logBytes(db),
    };
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

/** How many hits ended in which way since an instant, the most frequent way first, of one site or of all. Its hour counts in full. */
export const outcomesSince = (db: Database, at: number, siteId: number | null = null): OutcomeCount[] =>
  db
    .prepare(
      `select outcome, sum(hits) as hits from outcome
       where ${siteId === null ? '' : 'site_id = @siteId and '}hour >= @hour group by outcome order by hits desc, outcome`,
    )
    .all({ siteId, hour: Math.floor(at / hourMs) }) as OutcomeCount[];

/** UTC milliseconds of the newest hit of any site; null when there is none. */
export const newestHitAt = (db: Database): number | null => {
  const ofDay = db.prepare('select max(at) from hit where site_id = @siteId and day = @day').pluck();
  const times = daysWithRows(db)().map(siteDay => (ofDay.get(siteDay) as number | null) ?? 0);
  const sealed = db.prepare('select max(last_at) from sealed_day').pluck().get() as number | null;
  return Math.max(0, sealed ?? 0, ...times) || null;
};

export const sqliteVersion = (db: Database): string => db.prepare('select sqlite_version()').pluck().get() as string;
