/** A short run of what `npm run test:cluster` tries for longer: two shards of Debian's ClickHouse. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sendToShard } from '../../src/cluster/client.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { dayRuler } from '../../src/cluster/rule-days.ts';
import { collectorsNode, rulesNode } from '../../src/cluster/schema.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { inForce, shippedTable } from '../../src/cluster/shipped.ts';
import { readShards } from '../../src/model/shards.ts';
import type { Site } from '../../src/model/site.ts';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Filter } from '../../src/query/query.ts';
import { addRule } from '../../src/query/removal-rules/hits-of-rule.ts';
import { headline } from '../../src/query/usual-questions.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { clusterStore } from '../../src/store/cluster.ts';
import { openReader } from '../../src/store/database.ts';
import { nodes } from '../../src/store/nodes.ts';
import { rules } from '../../src/store/removal-rules.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { addSite, temporaryDatabase, temporaryDir } from '../helpers.ts';
import { days, firstDay, randomFrom, randomSite, siteWriter, soonAfter, storeSite } from '../query/random-site.ts';
import { totalsIn } from '../query/totals-in.ts';
import { startTestServer } from '../start-server.ts';
import { agree } from './agree.ts';
import { agreeRecords } from './agree-records.ts';
import { agreeShards } from './agree-shards.ts';
import { agreeWayBack } from './agree-way-back.ts';
import { hasClickHouse, type Servers, startServers, testCluster } from './servers.ts';

const tryIt = hasClickHouse() ? test : test.skip;

let servers: Servers | undefined;
let databases = 0;
test.before(async () => {
  if (hasClickHouse()) servers = await startServers(temporaryDir(), 2, 1);
});
test.after(() => servers?.close());

/** A database of its own for each test. */
const newDatabase = (): string => servers!.address.replaceAll('/daybook', `/daybook${databases++}`);

tryIt('ClickHouse gives the same answers', async () => {
  const address = newDatabase();
  const { asked, differing } = await agree(address, { firstSeed: 101, sites: 1, queriesPerSite: 1 });
  assert.equal(differing, []);
  assert.ok(asked > 50, `${asked} questions`);
});

tryIt('tables of an earlier version get the columns that they lack', async () => {
  const shards = readShards(newDatabase())!;
  const cluster = openCluster(shards);
  await cluster.makeTables(testCluster);
  const ask = (sql: string) => sendToShard(shards[1]!, { sql, timeoutMs: 10_000 });
  const columns = `select table, name, type from system.columns where database = currentDatabase() order by table, name`;
  const before = await ask(columns);
  for (const name of ['trait_key', 'trait_number']) await ask(`alter table hit drop column ${name}`);
  assert.is.not(await ask(columns), before);
  await cluster.makeTables(testCluster);
  assert.is(await ask(columns), before);
});

tryIt('ClickHouse gives the same answers about vitals, crawls and outcomes of two nodes', async () => {
  const { asked, differing } = await agreeRecords(newDatabase(), 12);
  assert.equal(differing, []);
  assert.is(asked, 48);
});

tryIt('a shard is added, and several sites are asked as one', async () => {
  const { asked, differing } = await agreeShards(newDatabase(), [2], 2);
  assert.equal(differing, []);
  assert.ok(asked > 10, `${asked} questions`);
});

