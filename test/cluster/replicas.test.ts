/** What a question costs when a replica of a shard is slow, gone or behind. The replicas are programs that answer as they are told. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { ClickHouseError, sendToShard } from '../../src/cluster/client.ts';
import { placement } from '../../src/cluster/placement.ts';
import { askShard } from '../../src/cluster/replicas.ts';
import { shippedTable } from '../../src/cluster/shipped.ts';
import { QueryTimeout } from '../../src/query/errors.ts';
import type { Query } from '../../src/query/query.ts';
import { headline } from '../../src/query/usual-questions.ts';

/** What a replica does with a statement. */
type Deed = 'answers' | 'hangs' | 'refuses' | 'fails' | 'is behind' | 'lacks tables';

const open = new Set<() => void>();
test.after(() => {
  for (const close of open) close();
});

const startReplica = async (name: string, deed: Deed) => {
  const asked: string[] = [];
  const replica = { deed, asked, ended: 0, probed: 0 };
  const answer = (sql: string, response: ServerResponse): void => {
    const isProbe = sql.includes('system.replicas');
    if (!isProbe) asked.push(sql);
    if (replica.deed === 'hangs') response.on('close', () => void replica.ended++);
    else if (isProbe) response.end(replica.deed === 'is behind' ? '30\n' : '0\n', () => void replica.probed++);
    else if (replica.deed === 'refuses') response.writeHead(500).end('Code: 210, e.displayText() = no connection');
    else if (replica.deed === 'lacks tables') response.writeHead(404).end('Code: 60, e.displayText() = no table');
    else if (replica.deed === 'fails') response.writeHead(500).end('Code: 62, e.displayText() = Syntax error');
    else setTimeout(() => response.end(name), 20);
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(Buffer.concat(chunks).toString(), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.add(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(replica, { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/daybook`) });
};

const startShard = async (...deeds: [Deed, Deed]) => {
  const [one, two] = [await startReplica('one', deeds[0]), await startReplica('two', deeds[1])];
  const ask = (timeoutMs = 2000): Promise<string> => askShard([one.url, two.url], { sql: 'select 1', timeoutMs });
  return { one, two, ask };
};

test('a replica that hangs costs a quarter of the deadline once, then it rests and the other is asked', async () => {
  const { one, two, ask } = await startShard('hangs', 'answers');
  for (let i = 0; i < 12; i++) assert.is(await ask(), 'two');
  // On a busy machine the other one is late, too, now and then.
  assert.ok(one.asked.length <= 6, `${one.asked.length} questions went to the one that hangs`);
  assert.ok(two.asked.length >= 12);
  // Nobody waits for what another has answered.
  while (one.ended < one.asked.length) await new Promise(resolve => setTimeout(resolve, 10));
});

test('one that cannot be reached, or that lost its keeper, is passed over at once', async () => {
  const { one, two, ask } = await startShard('refuses', 'answers');
  for (let i = 0; i < 5; i++) assert.is(await ask(60_000), 'two');
  assert.ok(one.asked.length <= 1);
  const gone = new URL('http://127.0.0.1:1/daybook');
  for (let i = 0; i < 5; i++) assert.is(await askShard([gone, two.url], { sql: 'select 1', timeoutMs: 60_000 }), 'two');
});

test('questions that wait for each other are spread over the replicas', async () => {
  const { one, two, ask } = await startShard('answers', 'answers');
  await Promise.all(Array.from({ length: 20 }, () => ask(60_000)));
  assert.equal([one.asked.length, two.asked.length], [10, 10]);
});

test('one that is behind is not asked while there is another', async () => {
  const { one, two, ask } = await startShard('is behind', 'answers');
  await ask(60_000);
  while (one.probed === 0) await new Promise(resolve => setTimeout(resolve, 10));
  // An answer that is sent later comes later.
  await ask(60_000);
  const before = one.asked.length;
  for (let i = 0; i < 10; i++) assert.is(await ask(60_000), 'two');
  assert.is(one.asked.length, before);
  assert.ok(two.asked.length >= 10);
});

test('one that lacks tables which others have rests, and is passed over', async () => {
  const { one, two, ask } = await startShard('lacks tables', 'answers');
  for (let i = 0; i < 5; i++) assert.is(await ask(60_000), 'two');
  assert.ok(one.asked.length <= 1);
  assert.is(await sendToShard([one.url, two.url], { sql: 'select 1', timeoutMs: 60_000 }), 'two');
  two.deed = 'lacks tables';
  assert.match((await ask(60_000).catch(error => error)).message, /no table/);
});

test('what decides on what is written is read from the first replica while it is there', async () => {
  const one = await startReplica('{"data":[[7,1]]}', 'answers');
  const two = await startReplica('{"data":[]}', 'answers');
  const { revisions } = shippedTable([one.url, two.url]);
  const read = () => revisions({ siteId: 1, day: 1, node: 1 });
  for (let i = 0; i < 5; i++) assert.equal(await read(), [{ revision: 7, state: 1 }]);
  assert.is(two.asked.length, 0);
  one.deed = 'refuses';
  assert.equal(await read(), []);
});

test('each replica of a shard is asked which one it is, but for those that are away', async () => {
  const saying = (cluster: string, shard: number, deed: Deed = 'answers') =>
    startReplica(JSON.stringify({ data: [[cluster, shard, 0, 1]] }), deed);
  const ours = await saying('a', 1);
  const refusalOf = (other: { url: URL }): Promise<string | null> =>
    placement([[ours.url, other.url]], 'a')
      .check()
      .then(
        () => null,
        error => error.message,
      );
  assert.is(await refusalOf(await saying('a', 1)), null);
  const [moved, foreign] = [await saying('a', 2), await saying('b', 1)];
  assert.is(await refusalOf(moved), `${moved.url.host} is shard 2 of the cluster, and CLICKHOUSE has it as 1.`);
  assert.is(await refusalOf(foreign), `${foreign.url.host} belongs to another cluster, b.`);
  for (const deed of ['refuses', 'hangs', 'lacks tables'] as const)
    assert.is(await refusalOf(await saying('b', 1, deed)), null, deed);
  ours.deed = 'refuses';
  assert.match((await refusalOf(await saying('a', 1, 'refuses')))!, /no connection/);
});

test('what no replica can answer is asked of one alone; and where all hang or are gone, that is said in time', async () => {
  const wrong = await startShard('fails', 'fails');
  const failure = await wrong.ask(60_000).catch(error => error);
  assert.instance(failure, ClickHouseError);
  assert.is(wrong.one.asked.length + wrong.two.asked.length, 1);

  const hanging = await startShard('hangs', 'hangs');
  assert.match((await hanging.ask(200).catch(error => error)).message, /did not answer within/);
  const stopped = new AbortController();
  const statement = { sql: 'select 1', timeoutMs: 60_000, signal: stopped.signal };
  const asking = askShard([hanging.one.url, hanging.two.url], statement).catch(error => error);
  setTimeout(() => stopped.abort(), 50);
  assert.instance(await asking, Error);

  const gone = ['http://127.0.0.1:1/daybook', 'http://127.0.0.1:2/daybook'].map(url => new URL(url));
  const refused = await askShard(gone, { sql: 'select 1', timeoutMs: 60_000 }).catch(error => error);
  assert.match(refused.message, /ECONNREFUSED/);
});

test('a query has one deadline for all that is asked for it', async () => {
  const { one, two } = await startShard('hangs', 'hangs');
  const slices = [{ from: 0, to: 1, filters: [], questions: [headline] }];
  const query: Query = { siteId: 1, currency: 'EUR', minorRates: {}, slices };
  const failure = await clickHouseEngine([[one.url, two.url]], 300)
    .run(query, { accountId: 1, isPublic: false })
    .catch(error => error);
  assert.instance(failure, QueryTimeout);
});

test.run();
