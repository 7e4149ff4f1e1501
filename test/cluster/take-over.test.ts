/** Which days the primary takes over from collectors: those that it brought, and no hit that came since. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { NodeDay } from '../../src/cluster/day-contents.ts';
import { collectorsNode } from '../../src/cluster/schema.ts';
import { type ShippedDay, shippedText } from '../../src/cluster/shipped.ts';
import { dayTaker } from '../../src/cluster/take-over.ts';
import type { Site } from '../../src/model/site.ts';
import { dayMs } from '../../src/model/time.ts';
import { rules } from '../../src/store/rules.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDatabase } from '../helpers.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';

/** A site with a day that was brought as collectors had it in a revision, and a rule about all hits. */
const prepared = () => {
  const { db } = temporaryDatabase();
  const siteId = storeSite(db, randomSite(randomFrom(1)), firstDay + days);
  const [site] = sites(db).list() as [Site];
  const closed = (revision: number): string => shippedText(site.uuid, { state: 'closed', revision });
  const day = db.prepare('select min(day) from day_part').pluck().get() as number;
  const version = db.prepare('select version from day_part where day = ?').pluck().get(day) as number;
  db.prepare('insert into brought_day (site_id, day, sources, with_own, version) values (?, ?, ?, 0, ?)').run(
    ...[siteId, day, JSON.stringify({ [collectorsNode]: closed(1) }), version],
  );
  const rule = { siteId, from: 0, to: (firstDay + days) * dayMs, filters: '', selects: '[]', period: '' };
  rules(db).add({ ...rule, madeBy: null, reason: null, createdAt: 0 });
  const part = (revision: number, hits: number, taken = 0): ShippedDay => ({
    ...{ siteId, day, node: collectorsNode, revision, version: closed(revision), hits, taken },
  });
  /** The nodes that are taken over, by each day that is shipped, where so much is there. */
  const take = async (...there: ShippedDay[]): Promise<number[][]> => {
    const taken: number[][] = [];
    const cluster = {
      shipped: async () => there,
      ship: async (
        _of: NodeDay,
        _version: string,
        _parts: unknown,
        _context: unknown,
        others: readonly NodeDay[] = [],
      ) => {
        taken.push(others.map(({ node }) => node));
        return 0;
      },
    };
    for await (const _ of dayTaker(db, cluster, 0)([site]));
    return taken;
  };
  return { part, take, own: (text: string): ShippedDay => ({ ...part(1, 9), node: 0, version: text }) };
};

test('a day that was brought is taken over as it was brought', async () => {
  const { part, take } = prepared();
  assert.equal(await take(part(1, 9)), [[collectorsNode]]);
});

test('a day that collectors closed anew since counts as it is', async () => {
  const { part, take } = prepared();
  assert.equal(await take(part(2, 10)), []);
});

test('what came after a day was taken over stays beside it', async () => {
  const { part, take, own } = prepared();
  assert.equal(await take(own('another version'), part(4, 1, 3)), [[]]);
});

test('so does a day of a node that was not brought', async () => {
  const { part, take } = prepared();
  assert.equal(await take(part(1, 9), { ...part(1, 5), node: 7 }), [[collectorsNode]]);
});

test.run();
