/**
 * A shard that is added in the middle of a random site's days, which stay where they are; and a site whose visitors are
 * divided among some, asked as one. ClickHouse gives the answers of a naive recount.
 */
import { isDeepStrictEqual } from 'node:util';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { send, statementMs } from '../../src/cluster/client.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { placement } from '../../src/cluster/placement.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { readShards } from '../../src/model/shards.ts';
import type { TableMetricName } from '../../src/model/table-metrics.ts';
import { utcDayOf } from '../../src/model/time.ts';
import type { Question, Slice } from '../../src/query/query.ts';
import { topValues } from '../../src/query/usual-questions.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, naiveReport } from '../naive.ts';
import {
  type AskedKind,
  days,
  firstDay,
  type Random,
  randomFrom,
  randomQuery,
  randomSite,
  siteWriter,
} from '../query/random-site.ts';
import type { Agreement } from './agree.ts';
import { syncReplicas, testCluster, wholeDays } from './servers.ts';

/** What is asked of several sites. */
const kinds: AskedKind[] = [
  ...([
    'metricSeries',
    'metricSeries',
    'metricSeries',
    'table',
    'table',
    'table',
    'goals',
    'events',
    'eventSeries',
  ] as const),
  ...(['propertyKeys', 'propertySummaries', 'propertyValues', 'visits', 'funnel', 'journey', 'visitor'] as const),
  ...(['lastHit', 'firstHit'] as const),
];

export const agreeShards = async (address: string, seeds: readonly number[], queries: number): Promise<Agreement> => {
  const found: Agreement = { asked: 0, differing: [] };
  for (const seed of seeds) {
    const random = randomFrom(seed);
    const shards = readShards(address.replaceAll('/daybook', `/shards${seed}`))!;
    const { db } = temporaryDatabase();
    const hits = randomSite(random);
    const writers = Array.from({ length: 1 + random.below(3) }, () => siteWriter(db));
    for (const [i, { write }] of writers.entries())
      write(hits.filter(({ visit }) => Number.parseInt(visit.visitor.slice(-2), 16) % writers.length === i));
    sealAll(db, firstDay + days, 0);

    // All days on the first shard; then those from one on again, on both.
    await openCluster(shards.slice(0, 1)).makeTables(testCluster);
    for await (const _ of dayShipper(db, openCluster(shards.slice(0, 1)), 0)(sites(db).list(), wholeDays));
    await openCluster(shards).makeTables(testCluster);
    found.differing.push(...(await tomorrowAt(shards)));
    const since = firstDay + 1 + random.below(days - 1);
    for (const [replica] of shards) {
      const sql = `insert into topology (cluster, shard, day, shards)
        select cluster, shard, toDate(${since}), 2 from topology limit 1`;
      await send(replica!, { sql, timeoutMs: statementMs });
    }
    const cluster = openCluster(shards);
    for (const { siteId } of writers)
      for (let day = since; day < firstDay + days; day++) await cluster.drop({ siteId, day, node: 0 });
    for await (const _ of dayShipper(db, cluster, 0)(sites(db).list(), wholeDays));

    await syncReplicas(shards, ['shipped', 'hit', 'topology']);
    const engine = clickHouseEngine(shards, 60_000);
    // Rows of these come in passes, where answers may have three rows alone.
    const narrow = clickHouseEngine(shards, 60_000, { resultRowsMax: 3 });
    const siteIds = writers.map(({ siteId }) => siteId);
    for (let i = 0; i < queries; i++) {
      const of = siteIds.length === 1 ? { siteId: siteIds[0]! } : { siteId: -1, rollup: siteIds };
      const query = JSON.parse(JSON.stringify({ ...randomQuery(random, 0, kinds), ...of }), (_, value) =>
        typeof value === 'string' ? value.toWellFormed() : value,
      );
      const isNarrow = i === 0;
      if (isNarrow)
        query.slices = query.slices.slice(0, 1).map((slice: Slice) => ({ ...slice, questions: inPasses(random) }));
      const by = isNarrow ? narrow : engine;
      const [got, want] = [await by.run(query, { accountId: 1, isPublic: false }), naiveReport(hits, query)];
      for (const [slice, { questions, ...about }] of query.slices.entries())
        for (const [n, question] of questions.entries()) {
          found.asked++;
          const [a, b] = [got, want].map(report => JSON.parse(JSON.stringify(comparable(report[slice]![n]!))));
          if (isDeepStrictEqual(a, b)) continue;
          found.differing.push(
            [{ seed, ...of, ...about, question }, a, b].map(part => JSON.stringify(part)).join('\n'),
          );
        }
    }
    db.close();
  }
  return found;
};

const inPasses = (random: Random): Question[] => {
  const dimension = random.pick(['title', 'entryPath', 'country', 'event'] as const);
  const table = { metrics: ['visitors', 'visits', 'bounceRate'] as TableMetricName[], sort: 'visitors' as const };
  const after = random.chance(0.5) ? null : { value: 3, hits: 5, name: 'Home' };
  return [
    topValues(dimension, 1 + random.below(4)),
    { kind: 'table', dimension, ...table, descending: random.chance(0.5), limit: 1 + random.below(4), after },
  ];
};

/** A shard that was named for the first time gets hits from tomorrow on, and can no longer be left out. */
const tomorrowAt = async (shards: NonNullable<ReturnType<typeof readShards>>): Promise<string[]> => {
  const { shardsOn } = placement(shards);
  const today = utcDayOf(Date.now());
  const [now, then] = [await shardsOn(today), await shardsOn(today + 2)];
  const refused = await openCluster(shards.slice(0, 1))
    .makeTables(testCluster)
    .then(
      () => 'A shard was left out',
      () => null,
    );
  return [...(now === 1 && then === 2 ? [] : [`${now} and ${then} shards`]), ...(refused === null ? [] : [refused])];
};
