/** What becomes of nodes' days on ClickHouse: days that come again or open again, days that were left open, and copies that are old. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { sendToShard, statementMs } from '../../src/cluster/client.ts';
import { closeEarlierDays } from '../../src/cluster/close-earlier.ts';
import { type Cluster, openCluster } from '../../src/cluster/cluster.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { openTurns } from '../../src/cluster/forward-open.ts';
import { startForwarder } from '../../src/cluster/forwarder.ts';
import { columnList } from '../../src/cluster/schema.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { readShards, type Shards } from '../../src/model/shards.ts';
import type { Site } from '../../src/model/site.ts';
import { dayMs, utcDayName } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Answer, Query, Question } from '../../src/query/query.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { startPrimaryForwarding } from '../../src/roles/forwarding.ts';
import { clusterStore } from '../../src/store/cluster.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDatabase, temporaryDir } from '../helpers.ts';
import { comparable, type NaiveHit } from '../naive.ts';
import { days, firstDay, randomFrom, randomSite, siteWriter, soonAfter } from '../query/random-site.ts';
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

interface Place {
  address: string;
  shards: Shards;
  cluster: Cluster;
}

const newPlace = async (): Promise<Place> => {
  const address = servers!.address.replaceAll('/daybook', `/nodes${databases++}`);
  const shards = readShards(address)!;
  const cluster = openCluster(shards);
  await cluster.makeTables(testCluster);
  return { address, shards, cluster };
};

const lastDay = firstDay + days - 1;
const all = randomSite(randomFrom(7));
const between = (first: number, last: number): NaiveHit[] =>
  all.filter(({ visit: { day } }) => day >= first && day <= last);

/** A database with a site of some hits; its days before one are sealed. */
const databaseWith = (hits: readonly NaiveHit[], openFrom: number) => {
  const { db, dataDir } = temporaryDatabase();
  clusterStore(db).keep(testCluster);
  const { siteId, write } = siteWriter(db);
  write([...hits]);
  sealAll(db, openFrom, 0);
  return { db, dataDir, siteId, write };
};

/** Ships all days that are sealed, and takes nothing away. */
const ship = async (db: Database, { cluster }: Place, node: number): Promise<void> => {
  for await (const _ of dayShipper(db, cluster, node)(sites(db).list(), { openFrom: 0, takesAway: false }));
};

/** Sends the hits of open days. */
const sendOpen = async (dataDir: string, { shards }: Place, node: number, revision = 1): Promise<void> => {
  const reader = openReader(dataDir);
  const turn = openTurns(reader, shards, { node, hitId: 0 });
  for (let isMore = true; isMore; ) {
    const turned = await turn(revision++, AbortSignal.timeout(20_000));
    assert.is(turned.failure, null);
    ({ isMore } = turned);
  }
  reader.close();
};

const countOf = async ({ shards }: Place, from: string): Promise<number> => {
  const found = shards.map(replicas => rowsFrom(replicas, `select count() from ${from}`));
  return (await Promise.all(found)).flat(2).reduce<number>((sum, count) => sum + Number(count), 0);
};

/** What is noted of days is as if it were noted long ago. */
const age = async (place: Place): Promise<void> => {
  const [first] = place.shards;
  const sql = 'alter table shipped update at = toDateTime(1000) where at > toDateTime(1000)';
  await sendToShard(first!, { sql, timeoutMs: statementMs });
  await until('it is old', async () => (await countOf(place, 'shipped where at > toDateTime(1000)')) === 0);
};

const questions: Question[] = [headline, topValues('path', 50)];
const everything = { from: firstDay * dayMs, to: (lastDay + 1) * dayMs, filters: [], questions };
const plain = (answers: readonly Answer[]) => answers.map(answer => JSON.parse(JSON.stringify(comparable(answer))));

const thereOf = async ({ shards }: Place, siteId: number) => {
  const query: Query = { siteId, currency: 'EUR', minorRates: {}, slices: [everything] };
  return plain((await clickHouseEngine(shards, 30_000).run(query, { accountId: 1, isPublic: false }))[0]!);
};

