import { request as httpRequest } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Authenticate } from '../../src/api/auth.ts';
import { filterFields } from '../../src/model/filters.ts';
import { publicGrant } from '../../src/model/grant.ts';
import { rangeKeys } from '../../src/model/ranges.ts';
import { newShare } from '../../src/model/share.ts';
import { QueryBusy, QueryFailed, QueryTimeout, QueryUnavailable } from '../../src/query/errors.ts';
import type { QueryEngine } from '../../src/query/query-engine.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite } from '../helpers.ts';
import { until } from '../tools/conditions.ts';
import { addAccount, addShop, key, now, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const otherKey = `tk_live_${'o'.repeat(32)}`;
const hobbyKey = `tk_live_${'h'.repeat(32)}`;
const others = addSite(api.db, { accountId: addAccount(api.db, 'others', 'pro', otherKey), domain: 'others.example' });
const hobby = addSite(api.db, { accountId: addAccount(api.db, 'hobby', 'hobby', hobbyKey), domain: 'hobby.example' });

const endpoints = ['stats', 'series', 'breakdown', 'events', 'realtime'].map(name => `/api/v1/sites/:id/${name}`);
const extras = ['journey', 'visits', 'hits', 'vitals', 'crawlers', 'outcomes', 'suspects', 'answers'].map(
  name => `/api/ext/sites/:id/${name}`,
);
const exported = '/api/export/:id';
const ofSite = [...endpoints, ...extras, exported];
const at = (path: string, id = shop.uuid): string => path.replace(':id', id);

test('without a valid key the answer is 401, whatever else is wrong', async () => {
  const revoked = `tk_live_${'r'.repeat(32)}`;
  const { id } = apiKeys(api.db).add(shop.accountId, 'revoked', revoked, 0);
  apiKeys(api.db).revoke(id);
  const paths = [
    '/api/v1/sites',
    ...ofSite.map(path => at(path)),
    '/api/v1/nothing',
    '/api/v1/sites/x/stats?contry=DE',
  ];
  for (const path of paths) {
    for (const token of [null, '', 'tk_live_wrong', shop.publicKey, revoked]) {
      const { status, body } = await api.get(path, { key: token });
      assert.is(status, 401, `${path} with ${token}`);
      assert.equal(body, { error: 'Missing or invalid API key' });
    }
  }
});

test('the scheme matches in any case, and the token is trimmed', async () => {
  const rows: [string, number][] = [
    [`Bearer ${key}`, 200],
    [`bearer ${key}`, 200],
    [`BEARER   ${key}  `, 200],
    [`Basic ${key}`, 401],
    [`Bearer${key}`, 401],
    [key, 401],
    ['Bearer ', 401],
  ];
  for (const [authorization, want] of rows) {
    const { status } = await api.get('/api/v1/sites', { key: null, headers: { authorization } });
    assert.is(status, want, authorization);
  }
});

test('a revoked key fails from the next request on, whoever revoked it', async () => {
  const token = `tk_live_${'s'.repeat(32)}`;
  const { id } = apiKeys(api.db).add(shop.accountId, 'short-lived', token, 0);
  assert.is((await api.get('/api/v1/sites', { key: token })).status, 200);
  apiKeys(api.db).revoke(id);
  const next = apiKeys(api.db).add(shop.accountId, 'next', `tk_live_${'n'.repeat(32)}`, 0);
  assert.ok(next.id > id, 'its number is not given again');
  apiKeys(api.db).revoke(next.id);
  assert.is((await api.get('/api/v1/sites', { key: token })).status, 401);
});

test('a site is found by id, public key, domain or alias, and only in its own account', async () => {
  sites(api.db).set(shop.id, { ...shop, aliases: ['matomo:7'] });
  sites(api.db).set(others.id, { ...others, aliases: ['matomo:8'] });
  for (const id of [
    shop.domain,
    'matomo:7',
    shop.uuid,
    shop.uuid.toUpperCase(),
    shop.publicKey,
    encodeURIComponent(shop.publicKey),
  ]) {
    assert.is((await api.get(at('/api/v1/sites/:id/stats', id))).status, 200, id);
  }
  for (const path of ofSite) {
    for (const id of [others.uuid, others.publicKey, others.domain, 'matomo:8', 'pk_live_x', '%', '0'.repeat(36)]) {
      const { status, body } = await api.get(at(path, id));
      assert.is(status, 404, `${path} ${id}`);
      assert.equal(body, { error: 'site not found' });
    }
  }
  assert.is((await api.get(at('/api/v1/sites/:id/stats', others.uuid), { key: otherKey })).status, 200);
});

test('the sites of the account are listed by domain, as the command line shows them', async () => {
  const second = addSite(api.db, { domain: 'a.example' });
  const { status, body } = await api.get('/api/v1/sites');
  assert.is(status, 200);
  assert.equal(body, {
    data: [
      {
        id: second.uuid,
        publicKey: second.publicKey,
        domain: 'a.example',
        timezone: 'UTC',
        currency: 'EUR',
        identityMode: 'hash',
        createdAt: '1970-01-01T00:00:00.000Z',
      },
      {
        id: shop.uuid,
        publicKey: shop.publicKey,
        domain: 'shop.example',
        timezone: 'Europe/Berlin',
        currency: 'EUR',
        identityMode: 'hash',
        createdAt: '2026-11-01T09:00:00.000Z',
      },
    ],
  });
  // What a command does to a site holds from the next request on.
  sites(api.db).remove(second.id);
  assert.is((await api.get(at('/api/v1/sites/:id/stats', second.uuid))).status, 404);
  assert.is((await api.get('/api/v1/sites')).body.data.length, 1);
});

test('the hobby plan has the export but not the API', async () => {
  for (const path of ['/api/v1/sites', ...[...endpoints, ...extras].map(path => at(path, hobby.uuid))]) {
    const { status, body } = await api.get(path, { key: hobbyKey });
    assert.is(status, 403, path);
    assert.equal(body, { error: 'API access requires a paid plan' });
  }
  assert.is((await api.get('/api/v1/sites/nothing/stats?contry=DE', { key: hobbyKey })).status, 403);
  assert.is((await api.get('/api/v1/nothing', { key: hobbyKey })).status, 403);
  assert.is((await api.get(at(exported, hobby.uuid), { key: hobbyKey })).status, 200);
  accounts(api.db).setPlan(hobby.accountId, 'pro');
  assert.is((await api.get('/api/v1/sites', { key: hobbyKey })).status, 200);
});

test('paths outside the specification are answered with 404', async () => {
  const paths = [
    '/api/v1',
    '/api/v1/',
    '/api/v1/sites/',
    `/api/v1/sites/${shop.uuid}`,
    `/api/v1/sites/${shop.uuid}/`,
    `/api/v1/sites/${shop.uuid}/visits`,
    `/api/v1/sites/${shop.uuid}/stats/`,
    `/api/v1/sites/${shop.uuid}/stats/today`,
    `/api/v1/sites/${shop.uuid}/constructor`,
    '/api/v1/keys',
    '/api/ext',
    '/api/ext/sites',
    `/api/ext/sites/${shop.uuid}/stats`,
    '/api/export',
    '/api/export/',
    `/api/export/${shop.uuid}/x`,
    '/api/openapi.json/x',
  ];
  for (const path of paths) {
    const { status, body } = await api.get(path);
    assert.is(status, 404, path);
    assert.equal(body, { error: 'not found' }, path);
  }
  for (const path of ['/', '/api', '/api/send', '/api/v10/sites', '/apis/v1', '/sites']) {
    assert.is((await api.get(path)).status, 418, path);
  }
});

test('other methods get 405 and the list of allowed ones', async () => {
  for (const path of ['/api/v1/sites', '/api/v1/nothing', '/api/openapi.json', ...ofSite.map(path => at(path))]) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers, body } = await api.get(path, { method, key: null });
      assert.is(status, 405, `${method} ${path}`);
      assert.is(headers.allow, 'GET, HEAD');
      assert.equal(body, { error: 'method not allowed' });
    }
  }
});

