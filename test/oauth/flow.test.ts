/** From a program that knows only an address to an answer of /mcp, over the whole server. */
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { members } from '../../src/store/accounts/members.ts';
import { oauthStore } from '../../src/store/accounts/oauth.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { email, password, setPassword, startProgram } from '../compat/fixture.ts';
import { addSite } from '../helpers.ts';

const issuer = 'https://stats.example';
const program = await startProgram({ 'base-url': issuer, 'mcp-visits': 'on' });
const { ask, shop, db } = program;
const other = addSite(db, { domain: 'other.example' });
const fromPage = { origin: issuer, 'sec-fetch-site': 'same-origin' };
await setPassword({ ...program, url: issuer });
const signedIn = await ask('/app/sign-in', { key: null, body: { email, password }, headers: fromPage });
const cookie = signedIn.headers
  .getSetCookie()
  .map(line => line.split(';')[0]!)
  .join('; ');
const app = (path: string, body?: object) =>
  ask(path, { key: null, ...(body && { body }), headers: { ...fromPage, cookie } });

const redirect = 'https://assistant.example/callback';
const verifier = 'v'.repeat(50);
const { body: client } = await ask('/oauth/register', {
  key: null,
  body: { redirect_uris: [redirect], client_name: 'Assistant' },
});
const search = String(
  new URLSearchParams({
    ...{
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: redirect,
      state: 'x y',
      scope: 'read notes',
    },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    resource: `${issuer}/mcp`,
  }),
);

const form = async (path: string, fields: Record<string, string>) => {
  const response = await fetch(program.url + path, { method: 'POST', body: new URLSearchParams(fields) });
  return { status: response.status, body: await response.json() };
};
const tokenFor = async (given: object) => {
  const { body } = await app('/app/programs/allow', { search, ...given });
  const location = new URL(body.location);
  assert.equal([location.origin + location.pathname, location.searchParams.get('state')], [redirect, 'x y']);
  const fields = {
    grant_type: 'authorization_code',
    client_id: client.client_id,
    redirect_uri: redirect,
    code_verifier: verifier,
  };
  return (await form('/oauth/token', { ...fields, code: location.searchParams.get('code')! })).body;
};
const call = (token: string, method: string, params: object = {}) =>
  ask('/mcp', {
    key: token,
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
  }).then(({ status, headers, text }) => ({
    ...{ status, headers },
    result: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result,
  }));
const tool = (token: string, name: string, given: object = {}) =>
  call(token, 'tools/call', { name, arguments: given }).then(({ result }) => result);

test('a program without a token learns where to go', async () => {
  for (const [key, more] of [
    [null, ''],
    ['td_at_x', ', error="invalid_token"'],
  ] as const) {
    const { status, headers } = await ask('/mcp', { key, body: {} });
    assert.is(status, 401);
    assert.is(
      headers.get('www-authenticate'),
      `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp", scope="read"${more}`,
    );
  }
});

test('the page asks who is signed in, and no other page can show it', async () => {
  const path = `/oauth/authorize?${search}`;
  const stranger = await fetch(program.url + path, { redirect: 'manual' });
  assert.equal([stranger.status, stranger.headers.get('location')], [302, `/sign-in?next=${encodeURIComponent(path)}`]);
  const page = await fetch(program.url + path, { headers: { cookie } });
  assert.is(page.status, 200);
  assert.match(page.headers.get('content-security-policy')!, /frame-ancestors 'none'/);
  const { body } = await app('/app/programs/ask', { search });
  assert.equal(body, { name: 'Assistant', ownHost: null, host: 'assistant.example', scopes: ['read', 'notes'] });
});

test('nothing is given by a page of another host, by a stranger, or to another address', async () => {
  const given = { search, scopes: ['read'], sites: null };
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', cookie };
  assert.is((await ask('/app/programs/allow', { key: null, body: given, headers: foreign })).status, 403);
  assert.is((await ask('/app/programs/allow', { key: null, body: given, headers: fromPage })).status, 401);
  const lie = search.replace(encodeURIComponent(redirect), encodeURIComponent('https://evil.example/'));
  const { status, body } = await app('/app/programs/allow', { ...given, search: lie });
  assert.is(status, 400);
  assert.match(body.error, /redirect_uri/);
  assert.is((await app('/app/programs/allow', { ...given, sites: [] })).status, 400);
  assert.is(
    (await app('/app/programs/allow', { ...given, sites: ['5b0f6a52-0000-4000-8000-000000000000'] })).status,
    400,
  );
});

