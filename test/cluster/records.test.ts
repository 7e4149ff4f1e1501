/** What is recorded besides hits is a set on ClickHouse: copies of a directory, kills, old copies, and what earlier versions sent. */
import { cpSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { send, statementMs } from '../../src/cluster/client.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { refuseEarlierTables } from '../../src/cluster/make-tables.ts';
import { recordTurns } from '../../src/cluster/record-turns.ts';
import { recordShipper } from '../../src/cluster/ship-records.ts';
import type { Outcome } from '../../src/model/outcomes.ts';
import { countMax } from '../../src/model/past-hit.ts';
import { readShards, type Shards } from '../../src/model/shards.ts';
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { beginEpoch } from '../../src/store/epochs.ts';
import { importCounts } from '../../src/store/imports/import-counts.ts';
import { crawlSlotMs, type Entry, recorder } from '../../src/store/write/recorder.ts';
import { addSite, temporaryDatabase, temporaryDir } from '../helpers.ts';
import { firstDay, randomFrom } from '../query/random-site.ts';
import { hasClickHouse, hasZooKeeper, type Servers, startServers, syncReplicas, testCluster } from './servers.ts';

const tryIt = hasClickHouse() ? test : test.skip;
const replicas = hasZooKeeper() ? 2 : 1;

let servers: Servers | undefined;
let databases = 0;
test.before(async () => {
  if (hasClickHouse()) servers = await startServers(temporaryDir(), 1, replicas);
});
test.after(() => servers?.close());

const newShards = (): Shards => readShards(servers!.address.replaceAll('/daybook', `/records${databases++}`))!;
const madeShards = async (): Promise<Shards> => {
  const shards = newShards();
  await openCluster(shards).makeTables(testCluster);
  return shards;
};

const random = randomFrom(51);
const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => random.below(256));
const node = 7;
const start = firstDay * dayMs;

const randomEntry = (at: number): Entry => {
  const about = { siteId: 1, at, path: random.pick(['/', '/a', null]) };
  const vital = { ...about, device: 'mobile', lcp: random.below(9), inp: null, cls: 0.5, fcp: null, ttfb: null };
  return random.pick<Entry>([
    { siteId: 1, at, outcome: 'recorded', vital },
    { siteId: 1, at, outcome: 'crawler', crawl: { ...about, name: random.pick(['GPTBot', 'Bing']), status: 200 } },
    { siteId: random.below(2), at, outcome: random.pick<Outcome>(['recorded', 'excluded-ip']) },
  ]);
};

/** What was recorded, by what counts it. */
type Counts = Map<string, number>;
const add = (counts: Counts, key: string, count = 1): void => void counts.set(key, (counts.get(key) ?? 0) + count);
const addEntry = (counts: Counts, { siteId, at, outcome, crawl, vital }: Entry): void => {
  const [hour, quarter] = [hourMs, crawlSlotMs].map(unit => (Math.floor(at / unit) * unit) / 1000);
  add(counts, `outcome ${siteId} ${hour} ${outcome}  0`);
  if (crawl !== undefined) add(counts, `crawl ${siteId} ${quarter} ${crawl.name} ${crawl.path ?? ''} ${crawl.status}`);
  if (vital !== undefined) add(counts, `vital ${siteId} ${at} ${vital.path ?? ''} ${vital.lcp}`);
};

/** What is there, as questions read it, on each replica. */
const there = async (shards: Shards): Promise<Counts[]> =>
  Promise.all(
    shards[0]!.map(async replica => {
      const counts: Counts = new Map();
      const key = 'kind, site, at, name, text, status';
      const counted = `select ${key}, sum(count) from record_count final group by ${key}`;
      const vitals = `select 'vital', site, at, path, toString(lcp), count() from vital_report final group by site, at, path, lcp`;
      for (const sql of [counted, vitals])
        for (const row of await rowsFrom([replica], sql)) add(counts, row.slice(0, -1).join(' '), Number(row.at(-1)));
      return counts;
    }),
  );

const sorted = (counts: Counts): unknown[] => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

const agrees = async (shards: Shards, want: Counts): Promise<void> => {
  await syncReplicas(shards, ['record_count', 'vital_report']);
  for (const found of await there(shards)) assert.equal(sorted(found), sorted(want));
};

interface Collector {
  db: Database;
  dataDir: string;
  take(entry: Entry): void;
  turn(now: number): Promise<void>;
  comparedBefore(): number;
}

