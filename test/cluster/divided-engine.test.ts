/** Which questions go to ClickHouse, with engines that say who they are; and what is answered while it cannot be reached. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { dividedEngine } from '../../src/cluster/divided-engine.ts';
import { shippedVersions } from '../../src/cluster/ship-days.ts';
import { readShards } from '../../src/model/shards.ts';
import { dayMs } from '../../src/model/time.ts';
import { QueryFailed } from '../../src/query/errors.ts';
import type { Answer, Query, Question } from '../../src/query/query.ts';
import type { QueryEngine } from '../../src/query/query-engine.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDatabase } from '../helpers.ts';
import { firstDay, randomFrom, randomSite, siteWriter, storeSite } from '../query/random-site.ts';

const totals: Question = { kind: 'totals' };
const asker = { accountId: 1, isPublic: false };

/** Answers every question with its own mark and the kind. */
const marked = (mark: number): QueryEngine & { asked: Query[] } => {
  const asked: Query[] = [];
  return {
    asked,
    async run(query) {
      asked.push(query);
      return query.slices.map(({ questions }) => questions.map(({ kind }) => ({ kind, at: mark }) as Answer));
    },
  };
};

const start = (clickHouse: QueryEngine = marked(2)) => {
  const { db } = temporaryDatabase();
  const siteId = storeSite(db, randomSite(randomFrom(1)), firstDay + 2);
  const [site] = sites(db).list();
  const shipped = shippedVersions(db)(site!);
  const logged: string[] = [];
  const engine = dividedEngine({
    ...{ db, clickHouse, embedded: marked(1), log: event => logged.push(event) },
    cluster: {
      shipped: async () =>
        [...shipped].map(([day, version]) => ({ siteId, day, node: 0, revision: 1, version, hits: 1 })),
    },
    siteOf: id => (id === siteId ? site : undefined),
    knownMs: 0,
  });
  /** Who answered each of some questions: 1 this machine, 2 ClickHouse. */
  const whoAnswers = async (from: number, to: number, kinds: Question['kind'][]): Promise<number[]> => {
    const questions = kinds.map(kind => ({ kind }) as Question);
    const slices = [
      { from: from * dayMs, to: to * dayMs, filters: [], questions },
      { from: from * dayMs, to: from * dayMs, filters: [], questions: [{ kind: 'firstHit' } as Question] },
    ];
    const report = await engine.run({ siteId, currency: 'EUR', minorRates: {}, slices }, asker);
    assert.equal(
      report.map(ofSlice => ofSlice.map(({ kind }) => kind)),
      [kinds, ['firstHit']],
    );
    return report[0]!.map(answer => (answer as { at: number }).at);
  };
  return { db, siteId, shipped, logged, engine, whoAnswers };
};

test('ClickHouse is asked about days that are there as they are here, and not about records', async () => {
  const { whoAnswers } = start();
  const kinds = ['totals', 'vitals', 'visits', 'outcomes', 'funnel'] as const;
  assert.equal(await whoAnswers(firstDay, firstDay + 4, [...kinds]), [2, 1, 2, 1, 2]);
});

test('this machine is asked about several sites, and about days without hits', async () => {
  const { siteId, engine, whoAnswers } = start();
  assert.equal(await whoAnswers(firstDay + 100, firstDay + 101, ['totals']), [1]);
  const slices = [{ from: firstDay * dayMs, to: (firstDay + 2) * dayMs, filters: [], questions: [totals] }];
  const rollup = { siteId, rollup: [siteId], currency: 'EUR', minorRates: {}, slices };
  assert.equal(await engine.run(rollup, asker), [[{ kind: 'totals', at: 1 }]]);
});

test('a day that changed, is missing there, or is only there, is asked of this machine', async () => {
  const { db, shipped, whoAnswers } = start();
  assert.equal(await whoAnswers(firstDay, firstDay + 2, ['totals']), [2]);
  const version = shipped.get(firstDay)!;
  shipped.set(firstDay, `${version} other`);
  assert.equal(await whoAnswers(firstDay, firstDay + 2, ['totals']), [1]);
  assert.equal(await whoAnswers(firstDay + 1, firstDay + 2, ['totals']), [2], 'the other days are as they were');
  shipped.delete(firstDay);
  assert.equal(await whoAnswers(firstDay, firstDay + 2, ['totals']), [1]);
  shipped.set(firstDay, version);
  shipped.set(firstDay - 1, version);
  assert.equal(await whoAnswers(firstDay - 1, firstDay + 2, ['totals']), [1]);
  db.prepare('update sealed_day set version = 1 where day = ?').run(firstDay);
  assert.equal(await whoAnswers(firstDay, firstDay + 2, ['totals']), [1], 'hits were taken out');
});

test('hits that came since a day was shipped are asked of this machine', async () => {
  const { db } = temporaryDatabase();
  const hits = randomSite(randomFrom(2)).filter(({ visit }) => visit.day === firstDay + 1);
  const { siteId, write } = siteWriter(db);
  write(hits.slice(0, 5));
  const [site] = sites(db).list();
  const before = shippedVersions(db)(site!);
  assert.equal(shippedVersions(db)(site!), before);
  write(hits.slice(5));
  assert.not.equal(shippedVersions(db)(site!), before);
  assert.is(before.size, 1);
  assert.is(siteId, site!.id);
});

test('this machine answers while ClickHouse fails, and the log says so once', async () => {
  let fails = true;
  const clickHouse: QueryEngine = {
    run: (query, of, signal) => (fails ? Promise.reject(new QueryFailed('away')) : marked(2).run(query, of, signal)),
  };
  const { logged, whoAnswers } = start(clickHouse);
  assert.equal(await whoAnswers(firstDay, firstDay + 4, ['totals', 'vitals']), [1, 1]);
  assert.equal(await whoAnswers(firstDay, firstDay + 4, ['totals']), [1]);
  assert.equal(logged, ['clickhouse-failed']);
  fails = false;
  assert.equal(await whoAnswers(firstDay, firstDay + 4, ['totals']), [2]);
  assert.equal(logged, ['clickhouse-failed', 'clickhouse-answers']);
});

test('a cluster that nobody can reach fails as a query and as an import do', async () => {
  const shards = readShards('http://127.0.0.1:1/daybook')!;
  const slices = [{ from: 0, to: dayMs, filters: [], questions: [{ kind: 'totals' } as Question] }];
  const query: Query = { siteId: 1, currency: 'EUR', minorRates: {}, slices };
  const failure = await clickHouseEngine(shards, 1000)
    .run(query, asker)
    .catch(error => error);
  assert.instance(failure, QueryFailed);
  assert.match(failure.message, /^ClickHouse: .*ECONNREFUSED/);
  const refused = await openCluster(shards)
    .shipped(1)
    .catch(error => error);
  assert.match(refused.message, /ECONNREFUSED/);
});

test('addresses of shards and replicas are read', () => {
  const shards = readShards('http://a:1/x, http://b:2/x;https://u:p@c/y')!;
  assert.equal(
    shards.map(of => of.map(({ host }) => host)),
    [['a:1', 'b:2'], ['c']],
  );
  for (const text of ['', 'a:1', 'http://a;', 'ftp://a']) assert.is(readShards(text), undefined, text);
});

test.run();
