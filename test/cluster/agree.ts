/** Random questions about random sites: ClickHouse gives the answers of a naive recount, and of the embedded engine. */
import { isDeepStrictEqual } from 'node:util';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { dayCloser } from '../../src/cluster/close-days.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { openTurns } from '../../src/cluster/forward-open.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { readShards, type Shards } from '../../src/model/shards.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Answer, AnswerOf, Filter, Query, Question, Slice, VisitCursor } from '../../src/query/query.ts';
import type { QueryEngine } from '../../src/query/query-engine.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import { beginEpoch } from '../../src/store/epochs.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, naiveReport, visitRowsOf } from '../naive.ts';
import {
  askedKinds,
  days,
  firstDay,
  randomFrom,
  randomParts,
  randomQuery,
  randomSite,
  storeSite,
} from '../query/random-site.ts';
import { syncReplicas, testCluster } from './servers.ts';

export interface Plan {
  firstSeed: number;
  sites: number;
  queriesPerSite: number;
}

export interface Agreement {
  asked: number;
  /** What was asked, what came, and what should have. */
  differing: string[];
}

const asker = { accountId: 1, isPublic: false };
const plain = (answer: Answer): unknown => JSON.parse(JSON.stringify(comparable(answer)));

export const agree = async (address: string, { firstSeed, sites: count, queriesPerSite }: Plan): Promise<Agreement> => {
  const shards = readShards(address)!;
  const cluster = openCluster(shards);
  await cluster.makeTables(testCluster);
  const engine = clickHouseEngine(shards, 60_000);
  const found: Agreement = { asked: 0, differing: [] };
  const compare = async (query: Query, want: Answer[][]): Promise<void> => {
    for (const [i, slice] of query.slices.entries()) {
      for (const [n, question] of slice.questions.entries()) {
        const got = await answerTo(engine, query, slice, question);
        found.asked++;
        if (isDeepStrictEqual(plain(got), plain(want[i]![n]!))) continue;
        const asked = { ...slice, questions: [question] };
        found.differing.push([asked, plain(got), plain(want[i]![n]!)].map(part => JSON.stringify(part)).join('\n'));
      }
    }
  };
  const { db, dataDir } = temporaryDatabase();
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const random = randomFrom(seed);
    const site = randomSite(random);
    const siteId = storeSite(db, site, firstDay + random.below(days + 2), 'UTC', randomParts(random).partHitsMax);
    // Some days are there whole, and others visit by visit.
    await shipAll(db, cluster, random.chance(0.7) ? 0 : firstDay + days);
    await forwardAll(db, shards, seed, seed % 2 === 1 ? collectorsNode : 0);
    if (random.chance(0.5)) await dayCloser(shards)(sites(db).list(), (firstDay + days + 1) * dayMs);
    await syncReplicas(shards, ['shipped', 'open_hit', 'collected_hit', 'hit']);
    for (let i = 0; i < queriesPerSite; i++) {
      const query = wellFormed(randomQuery(random, siteId, askedKinds));
      await compare(query, naiveReport(site, query));
    }
    const embedded = createEngine(openReader(dataDir), 1e8);
    const alike = async (question: Question, filters: Filter[] = []): Promise<Answer> => {
      const slices = [{ from: firstDay * dayMs, to: (firstDay + days) * dayMs, filters, questions: [question] }];
      const query = { siteId, currency: 'EUR', minorRates: { USD: 0.5 }, slices };
      const want = await embedded.answer(query, alone);
      await compare(query, want);
      return want[0]![0]!;
    };
    await compareVisits(alike);
    await alike({ kind: 'metricSeries', metrics: ['visitors', 'pageviews', 'visits'], bounds: unevenBounds }, [noHit]);
    const { slices, ...query } = wellFormed(randomQuery(random, siteId, askedKinds));
    const ofNothing = { ...query, slices: slices.map(slice => ({ ...slice, filters: [noHit] })) };
    await compare(ofNothing, await embedded.answer(ofNothing, alone));
  }
  return found;
};

/** Of more lengths than SQL has a case each for. */
const unevenBounds = [
  ...Array.from({ length: 9 }, (_, i) => firstDay * dayMs + (i * (i + 1) * hourMs) / 2),
  (firstDay + days) * dayMs,
];
const noHit: Filter = { anyOf: [[]], negated: true };

const answerTo = async (engine: QueryEngine, query: Query, slice: Slice, question: Question): Promise<Answer> => {
  const slices = [{ ...slice, questions: [question] }];
  const message = JSON.stringify(slices);
  const report = await engine.run({ ...query, slices }, asker).catch(error => {
    throw new Error(`${(error as Error).message}\n${message}`);
  });
  return report[0]![0]!;
};

const shipAll = async (db: Database, cluster: ReturnType<typeof openCluster>, openFrom: number): Promise<void> => {
  for await (const _ of dayShipper(db, cluster, 0)(sites(db).list(), { openFrom, takesAway: true }));
};

/** As the primary's, or a collector's. */
export const forwardAll = async (db: Database, shards: Shards, revision: number, node: number): Promise<void> => {
  if (node === collectorsNode) beginEpoch(db, 'a directory', count => new Uint8Array(count).fill(revision));
  const turn = openTurns(db, shards, { node, hitId: 0 });
  for (let isMore = true; isMore; ) {
    const turned = await turn(revision, AbortSignal.timeout(60_000));
    if (turned.failure !== null) throw new Error(turned.failure);
    isMore = turned.isMore;
  }
};

/** No address could carry half of a surrogate pair. */
export const wellFormed = (query: Query): Query =>
  JSON.parse(JSON.stringify(query), (_, value) => (typeof value === 'string' ? value.toWellFormed() : value)) as Query;

/** Pages of visits in each order, and the hits of some of them. */
const compareVisits = async (alike: (question: Question) => Promise<Answer>): Promise<void> => {
  const chips = { converted: false, bounced: false, paid: false, returning: false, search: '' };
  const ids: string[] = [];
  for (const sort of ['started', 'duration', 'pageviews', 'events', 'revenue'] as const) {
    const descending = sort !== 'events';
    let after: VisitCursor | null = null;
    for (let page = 0; page < 3; page++) {
      const answer = await alike({ kind: 'visits', sort, descending, limit: 11, ...chips, after, form: 'json' });
      ids.push(...visitRowsOf(answer as AnswerOf<'visits'>).map(({ id }) => id));
      after = (answer as AnswerOf<'visits'>).next;
      if (after === null) break;
    }
  }
  for (const id of [...ids.filter((_, i) => i % 13 === 0), '20000-0000000000000000-1', 'nothing'])
    await alike({ kind: 'visitHits', id });
};