/** What one database with some hits answers. */
const answersTo = async (hits: readonly NaiveHit[]) => {
  const { db, dataDir, siteId } = databaseWith(hits, firstDay);
  db.close();
  return answersIn(dataDir, siteId);
};

const answersIn = async (dataDir: string, siteId: number) => {
  const query: Query = { siteId, currency: 'EUR', minorRates: {}, slices: [everything] };
  const reader = openReader(dataDir);
  const [answers] = await createEngine(reader, 1e7).answer(query, alone);
  reader.close();
  return plain(answers!);
};

tryIt('rows of days that came again are deleted, and those of open days once all nodes have closed them', async () => {
  const place = await newPlace();
  const { cluster } = place;
  const one = databaseWith(between(firstDay, firstDay), firstDay);
  const two = databaseWith(between(firstDay, firstDay), firstDay);
  await sendOpen(one.dataDir, place, 0);
  await sendOpen(two.dataDir, place, 1);
  const want = await thereOf(place, one.siteId);

  sealAll(one.db, firstDay + 1, 0);
  await ship(one.db, place, 0);
  const rows = await countOf(place, 'hit');
  one.db.exec('update day_part set version = version + 1');
  await ship(one.db, place, 0);
  await cluster.sweep();
  await cluster.sweepOpen(firstDay + 1);
  assert.is(await countOf(place, 'hit'), 2 * rows, 'questions may read it still');

  await age(place);
  await cluster.sweep();
  assert.is(await countOf(place, 'hit'), rows);
  await cluster.sweepOpen(firstDay + 1);
  assert.ok((await countOf(place, 'open_hit where node = 0')) > 0, 'another node has not closed the day');
  assert.equal(await thereOf(place, one.siteId), want);

  sealAll(two.db, firstDay + 1, 0);
  await ship(two.db, place, 1);
  await age(place);
  await cluster.sweepOpen(firstDay);
  assert.ok((await countOf(place, 'open_hit')) > 0, 'hits of today may count as open again');
  await cluster.sweepOpen(firstDay + 1);
  assert.is(await countOf(place, 'open_hit'), 0);
  assert.equal(await thereOf(place, one.siteId), want);
});

tryIt('rows of a day that was begun and given up are deleted', async () => {
  const place = await newPlace();
  const { db, siteId } = databaseWith(between(firstDay, firstDay), lastDay);
  await ship(db, place, 0);
  const rows = await countOf(place, 'hit');
  // What rules leave of a day, in a greater revision than any that was whole.
  for (const replicas of place.shards) {
    const columns = columnList.replace(' node,', ' toUInt16(65534) as n,').replace(' revision,', ' toUInt64(9) as r,');
    const sql = `insert into hit (${columnList}) select ${columns} from hit where node = 0`;
    await sendToShard(replicas, { sql, timeoutMs: statementMs });
  }
  const sql = `insert into shipped (site, day, node, revision, state) values (${siteId}, toDate(${firstDay}), 65534, 9, 1)`;
  await sendToShard(place.shards[0]!, { sql, timeoutMs: statementMs });
  await place.cluster.sweep();
  assert.is(await countOf(place, 'hit'), 2 * rows, 'it may be under way');
  await age(place);
  await place.cluster.sweep();
  assert.equal([await countOf(place, 'hit'), await countOf(place, 'hit where node = 0')], [rows, rows]);
});

tryIt('a day that is open again counts as its visits were sent, and then whole again', async () => {
  const place = await newPlace();
  const { db, dataDir, siteId } = databaseWith(between(firstDay, firstDay), firstDay);
  await sendOpen(dataDir, place, 0);
  const want = await thereOf(place, siteId);
  for await (const _ of dayShipper(db, place.cluster, 0)(sites(db).list(), { openFrom: lastDay, takesAway: false }));
  const day = { siteId, day: firstDay, node: 0 };
  assert.is((await place.cluster.shipped(siteId)).length, 1);
  await place.cluster.reopen(day);
  assert.equal([await place.cluster.shipped(siteId), await countOf(place, 'hit')], [[], 0]);
  assert.equal(await thereOf(place, siteId), want);
  sealAll(db, lastDay, 0);
  await ship(db, place, 0);
  assert.is((await place.cluster.shipped(siteId)).length, 1);
  assert.equal(await thereOf(place, siteId), want);
});

