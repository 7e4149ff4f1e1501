/** Erasing on two shards with two replicas: what is deleted there, and when. */
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { send, sendToShard } from '../../src/cluster/client.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { eraseHits, eraseNoted } from '../../src/cluster/erase-hits.ts';
import { startForwarder } from '../../src/cluster/forwarder.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { readShards } from '../../src/model/shards.ts';
import { runCommand, testNow } from '../cli/helpers.ts';
import { temporaryDatabase, temporaryDir } from '../helpers.ts';
import { randomFrom, randomSite, siteWriter } from '../query/random-site.ts';
import { until } from '../tools/conditions.ts';
import { hasClickHouse, hasZooKeeper, type Servers, startServers, testCluster } from './servers.ts';

const tryIt = hasClickHouse() && hasZooKeeper() ? test : test.skip;

let servers: Servers | undefined;
test.before(async () => {
  if (hasClickHouse() && hasZooKeeper()) servers = await startServers(temporaryDir(), 2, 2);
});
test.after(() => servers?.close());

/** What each replica says of rows. */
const countsOf = async (address: string, rows: string): Promise<number[]> =>
  Promise.all(
    readShards(address)!
      .flat()
      .map(async replica => Number((await rowsFrom([replica], `select count() from ${rows}`))[0]![0])),
  );

tryIt(
  'a primary without collectors erases what ClickHouse has of its open days, although the command named none',
  async () => {
    const address = servers!.address.replaceAll('/daybook', '/alone');
    const shards = readShards(address)!;
    await openCluster(shards).makeTables(testCluster);
    const { db, dataDir } = temporaryDatabase();
    const site = randomSite(randomFrom(6));
    siteWriter(db).write(site);
    const forwarder = startForwarder({ db, node: 0, cluster: shards, now: () => testNow, log: () => {} });
    const { visitor } = site.find(({ type }) => type === 'pageview')!.visit;
    const theirs = `open_hit where visitor = toUInt64(${BigInt(`0x${visitor}`)})`;
    const isThere = async () => (await countsOf(address, theirs)).some(count => count > 0);
    await until('the hits are on ClickHouse', isThere);
    await until('all are', () => forwarder.stats().waitingHits === 0);
    await forwarder.stop();
    const ran = await runCommand(dataDir, ['erase', 'site1.example', '--visitor', visitor]);
    assert.is(ran.code, 0, ran.stderr);
    await eraseNoted(db, shards);
    assert.not(await isThere());
    db.close();
  },
);

tryIt('visits go that began just after the moment by the clock of a collector, and none of the primary', async () => {
  const address = servers!.address.replaceAll('/daybook', '/clocks');
  const shards = readShards(address)!;
  await openCluster(shards).makeTables(testCluster);
  const before = testNow;
  const visits = `select toUInt32(1) as site, toDate(20000) as day, toUInt64(7) as visitor, number as visit, number as key,
    toUInt16(NODE) as node, toInt64(${before} + 1000 * number) as started from system.numbers limit 30`;
  for (const [table, node] of [
    ['collected_hit', collectorsNode],
    ['open_hit', 0],
  ] as const) {
    const sql = `insert into ${table} (site, day, visitor, visit, key, node, started) ${visits.replace('NODE', `${node}`)}`;
    await sendToShard(shards[1]!, { sql, timeoutMs: 10_000 });
  }
  await eraseHits(shards, [{ siteId: 1, visitor: 7n, day: 0, before }]);
  for (const [table, left] of [
    ['collected_hit', 20],
    ['open_hit', 30],
  ] as const)
    assert.equal(await countsOf(address, table), [0, 0, left, left]);
});

tryIt('while replicas still delete, the same is not said to them once more', async () => {
  const address = servers!.address.replaceAll('/daybook', '/busy');
  const shards = readShards(address)!;
  await openCluster(shards).makeTables(testCluster);
  const tell = async (sql: string): Promise<void> => {
    for (const replica of shards.flat()) await send(replica, { sql, timeoutMs: 10_000 });
  };
  const row = 'toUInt32(1) as site, toDate(20000) as day, toUInt64(7) as visitor';
  await sendToShard(shards[1]!, {
    sql: `insert into collected_hit (site, day, visitor) select ${row}`,
    timeoutMs: 10_000,
  });
  await tell('system stop merges');
  const one = [{ siteId: 1, visitor: 7n, day: 0, before: 1 }];
  const isTold = async () =>
    (await countsOf(address, 'system.mutations where database = currentDatabase()')).some(count => count > 0);
  const first = eraseHits(shards, one);
  await until('it was said', isTold);
  const second = eraseHits(shards, one);
  await wait(1000);
  await tell('system start merges');
  assert.equal(await Promise.all([first, second]), [true, true]);
  assert.equal(await countsOf(address, 'system.mutations where database = currentDatabase()'), [1, 1, 1, 1]);
  assert.equal(await countsOf(address, 'collected_hit'), [0, 0, 0, 0]);
});

test.run();
