/** Random vitals, crawls and outcomes of two nodes: ClickHouse answers as one database with all of them would. */
import { isDeepStrictEqual } from 'node:util';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { recordShipper } from '../../src/cluster/ship-records.ts';
import { operatorsOf } from '../../src/model/filters.ts';
import { type Outcome, outcomes } from '../../src/model/outcomes.ts';
import { readShards } from '../../src/model/shards.ts';
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts';
import { vitalNames } from '../../src/model/vitals.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Query, Question, QuestionOf } from '../../src/query/query.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import { importCounts } from '../../src/store/imports/import-counts.ts';
import { pruner } from '../../src/store/maintenance/prune.ts';
import { recordTables } from '../../src/store/read/record-rows.ts';
import { type Entry, recorder } from '../../src/store/write/recorder.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { type Random, randomFrom } from '../query/random-site.ts';
import type { Agreement } from './agree.ts';
import { testCluster } from './servers.ts';

const start = Date.parse('2026-11-20T00:00:00Z');
const now = start + 2 * dayMs;
const texts = ['/', '/a', '/Ä', '𝒳', '\uffe8', null];
const statuses = [0, 200, 404, 503];

const randomEntry = (random: Random, siteId: number): Entry => {
  const at = start + random.below(3 * dayMs - 1);
  const path = random.pick(texts);
  const about = { siteId, at, path };
  const outcome = random.pick(Object.keys(outcomes)) as Outcome;
  const value = (): number | null => random.pick([null, 0, 200, 200.5, 2500, 0.25, 0.1005, 1, 77.4999]);
  const values = Object.fromEntries(vitalNames.map(name => [name, value()])) as Record<
    (typeof vitalNames)[number],
    number
  >;
  const more = random.pick<Partial<Entry>>([
    { vital: { ...about, device: random.pick(['mobile', 'desktop']), ...values } },
    { crawl: { ...about, name: random.pick(['GPTBot', 'Googlebot', 'GPTBot']), status: random.pick(statuses) } },
    {},
  ]);
  return { siteId, at, outcome, ...more };
};

const randomFilters = (random: Random, fields: readonly string[]) =>
  Array.from({ length: random.below(3) }, () => {
    const field = random.pick(fields);
    const { operator, negated } = random.pick(operatorsOf('path'));
    const value = random.pick(['/', 'a', '', 'Ä', 'GPTBot', 'g', '200', 'unknown', 'mobile']);
    return { field, operator, negated, values: [value, random.pick(texts) ?? ''] };
  });

const randomQuestion = (random: Random): Question => {
  const from = start + random.below(4 * dayMs) - dayMs;
  const to = from + random.pick([1, 20 * minuteMs, dayMs, 3 * dayMs]);
  const bounds = [
    ...new Set([from, ...Array.from({ length: random.below(7) }, () => from + random.below(to - from)), to]),
  ];
  bounds.sort((a, b) => a - b);
  const limit = random.pick([100, 2, 1]);
  const kind = random.pick(['vitals', 'crawls', 'outcomes'] as const);
  if (kind === 'outcomes') return { kind, bounds };
  const fields = kind === 'vitals' ? ['path', 'device'] : ['name', 'path', 'status'];
  const shared = { by: random.pick(fields), limit, filters: randomFilters(random, fields) };
  return (kind === 'vitals' ? { kind, from, to, ...shared } : { kind, bounds, ...shared }) as QuestionOf<typeof kind>;
};

/** Other texts are counted by the recorder of a server alone. */
const countOtherTexts = (random: Random, dbs: readonly Database[], siteId: number): void => {
  for (let i = 0; i < 9; i++) {
    const key = [
      siteId,
      start / hourMs + random.below(72),
      random.pick(['path', 'query']),
      random.pick(['site', 'sender']),
    ];
    const texts = 1 + random.below(9);
    for (const db of dbs)
      db.prepare('insert or replace into other_text (site_id, hour, kind, bound, texts) values (?, ?, ?, ?, ?)').run(
        ...key,
        texts,
      );
  }
};

