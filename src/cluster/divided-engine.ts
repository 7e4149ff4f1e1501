/**
 * Answers from ClickHouse what is asked about days that are there as they are here, and everything
 * else from this machine: today, days that were not shipped since they changed, and what is recorded
 * besides hits. So the answers are those of this machine, whatever ClickHouse holds.
 */
import type { Log } from '../log.ts';
import type { Site } from '../model/site.ts';
import { utcDayOf } from '../model/time.ts';
import { QueryFailed } from '../query/errors.ts';
import type { Query, Question, Report, Slice } from '../query/query.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import type { Database } from '../store/database.ts';
import { importedSums } from '../store/imports/sums.ts';
import { isAboutHits } from './clickhouse-engine.ts';
import type { Cluster } from './cluster.ts';
import { outageLog } from './outage-log.ts';
import { shippedVersions } from './ship-days.ts';
import type { ShippedDay } from './shipped.ts';

export interface DividedEngineParts {
  db: Database;
  embedded: QueryEngine;
  clickHouse: QueryEngine;
  cluster: Pick<Cluster, 'shipped'>;
  siteOf(siteId: number): Pick<Site, 'id' | 'uuid'> | undefined;
  log: Log;
  /** How long it is not asked again which days of a site are there. */
  knownMs?: number;
}

type Days = ReadonlyMap<number, string>;

/** The questions of a query that go to ClickHouse, by slice. */
type Division = readonly (readonly boolean[])[];

export const dividedEngine = ({
  db,
  embedded,
  clickHouse,
  cluster,
  siteOf,
  log,
  knownMs = 10_000,
}: DividedEngineParts): QueryEngine => {
  const versionsOf = shippedVersions(db);
  const sums = importedSums(db);
  const report = outageLog(log, 'clickhouse');
  const shippedOf = shippedReader(cluster, report, knownMs);

  /** The versions of a slice's days here. */
  const versionsIn = (siteId: number, { from, to }: Slice): Days => {
    const site = siteOf(siteId);
    return site === undefined ? new Map() : versionsOf(site, utcDayOf(from), utcDayOf(to - 1));
  };

  const isThere = (siteId: number, slice: Slice, shipped: Days): boolean => {
    if (slice.from >= slice.to || siteOf(siteId) === undefined) return false;
    // Sums of other products are added where the days before the first own hit are known.
    if (sums.days(siteId, slice.from, slice.to, Number.MAX_SAFE_INTEGER).length > 0) return false;
    const here = versionsIn(siteId, slice);
    const [first, last] = [utcDayOf(slice.from), utcDayOf(slice.to - 1)];
    const there = [...shipped.keys()].filter(day => day >= first && day <= last);
    return here.size > 0 && there.length === here.size && there.every(day => here.get(day) === shipped.get(day));
  };

  const divide = ({ siteId, slices }: Query, shipped: Days): Division =>
    slices.map(slice => {
      const there = isThere(siteId, slice, shipped);
      return slice.questions.map(question => there && isAboutHits(question));
    });

  /** Whether the days that ClickHouse was asked about have not changed meanwhile. */
  const isUnchanged = ({ siteId, slices }: Query, shipped: Days): boolean =>
    slices.every(slice => slice.questions.length === 0 || isThere(siteId, slice, shipped));

  return {
    async run(query, asker, signal) {
      // The days of several sites are read as one here alone.
      const shipped = query.rollup === undefined ? await shippedOf(query.siteId) : null;
      const division = shipped === null ? [] : divide(query, shipped);
      if (shipped === null || !division.flat().includes(true)) return embedded.run(query, asker, signal);
      const far = partOf(query, division, true);
      const near = partOf(query, division, false);
      const isAllFar = near.slices.every(({ questions }) => questions.length === 0);
      try {
        const [ofFar, ofNear] = await Promise.all([
          clickHouse.run(far, asker, signal),
          isAllFar ? far.slices.map(() => []) : embedded.run(near, asker, signal),
        ]);
        report(null);
        if (isUnchanged(far, shipped)) return join(division, ofFar, ofNear);
      } catch (error) {
        if (!(error instanceof QueryFailed)) throw error;
        report(error);
      }
      return embedded.run(query, asker, signal);
    },
  };
};

/** A site's days that are there; null while that cannot be told. */
const shippedReader = (
  cluster: Pick<Cluster, 'shipped'>,
  report: (error: unknown) => void,
  knownMs: number,
): ((siteId: number) => Promise<Days | null>) => {
  const known = new Map<number, { at: number; days: Promise<Days | null> }>();
  return siteId => {
    const kept = known.get(siteId);
    if (kept !== undefined && performance.now() - kept.at < knownMs) return kept.days;
    const days = cluster.shipped(siteId).then(versionsThere, error => {
      report(error);
      return null;
    });
    known.set(siteId, { at: performance.now(), days });
    return days;
  };
};

/** By day the versions that are there. */
const versionsThere = (shipped: readonly ShippedDay[]): Days =>
  new Map(shipped.flatMap(({ day, version }) => (version === '' ? [] : [[day, version] as const])));

const partOf = (query: Query, division: Division, isFar: boolean): Query => ({
  ...query,
  slices: query.slices.map((slice, i) => ({
    ...slice,
    questions: slice.questions.filter((_: Question, n) => division[i]![n] === isFar),
  })),
});

const join = (division: Division, far: Report, near: Report): Report =>
  division.map((ofSlice, i) => {
    const [ofFar, ofNear] = [far[i]!.values(), near[i]!.values()];
    return ofSlice.map(isFar => (isFar ? ofFar : ofNear).next().value!);
  });