test('somebody who denies sends the program away', async () => {
  const { body } = await app('/app/programs/deny', { search });
  assert.equal(Object.fromEntries(new URL(body.location).searchParams), {
    error: 'access_denied',
    state: 'x y',
    iss: issuer,
  });
});

test('a program reads the sites that were given, and writes nothing that was not', async () => {
  const { access_token: token } = await tokenFor({ scopes: ['read'], sites: [shop.uuid] });
  const { sites } = (await tool(token, 'list_sites')).structuredContent;
  assert.equal(
    sites.map(({ domain }: { domain: string }) => domain),
    ['shop.example'],
  );
  assert.is((await tool(token, 'get_stats', { site: 'shop.example', range: '7d' })).structuredContent.visitors, 5);
  for (const name of ['other.example', other.uuid, other.publicKey])
    assert.match(
      (await tool(token, 'get_stats', { site: name })).content[0].text,
      /^site not found; sites: shop\.example$/,
    );
  const names = (await call(token, 'tools/list')).result.tools.map(({ name }: { name: string }) => name);
  assert.equal([names.includes('add_note'), names.includes('get_visits')], [false, true]);
  assert.is((await ask('/api/v1/sites', { key: token })).status, 401);
  assert.is((await ask('/app/me', { key: token })).status, 401);
});

test('with the scope for it a program writes notes', async () => {
  const { access_token: token, scope } = await tokenFor({ scopes: ['read', 'notes', 'manage'], sites: null });
  assert.is(scope, 'read notes');
  const note = await tool(token, 'add_note', { site: 'other.example', date: '2026-11-20', text: 'Launch' });
  assert.is(note.structuredContent.text, 'Launch');
});

test('a program of a viewer never reads what is hidden from them, nor what they lost', async () => {
  const { id: personId } = persons(db).add('viewer@example.com', 1);
  const viewer = { accountId: shop.accountId, personId, role: 'viewer' as const, createdAt: 1 };
  members(db).set({ ...viewer, sites: [shop.uuid], hidden: ['events', 'revenue', 'visits'] });
  const facts = { clientId: 'x', clientName: 'x', redirect, challenge: 'x', createdAt: program.clock.now };
  const grant = oauthStore(db).add({ ...facts, personId, scopes: ['read', 'notes'], sites: null }, 'code');
  const token = 'td_at_viewer';
  const until = program.clock.now + 1000;
  oauthStore(db).putTokens(grant.id, { access: token, accessUntil: until, refresh: 'r', refreshUntil: until }, 1);
  const { sites } = (await tool(token, 'list_sites')).structuredContent;
  assert.equal(
    sites.map(({ domain }: { domain: string }) => domain),
    ['shop.example'],
  );
  const stats = (await tool(token, 'get_stats', { site: 'shop.example', range: '7d' })).structuredContent;
  assert.equal([stats.visitors, stats.revenue], [5, null]);
  for (const [name, given] of [
    ['get_events', {}],
    ['get_table', { dimension: 'event' }],
    ['get_table', { dimension: 'path', metrics: 'revenue' }],
    ['get_stats', { filters: ['event=Signup'] }],
    ['explain_change', { metric: 'revenue' }],
  ] as const)
    assert.ok((await tool(token, name, { site: 'shop.example', ...given })).isError, name);
  const names = (await call(token, 'tools/list')).result.tools.map(({ name }: { name: string }) => name);
  assert.equal([names.includes('add_note'), names.includes('get_visits')], [false, false]);
  members(db).remove(shop.accountId, personId);
  assert.is((await ask('/mcp', { key: token, body: {} })).status, 401);
});

test('what was given is listed, and ends when it is revoked', async () => {
  const { access_token: token } = await tokenFor({ scopes: ['read'], sites: null });
  assert.is((await call(token, 'tools/list')).status, 200);
  const [newest, ...others] = (await app('/app/programs')).body.data;
  assert.equal([newest.name, newest.host, newest.sites, others.length], ['Assistant', 'assistant.example', null, 2]);
  assert.ok(newest.lastUsedAt);
  assert.is((await app(`/app/programs/${newest.id}/remove`, {})).status, 200);
  assert.is((await call(token, 'tools/list').catch(() => ({ status: 401 }))).status, 401);
  assert.is((await app(`/app/programs/${newest.id}/remove`, {})).status, 404);
  assert.is((await app('/app/programs')).body.data.length, 2);
});

test('without https there is no such access', async () => {
  const plain = await startProgram();
  assert.is((await plain.ask('/.well-known/oauth-authorization-server', { key: null })).status, 404);
  const { headers } = await plain.ask('/mcp', { key: null, body: {} });
  assert.is(headers.get('www-authenticate'), 'Bearer');
  await plain.close();
});

test.after(() => program.close());
test.run();
