/** What the forwarder keeps over a restart. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startForwarder } from '../../src/cluster/forwarder.ts';
import { readShards } from '../../src/model/shards.ts';
import { dayMs } from '../../src/model/time.ts';
import { forwardedStore } from '../../src/store/forwarded.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';
import { firstDay } from '../query/random-site.ts';
import { until } from '../tools/conditions.ts';

/** A database with a hit that is to be sent. */
const withHit = () => {
  const { db } = temporaryDatabase();
  const of = { siteId: addSite(db).id, day: firstDay };
  const at = firstDay * dayMs;
  recorder(db).write([recordedEntry(hitRecord({ ...of, visitId: 1, at }), visitRecord({ ...of, id: 1 }))]);
  return { db, at };
};

test('revisions are of the clock, and go on growing where it was set back', async () => {
  const { db } = withHit();
  const cluster = readShards('http://127.0.0.1:1/daybook')!;
  const runAt = async (at: number): Promise<number> => {
    const forwarder = startForwarder({ db, node: 0, cluster, now: () => at, log: () => {} });
    await until('a try', () => forwarder.stats().failure !== null);
    await forwarder.stop();
    return forwardedStore(db).get(0).revision;
  };
  const first = await runAt(2e12);
  assert.ok(first >= 2e12, String(first));
  const second = await runAt(1e12);
  assert.ok(second > first && second < first + 1000, String(second));
});

test('a turn that hangs counts as lag, also the first', async () => {
  const { db, at } = withHit();
  let asked = 0;
  const silent = createServer(() => void asked++);
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const cluster = readShards(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/daybook`)!;
  const forwarder = startForwarder({ db, node: 0, cluster, now: () => at, log: () => {} });
  await until('it asks', () => asked > 0);
  assert.ok(forwarder.stats().lagMs > 0);
  assert.is(forwarder.stats().failure, null, 'the turn has not ended');
  silent.closeAllConnections();
  silent.close();
  await forwarder.stop();
});

test('the log says when hits wait for long, and when they fill the disk', async () => {
  const { db, at } = withHit();
  const logged: string[] = [];
  let free = -1;
  const forwarder = startForwarder({
    ...{ db, node: 0, cluster: readShards('http://127.0.0.1:1/daybook')!, now: () => at + 90_000 },
    log: (event, fields) => void logged.push(`${event} ${JSON.stringify(fields)}`),
    freeShareOf() {
      if (free < 0) throw new Error('the disk does not say');
      return free;
    },
  });
  await until('it lags', () => logged.includes('forwarding-lags {"seconds":90,"hits":1}'));
  assert.not.match(logged.join(), 'disk-fills');
  free = 0.1;
  await until('the disk fills', () => logged.includes('disk-fills {"freePercent":10}'));
  await forwarder.stop();
});

test.run();
