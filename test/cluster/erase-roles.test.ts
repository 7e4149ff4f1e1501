/** Somebody is erased while a collector goes on with their visit: a primary and a collector over Debian's ClickHouse. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { readShards } from '../../src/model/shards.ts';
import { openDatabase } from '../../src/store/database.ts';
import { runCommand } from '../cli/helpers.ts';
import { chrome } from '../collect/start-collector.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import { primaryFlags, startTestCollector, startTestServer } from '../start-server.ts';
import { until } from '../tools/conditions.ts';
import { freePorts, hasClickHouse, type Servers, startServers } from './servers.ts';

const tryIt = hasClickHouse() ? test : test.skip;

let servers: Servers | undefined;
test.after(() => servers?.close());

tryIt('what a collector sends until it hears of it goes, and what comes later counts', async () => {
  servers = await startServers(temporaryDir(), 1, 1);
  const [port] = await freePorts(1);
  const dataDir = temporaryDir();
  const db = openDatabase(dataDir);
  const site = addSite(db, { identityMode: 'cookie' });
  db.close();
  const lead = () =>
    startTestServer({ dataDir, flags: { ...primaryFlags, clickhouse: servers!.address, port: `${port}` } });
  const primary = await lead();
  const collector = await startTestCollector(primary.url);
  let hits = 0;
  const send = async (who: string, more: object = {}): Promise<void> => {
    const body = { s: site.publicKey, i: who.repeat(22), u: `https://site1.example/${++hits}`, ...more };
    const headers = { 'user-agent': chrome };
    const answer = await fetch(`${collector.url}/e`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.is(answer.headers.get('x-daybook'), 'recorded');
  };
  /** The pages that ClickHouse has, and of how many visits. */
  const there = async (): Promise<string> => {
    const sql = 'select arraySort(groupUniqArray(toString(path))), uniqExact(visit) from collected_hit';
    return JSON.stringify((await rowsFrom(readShards(servers!.address)![0]!, sql))[0]);
  };
  await send('a');
  await send('a', { t: 'identify', p: { email: 'ann@example.com' } });
  await send('b');
  await until('the hits are on ClickHouse', async () => (await there()) === '[["/1","/3"],2]');
  await primary.close();
  const who = ['--where', 'trait:email=ann@example.com', '--clickhouse', servers.address];
  const now = Date.now;
  const ran = await runCommand(dataDir, ['erase', site.domain, ...who, '--json'], { now });
  assert.is(ran.code, 0, ran.stderr);
  const { visits, hits: erased } = ran.json();
  assert.equal([visits, erased], [1, 1]);
  assert.is(await there(), '[["/3"],1]');
  // The collector has not heard of it, and sends the whole visit again.
  await send('a');
  await until('the visit is there again', async () => (await there()) === '[["/1","/3","/4"],2]');
  const again = await lead();
  const isBlank = () => collector.db.prepare('select min(done) = 1 from erased_visitor').pluck().get() === 1;
  await until('the collector has heard', isBlank, 30_000);
  await send('a');
  await until('it goes, and the next visit counts', async () => (await there()) === '[["/3","/5"],2]', 60_000);
  const data = await runCommand(dataDir, ['person-data', site.domain, ...who], { now });
  assert.equal([data.code, data.stdout], [0, '']);
  await collector.close();
  await again.close();
});

test.run();
