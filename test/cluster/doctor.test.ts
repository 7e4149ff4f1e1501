import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sendToShard } from '../../src/cluster/client.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { examineCluster } from '../../src/cluster/examine.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { readShards } from '../../src/model/shards.ts';
import { dayMs, minuteMs } from '../../src/model/time.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { runCommand } from '../cli/helpers.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, temporaryDir, visitRecord } from '../helpers.ts';
import { until } from '../tools/conditions.ts';
import { hasClickHouse, type Servers, startServers } from './servers.ts';

let servers: Servers | undefined;
test.before(async () => {
  if (hasClickHouse()) servers = await startServers(temporaryDir(), 2, 1);
});
test.after(() => servers?.close());

const tryIt = hasClickHouse() ? test : test.skip;

tryIt('doctor says what a cluster is and holds, and finds hits that are gone and servers that are away', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const now = Date.now();
  const of = { siteId, day: Math.floor(now / dayMs) - 1 };
  const at = of.day * dayMs + 1000;
  recorder(db).write([recordedEntry(hitRecord({ ...of, visitId: 1, at }), visitRecord({ ...of, id: 1 }))]);
  const args = ['cluster', 'import', '--clickhouse', servers!.address];
  const { code, stderr } = await runCommand(dataDir, args, { now: Date.now });
  assert.is(code, 0, stderr);
  const shards = readShards(servers!.address)!;
  const said = async (state: string): Promise<string> =>
    (await examineCluster(shards, Date.now)).flatMap(([is, text]) => (is === state ? [text] : [])).join('\n');

  assert.is(await said('bad'), '');
  assert.match(await said('good'), /shard 1, 127\.0\.0\.1:\d+: ClickHouse \d+\.\d+/);
  assert.match(await said('good'), /the 1 days of sites and nodes of the last 31 days have the hits they came with/);
  assert.match(await said('good'), /the newest hit of the primary there is of 20\d\d-\d\d-\d\d 00:00:01 UTC/);
  assert.match(await said('odd'), /the shard has one replica, and inserts are not synced/);
  const ahead = await examineCluster(shards, () => Date.now() - 60_000);
  assert.match(ahead.flat().join('\n'), /whose clock is (59|60) s ahead of the clock here/);

  // Of a collector of 0.1.0 there are days, and later hits as of all collectors, since it was updated.
  const ofCollector = async (node: number, agoMs: number): Promise<void> => {
    const sql = `insert into collected_hit (site, day, node, at) select ${siteId}, toDate(${of.day}), ${node}, ${now - agoMs}`;
    await sendToShard(shards[0]!, { sql, timeoutMs: 10_000 });
  };
  await ofCollector(3, 20 * minuteMs);
  assert.match(await said('odd'), /the newest hit of collector 3 there is of/);
  await ofCollector(collectorsNode, minuteMs);
  assert.not.match(await said('odd'), /the newest hit/);

  const holding = async (): Promise<readonly URL[] | undefined> => {
    for (const replicas of shards)
      if (Number((await rowsFrom(replicas, 'select count() from hit'))[0]![0]) > 0) return replicas;
    return undefined;
  };
  await fetch((await holding())![0]!, { method: 'POST', body: 'alter table daybook.hit delete where 1' });
  await until('the hit is gone', async () => (await holding()) === undefined);
  assert.match(await said('bad'), /site 1, \S+, the primary has other hits than were counted when they came/);

  await servers!.close();
  assert.match(await said('bad'), /shard 2, \S+ does not answer as it should: /);
});

test.run();
