/** Hits of collectors are a set on ClickHouse: copies of a directory, days that are closed at once, and parts that are lost. */
import { cpSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sendToShard, statementMs } from '../../src/cluster/client.ts';
import { dayCloser } from '../../src/cluster/close-days.ts';
import { closeEarlierDays } from '../../src/cluster/close-earlier.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { eraseHits, eraseNoted } from '../../src/cluster/erase-hits.ts';
import { forgetDays } from '../../src/cluster/forget-days.ts';
import { openTurns } from '../../src/cluster/forward-open.ts';
import { handOver } from '../../src/cluster/hand-over.ts';
import { dayProver } from '../../src/cluster/prove-days.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { siteDaysReader, sourceOf } from '../../src/cluster/source.ts';
import { readShards, type Shards } from '../../src/model/shards.ts';
import { dayMs, minuteMs, utcDayName } from '../../src/model/time.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import type { SiteDay } from '../../src/store/day/open/open-days.ts';
import { beginEpoch } from '../../src/store/epochs.ts';
import { type ErasedVisitor, erasedStages, erasedVisitors } from '../../src/store/erased.ts';
import { forwardedStore } from '../../src/store/forwarded.ts';
import { sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, temporaryDir, visitRecord } from '../helpers.ts';
import { firstDay, randomFrom } from '../query/random-site.ts';
import { until } from '../tools/conditions.ts';
import { startFailing } from './failing.ts';
import { hasClickHouse, type Servers, startServers, testCluster } from './servers.ts';

const tryIt = hasClickHouse() ? test : test.skip;

let servers: Servers | undefined;
let databases = 0;
test.before(async () => {
  if (hasClickHouse()) servers = await startServers(temporaryDir(), 2, 1);
});
test.after(() => servers?.close());

const newShards = async (): Promise<Shards> => {
  const shards = readShards(servers!.address.replaceAll('/daybook', `/collectors${databases++}`))!;
  await openCluster(shards).makeTables(testCluster);
  return shards;
};

const random = randomFrom(33);
const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => random.below(256));
const day = firstDay;
let paths = 0;
let revision = 1;

/** Hits of a visit on the first day, each with a path of its own. */
const takeHits = (db: Database, visitId: number, hits: number): string[] => {
  const of = { siteId: 1, day };
  const isNew = db.prepare('select 1 from visit where id = ?').get(visitId) === undefined;
  const visitor = Buffer.alloc(8, visitId);
  return Array.from({ length: hits }, (_, i) => {
    const path = `/${paths++}`;
    const hit = hitRecord({ ...of, visitId, at: day * dayMs + visitId * 1000 + paths, path });
    const visit = isNew && i === 0 ? visitRecord({ ...of, id: visitId, visitor }) : undefined;
    recorder(db).write([recordedEntry(hit, visit)]);
    return path;
  });
};

/** A collector's start: gives what sends its hits. */
const startOn = (db: Database, shards: Shards) => {
  beginEpoch(db, 'a directory', bytes);
  const turn = openTurns(db, shards, { node: collectorsNode, hitId: 0 });
  return async (again: readonly SiteDay[] = []): Promise<void> => {
    for (let isMore = true; isMore; again = []) {
      const turned = await turn(revision++, AbortSignal.timeout(20_000), again);
      assert.is(turned.failure, null);
      ({ isMore } = turned);
    }
  };
};

const newCollector = (): { db: Database; dataDir: string } => {
  const made = temporaryDatabase();
  addSite(made.db);
  return made;
};

/** What questions read of paths, in their order, and visits. */
const seen = async (shards: Shards): Promise<{ paths: string[]; visits: number }> => {
  const known = await siteDaysReader(openCluster(shards), shards)(1);
  const { table, days } = sourceOf(1, known, [day, day]);
  const found = await Promise.all(
    shards.map(replicas => rowsFrom(replicas, `select path, toString(visit) from ${table} where ${days}`)),
  );
  const rows = found.flat() as [string, string][];
  const order = (a: string, b: string): number => Number(a.slice(1)) - Number(b.slice(1));
  return { paths: rows.map(([path]) => path).sort(order), visits: new Set(rows.map(([, visit]) => visit)).size };
};

