/** What becomes of days of collectors that an earlier version brought into the primary's database. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openCluster } from '../../src/cluster/cluster.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { BroughtDayError, settleBrought } from '../../src/cluster/settle-brought.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { type ShippedDay, shippedText } from '../../src/cluster/shipped.ts';
import type { Site } from '../../src/model/site.ts';
import { broughtDays } from '../../src/store/day/brought-days.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDatabase } from '../helpers.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';

const ofCollectors = { [collectorsNode]: 1 };

/** A site whose first day was brought, of nodes in a revision of each. */
const prepared = (revisions: Readonly<Record<number, number>> = ofCollectors, withOwn = 0, isChanged = 0) => {
  const { db } = temporaryDatabase();
  const siteId = storeSite(db, randomSite(randomFrom(1)), firstDay + days);
  const [site] = sites(db).list() as [Site];
  const text = (revision: number): string => shippedText(site.uuid, { state: 'closed', revision });
  const day = db.prepare('select min(day) from day_part').pluck().get() as number;
  const version = db.prepare('select version from day_part where day = ?').pluck().get(day) as number;
  const sources = Object.fromEntries(Object.entries(revisions).map(([node, revision]) => [node, text(revision)]));
  db.prepare('insert into brought_day (site_id, day, sources, with_own, version) values (?, ?, ?, ?, ?)').run(
    ...[siteId, day, JSON.stringify(sources), withOwn, version - isChanged],
  );
  const part = (node: number, revision: number, hits: number, isTaken = false): ShippedDay => ({
    ...{
      siteId,
      day,
      node,
      revision,
      version: isTaken ? shippedText(site.uuid, { state: 'taken' }) : text(revision),
    },
    hits,
  });
  /** What becomes of it: a day like others, one that is gone, or one that waits. */
  const settle = async (...there: ShippedDay[]): Promise<string> => {
    const cluster = { shipped: async () => there, shippedOnAll: async () => there };
    const failure = await settleBrought(db, cluster).catch(error => error);
    const shipped: number[] = [];
    const fake = {
      ...cluster,
      ship: async (of: { day: number }) => shipped.push(of.day),
      drop: async () => assert.unreachable(),
    };
    for await (const _ of dayShipper(db, fake as never, 0)([site], { openFrom: firstDay + days, takesAway: false }));
    const isNoted = broughtDays(db).list().length > 0;
    const isHere = db.prepare('select 1 from day_part where day = ?').get(day) !== undefined;
    assert.is(failure instanceof BroughtDayError, isNoted, String(failure));
    assert.is(shipped.includes(day), isHere && !isNoted, 'a copy is not shipped, and all else is');
    assert.ok(shipped.length > 0, 'other days are shipped');
    if (isNoted) return 'waits';
    return isHere ? 'own' : 'gone';
  };
  return { part, settle };
};

test('a copy of what ClickHouse has goes, also where the day was closed again since', async () => {
  for (const revision of [1, 2]) {
    const { part, settle } = prepared();
    assert.is(await settle(part(collectorsNode, revision, 9)), 'gone');
  }
});

test('a day that was taken over stays the own one', async () => {
  const { part, settle } = prepared();
  assert.is(await settle(part(0, 1, 9), part(collectorsNode, 3, 0, true)), 'own');
});

test('so does one of the primary alone that was shipped since, and one that the cluster has nothing of', async () => {
  const ofPrimary = prepared({ 0: 1 });
  assert.is(await ofPrimary.settle(ofPrimary.part(0, 2, 5)), 'own');
  assert.is(await prepared().settle(), 'own');
});

test('one waits with hits of its own, where it was changed, or where a node’s hits are missing', async () => {
  for (const [of, withOwn, isChanged] of [
    [ofCollectors, 1, 0],
    [ofCollectors, 0, 1],
    [{ 7: 1, ...ofCollectors }, 0, 0],
  ] as const) {
    const { part, settle } = prepared(of, withOwn, isChanged);
    assert.is(await settle(part(collectorsNode, 1, 9)), 'waits');
  }
});

test('nothing is settled by what one replica alone knows', async () => {
  const ask = async (...known: unknown[][][]): Promise<string> => {
    const servers = known.map(data => createServer((_, response) => response.end(JSON.stringify({ data }))));
    const addresses = await Promise.all(
      servers.map(async server => {
        await once(server.listen(0, '127.0.0.1'), 'listening');
        return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/daybook`);
      }),
    );
    const said = await openCluster([addresses])
      .shippedOnAll(1)
      .then(({ length }) => `${length} days`, String);
    for (const server of servers) server.close();
    return said;
  };
  const row = [firstDay, 0, 1, 'a version', 9, 0];
  assert.is(await ask([row], [row]), '1 days');
  assert.match(await ask([], [row]), / hold different things, and should hold the same/);
  assert.match(await ask([row], []), / hold different things, and should hold the same/);
});

test.run();
