/** Which shards there are: whoever was told of too few or of others neither answers nor sends. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { sendToShard } from '../../src/cluster/client.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { openTurns } from '../../src/cluster/forward-open.ts';
import { placement } from '../../src/cluster/placement.ts';
import type { Shards } from '../../src/model/shards.ts';
import { readShards, writeShards } from '../../src/model/shards.ts';
import { dayMs, utcDayOf } from '../../src/model/time.ts';
import { QueryIncomplete } from '../../src/query/errors.ts';
import type { Question } from '../../src/query/query.ts';
import { headline } from '../../src/query/usual-questions.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { clusterStore } from '../../src/store/cluster.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite, temporaryDatabase, temporaryDir } from '../helpers.ts';
import { firstDay, randomFrom, randomSite, siteWriter } from '../query/random-site.ts';
import { primaryFlags, startTestAnswer, startTestServer, type TestServer } from '../start-server.ts';
import { endChild } from '../tools/children.ts';
import { until } from '../tools/conditions.ts';
import { hasClickHouse, type Servers, startServers, testCluster } from './servers.ts';

const tryIt = hasClickHouse() ? test : test.skip;

let servers: Servers | undefined;
let databases = 0;
test.before(async () => {
  if (hasClickHouse()) servers = await startServers(temporaryDir(), 2, 1);
});
test.after(() => servers?.close());

const newPlace = (): string => servers!.address.replaceAll('/daybook', `/place${databases++}`);
const asker = { accountId: 1, isPublic: false };
const today = utcDayOf(Date.now());

/** Resolves with why a question about days is not answered, or with null where it is. */
const refusalOf = async (
  shards: Shards,
  { days = [today, today + 1], kind = 'metricSeries', cluster = testCluster as string | null } = {},
): Promise<string | null> => {
  const [from, to] = days.map(day => day * dayMs) as [number, number];
  const question = (kind === 'metricSeries' ? headline : { kind }) as Question;
  const query = {
    siteId: 1,
    currency: 'EUR',
    minorRates: {},
    slices: [{ from, to, filters: [], questions: [question] }],
  };
  return clickHouseEngine(shards, 30_000, { cluster })
    .run(query, asker)
    .then(
      () => null,
      error => {
        assert.instance(error, QueryIncomplete, String(error));
        return error.message;
      },
    );
};

tryIt(
  'no question is answered from shards that are too few, others or in other places, and nothing is sent there',
  async () => {
    const address = newPlace();
    const [one, two] = readShards(address) as [readonly URL[], readonly URL[]];
    await openCluster([one, two]).makeTables(testCluster);
    const [other] = readShards(newPlace()) as [readonly URL[]];
    const empty = readShards(newPlace())![1]!;
    await openCluster([other]).makeTables('f'.repeat(32));

    const { db } = temporaryDatabase();
    const { write } = siteWriter(db);
    write(randomSite(randomFrom(2)).filter(({ visit }) => visit.day === firstDay));
    const sent = async (shards: Shards): Promise<string | null> => {
      const turn = openTurns(db, shards, { node: 1, hitId: 0 });
      const { failure, waiting } = await turn(Date.now(), new AbortController().signal);
      assert.is(failure === null, waiting === 0, 'hits wait');
      return failure;
    };
    const wrong: [shards: Shards, sentence: RegExp][] = [
      [[one], /^The cluster has 2 shards; this server knows 1\.$/],
      [[two, one], /is shard 2 of the cluster, and CLICKHOUSE has it as 1\.$/],
      [[one, one], /is shard 1 of the cluster, and CLICKHOUSE has it as 2\.$/],
      [[one, empty], /is no shard of a cluster yet: start the primary first\.$/],
      [[one, other], /belongs to another cluster, f{32}\.$/],
      [[two], /is shard 2 of the cluster, and CLICKHOUSE has it as 1\.$/],
    ];
    for (const [shards, sentence] of wrong) {
      for (const kind of ['metricSeries', 'firstHit', 'outcomes'])
        assert.match((await refusalOf(shards, { kind })) ?? 'it is answered', sentence);
      assert.match((await sent(shards)) ?? 'it is sent', sentence);
    }
    assert.match((await refusalOf([other])) ?? '', /belongs to another cluster/, 'whole, and not ours');
    assert.is(await refusalOf([one, two]), null);
    assert.is(await sent([one, two]), null);
  },
);