const rowsOf = async (shards: Shards, from: string): Promise<number> => {
  const found = shards.map(replicas => rowsFrom(replicas, `select count() from ${from}`));
  return (await Promise.all(found)).flat(2).reduce<number>((sum, count) => sum + Number(count), 0);
};

const onAll = async (shards: Shards, sql: string): Promise<void> => {
  for (const replicas of shards) await sendToShard(replicas, { sql, timeoutMs: statementMs });
};

let now = (day + 1) * dayMs + 36 * minuteMs;
const later = (): number => (now += 11 * minuteMs);

tryIt('collectors on copies of one directory lose no hits, and a visit that both go on with is one', async () => {
  const shards = await newShards();
  const one = newCollector();
  const send = startOn(one.db, shards);
  const all = [...takeHits(one.db, 1, 3), ...takeHits(one.db, 2, 2)];
  await send();
  one.db.pragma('wal_checkpoint(truncate)');
  const copy = temporaryDir();
  cpSync(one.dataDir, copy, { recursive: true });
  const clone = openDatabase(copy);
  const [first, second] = [startOn(one.db, shards), startOn(clone, shards)];
  for (const [of, turn] of [
    [one.db, first],
    [clone, second],
    [one.db, first],
  ] as const) {
    all.push(...takeHits(of, 1, 2), ...takeHits(of, 3, 3));
    await turn();
  }
  // Those of a copy that was made before, again.
  const third = startOn(clone, shards);
  await third();
  // Both took the number 3 for a visit of their own.
  assert.equal(await seen(shards), { paths: all, visits: 4 });
  const close = dayCloser(shards);
  await close(sites(one.db).list(), later());
  assert.equal(await seen(shards), { paths: all, visits: 4 });
  const late = takeHits(clone, 1, 1);
  await third();
  assert.equal((await seen(shards)).paths, [...all, ...late]);
  // Two primaries.
  await Promise.all([close(sites(one.db).list(), later()), dayCloser(shards)(sites(one.db).list(), now)]);
  assert.equal(await seen(shards), { paths: [...all, ...late], visits: 4 });
  for (const db of [one.db, clone]) {
    const { proved, unproved } = await dayProver(db)(shards, [1], now);
    assert.equal([proved.length, unproved.length], [1, 0]);
    db.close();
  }
});

tryIt('a collector forgets what a closed day has, and sends again what was lost there', async () => {
  const shards = await newShards();
  const { db } = newCollector();
  const send = startOn(db, shards);
  const all = [1, 2, 3, 4, 5].flatMap(visit => takeHits(db, visit, 2));
  await send();
  let prove = dayProver(db);
  const close = dayCloser(shards);
  const proofs = () => prove(shards, [1], (day + 2) * dayMs);
  assert.equal(await proofs(), { proved: [], unproved: [{ siteId: 1, day }], lacking: [] });
  await close(sites(db).list(), later());
  assert.equal(await proofs(), { proved: [{ siteId: 1, day }], unproved: [], lacking: [] });

  await onAll(shards, `alter table collected_hit drop partition '${utcDayName(day)}'`);
  await onAll(shards, `alter table hit delete where path = '${all[3]}' or path = '${all[6]}'`);
  await until('they are gone', async () => (await rowsOf(shards, 'hit')) === all.length - 2);
  prove = dayProver(db);
  const { unproved, lacking } = await proofs();
  assert.equal([unproved, lacking], [[{ siteId: 1, day }], [{ siteId: 1, day }]]);
  assert.equal((await proofs()).lacking, [], 'it is sent once');
  const options = {
    db,
    node: 1,
    keepDays: 1,
    recordsBefore: day + 5,
    now: (day + 2) * dayMs,
    cluster: openCluster(shards),
  };
  const forget = async () => forgetDays({ ...options, proofs: await proofs(), signal: new AbortController().signal });
  assert.is(await forget(), false);
  await send(lacking);
  assert.equal((await seen(shards)).paths, all);
  await close(sites(db).list(), later());
  assert.equal((await seen(shards)).paths, all);
  assert.is(await forget(), true);
  assert.equal(db.prepare('select (select count(*) from hit) + (select count(*) from visit)').pluck().get(), 0);
  db.close();
});