/** A start of a collector on a directory. */
const startOn = (dataDir: string, shards: Shards): Collector => {
  const db = openDatabase(dataDir);
  beginEpoch(db, 'a directory', bytes);
  const { write } = recorder(db);
  const { turn, comparedBefore } = recordTurns(recordShipper(db, shards, node));
  return { db, dataDir, take: entry => write([entry]), turn, comparedBefore };
};

const newDirectory = (): string => {
  const { db, dataDir } = temporaryDatabase();
  addSite(db);
  db.close();
  return dataDir;
};

const copyOf = ({ db, dataDir }: Pick<Collector, 'db' | 'dataDir'>): string => {
  db.pragma('wal_checkpoint(truncate)');
  const copy = temporaryDir();
  cpSync(dataDir, copy, { recursive: true });
  return copy;
};

/** Turns until all that is here was compared. */
const sendAll = async (collector: Collector, now: number): Promise<number> => {
  do {
    now += 6 * minuteMs;
    await collector.turn(now);
  } while (collector.comparedBefore() * dayMs <= now - hourMs);
  return now;
};

tryIt(
  'collectors on copies of a directory lose no vital, crawl or outcome, killed and restored as they are',
  async () => {
    const shards = await madeShards();
    const want: Counts = new Map();
    const collectors = [startOn(newDirectory(), shards)];
    const backups: string[] = [];
    let now = start + dayMs - 3 * hourMs;
    const done = { clones: 0, kills: 0, restored: 0, turns: 0 };
    for (let step = 0; step < 400; step++) {
      const place = random.below(collectors.length);
      const one = collectors[place]!;
      const what = random.below(20);
      if (what < 12) {
        const entry = randomEntry(now - random.below(minuteMs));
        one.take(entry);
        addEntry(want, entry);
      } else if (what < 15) {
        await one.turn(now);
        done.turns++;
      } else if (what === 15 && collectors.length < 4) {
        // In mid-traffic: what it took may be sent or not.
        collectors.push(startOn(copyOf(one), shards));
        done.clones++;
      } else if (what === 16) {
        one.db.close();
        collectors[place] = startOn(one.dataDir, shards);
        done.kills++;
      } else if (what === 17) backups.push(copyOf(one));
      else if (what === 18 && backups.length > 0) {
        // What only the lost disk had would be lost with it.
        now = await sendAll(one, now);
        one.db.close();
        const backup = temporaryDir();
        cpSync(random.pick(backups), backup, { recursive: true });
        collectors[place] = startOn(backup, shards);
        done.restored++;
      }
      now += random.below(2 * minuteMs);
    }
    for (const [what, count] of Object.entries(done)) assert.ok(count > 2, `${what}: ${count}`);
    for (const one of collectors) now = await sendAll(one, now);
    await agrees(shards, want);
    // All of it once more.
    for (const one of collectors) {
      one.db.close();
      now = await sendAll(startOn(one.dataDir, shards), now);
    }
    await agrees(shards, want);
  },
);

tryIt('a restart within a slot counts once, and an old copy takes nothing away', async () => {
  const shards = await madeShards();
  const want: Counts = new Map();
  let one = startOn(newDirectory(), shards);
  const take = (of: Collector, count: number): void => {
    for (let i = 0; i < count; i++) {
      const about = { siteId: 1, at: start + i, path: '/' };
      const entry: Entry = { ...about, outcome: 'crawler', crawl: { ...about, name: 'GPTBot', status: 200 } };
      of.take(entry);
      addEntry(want, entry);
    }
  };
  take(one, 2);
  await one.turn(start + minuteMs);
  const old = copyOf(one);
  take(one, 3);
  await one.turn(start + 2 * minuteMs);
  await agrees(shards, want);
  one.db.close();
  one = startOn(one.dataDir, shards);
  take(one, 4);
  await one.turn(start + 3 * minuteMs);
  await agrees(shards, want);
  const restored = startOn(old, shards);
  take(restored, 1);
  await sendAll(restored, start + 4 * minuteMs);
  await agrees(shards, want);
  // What ClickHouse loses is sent again, by whoever has it.
  await send(shards[0]![0]!, {
    sql: `alter table record_count drop partition ${new Date(start).toISOString().slice(0, 7).replace('-', '')}`,
    timeoutMs: statementMs,
  });
  for (const of of [one, restored]) await sendAll(of, start + 2 * hourMs);
  await agrees(shards, want);
});