test('HEAD is GET without the body', async () => {
  for (const path of ['/api/v1/sites', at('/api/v1/sites/:id/stats'), at(exported)]) {
    const head = await api.get(path, { method: 'HEAD' });
    const { headers, text } = await api.get(path);
    assert.is(head.status, 200, path);
    assert.is(head.text, '');
    assert.is(head.headers['content-type'], headers['content-type']);
    assert.is(head.headers['content-disposition'], headers['content-disposition']);
    if (headers['content-length'] !== undefined)
      assert.is(Number(head.headers['content-length']), Buffer.byteLength(text));
  }
});

test('answers about visitors are never cached, nor sniffed as another type', async () => {
  for (const path of ['/api/v1/sites', ...ofSite.map(path => at(path)), '/api/v1/sites/x/stats', '/api/v1/nothing']) {
    const { headers } = await api.get(path);
    assert.is(headers['cache-control'], 'no-store', path);
    assert.is(headers['x-content-type-options'], 'nosniff', path);
  }
});

test('an unknown parameter is refused, also one that another endpoint knows', async () => {
  const own: Record<string, string[]> = {
    stats: ['compare'],
    series: ['previous'],
    realtime: [],
    breakdown: ['dimension', 'limit'],
    events: ['series', 'property', 'histogram', 'limit'],
  };
  for (const [name, names] of Object.entries(own)) {
    const path = at(`/api/v1/sites/:id/${name}`);
    const { status, body } = await api.get(`${path}?contry=DE`);
    assert.is(status, 400);
    assert.equal(body, {
      error: 'unknown parameter',
      parameter: 'contry',
      allowed: ['range', 'from', 'to', ...names, ...filterFields],
    });
    assert.is((await api.get(`${path}?_=1&_t=2`)).status, 200, name);
  }
  assert.is((await api.get(at('/api/v1/sites/:id/stats?limit=5'))).body.parameter, 'limit');
  assert.is((await api.get('/api/v1/sites?contry=DE')).status, 400);
  assert.is((await api.get('/api/v1/sites?country=DE&range=7d')).status, 200);
  // A filter that cannot be applied to such records is none of theirs.
  assert.is((await api.get(at('/api/ext/sites/:id/vitals?country=DE'))).status, 400);
  assert.is((await api.get(at('/api/ext/sites/:id/crawlers?device=mobile'))).status, 400);
  assert.is((await api.get(at('/api/ext/sites/:id/outcomes?path=/'))).status, 400);
});

