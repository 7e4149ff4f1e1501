/** Plausible's Sites API as its clients call it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { scopeNames } from '../../../src/model/scopes.ts';
import { accounts, apiKeys } from '../../../src/store/accounts/accounts.ts';
import { definitions } from '../../../src/store/definitions.ts';
import { sites } from '../../../src/store/sites.ts';
import { startTestServer } from '../../start-server.ts';

const server = await startTestServer();
const [key, reading] = ['m', 'r'].map(letter => `tk_live_${letter.repeat(32)}`) as [string, string];
const { id: accountId } = accounts(server.db).named('default', 0);
apiKeys(server.db).add(accountId, 'all', key, 0, { scopes: [...scopeNames] });
apiKeys(server.db).add(accountId, 'read', reading, 0, { scopes: ['read'] });

const ask = async (method: string, path: string, body?: object, as = key) => {
  const response = await fetch(`${server.url}/api/v1/sites${path}`, {
    method,
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: response.status, body: (await response.json()) as any };
};

test('sites are made, read, changed and deleted', async () => {
  const site = { domain: 'shop.example', timezone: 'Europe/London' };
  assert.equal(await ask('POST', '', site), { status: 200, body: site });
  assert.is((await ask('POST', '', site)).status, 409);
  assert.equal(await ask('GET', '/shop.example'), { status: 200, body: site });
  assert.equal((await ask('PUT', '/shop.example', { domain: 'store.example' })).body.domain, 'store.example');
  assert.equal((await ask('GET', '')).body.data.length, 1, 'the list is that of the API');
  assert.equal((await ask('DELETE', '/store.example')).body, { deleted: true });
  assert.is((await ask('GET', '/store.example')).status, 404);
});

test('goals and shared links are found or made', async () => {
  await ask('POST', '', { domain: 'a.example' });
  const event = { site_id: 'a.example', goal_type: 'event', event_name: 'Sign up' };
  const page = { site_id: 'a.example', goal_type: 'page', page_path: '/blog**' };
  const { body } = await ask('PUT', '/goals', event);
  assert.equal([body.id, body.domain, body.goal_type], ['Sign up', 'a.example', 'event']);
  assert.equal((await ask('PUT', '/goals', event)).body, body);
  assert.is((await ask('PUT', '/goals', page)).status, 200);
  assert.is((await ask('PUT', '/goals', { ...page, page_path: '/*/x' })).status, 400);
  assert.is((await ask('PUT', '/goals', { site_id: 'a.example', goal_type: 'x' })).status, 400);
  const { id } = sites(server.db).list()[0]!;
  assert.equal(
    definitions(server.db)
      .list(id, 'goal')
      .map(goal => goal.body.conditions),
    ['event=Sign+up', 'path^=/blog'],
  );
  assert.equal((await ask('DELETE', '/goals/Sign%20up', { site_id: 'a.example' })).body, { deleted: true });
  assert.is((await ask('DELETE', '/goals/Sign%20up', { site_id: 'a.example' })).status, 404);

  const link = (await ask('PUT', '/shared-links', { site_id: 'a.example', name: 'Press' })).body;
  assert.match(link.url, /\/share\/\w+$/);
  assert.equal((await ask('PUT', '/shared-links', { site_id: 'a.example', name: 'Press' })).body, link);
  assert.is((await fetch(link.url)).status, 200);
});

test('a key that may not manage is refused', async () => {
  assert.is((await ask('POST', '', { domain: 'b.example' }, reading)).status, 403);
  assert.is((await ask('PUT', '/goals', { site_id: 'a.example' }, reading)).status, 403);
  assert.is((await ask('GET', '/a.example', undefined, reading)).status, 200);
  assert.is((await ask('GET', '/a.example', undefined, `tk_live_${'x'.repeat(32)}`)).status, 401);
});

test.after(() => server.close());
test.run();
