/** Random days of three nodes and a collector, brought back from ClickHouse into one database: it gives the answers of a naive recount. */

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { bringDays } from '../../src/cluster/bring-days.ts';
import { dayCloser } from '../../src/cluster/close-days.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { openTurns } from '../../src/cluster/forward-open.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { recordShipper } from '../../src/cluster/ship-records.ts';
import { readShards, type Shards } from '../../src/model/shards.ts';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { beginEpoch } from '../../src/store/epochs.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDatabase, temporaryDir } from '../helpers.ts';
import { comparable, type NaiveSite, naiveReport } from '../naive.ts';
import {
  askedKinds,
  days,
  firstDay,
  randomFrom,
  randomParts,
  randomQuery,
  randomSite,
  storeSite,
} from '../query/random-site.ts';
import type { Agreement } from './agree.ts';
import { testCluster, wholeDays } from './servers.ts';

const nodeCount = 4;
/** The last one is a collector of today's kind, whose days the primary closes. */
const collector = nodeCount - 1;
/** Soon after the days: each day since the first record is looked at. */
const now = (firstDay + days + 1) * dayMs;

/** A node keeps its visitors, as behind a load balancer. */
const ofNode = (site: NaiveSite, node: number): NaiveSite =>
  site.filter(({ visit }) => Number.parseInt(visit.visitor.slice(-2), 16) % nodeCount === node);

export const agreeExport = async (address: string, seeds: readonly number[], queries: number): Promise<Agreement> => {
  const shards = readShards(address)!;
  const cluster = openCluster(shards);
  await cluster.makeTables(testCluster);
  const found: Agreement = { asked: 0, differing: [] };
  for (const [place, seed] of seeds.entries()) {
    const random = randomFrom(seed);
    const hits = randomSite(random);
    // Each seed is a site of its own.
    const nodes = Array.from({ length: nodeCount }, () => temporaryDatabase());
    let siteId = 0;
    for (const [node, { db }] of nodes.entries()) {
      for (let before = 0; before < place; before++) storeSite(db, [], 0);
      const sealed = node === 0 ? firstDay + random.below(days + 2) : node === collector ? 0 : firstDay + days;
      siteId = storeSite(db, ofNode(hits, node), sealed, 'UTC', randomParts(random).partHitsMax);
      if (node === collector) await sendAndClose(db, shards);
      else for await (const _ of dayShipper(db, cluster, node)(sites(db).list(), wholeDays));
      await recordShipper(db, shards, node).shipSince(0, now);
    }
    const [{ db, dataDir }] = nodes as [{ db: Database; dataDir: string }];
    let dir = dataDir;
    if (place % 2 === 0) {
      dir = join(temporaryDir(), 'back');
      const run = ['cluster', 'export', '--clickhouse', address, '--to', dir, '--json'];
      const exported = await runCommand(dataDir, run, { now: () => now });
      if (exported.code !== 0) throw new Error(`${seed}: ${exported.stderr}`);
      const again = (await runCommand(dataDir, run, { now: () => now })).json() as { sites: { days: number }[] };
      if (again.sites.some(site => site.days > 0)) found.differing.push(`seed ${seed}: days came twice`);
    } else {
      sealAll(db, firstDay + days, now);
      const bringing = { db, shards, cluster, node: 0, now: () => now, partHitsMax: randomParts(random).partHitsMax };
      for await (const _ of bringDays(bringing, sites(db).list()));
    }
    const engine = createEngine(openReader(dir), 1e8);
    for (let i = 0; i < queries; i++) {
      const query = randomQuery(random, siteId, askedKinds);
      const [got, want] = [await engine.answer(query, alone), naiveReport(hits, query)];
      for (const [slice, { questions, ...of }] of query.slices.entries())
        for (const [n, question] of questions.entries()) {
          found.asked++;
          const [a, b] = [got, want].map(report => comparable(report[slice]![n]!));
          if (isDeepStrictEqual(plain(a), plain(b))) continue;
          found.differing.push([{ seed, ...of, question }, a, b].map(part => JSON.stringify(part)).join('\n'));
        }
    }
    found.differing.push(...damageIn(dir));
    for (const node of nodes) node.db.close();
  }
  return found;
};

const sendAndClose = async (db: Database, shards: Shards): Promise<void> => {
  beginEpoch(db, 'a directory', count => new Uint8Array(count).fill(7));
  const turn = openTurns(db, shards, { node: collectorsNode, hitId: 0 });
  for (let isMore = true; isMore; ) {
    const turned = await turn(1, AbortSignal.timeout(60_000));
    if (turned.failure !== null) throw new Error(turned.failure);
    isMore = turned.isMore;
  }
  await dayCloser(shards)(sites(db).list(), now);
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const damageIn = (dir: string): string[] => {
  const db = openReader(dir);
  try {
    const problems: string[] = [];
    for (const step of checkDatabase(db)) problems.push(...step.problems);
    return problems;
  } finally {
    db.close();
  }
};