test('unusable values are refused by name', async () => {
  const rows: [path: string, body: unknown][] = [
    [
      '/api/v1/sites/:id/stats?range=8d',
      { error: 'unknown range', parameter: 'range', value: '8d', allowed: rangeKeys },
    ],
    ['/api/v1/sites/:id/series?from=2026-02-30', { error: 'bad date', parameter: 'from' }],
    ['/api/v1/sites/:id/realtime?to=tomorrow', { error: 'bad date', parameter: 'to' }],
    ['/api/v1/sites?range=8d', { error: 'unknown range', parameter: 'range', value: '8d', allowed: rangeKeys }],
    [
      '/api/ext/sites/:id/visits?sort=age',
      {
        error: 'unknown sort',
        parameter: 'sort',
        value: 'age',
        allowed: ['started', 'duration', 'pageviews', 'events', 'revenue'],
      },
    ],
    [
      '/api/ext/sites/:id/visits?dir=up',
      { error: 'unknown dir', parameter: 'dir', value: 'up', allowed: ['asc', 'desc'] },
    ],
    ['/api/ext/sites/:id/visits?cursor=x', { error: 'bad cursor', parameter: 'cursor' }],
    [
      '/api/ext/sites/:id/vitals?by=country',
      { error: 'unknown by', parameter: 'by', value: 'country', allowed: ['path', 'device'] },
    ],
    [
      '/api/ext/sites/:id/crawlers?by=country',
      { error: 'unknown by', parameter: 'by', value: 'country', allowed: ['name', 'path', 'status'] },
    ],
    [
      '/api/export/:id?mode=visits',
      {
        error: 'unknown mode',
        parameter: 'mode',
        value: 'visits',
        allowed: ['breakdown', 'sessions', 'table', 'funnel'],
      },
    ],
    [
      '/api/export/:id?mode=sessions&sort=age',
      {
        error: 'unknown sort',
        parameter: 'sort',
        value: 'age',
        allowed: ['started', 'duration', 'pageviews', 'events', 'revenue'],
      },
    ],
  ];
  for (const [path, want] of rows) {
    const { status, body } = await api.get(at(path));
    assert.is(status, 400, path);
    assert.equal(body, want, path);
  }
  // What only the visits know is refused where there are none.
  assert.is((await api.get(at('/api/export/:id?converted=1'))).body.parameter, 'converted');
});

