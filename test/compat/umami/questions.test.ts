import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import { apiKeys } from '../../../src/store/accounts/accounts.ts';
import { credentials } from '../../../src/store/accounts/credentials.ts';
import { members } from '../../../src/store/accounts/members.ts';
import { persons } from '../../../src/store/accounts/persons.ts';
import { addAccount, key } from '../../api/fixture.ts';
import { email, password, setPassword, startProgram } from '../fixture.ts';

const program = await startProgram();
const { ask, shop } = program;
await setPassword(program);
const startAt = Date.parse('2026-11-14T00:00:00+01:00');
const endAt = Date.parse('2026-11-21T00:00:00+01:00') - 1;
const week = `startAt=${startAt}&endAt=${endAt}`;
const own = (path: string) => ask(`/api/websites/${shop.uuid}/${path}`);
const login = (username: string, typed = password) =>
  ask('/api/auth/login', { key: null, body: { username, password: typed } });

const statusOf = async (token: string): Promise<number> => (await ask('/api/me', { key: token })).status;

const user = {
  id: '00000000-0000-4000-8000-000000000001',
  username: 'default',
  role: 'user',
  createdAt: '2026-11-20T13:30:00.000Z',
  isAdmin: false,
  teams: [],
};

test('a password gives a token, by e-mail or name, which asks like a key', async () => {
  for (const name of [email, 'ADA@example.com', 'default']) {
    const { status, body } = await login(name);
    assert.is(status, 200);
    assert.equal(body.user, user);
    assert.equal((await ask('/api/auth/verify', { key: body.token, body: {} })).body, user);
    assert.equal((await ask('/api/auth/verify', { key: body.token })).body, user);
    assert.equal((await ask('/api/me', { key: body.token })).body, { user });
    assert.is((await ask('/api/me', { key: `${body.token.slice(0, -2)}AA` })).status, 401);
  }
});

test('what is hidden from somebody is hidden from the programs they sign in with', async () => {
  const { db } = program;
  const [people, of] = [persons(db), credentials(db)];
  const { id } = people.add('vi@example.com', 0);
  of.set({ personId: id, email: 'vi@example.com', password: of.ofEmail(email)!.password });
  const hidden = ['visits', 'events', 'queries'] as const;
  const { accountId } = members(db).ofPerson(people.ofEmail(email)!.id)[0]!;
  members(db).set({ accountId, personId: id, role: 'viewer', sites: null, hidden: [...hidden], createdAt: 0 });
  const { token } = (await login('vi@example.com')).body;
  assert.ok(token);
  const statusAs = async (path: string) => (await ask(`/api/websites/${shop.uuid}/${path}`, { key: token })).status;
  for (const path of ['stats', 'metrics?type=path', 'metrics?type=country', 'stats?country=DE'])
    assert.is(await statusAs(`${path}${path.includes('?') ? '&' : '?'}${week}`), 200, path);
  for (const path of [
    ...['sessions', 'events', 'events/stats', 'events/series?unit=day', 'metrics?type=event', 'metrics?type=query'],
    ...['metrics/expanded?type=event', 'stats?event=Signup', 'stats?query=c.a', 'pageviews?unit=day&event=Signup'],
  ])
    assert.is(await statusAs(`${path}${path.includes('?') ? '&' : '?'}${week}`), 403, path);
});

test('a logout ends its token and no other, and no key', async () => {
  const [token, other] = [(await login(email)).body.token, (await login(email)).body.token];
  assert.equal((await ask('/api/auth/logout', { key: token, body: {} })).body, { ok: true });
  assert.equal([await statusOf(token), await statusOf(other)], [401, 200]);
  const headers = { 'x-umami-api-key': other };
  assert.is((await ask('/api/auth/logout', { key: null, body: {}, headers })).status, 200);
  assert.is(await statusOf(other), 401);
  assert.is((await ask('/api/auth/logout', { body: {} })).status, 200);
  assert.is((await ask('/api/me')).status, 200, 'the key');
});