tryIt('many rules look at many days, and one that is undone after a day was closed leaves nothing out', async () => {
  const shards = readShards(newDatabase())!;
  const cluster = openCluster(shards);
  await cluster.makeTables(testCluster);
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const [first, count] = [20_000, 100];
  // Each day has a revision of its own, as closed days have.
  const numbers = `from (select toDate(${first} + number) as d, toUInt64(1000 + 7 * number) as r from system.numbers limit ${count})`;
  const collected = `toUInt32(${site.id}), d, toUInt16(${collectorsNode}), r`;
  for (const sql of [
    `insert into hit (site, day, node, revision, visit, path) select ${collected}, r, '/a' ${numbers}`,
    `insert into shipped (site, day, node, revision, state, version, hits) select ${collected}, toUInt8(2), 'closed', toUInt64(1) ${numbers}`,
  ])
    await sendToShard(shards[0]!, { sql, timeoutMs: 10_000 });
  const add = (path: string, visit = true): number => {
    const filters: Filter[] = [
      { field: 'path', operator: 'is', values: [path], negated: false, ...(visit && { visit }) },
    ];
    const task = { siteId: site.id, from: 0, to: Number.MAX_SAFE_INTEGER, filters, filtersText: '', period: path };
    return addRule(rules(db), { ...task, madeBy: null, reason: null }, (first + count) * dayMs).id;
  };
  const ruler = dayRuler(db, shards);
  const ruled = async (): Promise<number> => {
    for await (const _ of ruler.rule([site], Date.now()));
    return inForce(await cluster.shipped(site.id)).filter(({ node }) => node === rulesNode).length;
  };
  assert.is(await ruled(), 0);
  // While a day is closed, between two looks at all days.
  const id = add('/a');
  const bases = (await cluster.shipped(site.id)).filter(({ day }) => day === first);
  // By two primaries at once.
  const rulers = [ruler, dayRuler(db, shards)];
  const leave = () => Promise.all(rulers.map(one => one.leave(site, first, bases, Date.now())));
  // From then on they ask for the same at the same time.
  await leave();
  const notes = await leave();
  assert.is(new Set(notes.map(note => note![1].revision)).size, 2);
  await shippedTable(shards[0]!).note(...notes[0]!);
  rules(db).drop(site.id, id);
  // As on an older copy of the database, where another rule gets the same id.
  db.exec(`update sqlite_sequence set seq = ${id - 1} where name = 'rule'`);
  const revisionOf = async () => (await cluster.shipped(site.id)).find(({ node }) => node === rulesNode)!.revision;
  const before = await revisionOf();
  assert.is(add('/a', false), id);
  for await (const _ of dayRuler(db, shards).rule([site], Date.now())) break;
  assert.is.not(await revisionOf(), before);
  rules(db).drop(site.id, id);
  assert.is(await ruled(), 0);
  for (let n = 0; n < 30; n++) add(`/none/${n}`);
  assert.is(await ruled(), 0);
});

tryIt('one machine answers as the cluster did, once it has imported what collectors took', async () => {
  const { asked, differing } = await agreeWayBack(newDatabase(), 2);
  assert.equal(differing, []);
  assert.ok(asked > 80, `${asked} questions`);
});

tryIt('an import goes on where it was, follows what changes, and leaves another machine alone', async () => {
  const address = newDatabase();
  const { db, dataDir } = temporaryDatabase();
  const hits = randomSite(randomFrom(3));
  const siteId = storeSite(db, hits, firstDay + 2);
  const cluster = openCluster(readShards(address)!);
  const run = async () => {
    const ran = await runCommand(dataDir, ['cluster', 'import', '--clickhouse', address, '--json'], { now: soonAfter });
    return ran.stderr === '' ? ran.json() : ran.stderr;
  };
  const [site] = sites(db).list();
  const counted = hits.filter(({ type }) => type !== 'identify' && type !== 'duration').length;
  const dayCount = new Set(hits.map(({ visit }) => visit.day)).size;
  assert.equal(await run(), [{ domain: site!.domain, days: dayCount, hits: counted, removed: 0 }]);
  assert.equal(await run(), [{ domain: site!.domain, days: 0, hits: 0, removed: 0 }]);

  // An interrupted import leaves a day that is not known to be there.
  const shippedDays = async () => (await cluster.shipped(siteId)).filter(({ version }) => version !== '');
  await cluster.drop((await shippedDays())[0]!);
  const again = await run();
  assert.equal([again[0].days, (await shippedDays()).length], [1, dayCount]);

  // A backup of ClickHouse from before the first import has none of the days.
  for (const shard of readShards(address)!)
    for (const table of ['shipped', 'hit'])
      await sendToShard(shard, { sql: `truncate table ${table}`, timeoutMs: 10_000 });
  assert.equal(await run(), [{ domain: site!.domain, days, hits: counted, removed: 0 }]);

  db.prepare('update day_part set sealed_at = null where day = (select min(day) from day_part)').run();
  assert.equal(await run(), [{ domain: site!.domain, days: 0, hits: 0, removed: 1 }]);

  db.prepare('update site set uuid = ?').run('00000000-0000-4000-8000-000000000000');
  assert.match(await run(), /days of another site/);
});