test('the last use of a key is written soon, once a minute for many requests, and at the latest on close', async () => {
  let writes = 0;
  const own = await startApi();
  const counted = await startApi({
    accounts: accounts(own.db),
    keys: {
      ...apiKeys(own.db),
      stampUsed(uses) {
        writes++;
        apiKeys(own.db).stampUsed(uses);
      },
    },
  });
  const lastUsed = (): number | null => apiKeys(own.db).list()[0]!.lastUsedAt;
  const refused = ['/api/v1/nothing', '/api/v1/sites?contry=DE'];
  await Promise.all([...refused, ...Array.from({ length: 30 }, () => '/api/v1/sites')].map(path => counted.get(path)));
  await until('it is written', () => lastUsed() !== null);
  assert.is(lastUsed(), now);
  assert.ok(writes < 10, `${writes} writes`);
  const before = writes;
  for (const later of [59_999, 60_000]) {
    counted.setNow(now + later);
    await counted.get('/api/v1/nothing');
  }
  await counted.close();
  assert.equal([lastUsed(), writes - before], [now + 60_000, 1]);
  await own.close();
});

test('no request fails when the last use cannot be written', async () => {
  const stamps = await startApi();
  const keys = apiKeys(stamps.db);
  const failing = await startApi({
    keys: {
      ...keys,
      stampUsed() {
        throw new Error('disk full');
      },
    },
    accounts: accounts(stamps.db),
  });
  assert.is((await failing.get('/api/v1/sites')).status, 200);
  await failing.close();
  assert.equal(failing.logged, ['stamp-failed {"reason":"disk full"}']);
  await stamps.close();
});

const failingEngine = (error: Error): QueryEngine => ({
  run: () => Promise.reject(error),
});

test('a query past its deadline is answered with 503', async () => {
  // The worker's thread alone takes longer to start than this.
  for (const parts of [{ deadlineMs: 1 }, { engine: failingEngine(new QueryTimeout(1000)) }]) {
    const slow = await startApi(parts);
    const site = addShop(slow.db);
    // Without a visit there are no hits to ask for, and without a question nothing.
    const asking = ofSite.filter(path => !/\/(hits|answers)$/.test(path));
    for (const path of 'engine' in parts ? asking : asking.slice(0, 1)) {
      const { status, headers, body } = await slow.get(at(path, site.uuid));
      assert.equal([status, headers['retry-after']], [503, '5'], path);
      assert.equal(body, { error: 'query took too long' });
    }
    await slow.close();
  }
});

