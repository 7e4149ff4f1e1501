/** Compares what a cluster and a database answer: the hits of each day, and random questions. */
import { isDeepStrictEqual } from 'node:util';
import { dimensionNames } from '../model/dimensions.ts';
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { tableMetricNames } from '../model/table-metrics.ts';
import { dayMs, utcDayName, utcDayOf } from '../model/time.ts';
import { createEngine } from '../query/engine.ts';
import { alone } from '../query/pace.ts';
import type { Query, Question } from '../query/query.ts';
import { type Database, openReader } from '../store/database.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { importedSums } from '../store/imports/sums.ts';
import { clickHouseEngine } from './clickhouse-engine.ts';
import type { Cluster } from './cluster.ts';

export interface Comparing {
  db: Database;
  dataDir: string;
  shards: Shards;
  cluster: Pick<Cluster, 'shipped'>;
  now: () => number;
  /** An integer from 0 to below n. */
  below: (n: number) => number;
}

/** Memory for columns; each question is asked once. */
const cacheBytes = 64 * 1024 * 1024;
const deadlineMs = 600_000;

/** The days before today whose number of hits differs, each as a sentence. */
export const differingDays = async (comparing: Comparing, sites: readonly Site[]): Promise<string[]> => {
  const { db, cluster } = comparing;
  const today = utcDayOf(comparing.now());
  const differing: string[] = [];
  for (const { id, domain } of sites) {
    const there = sumsByDay(await cluster.shipped(id));
    const here = sumsByDay(hitsHere(db, id, today));
    for (const day of new Set([...there.keys(), ...here.keys()])) {
      const [far, near] = [there.get(day) ?? 0, here.get(day) ?? 0];
      if (day < today && far !== near)
        differing.push(`${domain}, ${utcDayName(day)}: ${far} hits on ClickHouse and ${near} here.`);
    }
  }
  return differing;
};

const hitsHere = (db: Database, siteId: number, today: number): { day: number; hits: number }[] =>
  [...dayReader(db, 0).days(siteId, 0, today * dayMs)].map(({ day, hits }) => ({ day, hits }));

const sumsByDay = (parts: readonly { day: number; hits: number }[]): Map<number, number> => {
  const sums = new Map<number, number>();
  for (const { day, hits } of parts) if (hits > 0) sums.set(day, (sums.get(day) ?? 0) + hits);
  return sums;
};

/** Asks both some random questions about days before today, and gives those with two answers. */
export const differingAnswers = async (
  comparing: Comparing,
  sites: readonly Site[],
  count: number,
): Promise<{ asked: number; differing: string[] }> => {
  const { db, dataDir, shards, cluster, below } = comparing;
  const today = utcDayOf(comparing.now());
  const sums = importedSums(db);
  const far = clickHouseEngine(shards, deadlineMs);
  const reader = openReader(dataDir);
  const near = createEngine(reader, cacheBytes);
  const found = { asked: 0, differing: [] as string[] };
  try {
    const days = new Map<Site, number[]>();
    for (const site of sites) {
      const there = [...sumsByDay(await cluster.shipped(site.id)).keys()].filter(day => day < today);
      if (there.length > 0)
        days.set(
          site,
          there.sort((a, b) => a - b),
        );
    }
    const asked = [...days.keys()];
    for (let i = 0; i < count && asked.length > 0; i++) {
      const site = asked[below(asked.length)]!;
      const query = randomQuery(site, days.get(site)!, below);
      const [{ from, to }] = query.slices as [Query['slices'][number]];
      // Sums of other products are added here alone.
      if (sums.days(site.id, from, to, Number.MAX_SAFE_INTEGER).length > 0) continue;
      const answers = [
        await far.run(query, { accountId: site.accountId, isPublic: false }),
        await near.answer(query, alone),
      ];
      found.asked++;
      const [ofFar, ofNear] = answers.map(answer => JSON.parse(JSON.stringify(answer)));
      if (!isDeepStrictEqual(ofFar, ofNear))
        found.differing.push(
          `${site.domain}, ${utcDayName(utcDayOf(from))} to ${utcDayName(utcDayOf(to - 1))}: ${JSON.stringify(query.slices[0]!.questions)}.`,
        );
    }
  } finally {
    reader.close();
  }
  return found;
};

const randomQuery = ({ id: siteId, currency }: Site, days: readonly number[], below: (n: number) => number): Query => {
  const pick = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const [first, last] = [pick(days), pick(days)].sort((a, b) => a - b) as [number, number];
  const [from, to] = [first * dayMs, (last + 1) * dayMs];
  const bounds = Array.from({ length: last - first + 2 }, (_, day) => from + day * dayMs);
  const paging = { limit: 20, after: null, descending: below(2) === 0 };
  const questions: Question[] = [
    { kind: 'totals' },
    { kind: 'series', bounds },
    { kind: 'breakdown', dimension: pick(dimensionNames), limit: 20 },
    {
      kind: 'table',
      dimension: pick(dimensionNames),
      metrics: [...tableMetricNames],
      sort: pick(tableMetricNames),
      ...paging,
    },
    { kind: 'events', limit: 20, bounds },
    { kind: 'eventSeries', bounds },
    { kind: 'lastHit' },
    { kind: 'outcomes', bounds },
    { kind: 'crawls', bounds, by: 'path', filters: [], limit: 20 },
    { kind: 'vitals', from, to, by: 'path', filters: [], limit: 20 },
  ];
  return { siteId, currency, minorRates: {}, slices: [{ from, to, filters: [], questions: [pick(questions)] }] };
};