tryIt('who is erased from a database is gone from ClickHouse when its days come again', async () => {
  const address = newDatabase();
  const { db, dataDir } = temporaryDatabase();
  const hits = randomSite(randomFrom(8));
  const siteId = storeSite(db, hits, firstDay + days, 'UTC', 6);
  const [{ domain }] = sites(db).list() as [Site];
  db.close();
  const counted = hits.filter(({ type }) => type !== 'identify' && type !== 'duration');
  const shards = readShards(address)!;
  const run = (...args: string[]) => runCommand(dataDir, args, { now: soonAfter });
  const rowsThere = async (): Promise<number> => {
    const whole = await openCluster(shards).shipped(siteId);
    const where = whole.map(
      ({ day, node, revision }) => `(toUInt16(day), node, revision) = (${day}, ${node}, ${revision})`,
    );
    const sql = `select count() from hit where ${where.join(' or ')}`;
    const counts = await Promise.all(shards.map(shard => sendToShard(shard, { sql, timeoutMs: 10_000 })));
    return counts.reduce((sum, count) => sum + Number(count), 0);
  };
  await run('cluster', 'import', '--clickhouse', address);
  assert.is(await rowsThere(), counted.length);
  // Of the two who come on many days.
  const { visitor } = counted.find(({ visit }) => visit.persistent)!.visit;
  const erased = await run('erase', domain, '--visitor', visitor);
  assert.is(erased.code, 0, erased.stderr);
  await run('cluster', 'import', '--clickhouse', address);
  assert.is(await rowsThere(), counted.filter(({ visit }) => visit.visitor !== visitor).length);
  const sql = `select count() from hit where visitor = toUInt64(${BigInt(`0x${visitor}`)})`;
  const left = async () => Promise.all(shards.map(shard => sendToShard(shard, { sql, timeoutMs: 10_000 })));
  // What was replaced is deleted ten minutes later.
  await sendToShard(shards[0]!, { sql: 'alter table shipped update at = toDateTime(1000) where 1', timeoutMs: 10_000 });
  for (let tries = 0; tries < 50 && (await left()).some(count => Number(count) > 0); tries++) {
    await openCluster(shards).sweep();
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  assert.equal(
    (await left()).map(Number),
    shards.map(() => 0),
  );
});

tryIt('a server asks ClickHouse once it has a collector', async () => {
  const address = newDatabase();
  const collector = temporaryDatabase();
  const siteId = storeSite(collector.db, randomSite(randomFrom(5)), firstDay + 4);
  const [site] = sites(collector.db).list();
  const server = await startTestServer({ flags: { clickhouse: address } });
  const { db } = server;
  assert.is(siteWriter(db).siteId, siteId);
  db.prepare('update site set uuid = ?').run(site!.uuid);
  const key = `tk_live_${'k'.repeat(32)}`;
  apiKeys(db).add(accounts(db).named('default', 0).id, 'test', key, 0);
  const visitors = async (): Promise<number> => {
    const question = `${server.url}/api/v1/sites/${site!.uuid}/stats?from=2024-10-04&to=2024-10-07`;
    const response = await fetch(question, { headers: { authorization: `Bearer ${key}` } });
    return ((await response.json()) as { visitors: number }).visitors;
  };
  const cluster = openCluster(readShards(address)!);
  await cluster.makeTables(clusterStore(db).id()!);
  for await (const _ of dayShipper(collector.db, cluster, 1)([site!], { openFrom: 0, takesAway: false }));
  assert.is(await visitors(), 0);
  nodes(db).note('0123456789abcdef'.repeat(2), 0);
  const slices = [{ from: firstDay * dayMs, to: (firstDay + 4) * dayMs, filters: [], questions: [headline] }];
  const query = { siteId, currency: 'EUR', minorRates: {}, slices };
  const [[answer] = []] = await createEngine(openReader(collector.dataDir), 1e7).answer(query, alone);
  const want = totalsIn(answer).visitors!;
  assert.ok(want > 0);
  assert.is(await visitors(), want);
  await server.close();
});

test.run();
