/** Rollups: asked where a site is, they answer with the hits of their sites. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { newRollup } from '../../src/model/new-site.ts';
import type { Rollup } from '../../src/model/site.ts';
import { rates } from '../../src/store/rates.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite } from '../helpers.ts';
import { addShop, now, record, shopVisits, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
// The ids of its texts differ: the visits come in another order.
const other = addSite(api.db, { timezone: 'Europe/Berlin', currency: 'USD' });
// People of one site are others on another one.
const otherVisits = shopVisits.map(visit => ({ ...visit, by: visit.by + 100 }));
record(api.db, other, otherVisits.toReversed());
const random = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, (_, i) => 40 + i);
const made = newRollup({ accountId: shop.accountId, domain: 'All Shops' }, [shop, other], now, random);
const rollup = sites(api.db).add(made) as Rollup;
rates(api.db).set({ source: 'USD', target: 'EUR', rate: 1 });
const body = async (path: string) => {
  const { status, body } = await api.get(path);
  assert.is(status, 200, JSON.stringify(body));
  return body;
};
const of = (id: string, what: string) => body(`/api/v1/sites/${id}/${what}`);

test('a rollup is found by its id, key and name, and is none of the sites', async () => {
  const all = await of(rollup.uuid, 'stats?range=30d');
  for (const name of [rollup.publicKey, 'All%20Shops', 'all%20shops'])
    assert.equal(await of(name, 'stats?range=30d'), all);
  const listed = (await body('/api/v1/sites')).data.map(({ domain }: { domain: string }) => domain);
  assert.equal(listed, [shop, other].map(({ domain }) => domain).sort());
  assert.equal(await body('/api/ext/rollups'), {
    data: [
      {
        ...{ id: rollup.uuid, name: 'All Shops', timezone: shop.timezone, currency: shop.currency },
        ...{ sites: [shop.uuid, other.uuid], createdAt: new Date(now).toISOString() },
      },
    ],
  });
});

test('visitors, views and visits of sites add up, in every range and under filters', async () => {
  for (const range of ['today', '7d', '30d', 'all'])
    for (const filters of ['', '&country=DE', '&device=!mobile', '&path^=/pr']) {
      const asked = `stats?range=${range}${filters}`;
      const [all, one] = [await of(rollup.uuid, asked), await of(shop.uuid, asked)];
      for (const name of ['visitors', 'pageviews']) assert.is(all[name], 2 * one[name], `${name} of ${asked}`);
      for (const name of ['bounceRate', 'avgDuration']) assert.is(all[name], one[name], `${name} of ${asked}`);
    }
});

test('revenue is in the currency of the rollup', async () => {
  const metrics = 'metrics=revenue&dimension=country&range=30d';
  const revenue = async (id: string) => {
    const { data } = await body(`/api/ext/sites/${id}/table?${metrics}`);
    return data.map((row: { name: string; revenue: unknown }) => [row.name, row.revenue]);
  };
  assert.ok((await revenue(rollup.uuid)).length > 1);
  const single = new Map<string, number>(await revenue(shop.uuid));
  // What was paid in EUR and USD is worth the same here.
  for (const [name, sum] of await revenue(rollup.uuid)) assert.is(sum, 2 * single.get(name)!, name);
});

test('its sites are told apart, and their visitors add up', async () => {
  for (const asked of ['range=today', 'range=30d&country=DE', 'range=7d&compare=previous', 'range=all']) {
    const { data } = await body(`/api/ext/sites/${rollup.uuid}/members?${asked}`);
    assert.equal(
      data.map(({ name }: { name: string }) => name).sort(),
      [shop, other].map(({ domain }) => domain).sort(),
    );
    const all = await of(rollup.uuid, `stats?${asked}`);
    for (const name of ['visitors', 'visits', 'pageviews', 'revenue']) {
      const sum = data[0][name] + data[1][name];
      assert.is(sum, all[name], `${name} of ${asked}`);
    }
    const { id, name, previous, delta, ...numbers } = data.find((row: { id: string }) => row.id === shop.uuid);
    const own = await of(shop.uuid, `stats?${asked}`);
    for (const metric of Object.keys(numbers)) assert.is(numbers[metric], own[metric], `${metric} of ${asked}`);
    assert.equal([previous, delta], asked.includes('compare') ? [own.previous, own.delta] : [undefined, undefined]);
  }
  // A site is all that it reads.
  const { data } = await body(`/api/ext/sites/${shop.uuid}/members?range=30d`);
  assert.equal([data.length, data[0].visitors], [1, (await of(shop.uuid, 'stats?range=30d')).visitors]);
});

test('whatever is asked of a site is answered of a rollup', async () => {
  const questions = [
    ...['v1/sites/:/series?range=30d', 'v1/sites/:/breakdown?dimension=path&range=30d', 'v1/sites/:/events?range=30d'],
    ...['v1/sites/:/realtime', 'ext/sites/:/visits?range=30d', 'ext/sites/:/vitals?range=30d'],
    ...['ext/sites/:/crawlers?range=30d', 'ext/sites/:/outcomes?range=7d', 'ext/sites/:/suspects?range=30d'],
    ...['ext/sites/:/journey?range=30d', 'ext/sites/:/latest-hits', 'ext/sites/:/notes?range=30d'],
  ];
  for (const path of questions) {
    const [all, one] = [
      await body(`/api/${path.replace(':', rollup.uuid)}`),
      await body(`/api/${path.replace(':', shop.uuid)}`),
    ];
    assert.equal(Object.keys(all), Object.keys(one), path);
  }
  const csv = await api.get(`/api/export/${rollup.uuid}?range=30d`);
  assert.match(csv.text, '# Site: All Shops');
  const [visits] = (await body(`/api/ext/sites/${rollup.uuid}/visits?range=30d&limit=1`)).data;
  const { data } = await body(`/api/ext/sites/${rollup.uuid}/hits?visit=${visits.id}`);
  assert.ok(data.length > 0);
});

test('a site that is reset or removed is no longer read, and one that comes is', async () => {
  const visitors = async () => (await of(rollup.uuid, 'stats?range=all')).visitors;
  const before = await visitors();
  sites(api.db).reset(other.id);
  assert.is(await visitors(), before / 2);
  const again = sites(api.db)
    .list()
    .find(({ uuid }) => uuid === other.uuid)!;
  record(api.db, again, otherVisits);
  assert.is(await visitors(), before);
  sites(api.db).remove(again.id);
  assert.is(await visitors(), before / 2);
  sites(api.db).set(rollup.id, { ...rollup, members: [] });
  assert.is(await visitors(), 0);
});

test.after(() => api.close());
test.run();