test('signing out of the dashboard ends tokens, and so does revoking the last key', async () => {
  const headers = { origin: program.url, 'sec-fetch-site': 'same-origin' };
  const signedIn = await ask('/app/sign-in', { key: null, body: { email, password }, headers });
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!;
  const change = (path: string) => ask(path, { key: null, body: {}, headers: { ...headers, cookie } });
  const keys = apiKeys(program.db);
  const [first] = keys.list();
  const second = keys.add(first!.accountId, 'second', 'tk_live_second', 0);

  const token = (await login(email)).body.token;
  assert.is((await change(`/app/keys/${second.id}/revoke`)).status, 200);
  assert.is(await statusOf(token), 200, 'a key is left');
  assert.is((await change(`/app/keys/${first!.id}/revoke`)).status, 200);
  assert.is(await statusOf(token), 401);
  assert.is((await change('/app/keys/9/revoke')).status, 404);
  keys.add(first!.accountId, 'test', key, 0);

  const later = (await login(email)).body.token;
  assert.is((await ask('/app/sign-out', { key: null, body: {}, headers })).status, 200);
  assert.is(await statusOf(later), 200, 'nobody was signed in');
  assert.is((await change('/app/sign-out')).status, 200);
  assert.is(await statusOf(later), 401);
});

test('an unknown path of a website is told in Umami’s words, with every method', async () => {
  const error = { message: 'Not found', code: 'not-found', status: 404 };
  for (const [path, more] of [
    ['nope', {}],
    ['reports/1', {}],
    ['nope', { body: {} }],
    ['nope', { key: null }],
  ] as const) {
    const { status, body } = await ask(`/api/websites/${shop.uuid}/${path}`, more);
    assert.equal([status, body], [404, { error }]);
  }
  const { status, headers } = await ask(`/api/websites/${shop.uuid}/stats`, { body: {} });
  assert.equal([status, headers.get('allow')], [405, 'GET, HEAD']);
});

test('a token ends after a month without use, and with the password', async () => {
  const { token } = (await login(email)).body;
  assert.is((await ask('/api/me', { key: token })).status, 200);
  const { now } = program.clock;
  program.clock.now = now + 30 * dayMs;
  assert.is((await ask('/api/me', { key: token })).status, 401);
  program.clock.now = now;
  const again = (await login(email)).body.token;
  const headers = { origin: program.url, 'sec-fetch-site': 'same-origin' };
  const signedIn = await ask('/app/sign-in', { key: null, body: { email, password }, headers });
  const cookie = signedIn.headers
    .getSetCookie()
    .map(each => each.split(';')[0])
    .join('; ');
  const changed = await ask('/app/account/password', {
    key: null,
    body: { password, newPassword: 'another horse battery' },
    headers: { ...headers, cookie },
  });
  assert.is(changed.status, 200, changed.text);
  assert.is((await ask('/api/me', { key: again })).status, 401);
  assert.is((await login(email)).status, 401);
  const last = (await login(email, 'another horse battery')).body.token;
  assert.is((await own(`stats?${week}`)).status, 200);
  assert.is((await ask(`/api/v1/sites/${shop.uuid}/stats`, { key: last })).status, 401, 'not for the API of Daybook');
});

test('a wrong password is told as there', async () => {
  const wrong = await login('nobody@example.com', 'wrong');
  assert.is(wrong.status, 401);
  assert.equal(wrong.body, { error: { message: 'Unauthorized', code: 'incorrect-username-password', status: 401 } });
  assert.is((await ask('/api/auth/login', { key: null, body: { username: 1 } })).status, 400);
});

test('websites, page by page', async () => {
  const { body } = await ask('/api/websites');
  assert.equal(Object.keys(body), ['data', 'count', 'page', 'pageSize', 'orderBy']);
  assert.equal([body.count, body.page, body.pageSize], [1, 1, 20]);
  const { id, name, domain, createdAt } = body.data[0];
  assert.equal([id, name, domain, createdAt], [shop.uuid, 'shop.example', 'shop.example', '2026-11-01T09:00:00.000Z']);
  assert.equal((await ask(`/api/websites/${shop.uuid}`)).body, body.data[0]);
  assert.equal((await ask('/api/me/websites?search=SHOP')).body.count, 1);
  assert.equal((await ask('/api/websites?search=other')).body.data, []);
  assert.equal((await ask('/api/websites?page=2&pageSize=5')).body.data, []);
});

test('numbers are those of the API', async () => {
  const { body } = await own(`stats?${week}`);
  const stats = (await ask(`/api/v1/sites/${shop.uuid}/stats?range=7d`)).body;
  assert.equal(
    [body.pageviews, body.visitors, body.visits, body.bounces],
    [stats.pageviews, stats.visitors, stats.visits, stats.bounces],
  );
  assert.is(body.totaltime, 205);
  assert.equal(body.comparison, { pageviews: 1, visitors: 1, visits: 1, bounces: 1, totaltime: 30 });
  const lastYear = (await own(`stats?compare=yoy&${week}`)).body.comparison;
  assert.equal(lastYear, { pageviews: 0, visitors: 0, visits: 0, bounces: 0, totaltime: 0 });
  assert.equal((await own('active')).body, { visitors: 1, x: 1 });
  assert.equal((await own('daterange')).body, {
    startDate: '2026-11-10T10:00:00.000Z',
    endDate: '2026-11-20T13:28:30.000Z',
  });
});