tryIt('the primary takes away what an import brought, also where as much came in its place', async () => {
  const shards = await madeShards();
  const { db } = temporaryDatabase();
  addSite(db);
  for (const id of [1, 2, 3])
    db.prepare('insert into text (site_id, id, value) values (1, ?, ?)').run(id, ['GPTBot', '/a', '/b'][id - 1]);
  const counts = importCounts(db);
  const crawlOf = (path: number, quarter: number) => {
    return { quarter: start / crawlSlotMs + quarter, name: 1, path, status: 200, crawls: 5 };
  };
  const shipper = recordShipper(db, shards, 0);
  let wasSent = '';
  for (const [path, quarter] of [
    [2, 0],
    [3, 0],
    [3, 1],
  ] as const) {
    for (const _ of counts.drop(1, 1));
    counts.add(1, firstDay, 1, 0, { crawls: [crawlOf(path, quarter)], outcomes: [], otherTexts: [], vitals: [] });
    await shipper.shipSince(0, start + dayMs);
    const text = path === 2 ? '/a' : '/b';
    const want: Counts = new Map([[`crawl 1 ${start / 1000 + quarter * 900} GPTBot ${text} 200`, 5]]);
    await agrees(shards, want);
    assert.is.not(JSON.stringify(sorted(want)), wasSent);
    wasSent = JSON.stringify(sorted(want));
  }
  assert.is(await shipper.shipSince(0, start + dayMs), 0);
  // A day of which nothing is left.
  counts.add(1, firstDay - 1, 2, 0, { crawls: [crawlOf(2, -96)], outcomes: [], otherTexts: [], vitals: [] });
  for (const _ of counts.drop(1, 1));
  await shipper.shipSince(0, start + dayMs);
  await agrees(shards, new Map([[`crawl 1 ${(start - dayMs) / 1000} GPTBot /a 200`, 5]]));
});

tryIt('counts of any size are compared exactly, and what is there is not sent again', async () => {
  const shards = await madeShards();
  const { db } = temporaryDatabase();
  addSite(db);
  const texts = ['GPTBot', ...Array.from({ length: 900 }, (_, i) => `/${i}`)];
  const addText = db.prepare('insert into text (site_id, id, value) values (1, ?, ?)');
  for (const [i, text] of texts.entries()) addText.run(i + 1, text);
  const crawls = texts.map((_, i) => ({
    ...{ quarter: start / crawlSlotMs + (i % 96), name: 1, path: i + 1, status: 404 },
    crawls: i === 0 ? Number.MAX_SAFE_INTEGER : countMax - random.below(1000),
  }));
  importCounts(db).add(1, firstDay, 1, 0, { crawls, outcomes: [], otherTexts: [], vitals: [] });
  const shipper = recordShipper(db, shards, 0);
  assert.ok((await shipper.shipSince(0, start + dayMs)) > 0);
  assert.is(await shipper.shipSince(0, start + dayMs), 0);
  db.exec('update crawl set crawls = crawls + iif(path = 7, 1, -1) where path in (7, 8)');
  assert.ok((await shipper.shipSince(0, start + dayMs)) > 0);
});

/** As earlier versions made them. */
const earlierTables = (table: string, columns: string, slotS: number, key: string, shard: string): string =>
  `create table ${table} (site UInt32, slot UInt32, node UInt16, revision UInt64, isMark UInt8, mark UInt64, ${columns})
   engine = ${replicas > 1 ? `ReplicatedReplacingMergeTree('/daybook/${shard}/${table}', '%', revision)` : 'ReplacingMergeTree(revision)'}
   partition by toYYYYMM(toDateTime(slot * ${slotS})) order by (site, slot, node, isMark, ${key})`;