/** Between these all that was recorded is taken back. */
const [goneFrom, goneTo] = [start + dayMs + 3 * hourMs, start + dayMs + 9 * hourMs];

export const agreeRecords = async (address: string, questions: number): Promise<Agreement> => {
  const shards = readShards(address)!;
  await openCluster(shards).makeTables(testCluster);
  const random = randomFrom(7);
  const nodes = [temporaryDatabase().db, temporaryDatabase().db];
  const all = temporaryDatabase();
  const sites = [1, 2].map(() => [...nodes, all.db].map(db => addSite(db).id)[0]!);
  const shippers = nodes.map((db, node) => recordShipper(db, shards, node));
  const engine = clickHouseEngine(shards, 60_000);
  const found: Agreement = { asked: 0, differing: [] };
  const record = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const entry = randomEntry(random, sites[random.below(2)]!);
      // Only the primary takes away what it no longer has.
      const node = entry.at >= goneFrom && entry.at < goneTo ? 0 : random.below(2);
      for (const db of [nodes[node]!, all.db]) recorder(db).write([entry]);
    }
  };
  const compare = async (): Promise<void> => {
    const embedded = createEngine(openReader(all.dataDir), 1e6);
    for (let i = 0; i < questions; i++) {
      const slices = [{ from: start, to: start, filters: [], questions: [randomQuestion(random)] }];
      const of = { siteId: random.pick(sites), ...(random.chance(0.3) && { rollup: sites }) };
      const query: Query = { ...of, currency: 'EUR', minorRates: {}, slices };
      const want = await embedded.answer(query, alone);
      const got = await engine.run(query, { accountId: 1, isPublic: false });
      found.asked++;
      if (!isDeepStrictEqual(got, want))
        found.differing.push([query, got, want].map(of => JSON.stringify(of)).join('\n'));
    }
  };

  record(300);
  countOtherTexts(random, [nodes[0]!, all.db], sites[0]!);
  for (const shipper of shippers) await shipper.shipSince(0, now + dayMs);
  await compare();
  // What comes later, in slots that are there and in new ones, found by a turn and by a look at a day.
  record(100);
  for (const shipper of shippers) await shipper.turn(start + 2 * dayMs);
  for (const shipper of shippers) await shipper.shipSince(0, now + dayMs);
  await compare();
  // An import's counts come and go, and slots that have nothing left.
  const crawls = [{ quarter: start / (15 * minuteMs) + 7, name: 1001, path: 1002, status: 200, crawls: 5 }];
  for (const db of [nodes[0]!, all.db]) {
    for (const id of [1001, 1002])
      db.prepare('insert or ignore into text (site_id, id, value) values (1, ?, ?)').run(id, `t${id}`);
    importCounts(db).add(1, start / dayMs, 1, 0, { crawls, outcomes: [], otherTexts: [], vitals: [] });
  }
  for (const table of recordTables)
    for (const db of [...nodes, all.db]) {
      const time = table === 'vital' ? 'at' : table === 'crawl' ? 'quarter' : 'hour';
      const unit = table === 'vital' ? 1 : table === 'crawl' ? 15 * minuteMs : hourMs;
      db.prepare(`delete from ${table} where ${time} >= ? and ${time} < ?`).run(goneFrom / unit, goneTo / unit);
    }
  for (const shipper of shippers) await shipper.shipSince(0, now + dayMs);
  await compare();
  // What a collector has forgotten stays there.
  for (const _ of pruner(nodes[1]!).drop(start / dayMs + 1)) {
    for (let day = start / dayMs; day < start / dayMs + 3; day++)
      if ((await shippers[1]!.shipDay(day)) !== 0) found.differing.push('a part of what was forgotten was sent');
  }
  await compare();
  // Another process of the node finds nothing to do.
  const again = nodes.map((db, node) => recordShipper(db, shards, node));
  for (const shipper of again)
    if ((await shipper.shipSince(0, now + dayMs)) !== 0) found.differing.push('what is there was sent again');
  return found;
};
