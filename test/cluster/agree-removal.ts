/**
 * Rules leave hits out of days that only ClickHouse has, and are undone; days are deleted as too old and with their site: the
 * answers are those of one database in which the same is done.
 */
import { isDeepStrictEqual } from 'node:util';
import { clickHouseEngine } from '../../src/cluster/clickhouse-engine.ts';
import { openCluster } from '../../src/cluster/cluster.ts';
import { rowsFrom } from '../../src/cluster/day-contents.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { readShards } from '../../src/model/shards.ts';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Query } from '../../src/query/query.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { openReader } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable } from '../naive.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import type { Agreement } from './agree.ts';
import { testCluster } from './servers.ts';

export const agreeRemoval = async (address: string, seed: number): Promise<Agreement> => {
  const shards = readShards(address)!;
  const cluster = openCluster(shards);
  await cluster.makeTables(testCluster);
  const hits = randomSite(randomFrom(seed));
  const nodes = [0, 1].map(node => {
    const { db, dataDir } = temporaryDatabase();
    const own = hits.filter(({ visit }) => Number.parseInt(visit.visitor.slice(-2), 16) % 2 === node);
    return { db, dataDir, siteId: storeSite(db, own, firstDay + days), node };
  });
  const [{ db, dataDir, siteId }] = nodes as [(typeof nodes)[number]];
  const options = { openFrom: firstDay + days, takesAway: false };
  const shipAll = async (): Promise<void> => {
    for (const { db: of, node } of nodes)
      for await (const _ of dayShipper(of, cluster, node)(sites(of).list(), options));
  };
  await shipAll();
  // The primary has forgotten its first days; ClickHouse has them.
  db.exec(
    `delete from sealed_column where part_id in (select id from day_part where day < ${firstDay + 2}); delete from day_part where day < ${firstDay + 2}`,
  );

  const whole = temporaryDatabase();
  storeSite(whole.db, hits, firstDay + days);
  const found: Agreement = { asked: 0, differing: [] };
  const bounds = Array.from({ length: days + 1 }, (_, day) => (firstDay + day) * dayMs);
  const compare = async (name: string): Promise<void> => {
    const slice = { from: bounds[0]!, to: bounds.at(-1)!, filters: [] };
    const table = { dimension: 'entryPath', metrics: ['visitors', 'bounceRate', 'events'], sort: 'visitors' } as const;
    const questions = [
      ...[
        headline,
        { kind: 'metricSeries', metrics: ['visitors', 'pageviews', 'visits'], bounds },
        topValues('path', 50),
      ],
      ...[
        { kind: 'table', ...table, descending: true, limit: 50, after: null },
        { kind: 'events', limit: 50, bounds },
      ],
    ] as Query['slices'][number]['questions'];
    const query: Query = { siteId, currency: 'EUR', minorRates: {}, slices: [{ ...slice, questions }] };
    const engine = clickHouseEngine(shards, 60_000);
    const reader = openReader(whole.dataDir);
    const want = await createEngine(reader, 1e8).answer(query, alone);
    reader.close();
    const got = await engine.run(query, { accountId: 1, isPublic: false });
    for (const [n, question] of questions.entries()) {
      found.asked++;
      const [a, b] = [got, want].map(report => JSON.parse(JSON.stringify(comparable(report[0]![n]!))));
      if (!isDeepStrictEqual(a, b))
        found.differing.push([name, question, a, b].map(of => JSON.stringify(of)).join('\n'));
    }
  };
  /** Does the same to both; gives what was said of the cluster and of one database. */
  const run = async (...args: string[]) => {
    const said = [];
    for (const [dir, cluster] of [
      [dataDir, ['--clickhouse', address]],
      [whole.dataDir, []],
    ] as const) {
      const ran = await runCommand(dir, [...args, ...cluster, '--json']);
      if (ran.code !== 0) throw new Error(ran.stderr);
      said.push(ran.json());
    }
    return said;
  };

  await compare('before');
  const { domain } = sites(db).list()[0]!;
  const where = ['prune', '--site', domain, '--where', 'path^=/docs'];
  const counts = await run(...where, '--dry-run');
  const removed = await run(...where);
  const [first, ...others] = [...counts, ...removed].map(({ hits }) => hits);
  if (first === 0 || others.some(count => count !== first)) found.differing.push(`${[first, ...others]} hits`);
  await compare('removed');
  // The other node leaves alone what was taken over.
  await shipAll();
  await compare('shipped again');
  for (const [i, dir] of [dataDir, whole.dataDir].entries()) {
    const cluster = i === 0 ? ['--clickhouse', address] : [];
    const ran = await runCommand(dir, ['prune', '--undo', String(removed[i]!.rule), ...cluster]);
    if (ran.code !== 0) throw new Error(ran.stderr);
  }
  await compare('put back');

  const keep = Math.floor(Date.UTC(2026, 10, 20) / dayMs) - firstDay - 2;
  await run('prune', '--older-than', String(keep));
  await compare('older than');
  await run('site', 'remove', domain, '--yes');
  const [row] = await rowsFrom(shards[0]!, 'select count() from shipped');
  if (Number(row![0]) > 0) found.differing.push('the site is still there');
  for (const of of [...nodes, whole]) of.db.close();
  return found;
};
