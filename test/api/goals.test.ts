/** Goals and segments of a site, and filters by their names. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { definitionsOf, resolveFilters } from '../../src/api/definitions.ts';
import { type Definitions, definitions } from '../../src/store/definitions.ts';
import { addSite } from '../helpers.ts';
import { addShop, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const { set, remove } = definitions(api.db);
const get = async (path: string, version = 'ext') => (await api.get(`/api/${version}/sites/${shop.uuid}/${path}`)).body;
const visits = async (filters: string): Promise<number> => (await get(`stats?range=7d&${filters}`, 'v1')).visits;

const figures = ({
  name,
  conversions,
  visits,
  visitors,
  conversionRate,
  revenue,
  totalValue,
}: Record<string, unknown>) => [name, conversions, visits, visitors, conversionRate, revenue, totalValue];

test('goals count conversions, visits and visitors, and are worth what was said', async () => {
  const { data, visitors, currency } = await get('goals?range=7d');
  assert.equal(data.map(figures), [
    ['Signup', 2, 2, 2, 40, 0, 5000],
    // Two visits of two visitors: revenue is that of all their hits.
    ['Stayed a minute', 1, 1, 1, 20, 4900, 0],
  ]);
  assert.equal([visitors, currency], [5, 'EUR']);
});

test('a goal that is not saved can be tried, with alternatives', async () => {
  const { data } = await get(
    `goals?range=7d&conditions=${encodeURIComponent('event=Purchase|event=Signup&prop:seats<2')}`,
  );
  assert.equal(data.map(figures), [['', 3, 2, 2, 40, 4900, 0]]);
  assert.equal(data[0].otherRevenue, { USD: 1000 });
  assert.is((await get('goals?conditions=evnt=Signup')).error, 'unknown filter');
  assert.is((await get('goals?conditions=')).error, 'empty condition');
});

test('filters and days apply to goals, and a changed goal counts for the past', async () => {
  assert.equal((await get('goals?range=7d&country=FR')).data.map(figures)[0], ['Signup', 0, 0, 0, 0, 0, 0]);
  assert.equal((await get('goals?from=2026-11-18&to=2026-11-18')).data.map(figures)[0], [
    'Signup',
    1,
    1,
    1,
    50,
    0,
    2500,
  ]);
  set(shop.id, 'goal', 'Signup', { conditions: 'event=Signup&prop:plan=pro', value: 100 }, 9);
  assert.equal((await get('goals?range=7d')).data.map(figures)[0], ['Signup', 1, 1, 1, 20, 0, 100]);
  set(shop.id, 'goal', 'Signup', { conditions: 'event=Signup', value: 2500 }, 9);
});

test('segments and goals are filters by their name', async () => {
  const german = await visits('country=DE');
  const all = await visits('');
  assert.is(await visits('segment=Germany'), german);
  assert.is(await visits('segment!=Germany'), all - german);
  assert.is(await visits('visit:segment=Germany'), german);
  assert.is(await visits('visit:goal=Signup'), await visits('visit:event=Signup'));
  assert.is(await visits('visit:goal!=Signup'), all - (await visits('event=Signup')));
  const { pageviews } = await get('stats?range=7d&goal=Signup', 'v1');
  assert.is(pageviews, 0);
  set(shop.id, 'segment', 'Did not sign up', { filters: 'visit:goal!=Signup&device=mobile' }, 4);
  assert.is(await visits('segment=Did not sign up'), await visits('visit:event!=Signup&device=mobile'));
  assert.is(await visits('segment=Did not sign up&segment=Germany'), await visits('country=DE&country=FR'));
  remove(shop.id, 'segment', 'Did not sign up');
});

test('an unknown name is refused with those that there are', async () => {
  assert.equal(await get('stats?segment=Germania', 'v1'), {
    error: 'unknown segment',
    parameter: 'segment',
    value: 'Germania',
    allowed: ['Germany'],
  });
  assert.equal(await get('stats?visit:goal!=x', 'v1'), {
    error: 'unknown goal',
    parameter: 'visit:goal!',
    value: 'x',
    allowed: ['Signup', 'Stayed a minute'],
  });
  assert.is((await get('stats?segment*=Ger', 'v1')).error, 'unknown parameter');
});

test('a segment whose goal is gone answers nothing, and keeps nobody from the others', async () => {
  set(shop.id, 'segment', 'Left over', { filters: 'goal=Gone' }, 5);
  assert.equal(
    (await get('segments')).data.map(({ name }: { name: string }) => name),
    ['Germany', 'Left over'],
  );
  assert.equal((await get('stats?segment=Germania', 'v1')).error, 'unknown segment');
  const { error, parameter, value } = await get('stats?segment=Left over', 'v1');
  assert.equal([error, parameter, value], ['unknown goal', 'segment', 'Gone']);
  remove(shop.id, 'segment', 'Left over');
});

test('a repeated name is one, and lists are read once for a request', () => {
  let reads = 0;
  const lists = {
    ...definitions(api.db),
    list: () => [{ name: 'A', body: { filters: 'country=DE' }, createdAt: reads++ }],
  };
  const named = { field: 'segment' as const, operator: 'is' as const, negated: false, values: ['A', 'A'] };
  const [resolved, ofVisits] = resolveFilters(
    [named, { ...named, visit: true }],
    definitionsOf(lists as Definitions, shop.id),
  );
  const german = { field: 'country', operator: 'is', negated: false, values: ['DE'] };
  assert.equal(resolved, { anyOf: [[german]], negated: false });
  assert.equal(ofVisits, { anyOf: [[german]], negated: false, visit: true });
  assert.is(reads, 1);
});

test('names that stand for too many filters are refused', async () => {
  const conditions = Array(20)
    .fill(Array.from({ length: 40 }, (_, i) => `prop:${i}=1`).join('&'))
    .join('|');
  for (const name of ['a', 'b', 'c']) set(shop.id, 'goal', name, { conditions, value: null }, 9);
  set(shop.id, 'segment', 'Huge', { filters: 'goal=a&goal=b&goal=c' }, 9);
  assert.is(await visits('goal=a&goal=b'), 0);
  assert.equal(await get('stats?segment=Huge', 'v1'), {
    ...{ error: 'too many conditions', parameter: 'segment', value: 'goal' },
  });
  assert.equal(await get('goals'), { error: 'too many conditions', parameter: 'goal' });
  for (const name of ['a', 'b', 'c']) remove(shop.id, 'goal', name);
  remove(shop.id, 'segment', 'Huge');
});

test('the CSV export names the filters as they were written', async () => {
  const { text } = await api.get(`/api/export/${shop.uuid}?range=7d&segment=Germany&visit:goal!=Signup`);
  assert.match(text, '# Filters: segment=Germany; visit:goal!=Signup\n');
});

test('segments and funnels are listed', async () => {
  assert.equal(await get('segments'), { data: [{ name: 'Germany', filters: 'country=DE' }] });
  assert.equal(await get('funnels'), { data: [] });
  const other = addSite(api.db, { domain: 'other.example' });
  assert.equal((await api.get(`/api/ext/sites/${other.uuid}/goals`)).body.data, []);
});

test.after(api.close);
test.run();