tryIt('a collector sends again what was lost before its day was closed', async () => {
  const shards = await newShards();
  const { db } = newCollector();
  const send = startOn(db, shards);
  const all = [1, 2, 3].flatMap(visit => takeHits(db, visit, 2));
  await send();
  // A visit that is sent again stands there twice, until parts are merged.
  all.push(...takeHits(db, 1, 1));
  await send();
  const of = { siteId: 1, day };
  const lackingAt = async (at: number) => (await dayProver(db)(shards, [1], at)).lacking;
  const longAfter = (day + 1) * dayMs + 61 * minuteMs;
  assert.equal(await lackingAt(longAfter), []);
  await onAll(shards, `alter table collected_hit delete where path = '${all[2]}'`);
  await until('it is gone', async () => !(await seen(shards)).paths.includes(all[2]!));
  assert.equal(await lackingAt((day + 1) * dayMs + 59 * minuteMs), [], 'hits may be on their way');
  assert.equal(await lackingAt(longAfter), [of]);
  await onAll(shards, `alter table collected_hit drop partition '${utcDayName(day)}'`);
  const lacking = await lackingAt(longAfter);
  assert.equal(lacking, [of]);
  await dayCloser(shards)(sites(db).list(), later());
  assert.equal((await seen(shards)).paths, []);
  await send(lacking);
  assert.equal((await seen(shards)).paths, all);
  await dayCloser(shards)(sites(db).list(), later());
  assert.equal((await seen(shards)).paths, all);
  assert.equal((await dayProver(db)(shards, [1], longAfter)).proved, [of]);
  db.close();
});

/** Sends what is there as an earlier version did: rows of the node 7 in open_hit. */
const sendAsBefore = async (db: Database, shards: Shards, hits: number): Promise<void> => {
  await openTurns(db, shards, { node: 0, hitId: 0 })(revision++, AbortSignal.timeout(20_000));
  await onAll(shards, 'alter table open_hit update node = 7 where node = 0');
  await until('they are of the node 7', async () => (await rowsOf(shards, 'open_hit where node = 0')) === 0);
  assert.is(await rowsOf(shards, 'open_hit final where node = 7 and type > 0'), hits);
  forwardedStore(db).set({ node: 7, hitId: hits, revision: 1 });
};

tryIt('a collector of an earlier version takes away what it sent under its number, and sends it as a set', async () => {
  const shards = await newShards();
  const { db } = newCollector();
  const all = [1, 2, 3].flatMap(visit => takeHits(db, visit, 2));
  await sendAsBefore(db, shards, all.length);
  const store = forwardedStore(db);
  assert.equal((await seen(shards)).paths, all);
  const send = startOn(db, shards);
  // What it took since its start is not among what it sent before.
  all.push(...takeHits(db, 3, 1));
  await handOver(db, shards);
  await send();
  assert.equal(await seen(shards), { paths: all, visits: 3 });
  assert.equal(store.last(), { node: collectorsNode, hitId: 0, revision: 1 });
  // A copy of it from before does the same.
  store.set({ node: 7, hitId: 6, revision: 1 });
  db.exec('delete from hit where id > 6; delete from epoch');
  const again = startOn(db, shards);
  await handOver(db, shards);
  await again();
  assert.equal(await seen(shards), { paths: all, visits: 3 });
  db.close();
});