test('series in steps, of a zone or of UTC', async () => {
  const points = (values: [string, number][]) => values.map(([x, y]) => ({ x, y }));
  assert.equal((await own(`pageviews?${week}&unit=day&timezone=Europe/Berlin`)).body, {
    pageviews: points([
      ['2026-11-18 00:00:00', 3],
      ['2026-11-19 00:00:00', 2],
      ['2026-11-20 00:00:00', 3],
    ]),
    sessions: points([
      ['2026-11-18 00:00:00', 2],
      ['2026-11-19 00:00:00', 1],
      ['2026-11-20 00:00:00', 3],
    ]),
  });
  const { body } = await own(`pageviews?${week}&unit=month&compare=prev`);
  assert.equal(body.pageviews, points([['2026-11-01T00:00:00Z', 8]]));
  assert.equal(body.compare.pageviews, points([['2026-11-01T00:00:00Z', 1]]));
  const year = `startAt=${Date.UTC(2020, 0)}&endAt=${Date.UTC(2027, 0) - 1}`;
  assert.equal((await own(`pageviews?${year}&unit=day`)).body.sessions, points([['2026-01-01T00:00:00Z', 6]]));
  const minutes = `startAt=${Date.parse('2026-11-20T13:19:30Z')}&endAt=${Date.parse('2026-11-20T13:29:30Z')}`;
  assert.equal(
    (await own(`pageviews?${minutes}&timezone=Asia/Kathmandu`)).body.pageviews,
    points([
      ['2026-11-20 19:05:00', 1],
      ['2026-11-20 19:13:00', 1],
    ]),
  );
  assert.equal((await own(`events/series?${week}&unit=day&timezone=UTC&limit=1`)).body, [
    { x: 'Purchase', t: '2026-11-18 00:00:00', y: 1 },
    { x: 'Purchase', t: '2026-11-20 00:00:00', y: 1 },
  ]);
});

test('metrics by the dimensions of all versions, filtered', async () => {
  const asked: [query: string, rows: [string, number][]][] = [
    [
      'type=path&limit=2',
      [
        ['/', 3],
        ['/blog', 3],
      ],
    ],
    ['type=url&limit=1&offset=2', [['/pricing', 2]]],
    ['type=path&search=BLO', [['/blog', 3]]],
    [
      'type=referrer',
      [
        ['google.com', 1],
        ['=cmd.example', 1],
      ],
    ],
    [
      'type=event&limit=2',
      [
        ['Purchase', 2],
        ['Signup', 2],
      ],
    ],
    [
      'type=channel&limit=2',
      [
        ['direct', 3],
        ['organicSearch', 1],
      ],
    ],
    ['type=country&browser=Chrome', [['DE', 3]]],
    [
      'type=country&path=neq./pricing',
      [
        ['DE', 3],
        ['FR', 2],
      ],
    ],
    ['type=country&path=re.^/pri.*', [['DE', 2]]],
    [
      'type=country&referrer=s.',
      [
        ['DE', 1],
        ['FR', 1],
      ],
    ],
    [
      'type=os&country=FR&path=/pricing&match=any',
      [
        ['Windows', 2],
        ['iOS', 2],
      ],
    ],
    ['type=country&utmSource=newsletter', [['DE', 1]]],
    ['type=os&segment=Germany', [['Windows', 3]]],
  ];
  for (const [query, rows] of asked) {
    const { body, text } = await own(`metrics?${week}&${query}`);
    assert.equal(
      body,
      rows.map(([x, y]) => ({ x, y })),
      `${query} ${text}`,
    );
  }
});

