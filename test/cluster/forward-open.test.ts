/**
 * Hits of open days reach ClickHouse whatever happens on the way: answers that are lost after the rows arrived, refusals, late
 * copies, restarts from what was written down earlier, hits that are taken out and put back.
 */

import { once } from 'node:events';
import { request as ask, createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { sendToShard } from '../../src/cluster/client.ts';
import { dayCloser } from '../../src/cluster/close-days.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { openTurns } from '../../src/cluster/forward-open.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { readShards, type Shards } from '../../src/model/shards.ts';
import { dayMs, minuteMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Answer, Query, Question } from '../../src/query/query.ts';
import { addRule } from '../../src/query/removal-rules/hits-of-rule.ts';
import { headline } from '../../src/query/usual-questions.ts';
import { openReader } from '../../src/store/database.ts';
import { beginEpoch } from '../../src/store/epochs.ts';
import { rules } from '../../src/store/removal-rules.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDatabase, temporaryDir } from '../helpers.ts';
import { comparable, type NaiveHit, naiveReport } from '../naive.ts';
import {
  askedKinds,
  days,
  firstDay,
  type Random,
  randomFrom,
  randomQuery,
  randomSite,
  siteWriter,
} from '../query/random-site.ts';
import { until } from '../tools/conditions.ts';
import { hasClickHouse, type Servers, startServers, testCluster } from './servers.ts';

const tryIt = hasClickHouse() ? test : test.skip;
const asker = { accountId: 1, isPublic: false };
const plain = (answer: Answer): unknown => JSON.parse(JSON.stringify(comparable(answer)));

let servers: Servers | undefined;
let databases = 0;
test.before(async () => {
  if (hasClickHouse()) servers = await startServers(temporaryDir(), 2, 1);
});
test.after(() => servers?.close());

type Fate = 'passes' | 'is refused' | 'loses its answer' | 'comes late';

/** Stands before a server; what becomes of an insert is asked of `fate`. What comes late does so after the next one. */
const startProxy = async (to: URL, fate: () => Fate): Promise<{ url: URL; close(): void }> => {
  const late: (() => void)[] = [];
  const proxy: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const isInsert =
        new URL(request.url!, to).searchParams.get('query')?.match(/^insert into (open|collected)_hit/) !== null;
      const what = isInsert ? fate() : 'passes';
      const deliver = (then: (status: number, body: Buffer) => void): void => {
        const onward = ask(new URL(request.url!, to), { method: 'POST' }, async answer => {
          const parts: Buffer[] = [];
          for await (const part of answer) parts.push(part as Buffer);
          then(answer.statusCode!, Buffer.concat(parts));
        });
        onward.on('error', () => response.destroy());
        onward.end(Buffer.concat(chunks));
      };
      if (what === 'is refused') return void response.destroy();
      const again = isInsert ? late.splice(0) : [];
      if (what === 'comes late') {
        late.push(() => deliver(() => {}));
        response.destroy();
        return;
      }
      deliver((status, body) => {
        if (what === 'loses its answer') response.destroy();
        else response.writeHead(status).end(body);
        for (const one of again) one();
      });
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(to);
  url.port = String((proxy.address() as { port: number }).port);
  return { url, close: () => void proxy.close() };
};

/** Proxies before the shards of a new database. */
const startCluster = async (fate: () => Fate) => {
  const direct = readShards(servers!.address.replaceAll('/daybook', `/forward${databases++}`))!;
  await openCluster(direct).makeTables(testCluster);
  const proxies = await Promise.all(direct.map(([replica]) => startProxy(replica!, fate)));
  const shards: Shards = proxies.map(({ url }) => [url]);
  return { direct, shards, close: () => proxies.forEach(proxy => void proxy.close()) };
};

/** Hits as they arrive: those of a few visits at a time, each visit in its order. */
const chunksOf = (random: Random, hits: readonly NaiveHit[]): NaiveHit[][] => {
  const chunks: NaiveHit[][] = [];
  for (let from = 0; from < hits.length; ) {
    const count = 1 + random.below(40);
    chunks.push(hits.slice(from, from + count));
    from += count;
  }
  return chunks;
};

const everyDay = { from: firstDay * dayMs, to: (firstDay + days) * dayMs, filters: [] };
const wholeQuestions: Question[] = [
  headline,
  {
    kind: 'visits',
    sort: 'started',
    descending: true,
    limit: 500,
    converted: false,
    bounced: false,
    paid: false,
    returning: false,
    search: '',
    after: null,
    form: 'json',
  },
  {
    kind: 'visits',
    sort: 'started',
    descending: true,
    limit: 500,
    converted: false,
    bounced: false,
    paid: false,
    returning: true,
    search: '',
    after: null,
    form: 'json',
  },
];

const rowsOf = async (shards: Shards, table: string): Promise<number> => {
  const found = shards.map(replicas => rowsFrom(replicas, `select count() from ${table}`));
  return (await Promise.all(found)).flat(2).reduce<number>((sum, count) => sum + Number(count), 0);
};

/** What is noted of days is as if it were noted long ago. */
const noteLongAgo = async (shards: Shards): Promise<void> => {
  const sql = 'alter table shipped update at = toDateTime(1000) where at > toDateTime(1000)';
  await sendToShard(shards[0]!, { sql, timeoutMs: 30_000 });
  await until('it is old', async () => (await rowsOf([shards[0]!], 'shipped where at > toDateTime(1000)')) === 0);
};

const tryFates = async (seed: number, node: number): Promise<void> => {
  const random = randomFrom(seed);
  let isQuiet = false;
  const fates: Fate[] = ['passes', 'loses its answer', 'comes late', 'is refused'];
  const { direct, shards, close: closeProxies } = await startCluster(() => (isQuiet ? 'passes' : random.pick(fates)));
  const { db } = temporaryDatabase();
  const isCollector = node === collectorsNode;
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => random.below(256));
  const site = randomSite(random);
  const { siteId, write } = siteWriter(db);
  const reader = openReader(dirname(db.name));
  const known = { node, hitId: 0 };
  const restart = () => {
    if (isCollector) beginEpoch(db, 'a directory', bytes);
    return openTurns(reader, shards, known);
  };
  let turn = restart();
  let now = (firstDay + days + 1) * dayMs;
  const closer = dayCloser(direct);
  const close = async (): Promise<void> => {
    now += 11 * minuteMs;
    await closer(sites(db).list(), now);
    engine = clickHouseEngine(direct, 300_000);
  };
  let revision = 1;
  const forward = async (): Promise<boolean> => {
    const turned = await turn(revision++, AbortSignal.timeout(20_000));
    if (random.chance(0.5)) known.hitId = turned.hitId;
    return turned.failure === null && !turned.isMore;
  };
  let engine = clickHouseEngine(direct, 300_000);
  const embedded = createEngine(openReader(dirname(db.name)), 1e7);
  const compare = async (query: Query, want: Answer[][]): Promise<void> => {
    const got = await engine.run(query, asker);
    for (const [i, answers] of want.entries())
      for (const [n, answer] of answers.entries())
        assert.equal(
          plain(got[i]![n]!),
          plain(answer),
          `${JSON.stringify(query.slices[i]!.filters)} ${JSON.stringify(query.slices[i]!.questions[n])}`,
        );
  };
  const settle = async (): Promise<void> => {
    isQuiet = true;
    while (!(await forward()));
    isQuiet = false;
  };
  /** As the embedded engine does, which knows of removals. */
  const compareWhole = async (): Promise<void> => {
    await settle();
    const query = { siteId, currency: 'EUR', minorRates: {}, slices: [{ ...everyDay, questions: wholeQuestions }] };
    await compare(query, await embedded.answer(query, alone));
  };

  const written: NaiveHit[] = [];
  const chunks = chunksOf(random, site);
  const compareAt = new Set([Math.floor(chunks.length / 2), chunks.length - 1]);
  for (const [i, chunk] of chunks.entries()) {
    write(chunk);
    written.push(...chunk);
    if (random.chance(0.7)) await forward();
    if (random.chance(0.15)) turn = restart();
    if (isCollector && random.chance(0.1)) await close();
    if (!compareAt.has(i)) continue;
    await settle();
    const query = JSON.parse(
      JSON.stringify(randomQuery(random, siteId, askedKinds), (_, value) =>
        typeof value === 'string' ? value.toWellFormed() : value,
      ),
    ) as Query;
    await compare(query, naiveReport(structuredClone(written), query));
    await compareWhole();
  }
  if (isCollector) {
    await close();
    await compareWhole();
    await noteLongAgo(direct);
    await close();
    assert.equal(await rowsOf(direct, 'collected_hit'), 0);
    assert.ok((await rowsOf(direct, 'hit')) > 0);
    await compareWhole();
    return closeProxies();
  }
  // Days of a rule go there whole, and come again hit by hit.
  const filters = [
    { field: 'path' as const, operator: 'is' as const, negated: false, values: ['/', '/blog', '/docs/Start'] },
  ];
  const of = { siteId, from: everyDay.from, to: everyDay.to, period: 'all', filtersText: '', madeBy: null };
  const { id } = addRule(rules(db), { ...of, filters, reason: null }, everyDay.to);
  const ship = dayShipper(db, openCluster(direct), known.node);
  const shipDays = async (): Promise<void> => {
    for await (const _ of ship(sites(db).list(), { openFrom: 0, takesAway: false }));
    if (random.chance(0.5)) turn = openTurns(reader, shards, known);
    // It knows for a second what was there.
    engine = clickHouseEngine(direct, 300_000);
    await compareWhole();
  };
  await shipDays();
  rules(db).drop(siteId, id);
  await shipDays();
  closeProxies();
};

const seed = Number(process.env.SEED ?? 11);

tryIt('hits of the primary’s open days are counted once, whatever happens on the way', () => tryFates(seed, 0));

tryIt('hits of a collector are counted once, over restarts, and while days are closed', () =>
  tryFates(seed + 1, collectorsNode),
);

test.run();
