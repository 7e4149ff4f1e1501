/** What a copy of a database brings back from the cluster: what it lacks, and nothing that it has. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BringError, bringDays } from '../../src/cluster/bring-days.ts';
import { shippedVersions } from '../../src/cluster/ship-days.ts';
import { readShipped, shippedText } from '../../src/cluster/shipped.ts';
import { dayMs, isoTime } from '../../src/model/time.ts';
import { openDatabase } from '../../src/store/database.ts';
import { importsOf } from '../../src/store/day/day-versions.ts';
import { sealedHits } from '../../src/store/day/sealed-hits.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { addSite, temporaryDatabase, temporaryDir } from '../helpers.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';

test('a day with hits of an import is whole in a copy that has it', async () => {
  const dataDir = temporaryDir();
  const db = openDatabase(dataDir);
  // The first of these days has hits of both ways, the one before it those of an import alone.
  storeSite(db, randomSite(randomFrom(1)), firstDay + days);
  const lines = [firstDay - 1, firstDay].map(day =>
    JSON.stringify({ at: isoTime(day * dayMs), visitor: 'a', hit: { u: 'https://site1.example/' } }),
  );
  const stdin = `${lines.join('\n')}\n`;
  const ran = await runCommand(dataDir, ['import', '-', '--site', 'site1.example'], { stdin });
  assert.is(ran.code, 0, ran.stderr);
  const [site] = sites(db).list();
  const brings = (version: string): boolean => importsOf(readShipped(version)?.of).length > 0;
  const here = [...shippedVersions(db)(site!)];
  assert.ok(here.filter(([, version]) => brings(version)).length === 2, JSON.stringify(here));
  const own = sealedHits(db)(site!.id);
  const shipped = here.map(([day, version]) => {
    const hits = (own.get(day) ?? 0) + (brings(version) ? 1 : 0);
    return { siteId: site!.id, day, node: 0, revision: 1, version, hits, taken: 0 };
  });
  const bringing = {
    ...{ db, shards: [], cluster: { shipped: async () => shipped }, node: 0, isCopy: true },
    now: () => (firstDay + days) * dayMs,
  };
  for await (const { day } of bringDays(bringing, [site!])) assert.unreachable(`day ${day} came twice`);
  db.close();
});

test('a day of which fewer hits come than were counted is not taken', async () => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sql = Buffer.concat(chunks).toString();
    response.end(sql.includes('count()') ? '{"data":[[3,2]]}' : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/daybook`);
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const version = shippedText(site.uuid, { state: 'sealed', version: 1, imports: [] });
  const shipped = [{ siteId: site.id, day: firstDay, node: 1, revision: 1, version, hits: 2, taken: 0 }];
  const bringing = {
    ...{ db, shards: [[url]], cluster: { shipped: async () => shipped }, node: 0 },
    now: () => (firstDay + days) * dayMs,
  };
  const failure = await bringDays(bringing, [site])
    .next()
    .catch(error => error);
  assert.instance(failure, BringError);
  assert.match(failure.message, /^Of 2 hits of .* on ClickHouse 0 came: try again\.$/);
  assert.equal([...shippedVersions(db)(site)], []);
  server.close();
});

test.run();