tryIt('what earlier versions sent is brought over once, and their collectors keep what they take', async () => {
  const shards = newShards();
  const [first] = shards as [URL[]];
  const database = first[0]!.pathname.slice(1);
  const text = 'LowCardinality(String)';
  const values = ['lcp', 'inp', 'cls', 'fcp', 'ttfb'].map(name => `${name} Nullable(Float64)`).join(', ');
  const tables = [
    ['vital', `id UInt64, at Int64, path ${text}, device ${text}, ${values}`, 60, 'id'],
    [
      'crawl',
      `quarter UInt32, name ${text}, path ${text}, status UInt16, crawls UInt64`,
      3600,
      'quarter, name, path, status',
    ],
    ['outcome', `outcome ${text}, hits UInt64`, 3600, 'outcome'],
    ['other_text', `kind ${text}, bound ${text}, texts UInt64`, 3600, 'kind, bound'],
  ] as const;
  const settings = { allow_experimental_low_cardinality_type: 1 };
  for (const replica of first) {
    await send(replica, { sql: `create database ${database}`, withoutDatabase: true, timeoutMs: statementMs });
    for (const [name, columns, slotS, key] of tables) {
      const sql = earlierTables(name, columns, slotS, key, database).replace('%', replica.host);
      await send(replica, { sql, settings, timeoutMs: statementMs });
    }
  }
  const insert = (sql: string): Promise<string> =>
    send(first[0]!, { sql: `insert into ${sql}`, timeoutMs: statementMs });
  const hour = start / hourMs;
  const [minute, quarter] = [start / minuteMs, start / crawlSlotMs];
  const of = (slot: number, revision: number): string => `1, ${slot}, ${node}, ${revision}`;
  // A slot that was sent twice, and one that has nothing left.
  await insert(
    `crawl values (${of(hour, 1)}, 1, 5, 0, '', '', 0, 0), (${of(hour, 1)}, 0, 0, ${quarter}, 'GPTBot', '/', 200, 2)`,
  );
  await insert(
    `crawl values (${of(hour, 2)}, 1, 6, 0, '', '', 0, 0), (${of(hour, 2)}, 0, 0, ${quarter}, 'GPTBot', '/', 200, 3)`,
  );
  await insert(`outcome values (${of(hour, 2)}, 1, 5, '', 0), (${of(hour, 2)}, 0, 0, 'crawler', 3)`);
  await insert(`outcome values (${of(hour + 800, 2)}, 1, 5, '', 0), (${of(hour + 800, 2)}, 0, 0, 'recorded', 9)`);
  await insert(`outcome values (${of(hour + 800, 3)}, 1, 0, '', 0)`);
  await insert(`other_text values (${of(hour, 2)}, 1, 5, '', '', 0), (${of(hour, 2)}, 0, 0, 'page', 'site', 4)`);
  const vital = (isMark: number): string =>
    `(${of(minute, 2)}, ${isMark}, 0, 1, ${start}, '/', 'mobile', 2, null, null, null, null)`;
  await insert(`vital values ${vital(1)}, ${vital(0)}`);
  const at = start / 1000;
  const want: Counts = new Map([
    [`crawl 1 ${at} GPTBot / 200`, 3],
    [`outcome 1 ${at} crawler  0`, 3],
    [`other_text 1 ${at} page site 0`, 4],
    [`vital 1 ${start} / 2`, 1],
  ]);
  await refuseEarlierTables(shards).then(
    () => assert.unreachable(),
    error => assert.match(error.message, 'Update the primary'),
  );
  await syncReplicas(
    shards,
    tables.map(([name]) => name),
  );
  const cluster = openCluster(shards);
  // As after an interruption.
  if (replicas > 1) await send(first[1]!, { sql: 'drop table outcome', timeoutMs: statementMs });
  await cluster.makeTables(testCluster);
  await agrees(shards, want);
  await cluster.makeTables(testCluster);
  await agrees(shards, want);
  await refuseEarlierTables(shards);
  await insert(`outcome values (${of(hour, 4)}, 0, 0, 'crawler', 4)`).then(
    () => assert.unreachable(),
    error => assert.match(error.message, 'outcome'),
  );

  // The collector that sent it, updated: it has one crawl more of that hour, and takes others.
  const { db, dataDir } = temporaryDatabase();
  addSite(db);
  const { write } = recorder(db);
  const about = { siteId: 1, at: start, path: '/' };
  const crawl: Entry = { ...about, outcome: 'crawler', crawl: { ...about, name: 'GPTBot', status: 200 } };
  const values9 = { inp: null, cls: null, fcp: null, ttfb: null };
  write([{ ...about, outcome: 'recorded', vital: { ...about, device: 'mobile', lcp: 2, ...values9 } }]);
  for (let i = 0; i < 4; i++) write([crawl]);
  db.close();
  const collector = startOn(dataDir, shards);
  collector.take(crawl);
  await sendAll(collector, start + minuteMs);
  want.set(`crawl 1 ${at} GPTBot / 200`, 5);
  want.set(`outcome 1 ${at} crawler  0`, 5);
  want.set(`outcome 1 ${at} recorded  0`, 1);
  await agrees(shards, want);
});

test.run();