tryIt('a shard that is added is missed in questions about days since then alone', async () => {
  const shards = readShards(newPlace())!;
  await openCluster(shards.slice(0, 1)).makeTables(testCluster);
  assert.is(await refusalOf(shards.slice(0, 1)), null);
  assert.match((await refusalOf(shards)) ?? '', /is no shard of a cluster yet/, 'before the primary knows of it');
  await openCluster(shards).makeTables(testCluster);
  await openCluster(shards).makeTables(testCluster);
  for (const known of [shards, shards.slice(0, 1)]) assert.is(await refusalOf(known), null, 'it begins later');
  const later = [today, today + 3];
  assert.is(await refusalOf(shards, { days: later }), null);
  const sentence = /^The cluster has 2 shards since 20\d\d-\d\d-\d\d; this server knows 1\.$/;
  assert.match((await refusalOf(shards.slice(0, 1), { days: later })) ?? '', sentence);
  const forgetting = await openCluster(shards.slice(0, 1))
    .makeTables(testCluster)
    .catch(error => error.message);
  assert.match(forgetting, sentence);
});

tryIt('what earlier versions noted of shards is taken over', async () => {
  const shards = readShards(newPlace())!;
  const tell = (sql: string) => sendToShard(shards[0]!, { sql, timeoutMs: 10_000 });
  await openCluster(shards).makeTables(testCluster);
  for (const shard of shards) await sendToShard(shard, { sql: 'truncate table topology', timeoutMs: 10_000 });
  await tell('create table placement (day Date, shards UInt16) engine = MergeTree order by day');
  await tell('insert into placement values (toDate(0), 1), (toDate(20000), 2)');
  await openCluster(shards).makeTables(testCluster);
  const { shardsOn, shardsBetween } = placement(shards, testCluster);
  assert.equal([await shardsOn(19_999), await shardsOn(20_000), await shardsBetween(0, 30_000)], [1, 2, [1, 2]]);
});

const startFails = (start: Promise<TestServer>): Promise<string> =>
  start.then(
    server => server.close().then(() => 'it started'),
    error => error.message,
  );

tryIt(
  'a primary does not start on an empty directory, and ends when ClickHouse turns out to be another’s',
  async () => {
    const flags = { ...primaryFlags, clickhouse: newPlace() };
    const primary = await startTestServer({ flags });
    const id = clusterStore(primary.db).id()!;
    const shards = readShards(flags.clickhouse)!;
    await until('it has made its tables', () =>
      placement(shards, id)
        .check()
        .then(
          () => true,
          () => false,
        ),
    );
    await primary.close();
    const sentence = new RegExp(
      `^This directory is not the primary’s of the cluster.* ${id}\\. Name the right one with --data\\.$`,
    );
    assert.match(await startFails(startTestServer({ flags })), sentence);
    assert.match(await startFails(startTestServer({ flags, dataDir: primary.dataDir })), /^it started$/);

    // While ClickHouse is away nobody can tell.
    const [first] = servers!.programs;
    await endChild(first!.process());
    const empty = await startTestServer({ flags });
    first!.start();
    assert.match(await empty.needsStart!, sentence);
    await empty.close();
  },
);

tryIt('an answering server with a list of its own says which shards it lacks, with status 503', async () => {
  const flags = { ...primaryFlags, clickhouse: newPlace() };
  const primary = await startTestServer({ flags });
  const key = `tk_live_${'k'.repeat(32)}`;
  apiKeys(primary.db).add(accounts(primary.db).named('default', 0).id, 'test', key, 0);
  const { uuid } = addSite(primary.db);
  const answers = await startTestAnswer(primary.url);
  const forgetful = await startTestAnswer(primary.url, {
    flags: { clickhouse: writeShards(readShards(flags.clickhouse)!.slice(0, 1)) },
  });
  const ask = async ({ url }: TestServer): Promise<[number, string]> => {
    const response = await fetch(`${url}/api/v1/sites/${uuid}/stats?range=7d`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return [response.status, ((await response.json()) as { error: string }).error];
  };
  await until('all is there', async () => (await ask(answers))[0] === 200);
  assert.equal(await ask(forgetful), [503, 'The cluster has 2 shards; this server knows 1.']);
  assert.is(sites(forgetful.db).list().length, 1);
  for (const server of [answers, forgetful, primary]) await server.close();
});

test.run();
