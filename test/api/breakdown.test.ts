import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dimensionNames } from '../../src/model/dimensions.ts';
import { addSite } from '../helpers.ts';
import { addShop, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const get = (query: string, id = shop.uuid) => api.get(`/api/v1/sites/${id}/breakdown?${query}`);

interface Row {
  name: string;
  value: number;
  events: number;
}
/** `name value events`, a line each. */
const rows = async (query: string): Promise<string[]> =>
  (await get(`range=7d&${query}`)).body.data.map(({ name, value, events }: Row) => `${name} ${value} ${events}`);

test('a breakdown lists pages by default, by visitors, then hits, then name', async () => {
  const { body } = await get('range=7d');
  assert.equal(body, {
    dimension: 'path',
    data: [
      { name: '/', value: 3, events: 4 },
      { name: '/blog', value: 3, events: 4 },
      { name: '/pricing', value: 2, events: 6 },
    ],
  });
});

test('each dimension has its rows, the first 21 in an order that stays', async () => {
  const want: Record<string, string[]> = {
    path: ['/ 3 4', '/blog 3 4', '/pricing 2 6'],
    entryPath: ['/ 3 9', '/blog 2 2', '/pricing 1 3'],
    exitPath: ['/blog 3 5', '/pricing 2 7', '/ 1 2'],
    title: ['Blog, "news" 3 3', 'Home 3 3', 'Pricing 2 2'],
    hostname: ['site1.example 5 14'],
    query: ['page=2 1 1'],
    referrer: ['Direct / none 3 8', 'google.com 1 4', '=cmd.example 1 2'],
    utmSource: ['newsletter 1 3'],
    utmMedium: ['email 1 3'],
    utmCampaign: ['november 1 3'],
    utmTerm: [],
    utmContent: [],
    country: ['DE 3 11', 'FR 2 3'],
    region: ['Land Berlin 3 11', 'Île-de-France 2 3'],
    city: ['Berlin 3 11', 'Paris 2 3'],
    language: ['de-DE 3 11', 'fr-FR 2 3'],
    browser: ['Chrome 3 11', 'Mobile Safari 2 3'],
    os: ['Windows 3 11', 'iOS 2 3'],
    device: ['desktop 3 11', 'mobile 2 3'],
    screen: ['1280-1535 3 11', '<480 2 3'],
    event: ['Signup 2 2', '=1+1 1 1', 'https://partner.example/ 1 1'],
    clickId: [],
    network: [],
    networkKind: [],
    suspect: ['no-interaction 2 2'],
    channel: ['Direct 3 5', 'Organic search 1 4', 'Email 1 3', 'Referral 1 2'],
  };
  assert.equal(Object.keys(want), dimensionNames);
  for (const [dimension, lines] of Object.entries(want)) {
    assert.equal(await rows(`dimension=${dimension}`), lines, dimension);
  }
});

test('an unknown dimension is refused, with the list of known ones', async () => {
  const { status, body } = await get('dimension=color');
  assert.is(status, 400);
  assert.equal(body, {
    ...{ error: 'unknown dimension', parameter: 'dimension', value: 'color' },
    allowed: [...dimensionNames, 'prop:<key>'],
  });
});

test('the values of a property are rows, and a number is one with the text that reads like it', async () => {
  const site = addSite(api.db);
  const property = (value: string | number) =>
    typeof value === 'string'
      ? ({ key: 'a=b>', type: 'string', value } as const)
      : ({ key: 'a=b>', type: 'number', value } as const);
  const hit = (...values: (string | number)[]) => ({
    type: 'custom' as const,
    path: '/',
    event: 'Order',
    properties: values.map(property),
  });
  const day = (began: string, values: (string | number)[]) => ({
    began,
    by: 1,
    hits: [...values.map(value => hit(value)), hit(), hit('')],
  });
  record(api.db, site, [
    day('2026-11-18T10:00:00Z', ['pro', '3', 'pro']),
    day('2026-11-19T10:00:00Z', [3, 2.5, 3, 'free']),
    day('2026-11-20T10:00:00Z', ['3', 3, 'pro']),
  ]);
  const { body } = await get('range=7d&dimension=prop:a%3Db%3E', site.uuid);
  assert.equal(body.dimension, 'prop:a=b>');
  assert.equal(body.data, [
    { name: '3', value: 3, events: 5 },
    { name: 'pro', value: 2, events: 3 },
    { name: '2.5', value: 1, events: 1 },
    { name: 'free', value: 1, events: 1 },
  ]);
  assert.equal((await get('dimension=prop:nothing', site.uuid)).body.data, []);
});

test('a property without a key, or with one that no hit can carry, is refused', async () => {
  for (const wrong of ['prop:', `prop:${'k'.repeat(201)}`]) {
    const { status, body } = await get(`dimension=${wrong}`);
    assert.equal([status, body], [400, { error: 'bad property key', parameter: 'dimension' }], wrong);
  }
  const filtered = await get(`prop:${'k'.repeat(201)}=1`);
  const parameter = `prop:${'k'.repeat(95)}`;
  assert.equal([filtered.status, filtered.body], [400, { error: 'bad property key', parameter }]);
  assert.is((await get(`prop:${'k'.repeat(200)}=1`)).status, 200);
});

test('the limit is 20 by default and clamped to 1 to 500', async () => {
  const site = addSite(api.db);
  record(api.db, site, [
    { began: '2026-11-19T10:00:00Z', by: 1, hits: Array.from({ length: 501 }, (_, i) => ({ path: `/${i}` })) },
  ]);
  const lengths: [string, number][] = [
    ['', 20],
    ['limit=7', 7],
    ['limit=0', 1],
    ['limit=-5', 1],
    ['limit=500', 500],
    ['limit=501', 500],
    ['limit=many', 20],
  ];
  for (const [query, want] of lengths) assert.is((await get(query, site.uuid)).body.data.length, want, query);
});

test('the name of a row, as the filter of its dimension, selects that row', async () => {
  for (const dimension of dimensionNames) {
    const all: Row[] = (await get(`range=7d&dimension=${dimension}`)).body.data;
    for (const row of all) {
      const drill = new URLSearchParams([
        ['range', '7d'],
        ['dimension', dimension],
        [dimension, row.name],
      ]);
      assert.equal((await get(drill.toString())).body.data, [row], `${dimension} ${row.name}`);
      drill.delete('dimension');
      const { body } = await api.get(`/api/v1/sites/${shop.uuid}/stats?${drill}`);
      assert.is(body.visitors, row.value, `${dimension} ${row.name}`);
    }
  }
});

test.after(() => api.close());
test.run();
