/** `daybook erase` and `person-data` on a cluster of two shards with two replicas. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { repeat } from '../repeat.ts';
import { agreeErase } from './agree-erase.ts';
import { hasClickHouse, hasZooKeeper, type Servers, startServers } from './servers.ts';

const tryIt = hasClickHouse() && hasZooKeeper() ? test : test.skip;

let servers: Servers | undefined;
test.before(async () => {
  if (hasClickHouse() && hasZooKeeper()) servers = await startServers(temporaryDir(), 2, 2);
});
test.after(() => servers?.close());

for (let seed = 1; seed <= repeat; seed++)
  tryIt(`people are gone from the cluster of random site ${seed}, wherever their hits lie`, async () => {
    const address = servers!.address.replaceAll('/daybook', `/erase${seed}`);
    const { asked, differing } = await agreeErase(address, 40 + seed, repeat > 1 ? 1 : 0.25);
    assert.equal(differing, []);
    assert.ok(asked > 100, `${asked} questions`);
  });

test.run();