for (const isWhole of [true, false])
  tryIt(`an old copy takes away nothing that it has not, ${isWhole ? 'whole' : 'open'}`, async () => {
    const shards = await newShards();
    const { db, dataDir } = newCollector();
    const all = [1, 2].flatMap(visit => takeHits(db, visit, 2));
    await sendAsBefore(db, shards, all.length);
    db.pragma('wal_checkpoint(truncate)');
    const copyDir = temporaryDir();
    cpSync(dataDir, copyDir, { recursive: true });
    // The other one went on.
    all.push(...takeHits(db, 2, 1), ...takeHits(db, 3, 4));
    await sendAsBefore(db, shards, all.length);
    if (isWhole) await closeEarlierDays(shards, sites(db).list(), (day + 2) * dayMs);
    const copy = openDatabase(copyDir);
    const send = startOn(copy, shards);
    // More than the other one has, but none of its.
    const own = [...takeHits(copy, 2, 2), ...takeHits(copy, 4, 9)];
    if (!isWhole) {
      for (let i = 0; i < 2; i++)
        await handOver(copy, shards).then(
          () => assert.unreachable(),
          error => assert.match(error.message, 'has been silent for a day'),
        );
      assert.is(forwardedStore(copy).last()!.node, 7);
      assert.equal(await seen(shards), { paths: all, visits: 3 });
      // The other one is gone for good.
      await closeEarlierDays(shards, sites(db).list(), (day + 2) * dayMs);
    }
    await handOver(copy, shards);
    await send();
    assert.equal((await seen(shards)).paths, [...all, ...own]);
    await onAll(shards, `alter table open_hit drop partition '${utcDayName(day)}'`);
    const ship = dayShipper(copy, openCluster(shards), 7);
    for await (const _ of ship(sites(copy).list(), { openFrom: 0, takesAway: false })) assert.unreachable();
    assert.equal((await seen(shards)).paths, [...all, ...own]);
    await dayCloser(shards)(sites(copy).list(), later());
    assert.equal((await seen(shards)).paths, [...all, ...own]);
    assert.equal((await dayProver(copy)(shards, [1], now)).proved, [{ siteId: 1, day }]);
    db.close();
    copy.close();
  });

tryIt('a collector that is updated before its primary takes nothing away', async () => {
  const shards = await newShards();
  const { db } = newCollector();
  const all = takeHits(db, 1, 3);
  await sendAsBefore(db, shards, all.length);
  const send = startOn(db, shards);
  const refused = () =>
    handOver(db, shards).then(
      () => assert.unreachable(),
      error => assert.match(error.message, 'Update the primary'),
    );
  await onAll(shards, 'drop table collected_hit');
  await refused();
  await openCluster(shards).makeTables(testCluster);
  await onAll(shards, 'alter table hit drop column key');
  await refused();
  await openCluster(shards).makeTables(testCluster);
  assert.equal((await seen(shards)).paths, all);
  await handOver(db, shards);
  await send();
  assert.equal((await seen(shards)).paths, all);
  db.close();
});

tryIt('an updated collector goes on when the one that its directory was copied from is updated', async () => {
  const shards = await newShards();
  const { db, dataDir } = newCollector();
  const all = takeHits(db, 1, 3);
  db.pragma('wal_checkpoint(truncate)');
  const copyDir = temporaryDir();
  cpSync(dataDir, copyDir, { recursive: true });
  all.push(...takeHits(db, 2, 2));
  await sendAsBefore(db, shards, all.length);
  const copy = openDatabase(copyDir);
  forwardedStore(copy).set({ node: 7, hitId: 3, revision: 1 });
  const [first, second] = [startOn(db, shards), startOn(copy, shards)];
  assert.is(await handOver(copy, shards).catch(error => error.name), 'Error');
  await handOver(db, shards);
  await first();
  await handOver(copy, shards);
  await second();
  assert.equal(await seen(shards), { paths: all, visits: 2 });
  db.close();
  copy.close();
});

