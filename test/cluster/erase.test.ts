/** `daybook erase` and `person-data` on a cluster of two shards with two replicas. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openCluster } from '../../src/cluster/cluster.ts';
import { readShards } from '../../src/model/shards.ts';
import { erasedStages, erasedVisitors } from '../../src/store/erased.ts';
import { nodes } from '../../src/store/nodes.ts';
import { runCommand, testNow } from '../cli/helpers.ts';
import { temporaryDatabase, temporaryDir } from '../helpers.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import { repeat } from '../repeat.ts';
import { endChild } from '../tools/children.ts';
import { agreeErase } from './agree-erase.ts';
import { hasClickHouse, hasZooKeeper, type Servers, startServers, testCluster } from './servers.ts';

const tryIt = hasClickHouse() && hasZooKeeper() ? test : test.skip;

let servers: Servers | undefined;
test.before(async () => {
  if (hasClickHouse() && hasZooKeeper()) servers = await startServers(temporaryDir(), 2, 2);
});
test.after(() => servers?.close());

for (let seed = 1; seed <= repeat; seed++)
  tryIt(`people are gone from the cluster of random site ${seed}, wherever their hits lie`, async () => {
    const address = servers!.address.replaceAll('/daybook', `/erase${seed}`);
    const { asked, differing } = await agreeErase(address, 50 + seed, repeat > 1 ? 1 : 0.25);
    assert.equal(differing, []);
    assert.ok(asked > 100, `${asked} questions`);
  });

tryIt('nothing is erased while a replica is away', async () => {
  const address = servers!.address.replaceAll('/daybook', '/away');
  await openCluster(readShards(address)!).makeTables(testCluster);
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(randomFrom(5));
  storeSite(db, site, firstDay + days);
  const counts = () => db.prepare('select sum(hits) from day_part').pluck().get();
  const before = counts();
  nodes(db).note('1'.repeat(32), testNow);
  const erase = () =>
    runCommand(dataDir, ['erase', 'site1.example', '--visitor', site[0]!.visit.visitor, '--clickhouse', address]);
  const { name, process } = servers!.programs[1]!;
  await endChild(process());
  const refused = await erase();
  assert.is(name, '0-1');
  assert.equal([refused.code, /ClickHouse: .*ECONNREFUSED/.test(refused.stderr)], [1, true], refused.stderr);
  assert.equal([counts(), erasedVisitors(db).upTo(erasedStages.file)], [before, []]);
  db.close();
});

test.run();