test('a worker that dies means 500 and a line in the log; too many queries mean 503', async () => {
  const rows: [Error, number, unknown, string[]][] = [
    [
      new QueryFailed('secret of the house'),
      500,
      { error: 'internal error' },
      ['query-failed {"reason":"secret of the house"}'],
    ],
    [new TypeError('a bug'), 500, { error: 'internal error' }, ['query-failed {"reason":"a bug"}']],
    [new QueryBusy(256), 503, { error: 'too many queries' }, []],
    [new QueryTimeout(1000), 503, { error: 'query took too long' }, []],
    [
      new QueryUnavailable('connect ECONNREFUSED'),
      503,
      { error: 'ClickHouse does not answer: try again later' },
      ['query-failed {"reason":"connect ECONNREFUSED"}'],
    ],
  ];
  for (const [error, want, wanted, log] of rows) {
    const failing = await startApi({ engine: failingEngine(error) });
    const site = addShop(failing.db);
    const { status, headers, body } = await failing.get(at('/api/v1/sites/:id/stats', site.uuid));
    assert.equal([status, headers['retry-after'] !== undefined], [want, want === 503]);
    assert.equal(body, wanted);
    assert.equal(failing.logged, log);
    await failing.close();
  }
});

test('a query is canceled when its client goes away', async () => {
  let started: (signal: AbortSignal) => void = () => {};
  const signal = new Promise<AbortSignal>(resolve => {
    started = resolve;
  });
  const waiting = await startApi({
    engine: {
      ...failingEngine(new Error('not asked')),
      run: (_query, _asker, given) =>
        new Promise((_resolve, reject) => {
          started(given!);
          given!.addEventListener('abort', () => reject(new Error('nobody waits')));
        }),
    },
  });
  const site = addShop(waiting.db);
  const sent = httpRequest(waiting.base + at('/api/v1/sites/:id/stats', site.uuid), {
    headers: { authorization: `Bearer ${key}` },
  });
  sent.on('error', () => {}).end();
  const given = await signal;
  assert.not(given.aborted);
  const aborted = new Promise<void>(resolve => given.addEventListener('abort', () => resolve()));
  sent.destroy();
  await aborted;
  await waiting.close();
});

test('other authenticators are asked after the key, and may open a single site', async () => {
  const byShare: Authenticate = (request, share) => {
    const token = share ?? /^Share (.*)$/.exec(request.headers.authorization ?? '')?.[1];
    const account = token === 'open' ? accounts(shared.db).byId(1) : undefined;
    return account && { account, grants: [publicGrant(account, site, newShare)], byKey: false };
  };
  const shared = await startApi({ authenticators: [byShare] });
  const site = addShop(shared.db);
  const second = addSite(shared.db, { domain: 'second.example' });
  accounts(shared.db).setPlan(site.accountId, 'hobby');

  const known = { key: null, headers: { authorization: 'Share open' } };
  assert.is((await shared.get(at('/api/v1/sites/:id/stats', site.uuid), known)).status, 200);
  assert.is((await shared.get(at('/api/v1/sites/:id/stats', second.uuid), known)).status, 404);
  assert.equal(
    (await shared.get('/api/v1/sites', known)).body.data.map((row: { id: string }) => row.id),
    [site.uuid],
  );
  assert.is((await shared.get('/api/v1/sites', { key: null, headers: { authorization: 'Share shut' } })).status, 401);
  // Links to a file carry the token in their address; nothing else does.
  assert.is((await shared.get(at('/api/export/:id?share=open', site.uuid), { key: null })).status, 200);
  assert.is((await shared.get(at('/api/export/:id?share=open', second.uuid), { key: null })).status, 404);
  assert.is((await shared.get(at('/api/export/:id?share=shut', site.uuid), { key: null })).status, 401);
  assert.is((await shared.get(at('/api/v1/sites/:id/stats?share=open', site.uuid), { key: null })).status, 401);
  await shared.close();
});

test.after(() => api.close());
test.run();