const visitorOf = (visitId: number): ErasedVisitor => ({
  ...{ siteId: 1, visitor: Buffer.alloc(8, visitId).readBigUInt64BE(), day: 0 },
  before: Number.MAX_SAFE_INTEGER,
});

tryIt('who is erased after another, of whom that was interrupted, goes from closed days as well', async () => {
  const shards = await newShards();
  const { db } = newCollector();
  const send = startOn(db, shards);
  // Each second visitor is on the last shard, where it fails.
  const [, , stays] = [1, 2, 3].map(visit => takeHits(db, visit, 2));
  await send();
  await dayCloser(shards)(sites(db).list(), later());
  const failing = await startFailing(shards, /^alter table hit delete/);
  await eraseHits(readShards(failing.address)!, [visitorOf(1)]).then(
    () => assert.unreachable(),
    error => assert.match(error.message, 'as the test wants it'),
  );
  await failing.close();
  await eraseHits(shards, [visitorOf(1), visitorOf(2)]);
  assert.equal((await seen(shards)).paths, stays);
  assert.equal(
    (await openCluster(shards).shipped(1)).map(({ hits }) => hits),
    [2],
  );
  db.close();
});

tryIt('what a collector of an earlier version sends again of somebody erased goes, too', async () => {
  const shards = await newShards();
  const { db } = newCollector();
  const primary = newCollector();
  erasedVisitors(primary.db).set([visitorOf(1)], erasedStages.rows);
  takeHits(db, 1, 2);
  const stays = takeHits(db, 2, 2);
  await sendAsBefore(db, shards, 4);
  await eraseNoted(primary.db, shards);
  assert.equal((await seen(shards)).paths, stays);
  for (const of of [db, primary.db]) of.close();
});

tryIt('late hits of somebody erased go from a closed day, too, when that was interrupted', async () => {
  const shards = await newShards();
  const { db } = newCollector();
  const primary = newCollector();
  erasedVisitors(primary.db).set([visitorOf(1)], erasedStages.rows);
  const send = startOn(db, shards);
  takeHits(db, 1, 2);
  await send();
  await dayCloser(shards)(sites(db).list(), later());
  const failing = await startFailing(shards, /^alter table hit delete/);
  await eraseNoted(primary.db, readShards(failing.address)!).then(
    () => assert.unreachable(),
    error => assert.match(error.message, 'as the test wants it'),
  );
  await failing.close();
  assert.ok((await rowsOf(shards, 'collected_hit')) > 0, 'servers of later versions drop the day with its last row');
  await eraseNoted(primary.db, shards);
  assert.equal((await seen(shards)).paths, []);
  for (const of of [db, primary.db]) of.close();
});

tryIt('many people are erased at once, whose visits are on many days, and who were erased one by one', async () => {
  const shards = await newShards();
  const { db } = newCollector();
  const send = startOn(db, shards);
  const [, , stays] = [1, 2, 3].map(visit => takeHits(db, visit, 2));
  await send();
  await dayCloser(shards)(sites(db).list(), later());
  const others = Array.from({ length: 5200 }, (_, i) => ({
    ...{ siteId: 1, visitor: 2n ** 60n + BigInt(i), day: i % 2 === 0 ? 0 : day - 1 - i },
    before: day * dayMs + (i < 5000 ? 0 : i),
  }));
  await eraseHits(shards, [{ ...visitorOf(1), day }, ...others, visitorOf(2)]);
  assert.equal((await seen(shards)).paths, stays);
  await eraseHits(shards, [{ ...visitorOf(3), day: day + 1 }]);
  assert.equal((await seen(shards)).paths, stays);
  await eraseHits(shards, [{ ...visitorOf(3), day }]);
  assert.equal((await seen(shards)).paths, []);
  db.close();
});

test.run();
