/** What a copy of a database brings back from the cluster: what it lacks, and nothing that it has. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bringDays } from '../../src/cluster/bring-days.ts';
import { shippedVersions } from '../../src/cluster/ship-days.ts';
import { readShipped } from '../../src/cluster/shipped.ts';
import { dayMs, isoTime } from '../../src/model/time.ts';
import { openDatabase } from '../../src/store/database.ts';
import { importsOf } from '../../src/store/day/day-versions.ts';
import { outbox } from '../../src/store/outbox.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';
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
  const own = outbox(db).sealedHits(site!.id);
  const shipped = here.map(([day, version]) => {
    const hits = (own.get(day) ?? 0) + (brings(version) ? 1 : 0);
    return { siteId: site!.id, day, node: 0, revision: 1, version, hits };
  });
  const bringing = {
    ...{ db, shards: [], cluster: { shipped: async () => shipped }, node: 0, isCopy: true },
    now: () => (firstDay + days) * dayMs,
  };
  for await (const { day } of bringDays(bringing, [site!])) assert.unreachable(`day ${day} came twice`);
  db.close();
});

test.run();