test('how many events and sessions there were', async () => {
  const { body: stats } = await own(`stats?${week}`);
  const { body: names } = await own(`metrics?${week}&type=event`);
  const all = names.reduce((sum: number, { y }: { y: number }) => sum + y, 0);
  const { data } = (await own(`events/stats?${week}`)).body;
  const { comparison, ...counted } = data;
  assert.equal(counted, { events: all, visitors: 3, visits: 4, uniqueEvents: names.length });
  assert.equal(comparison, { events: 1, visitors: 1, visits: 1, uniqueEvents: 1 });
  assert.equal((await own(`events/stats?${week}&event=Signup`)).body.data.uniqueEvents, 1);
  const { pageviews, visitors, visits } = stats;
  assert.equal((await own(`sessions/stats?${week}`)).body, {
    ...{ pageviews: { value: pageviews }, visitors: { value: visitors }, visits: { value: visits } },
    ...{ countries: { value: 2 }, events: { value: all } },
  });
  assert.equal((await own(`sessions/stats?${week}&country=FR`)).body.countries, { value: 1 });
});

test('all numbers by a dimension', async () => {
  assert.equal((await own(`metrics/expanded?${week}&type=country`)).body, [
    { name: 'DE', pageviews: 6, visitors: 3, visits: 4, bounces: 2, totaltime: 190 },
    { name: 'FR', pageviews: 2, visitors: 2, visits: 2, bounces: 2, totaltime: 15 },
  ]);
});

test('single events and sessions, the newest visit first', async () => {
  const pages = await Promise.all([1, 2, 3, 4].map(page => own(`events?${week}&pageSize=4&page=${page}`)));
  const all = pages.flatMap(({ body }) => body.data);
  assert.is(all.length, 14);
  assert.is(new Set(all.map(({ id }: { id: string }) => id)).size, 14);
  assert.is(pages[0]!.body.count, 14);
  const { createdAt, urlPath, eventType, eventName, browser } = all[1];
  assert.equal(
    [createdAt, urlPath, eventType, eventName, browser],
    ['2026-11-20T13:20:15.000Z', '/', 2, '=1+1', 'Mobile Safari'],
  );
  const sessions = (await own(`sessions?${week}&pageSize=2&page=2`)).body;
  assert.is(sessions.count, 6);
  assert.equal(
    sessions.data.map(({ firstAt }: { firstAt: string }) => firstAt),
    ['2026-11-20T08:00:00.000Z', '2026-11-19T09:00:00.000Z'],
  );
});

test('errors have the shape of Umami', async () => {
  const asked: [path: string, status: number, code: string][] = [
    ['stats', 400, 'bad-request'],
    ['stats?startAt=1&endAt=x', 400, 'bad-request'],
    ['stats?startAt=2&endAt=1', 400, 'bad-request'],
    [`stats?${week}&contry=DE`, 400, 'bad-request'],
    [`stats?${week}&path=gt.3`, 400, 'bad-request'],
    [`stats?${week}&path=re.(a|b)`, 400, 'bad-request'],
    [`stats?${week}&path=re.${encodeURIComponent(`^${'a'.repeat(900)}.*${'a'.repeat(900)}$`)}`, 400, 'bad-request'],
    [`stats?${week}&path=${','.repeat(300)}`, 400, 'bad-request'],
    [`stats?${week}&path${'1'.repeat(8000)}=a`, 400, 'bad-request'],
    [`stats?${week}&excludeBounce=1`, 400, 'bad-request'],
    [`stats?${week}&segment=None`, 400, 'bad-request'],
    [`metrics?${week}&type=constructor`, 400, 'bad-request'],
    [`metrics?${week}&type=path&limit=0`, 400, 'bad-request'],
    [`pageviews?${week}&timezone=Nowhere/None`, 400, 'bad-request'],
    [`pageviews?${week}&unit=week`, 400, 'bad-request'],
    [`events?${week}&page=300`, 400, 'bad-request'],
  ];
  for (const [path, status, code] of asked) {
    const got = await own(path);
    assert.equal(
      [got.status, got.body.error?.code, got.body.error?.status],
      [status, code, status],
      `${path} ${got.text}`,
    );
  }
  assert.is((await ask('/api/websites/none')).status, 401);
  assert.is((await ask(`/api/websites/${shop.uuid}/stats`, { body: {} })).status, 405);
  assert.equal((await ask('/api/websites', { key: null })).body, {
    error: { message: 'Unauthorized', code: 'unauthorized', status: 401 },
  });
  assert.is((await ask('/api/websites', { key: null, headers: { authorization: 'Share x' } })).status, 401);
  const token = `tk_live_${'h'.repeat(32)}`;
  addAccount(program.db, 'small', 'hobby', token);
  const refused = await ask('/api/websites', { key: null, headers: { 'x-umami-api-key': token } });
  assert.equal([refused.status, refused.body.error.code], [403, 'forbidden']);
});

test.after(() => program.close());
test.run();
