import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { definitions } from '../../src/store/definitions.ts';
import { addShop, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const get = (query: string, name = 'funnel') => api.get(`/api/ext/sites/${shop.uuid}/${name}?range=7d&${query}`);
const step = (text: string): string => `step=${encodeURIComponent(text)}`;

test('a funnel tells who is lost at each step, and how long the others took', async () => {
  const { body } = await get([step('path=/|path=/blog'), step('path=/pricing'), step('event=Purchase')].join('&'));
  assert.equal(body, {
    scope: 'visit',
    visits: 6,
    visitors: 5,
    data: [
      {
        step: 'path=/|path=/blog',
        visits: 5,
        visitors: 5,
        lost: 0,
        lostRate: 0,
        stepRate: 100,
        totalRate: 100,
        medianSeconds: 60,
      },
      {
        step: 'path=/pricing',
        visits: 1,
        visitors: 1,
        lost: 4,
        lostRate: 80,
        stepRate: 20,
        totalRate: 20,
        medianSeconds: 60,
      },
      {
        step: 'event=Purchase',
        visits: 1,
        visitors: 1,
        lost: 0,
        lostRate: 0,
        stepRate: 100,
        totalRate: 20,
        medianSeconds: null,
      },
    ],
  });
});

test('by a field of visits, each of its values has the funnel that a filter on it gives', async () => {
  const steps = [step('path=/'), step('path=/pricing')].join('&');
  for (const by of ['channel', 'country', 'utmSource', 'device'])
    for (const scope of ['visit', 'visitor']) {
      const { body } = await get(`${steps}&scope=${scope}&by=${by}`);
      const { body: whole } = await get(`${steps}&scope=${scope}`);
      assert.equal(body.data, whole.data);
      const { body: top } = await get(`dimension=${by}&metrics=visitors&limit=8`, 'table');
      const names = top.data.map(({ name }: { name: string }) => name);
      assert.ok(names.length > 0);
      const want = [];
      for (const name of names) {
        const { body: own } = await get(`${steps}&scope=${scope}&${by}=${encodeURIComponent(name)}`);
        const [first, last] = [own.data[0], own.data.at(-1)].map(row => row[`${scope}s`]);
        want.push({ name, first, last, totalRate: own.data.at(-1).totalRate });
      }
      assert.equal(body.groups, want, `${by} ${scope}`);
    }
  const { status } = await get(`${steps}&by=path`);
  assert.is(status, 400);
});

test('filters choose visits, and steps are looked for among all of their hits', async () => {
  const { body } = await get(`path=/pricing&${step('path=/')}&${step('event=Signup')}`);
  assert.equal([body.visits, ...body.data.map(({ visits }: { visits: number }) => visits)], [2, 1, 1]);
});

test('a hit serves one step only', async () => {
  const { body } = await get(`${step('event=Signup')}&${step('event=Signup')}`);
  assert.equal(
    body.data.map(({ visits }: { visits: number }) => visits),
    [2, 0],
  );
});

test('all values of a name are one filter of a condition, and reserved characters can be written', async () => {
  const count = async (text: string): Promise<number> => (await get(step(text))).body.data[0].visits;
  assert.is(await count('path=/blog&path=/pricing'), 5);
  assert.is(await count('path=/blog&event='), 3);
  assert.is(await count('event=%3D1%2B1'), 1);
  assert.is(await count('event=%3D1%2B1|event=a%7Cb'), 1);
});

test('wrong steps are refused', async () => {
  const rows: [string, object][] = [
    ['', { error: 'missing parameter', parameter: 'step' }],
    [Array(11).fill(step('path=/')).join('&'), { error: 'too many steps', parameter: 'step' }],
    [step(''), { error: 'empty condition', parameter: 'step' }],
    [step('path=/|'), { error: 'empty condition', parameter: 'step' }],
    [step(Array(21).fill('path=/').join('|')), { error: 'too many conditions', parameter: 'step' }],
    [step(Array(51).fill('path=/').join('&')), { error: 'too many conditions', parameter: 'step' }],
  ];
  for (const [query, want] of rows) {
    const { status, body } = await get(query);
    assert.is(status, 400, query);
    assert.equal(body, want);
  }
  const { status, body } = await get(step('contry=DE'));
  assert.equal([status, body.error, body.parameter, body.value], [400, 'unknown filter', 'step', 'contry']);
});

test('a funnel as a file', async () => {
  const query = `mode=funnel&range=7d&${step('path=/')}&${step('=1+1')}`;
  assert.is((await api.get(`/api/export/${shop.uuid}?${query}`)).status, 400);
  const { text, headers } = await api.get(
    `/api/export/${shop.uuid}?mode=funnel&range=7d&${step('path=/')}&${step('event=Signup')}`,
  );
  assert.is(headers['content-disposition'], 'attachment; filename="shop.example-funnel-7d-2026-11-20.csv"');
  assert.is(
    text,
    [
      'Step,Visits,Visitors,Lost,Lost %,Of the step before %,Of the first step %,Median seconds to the next',
      'path=/,3,3,0,0,100,100,90',
      'event=Signup,1,1,2,66.67,33.33,33.33,',
      '',
    ].join('\n'),
  );
});

test('a journey opens level by level', async () => {
  const { body } = await get('show=all&via=path%3D/&via=path%3D/pricing', 'journey');
  const row = (name: string, visits: number, kind = 'page') => ({
    step: `${kind === 'page' ? 'path' : 'event'}=${name}`,
    kind,
    name,
    visits,
    visitors: visits,
  });
  const none = { visits: 0, visitors: 0 };
  assert.equal(body.levels, [
    {
      visits: 6,
      visitors: 5,
      data: [row('/', 3), row('/blog', 2), row('/pricing', 1)],
      end: none,
      other: { visits: 0, steps: 0 },
    },
    {
      visits: 3,
      visitors: 3,
      data: [{ ...row('=1+1', 1, 'event'), step: 'event=%3D1%2B1' }, row('/blog', 1), row('/pricing', 1)].sort(
        (a, b) => (a.name < b.name ? -1 : 1),
      ),
      end: none,
      other: { visits: 0, steps: 0 },
    },
    { visits: 1, visitors: 1, data: [row('Signup', 1, 'event')], end: none, other: { visits: 0, steps: 0 } },
  ]);
});

test('what came before an event, and where nothing did', async () => {
  const { body } = await get('anchor=event%3DSignup&direction=before&via=path%3D/pricing', 'journey');
  const [first, second] = body.levels;
  assert.equal(
    [first.visits, first.data, first.end.visits],
    [2, [{ step: 'path=/pricing', kind: 'page', name: '/pricing', visits: 2, visitors: 2 }], 0],
  );
  assert.equal(
    [second.data.map(({ name }: { name: string }) => name), second.end],
    [['/'], { visits: 1, visitors: 1 }],
  );
});

test('wrong journeys are refused', async () => {
  for (const [query, want] of [
    ['via=country%3DDE', { error: 'bad step', parameter: 'via', value: 'country=DE' }],
    [Array(5).fill('via=path%3D/').join('&'), { error: 'too many steps', parameter: 'via' }],
    ['anchor=', { error: 'empty condition', parameter: 'anchor' }],
    ['folder=9', { error: 'unknown folder', parameter: 'folder', value: '9', allowed: [...'012345'] }],
    ['direction=up', { error: 'unknown direction', parameter: 'direction', value: 'up', allowed: ['after', 'before'] }],
  ] as const) {
    const { status, body } = await get(query, 'journey');
    assert.equal([status, body], [400, want], query);
  }
});

test('a saved funnel is asked by its name, and steps may name goals and segments', async () => {
  const saved = definitions(api.db);
  saved.set(shop.id, 'goal', 'Bought', { conditions: 'event=Purchase', value: null }, 1);
  saved.set(shop.id, 'segment', 'Home', { filters: 'path=/' }, 1);
  const question = `${step('segment=Home|path=/blog')}&${step('goal=Bought')}`;
  saved.set(shop.id, 'funnel', 'Sale', { question: `${question}&scope=visitor` }, 1);
  const { body } = await get('funnel=Sale');
  assert.equal(body, (await get(`${question}&scope=visitor`)).body);
  const plain = await get(`${step('path=/|path=/blog')}&${step('event=Purchase')}&scope=visitor`);
  const numbers = (of: { data: { visits: number; visitors: number }[] }) =>
    of.data.map(({ visits, visitors }) => [visits, visitors]);
  assert.equal(numbers(body), numbers(plain.body));
  const unknown = await get('funnel=Nothing');
  assert.equal(
    [unknown.status, unknown.body],
    [400, { error: 'unknown funnel', parameter: 'funnel', value: 'Nothing', allowed: ['Sale'] }],
  );
  assert.equal((await get('')).body, { error: 'missing parameter', parameter: 'step' });
  assert.is((await get(step('goal=Nothing'))).body.error, 'unknown goal');
});

test('the anchor of a journey may name goals and segments', async () => {
  const saved = definitions(api.db);
  saved.set(shop.id, 'goal', 'Start', { conditions: 'event=Signup|path=/blog', value: null }, 1);
  saved.set(shop.id, 'segment', 'Start', { filters: 'goal=Start' }, 1);
  const { levels } = (await get('anchor=event%3DSignup%7Cpath%3D/blog', 'journey')).body;
  assert.ok(levels[0].visits > 0);
  for (const name of ['goal', 'segment'])
    assert.equal((await get(`anchor=${name}%3DStart`, 'journey')).body.levels, levels, name);
  assert.is((await get('anchor=goal%3DNothing', 'journey')).body.error, 'unknown goal');
});

test('the visits behind a step are those that went through the steps up to it', async () => {
  const steps = [step('path=/|path=/blog'), step('path=/pricing'), step('event=Purchase')];
  const { body } = await get(steps.join('&'));
  for (const [i, { visits }] of (body.data as { visits: number }[]).entries()) {
    const listed = await get(steps.slice(0, i + 1).join('&'), 'visits');
    assert.is(listed.body.data.length, visits);
  }
  const turned = await get(`${steps[1]}&${step('path=/')}`, 'visits');
  assert.is(turned.body.data.length, 0, 'the order counts');
  assert.is((await get(step('nothing=x'), 'visits')).body.error, 'unknown filter');
});

test.after(() => api.close());
test.run();