tryIt('hits on open days of collectors are not removed, and nothing is said to be', async () => {
  const place = await newPlace();
  const primary = databaseWith(between(firstDay, lastDay - 1), lastDay);
  await ship(primary.db, place, 0);
  const collector = databaseWith(between(lastDay, lastDay), lastDay);
  await sendOpen(collector.dataDir, place, 1);
  const [site] = sites(primary.db).list();
  const prune = (...more: string[]) =>
    runCommand(primary.dataDir, [
      ...['prune', '--site', site!.domain, '--where', 'path!=/nowhere', '--clickhouse', place.address],
      ...more,
    ]);
  for (const more of [[], ['--dry-run']]) {
    const { code, stderr } = await prune(...more);
    assert.is(code, 1);
    assert.match(
      stderr,
      /^\D*\d+ of these hits came to collectors on days that are not over, from 2024-10-07 \(UTC\) on\. Choose a period that ends on 2024-10-06, or wait/,
    );
  }
  assert.equal(await thereOf(place, site!.id), await answersTo(all));
  const removed = await prune('--from', '2024-10-04', '--to', '2024-10-06');
  assert.is(removed.code, 0, removed.stderr);
  assert.equal(await thereOf(place, site!.id), await answersTo(between(lastDay, lastDay)));
});

tryIt('days that collectors of an earlier version have left open are closed', async () => {
  const place = await newPlace();
  const collector = databaseWith(all, lastDay - 1);
  await ship(collector.db, place, 1);
  await sendOpen(collector.dataDir, place, 1);
  const before = await thereOf(place, collector.siteId);
  assert.equal(before, await answersTo(all));
  const known = sites(collector.db).list();
  const wholeAfter = async (until: number): Promise<number> => {
    await closeEarlierDays(place.shards, known, (until + 1) * dayMs);
    assert.equal(await thereOf(place, collector.siteId), before);
    return (await place.cluster.shipped(collector.siteId)).length;
  };
  assert.equal([await wholeAfter(lastDay), await wholeAfter(lastDay + 1)], [days - 1, days]);
  assert.is(await wholeAfter(lastDay + 1), days);
  await age(place);
  await place.cluster.sweepOpen(firstDay + days);
  assert.is(await countOf(place, 'open_hit'), 0);
  assert.equal(await thereOf(place, collector.siteId), before);
});

