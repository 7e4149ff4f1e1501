/** Which questions go to ClickHouse, with engines that say who they are; and what is answered while it cannot be reached. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { dividedEngine } from '../../src/cluster/divided-engine.ts';
import { shippedVersions } from '../../src/cluster/ship-days.ts';
import type { ShippedDay } from '../../src/cluster/shipped.ts';
import { readShards } from '../../src/model/shards.ts';
import { dayMs } from '../../src/model/time.ts';
import { QueryFailed, QueryUnavailable } from '../../src/query/errors.ts';
import type { Answer, Query, Question } from '../../src/query/query.ts';
import type { QueryEngine } from '../../src/query/query-engine.ts';
import { headline } from '../../src/query/usual-questions.ts';
import { nodes } from '../../src/store/nodes.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDatabase } from '../helpers.ts';
import { firstDay, randomFrom, randomSite, siteWriter, storeSite } from '../query/random-site.ts';

const totals: Question = headline;
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
  const shipped: ShippedDay[] = [...shippedVersions(db)(site!)].map(([day, version]) => ({
    ...{ siteId, day, node: 0, revision: 1, version, hits: 1, taken: 0 },
  }));
  const days = { shipped, firstOpen: { open_hit: undefined as number | undefined, collected_hit: undefined } };
  const engine = dividedEngine({
    ...{ db, clickHouse, embedded: marked(1), daysOf: async () => days },
    siteOf: id => (id === siteId ? site : undefined),
  });
  /** Who answers a question: 1 this machine, 2 ClickHouse. */
  const whoAnswers = async (from: number, to: number, kind: Question['kind'] = 'metricSeries'): Promise<number> => {
    const slices = [{ from: from * dayMs, to: to * dayMs, filters: [], questions: [{ kind } as Question] }];
    const report = await engine.run({ siteId, currency: 'EUR', minorRates: {}, slices }, asker);
    return (report[0]![0] as { at: number }).at;
  };
  const addCollector = (): void => {
    nodes(db).numberOf('0123456789abcdef'.repeat(2), null, 0);
  };
  return { db, siteId, days, engine, whoAnswers, addCollector };
};

test('this machine answers everything until a collector has followed it', async () => {
  const { siteId, engine, whoAnswers, addCollector } = start();
  const slices = [{ from: 0, to: dayMs, filters: [], questions: [totals] }];
  const rollup = { siteId, rollup: [siteId], currency: 'EUR', minorRates: {}, slices };
  assert.equal(await engine.run(rollup, asker), [[{ kind: 'metricSeries', at: 1 }]], 'several sites');
  for (const kind of ['metricSeries', 'vitals', 'firstHit'] as const)
    assert.is(await whoAnswers(firstDay, firstDay + 4, kind), 1);
  addCollector();
  for (const kind of ['vitals', 'outcomes', 'firstHit'] as const)
    assert.is(await whoAnswers(firstDay, firstDay + 4, kind), 2, 'collectors record, too');
});

test('then it answers what is asked about days that it alone has, as they are there', async () => {
  const { db, siteId, days, engine, whoAnswers, addCollector } = start();
  addCollector();
  assert.is(await whoAnswers(firstDay, firstDay + 4), 1);
  days.firstOpen.open_hit = firstDay + 3;
  assert.equal(
    [await whoAnswers(firstDay, firstDay + 3), await whoAnswers(firstDay, firstDay + 4)],
    [1, 2],
    'open hits',
  );
  const whole = days.shipped;
  const day = whole[0]!;
  for (const [what, shipped] of [
    ['another version', whole.map(of => (of === day ? { ...of, version: 'other' } : of))],
    ['not there', whole.filter(of => of !== day)],
    ['of a collector, too', [{ ...day, node: 1 }, ...whole]],
    ['not here', [...whole, { ...day, day: firstDay - 1 }]],
  ] as const) {
    days.shipped = [...shipped];
    assert.is(await whoAnswers(firstDay - 1, firstDay + 3), 2, what);
  }
  days.shipped = whole;
  db.prepare('update day_part set version = 1 where day = ?').run(day.day);
  assert.is(await whoAnswers(firstDay, firstDay + 3), 2, 'hits were taken out');
  const slices = [{ from: firstDay * dayMs, to: (firstDay + 2) * dayMs, filters: [], questions: [totals] }];
  const rollup = { siteId, rollup: [siteId], currency: 'EUR', minorRates: {}, slices };
  assert.equal(await engine.run(rollup, asker), [[{ kind: 'metricSeries', at: 2 }]], 'several sites');
});

test('a cluster that fails is told, since this machine does not have all hits', async () => {
  const away = new QueryFailed('away');
  const { whoAnswers, addCollector, days } = start({ run: () => Promise.reject(away) });
  addCollector();
  days.firstOpen.open_hit = firstDay;
  assert.is(await whoAnswers(firstDay, firstDay + 4).catch(error => error), away);
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

test('a cluster that nobody can reach fails as a query and as an import do', async () => {
  const shards = readShards('http://127.0.0.1:1/daybook')!;
  const slices = [{ from: 0, to: dayMs, filters: [], questions: [headline as Question] }];
  const query: Query = { siteId: 1, currency: 'EUR', minorRates: {}, slices };
  const failure = await clickHouseEngine(shards, 1000)
    .run(query, asker)
    .catch(error => error);
  assert.instance(failure, QueryUnavailable);
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
