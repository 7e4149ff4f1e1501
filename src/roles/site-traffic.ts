/**
 * The traffic of sites since the start, for GET /metrics/sites. It is counted as hits are written,
 * so that whoever reads it asks no question.
 */
import type { SiteTraffic, Traffic } from '../metrics.ts';
import { type HitType, hitTypes, isNonCounting } from '../model/hit.ts';
import { minuteMs } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { definitions } from '../store/definitions.ts';
import { namedSites } from '../store/read/database-stats.ts';
import type { HitRecord } from '../store/write/recorder.ts';
import { type HitGoal, hitGoals } from './hit-goals.ts';

/** Of a site, so that the number of series has a bound. */
const goalsMax = 10;
/** A visitor is here for so long after a hit, as GET /realtime has it. */
const hereMs = 5 * minuteMs;
/** Some 10 MB. With more visits at once, those silent the longest are not counted. */
const visitsMax = 100_000;

const countingTypes = (Object.keys(hitTypes) as HitType[]).filter(type => !isNonCounting(type));

interface SiteCounts {
  hits: Map<HitType, number>;
  /** By goal, of those that were there when it was last read. */
  conversions: Map<string, number>;
  goals: readonly HitGoal[];
}

const addTo = <K>(counts: Map<K, number>, key: K, by = 1): void => void counts.set(key, (counts.get(key) ?? 0) + by);

/** Tells of at most so many sites. */
export const siteTraffic = ({ db, now }: { db: Database; now: () => number }, sitesMax: number) => {
  const named = namedSites(db);
  const { list } = definitions(db);
  const goalsOf = (siteId: number): HitGoal[] => hitGoals(list(siteId, 'goal')).slice(0, goalsMax);
  let bySite = new Map<number, SiteCounts>();
  const here = visitsHere();

  /** A new site's goals count from when it is first read. */
  const countsOf = (siteId: number): SiteCounts => {
    const known = bySite.get(siteId);
    if (known !== undefined) return known;
    const fresh = { hits: new Map(), conversions: new Map(), goals: [] };
    bySite.set(siteId, fresh);
    return fresh;
  };

  const told = ({ id, site, account }: ReturnType<typeof named>['some'][number]): [SiteCounts, SiteTraffic] => {
    const { hits, conversions } = countsOf(id);
    const goals = goalsOf(id);
    const ofGoals = goals.map(({ name }) => [name, conversions.get(name) ?? 0] as const);
    const traffic = {
      ...{ site, account, visitors: here.ofSite(id), conversions: ofGoals },
      hits: countingTypes.map(type => [type, hits.get(type) ?? 0] as const),
    };
    return [{ hits, conversions: new Map(ofGoals), goals }, traffic];
  };

  const read = (): Traffic => {
    here.leave(now() - hereMs);
    const { all, some } = named(sitesMax);
    const each = some.map(site => [site.id, ...told(site)] as const);
    // What is not told of is forgotten, like sites that are gone.
    bySite = new Map(each.map(([id, counts]) => [id, counts]));
    return { all, some: each.map(([, , traffic]) => traffic) };
  };
  read();
  return {
    /** A hit that was recorded. Reads nothing, and so never fails. */
    add(hit: HitRecord) {
      if (isNonCounting(hit.type)) return;
      const { hits, conversions, goals } = countsOf(hit.siteId);
      addTo(hits, hit.type);
      for (const { name, isReachedBy } of goals) if (isReachedBy(hit)) addTo(conversions, name);
      here.add(hit);
    },
    read,
  };
};

/**
 * Visits of the last minutes, those silent the longest first. A visitor is on one visit at a time,
 * but for the minutes after midnight.
 */
const visitsHere = () => {
  const last = new Map<number, Pick<HitRecord, 'siteId' | 'at'>>();
  const bySite = new Map<number, number>();
  const drop = (visitId: number): void => {
    const visit = last.get(visitId);
    if (visit === undefined) return;
    last.delete(visitId);
    addTo(bySite, visit.siteId, -1);
    if (bySite.get(visit.siteId) === 0) bySite.delete(visit.siteId);
  };
  return {
    add({ visitId, siteId, at }: HitRecord): void {
      drop(visitId);
      last.set(visitId, { siteId, at });
      addTo(bySite, siteId);
      if (last.size > visitsMax) drop(last.keys().next().value!);
    },
    leave(before: number): void {
      for (const [visitId, { at }] of last) {
        if (at >= before) return;
        drop(visitId);
      }
    },
    ofSite: (siteId: number): number => bySite.get(siteId) ?? 0,
  };
};