tryIt('a primary that was restored from an older copy takes nothing away unless it is told to', async () => {
  const place = await newPlace();
  const before = databaseWith(all, lastDay + 1);
  await ship(before.db, place, 0);
  const there = await thereOf(place, before.siteId);
  const importOf = (dataDir: string, ...more: string[]) =>
    runCommand(dataDir, ['cluster', 'import', '--clickhouse', place.address, ...more], { now: soonAfter });
  assert.is((await importOf(before.dataDir)).code, 0, 'nothing is missing here');

  // Of the third day it has a part, and of the fourth none: open at first, then sealed.
  const third = between(lastDay - 1, lastDay - 1);
  const kept = [...between(firstDay, lastDay - 2), ...third.slice(0, third.length / 3)];
  const copy = databaseWith(kept, lastDay - 1);
  const [{ domain }] = sites(copy.db).list() as [Site];
  // Of the third day itself, an export would bring all once more.
  const sentence = new RegExp(
    'ClickHouse has hits of 2024-10-06 from this machine that this database has not: .*' +
      `daybook export FILE --site ${domain} --of primary --from 2024-10-07 writes .* ` +
      `daybook import FILE --site ${domain} --all reads it`,
  );
  const refused = async (): Promise<void> => {
    const { code, stderr } = await importOf(copy.dataDir);
    assert.is(code, 1);
    assert.match(stderr, sentence);
    const forwarding = startPrimaryForwarding({ ...copy, ...place, now: soonAfter, log: () => {} });
    await until('it says so', () => sentence.test(forwarding.stats()?.failure ?? ''));
    await forwarding.close();
    assert.equal(await thereOf(place, before.siteId), there);
  };
  await refused();
  sealAll(copy.db, lastDay, 0);
  await refused();

  const lost = join(temporaryDir(), 'lost.ndjson');
  const [site] = sites(copy.db).list() as [Site];
  const asked = [
    '--site',
    site.domain,
    '--of',
    'primary',
    '--from',
    utcDayName(lastDay),
    '--clickhouse',
    place.address,
  ];
  const exported = await runCommand(copy.dataDir, ['export', lost, ...asked, '--json'], { now: soonAfter });
  assert.is(exported.code, 0, exported.stderr);
  const ofLastDay = between(lastDay, lastDay).filter(({ type }) => type !== 'identify' && type !== 'duration');
  assert.is(exported.json().hits, ofLastDay.length);

  const imported = await importOf(copy.dataDir, '--delete-newer');
  assert.is(imported.code, 0, imported.stderr);
  assert.equal(await thereOf(place, before.siteId), await answersTo(kept));

  const args = ['import', lost, '--site', site.domain, '--all'];
  assert.is((await runCommand(copy.dataDir, args, { now: soonAfter })).code, 0);
  assert.is((await importOf(copy.dataDir)).code, 0);
  const brought = copy.db.prepare('select sum(hits) from day_part where import_id > 0').pluck().get() as number;
  const ofDay = (await place.cluster.shipped(before.siteId)).filter(({ day }) => day === lastDay);
  assert.ok(brought > ofLastDay.length / 2, `${brought} of ${ofLastDay.length} hits`);
  assert.equal(
    ofDay.map(({ hits }) => hits),
    [brought],
  );

  // As on a server that lost its disk and is being filled.
  const ofDisk = `day = toDate(${lastDay}) and revision = ${ofDay[0]!.revision}`;
  const sql = `alter table hit delete where ${ofDisk}`;
  await sendToShard(place.shards[0]!, { sql, timeoutMs: statementMs });
  const left = async (): Promise<number> =>
    Number((await rowsFrom(place.shards[0]!, `select count() from hit where ${ofDisk}`))[0]![0]);
  await until('its hits are gone', async () => (await left()) === 0);
  const lacking = join(temporaryDir(), 'lacking.ndjson');
  const failed = await runCommand(copy.dataDir, ['export', lacking, ...asked], { now: soonAfter });
  assert.is(failed.code, 1);
  assert.match(failed.stderr, new RegExp(`Only \\d+ of the ${brought} hits that were shipped of 2024-10-07 are there`));
  assert.not(existsSync(lacking));
});

tryIt('what came while ClickHouse was away for a day is there soon after, once', async () => {
  const place = await newPlace();
  const [today, tomorrow] = [between(firstDay, firstDay), between(firstDay + 1, firstDay + 1)];
  const [shard] = servers!.programs;
  await endChild(shard!.process());
  const { db, siteId, write } = databaseWith(today, firstDay);
  const forwarder = startForwarder({ db, node: 0, cluster: place.shards, now: soonAfter, log: () => {} });
  try {
    await until('it fails', () => forwarder.stats().failure !== null);
    sealAll(db, firstDay + 1, 0);
    write(tomorrow);
    shard!.start();
    const want = await answersTo([...today, ...tomorrow]);
    const isThere = async (): Promise<boolean> =>
      (await place.cluster.shipped(siteId)).length === 1 && isDeepStrictEqual(await thereOf(place, siteId), want);
    await until('all is there', () => isThere().catch(() => false), 20_000);
  } finally {
    await forwarder.stop();
  }
});

test.run();
