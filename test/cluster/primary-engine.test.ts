/** Which questions go to ClickHouse, with engines that say who they are; and what is answered while it cannot be reached. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { primaryEngine, withSums } from '../../src/cluster/primary-engine.ts';
import { shippedVersions } from '../../src/cluster/ship-days.ts';
import { readShards } from '../../src/model/shards.ts';
import { dayMs } from '../../src/model/time.ts';
import { QueryFailed, QueryUnavailable } from '../../src/query/errors.ts';
import type { Answer, AnswerOf, Query, Question } from '../../src/query/query.ts';
import type { QueryEngine } from '../../src/query/query-engine.ts';
import { headline } from '../../src/query/usual-questions.ts';
import { nodes } from '../../src/store/nodes.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { firstDay, randomFrom, randomSite, siteWriter } from '../query/random-site.ts';

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

test('this machine answers everything until a collector has followed it, and then ClickHouse', async () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const away = new QueryFailed('away');
  const failing = { run: () => Promise.reject(away) };
  const [embedded, clickHouse] = [marked(1), marked(2)];
  /** Who answers a question: 1 this machine, 2 ClickHouse. */
  const whoAnswers = async (kind: Question['kind'], more: Partial<Query> = {}, there: QueryEngine = clickHouse) => {
    const engine = primaryEngine({ db, embedded, clickHouse: there });
    const slices = [{ from: 0, to: dayMs, filters: [], questions: [{ kind } as Question] }];
    const report = await engine.run({ siteId, currency: 'EUR', minorRates: {}, slices, ...more }, asker);
    return (report[0]![0] as { at: number }).at;
  };
  const kinds = ['metricSeries', 'vitals', 'outcomes', 'firstHit'] as const;
  assert.is(await whoAnswers('metricSeries', { rollup: [siteId] }), 1, 'several sites');
  for (const kind of kinds) assert.is(await whoAnswers(kind), 1, kind);
  nodes(db).note('0123456789abcdef'.repeat(2), 0);
  for (const kind of kinds) assert.is(await whoAnswers(kind), 2, kind);
  assert.is(await whoAnswers('metricSeries', { rollup: [siteId] }), 2, 'several sites');
  // This machine does not have all hits.
  assert.is(await whoAnswers('metricSeries', {}, failing).catch(error => error), away);
});

test('of each site of several, imported sums count before the first hit that the cluster has of it', async () => {
  const { db, dataDir } = temporaryDatabase();
  const siteIds: number[] = [];
  // The third has no sums.
  for (const views of [9, 4, null]) {
    const { id, domain } = addSite(db);
    siteIds.push(id);
    if (views === null) continue;
    const stdin = `Date,Total users,Sessions,Views\n20261101,3,3,${views}\n`;
    const ran = await runCommand(dataDir, ['import', '-', '--site', domain], { stdin });
    assert.is(ran.code, 0, ran.stderr);
  }
  const [early, late, without] = siteIds as [number, number, number];
  const firsts = new Map([
    [early, Date.UTC(2026, 9, 1)],
    [late, Date.UTC(2026, 10, 10)],
  ]);
  const askedFirst: number[] = [];
  const clickHouse: QueryEngine = {
    async run({ siteId, rollup, slices }) {
      const answerOf = (question: Question): Answer => {
        if (question.kind === 'metricSeries')
          return { kind: 'metricSeries', rows: [{ values: question.metrics.map(() => 0), otherRevenue: {} }] };
        assert.is(rollup, undefined);
        askedFirst.push(siteId);
        return { kind: 'firstHit', at: firsts.get(siteId) ?? null };
      };
      return slices.map(({ questions }) => questions.map(answerOf));
    },
  };
  /** Page views of some sites, and whose first hits were asked for. */
  const asked = async (rollup: number[] | undefined, siteId: number) => {
    askedFirst.length = 0;
    const questions: Question[] = [{ kind: 'metricSeries', metrics: ['pageviews'] }];
    const slices = [{ from: Date.UTC(2026, 9, 30), to: Date.UTC(2026, 10, 4), filters: [], questions }];
    const query: Query = { siteId, currency: 'EUR', minorRates: {}, slices, ...(rollup && { rollup }) };
    const report = await withSums(db, clickHouse).run(query, asker);
    return [(report[0]![0] as AnswerOf<'metricSeries'>).rows[0]!.values[0], ...askedFirst];
  };
  assert.equal(await asked(siteIds, without), [4, early, late]);
  assert.equal(await asked([late, without], without), [4, late]);
  assert.equal(await asked(undefined, early), [0, early]);
  assert.equal(await asked(undefined, late), [4, late]);
  assert.equal(await asked([without], without), [0]);
});

test('a day that got hits since it was shipped has another version', async () => {
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
