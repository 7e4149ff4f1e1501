/** What the forwarder keeps over a restart. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startForwarder } from '../../src/cluster/forwarder.ts';
import { readShards } from '../../src/model/shards.ts';
import { forwardedStore } from '../../src/store/forwarded.ts';
import { temporaryDatabase } from '../helpers.ts';
import { until } from '../tools/conditions.ts';

test('revisions are of the clock, and go on growing where it was set back', async () => {
  const { db } = temporaryDatabase();
  const cluster = readShards('http://127.0.0.1:1/daybook')!;
  const runAt = async (at: number): Promise<number> => {
    const forwarder = startForwarder({ db, node: 1, cluster, now: () => at, log: () => {} });
    await until('a try', () => forwarder.stats().failure !== null);
    await forwarder.stop();
    return forwardedStore(db).get(1).revision;
  };
  const first = await runAt(2e12);
  assert.ok(first >= 2e12, String(first));
  const second = await runAt(1e12);
  assert.ok(second > first && second < first + 1000, String(second));
});

test.run();
