/** Access for programs by OAuth, and the lies that RFC 9700 knows of: none works. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, hourMs } from '../../src/model/time.ts';
import type { OAuthFailure } from '../../src/oauth/failure.ts';
import { createOAuth } from '../../src/oauth/oauth.ts';
import { oauthStore } from '../../src/store/accounts/oauth.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { databaseFile } from '../../src/store/database.ts';
import { temporaryDatabase } from '../helpers.ts';

const { db, dataDir } = temporaryDatabase();
const issuer = 'https://stats.example';
const resource = `${issuer}/mcp`;
const clock = { now: Date.parse('2026-11-20T12:00:00Z') };
const ada = persons(db).add('ada@example.com', clock.now).id;
const store = oauthStore(db);
/** What documents of programs say, by their address. */
const documents: Record<string, unknown> = {};
let network = 'a';
const oauth = createOAuth({
  ...{ store, issuer, random: randomBytes, log: () => {} },
  now: () => clock.now,
  networkOf: () => network,
  outbound: async url => {
    const body = Buffer.from(JSON.stringify(documents[url] ?? null));
    return { status: url in documents ? 200 : 404, body, isCut: false, retryAfter: '' };
  },
});
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  if (!oauth.handle(request, response, request.url!.replace(/\?.*/, ''))) response.writeHead(418).end();
});
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const post = async (path: string, body: object | URLSearchParams, headers: Record<string, string> = {}) => {
  const isForm = body instanceof URLSearchParams;
  const type: Record<string, string> = isForm ? {} : { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers: { ...type, ...headers }, body: isForm ? body : JSON.stringify(body) };
  const response = await fetch(url + path, sent);
  return { status: response.status, headers: response.headers, body: await response.json() };
};

const redirect = 'https://assistant.example/callback';
const register = async (redirects: string[] = [redirect]): Promise<string> => {
  network = String(Math.random());
  const { body } = await post('/oauth/register', { redirect_uris: redirects, client_name: 'Assistant' });
  return body.client_id;
};
/** Programs that have no access are forgotten after a day, when others register. */
let clientId = await register();
const verifier = 'v'.repeat(43);
const challengeOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** What the address of the page that asks has, changed by some. Undefined takes one away. */
const asking = (changed: Record<string, string | string[] | undefined> = {}): URLSearchParams => {
  const usual = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirect, state: 's' },
    ...{ code_challenge: challengeOf(verifier), code_challenge_method: 'S256', resource },
  };
  return new URLSearchParams(
    Object.entries({ ...usual, ...changed }).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map(one => [name, one]),
    ),
  );
};
const codeFor = async (changed: Parameters<typeof asking>[0] = {}): Promise<string> => {
  const request = await oauth.read(asking(changed));
  const location = oauth.allow(request, { personId: ada, scopes: request.scopes, sites: null });
  return new URL(location).searchParams.get('code')!;
};
const exchanging = (code: string, changed: Record<string, string | undefined> = {}) => {
  const usual = {
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    redirect_uri: redirect,
    code_verifier: verifier,
  };
  const search = Object.entries({ ...usual, ...changed }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return post('/oauth/token', new URLSearchParams(search));
};
const renewing = (token: string, changed: Record<string, string> = {}) =>
  post(
    '/oauth/token',
    new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token, client_id: clientId, ...changed }),
  );
const tokens = async () => (await exchanging(await codeFor())).body as { access_token: string; refresh_token: string };

const failureOf = (search: URLSearchParams): Promise<string> =>
  oauth.read(search).then(
    () => 'none',
    (error: OAuthFailure) => error.code ?? String(error),
  );

test('programs find out by themselves where to go', async () => {
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    const body = (await (await fetch(url + path)).json()) as Record<string, unknown>;
    assert.equal([body.resource, body.authorization_servers], [resource, [issuer]]);
  }
  const about = (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as Record<
    string,
    unknown
  >;
  assert.is(about.issuer, issuer);
  for (const [name, value] of Object.entries(about))
    if (name.endsWith('_endpoint')) assert.ok(String(value).startsWith(`${issuer}/oauth/`), name);
  assert.equal(about.code_challenge_methods_supported, ['S256']);
});

test('a code gives tokens, tokens give new ones, and the access token names its grant', async () => {
  const request = await oauth.read(asking({ scope: 'read notes' }));
  assert.equal([request.client.name, request.scopes], ['Assistant', ['read', 'notes']]);
  const location = new URL(oauth.allow(request, { personId: ada, scopes: ['read'], sites: ['x'] }));
  assert.is(location.origin + location.pathname, redirect);
  assert.equal([location.searchParams.get('state'), location.searchParams.get('iss')], ['s', issuer]);
  const { status, headers, body } = await exchanging(location.searchParams.get('code')!, { resource });
  assert.equal([status, body.token_type, body.expires_in, body.scope], [200, 'Bearer', 3600, 'read']);
  assert.is(headers.get('cache-control'), 'no-store');
  const grant = oauth.grantOf(body.access_token)!;
  assert.equal([grant.personId, grant.scopes, grant.sites, grant.clientName], [ada, ['read'], ['x'], 'Assistant']);
  const next = (await renewing(body.refresh_token)).body;
  assert.is(oauth.grantOf(body.access_token), undefined);
  assert.is(oauth.grantOf(next.access_token)!.id, grant.id);
  assert.is(new URL(oauth.deny(request)).searchParams.get('error'), 'access_denied');
});

test('a code goes only where the program said', async () => {
  const lies = [
    'https://evil.example/callback',
    `${redirect}/more`,
    `${redirect}?next=https://evil.example`,
    `${redirect}#x`,
    'https://assistant.example/callback/../steal',
    'https://assistant.example:444/callback',
    'http://assistant.example/callback',
    'https://assistant.example@evil.example/callback',
    'https://assistant.example.evil.example/callback',
    'https://ASSISTANT.example/callback',
    'http://127.0.0.1/callback',
    'javascript:alert(1)',
    '//assistant.example/callback',
    '',
  ];
  for (const lie of lies) assert.match(await failureOf(asking({ redirect_uri: lie })), /^invalid_re/, lie);
  const local = await register(['http://127.0.0.1:1234/callback', 'cursor://mcp/callback']);
  const ask = (uri: string) => failureOf(asking({ client_id: local, redirect_uri: uri }));
  assert.is(await ask('http://127.0.0.1:5678/callback'), 'none');
  assert.is(await ask('cursor://mcp/callback'), 'none');
  for (const lie of [
    'http://localhost:5678/callback',
    'http://127.0.0.1:5678/other',
    'https://127.0.0.1/callback',
    'cursor://mcp/other',
    'http://127.0.0.1.evil.example/callback',
  ])
    assert.is(await ask(lie), 'invalid_redirect_uri', lie);
});

test('a request that lacks what protects it is refused', async () => {
  const rows: [string, Parameters<typeof asking>[0]][] = [
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_request', { client_id: undefined }],
    ['invalid_request', { redirect_uri: undefined }],
    ['invalid_request', { redirect_uri: [redirect, redirect] }],
    ['invalid_request', { state: 'x'.repeat(2000) }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['unsupported_response_type', { response_type: 'code token' }],
    ['invalid_scope', { scope: 'read manage' }],
    ['invalid_target', { resource: 'https://evil.example/mcp' }],
    ['invalid_target', { resource: [resource, 'https://evil.example/mcp'] }],
    ['invalid_target', { resource: `${issuer}/api` }],
    ['invalid_client', { client_id: 'td_cl_unknown' }],
  ];
  for (const [code, changed] of rows) assert.is(await failureOf(asking(changed)), code, JSON.stringify(changed));
});

const refused = async (answer: ReturnType<typeof post>, code = 'invalid_grant'): Promise<void> => {
  const { status, body } = await answer;
  assert.equal([status, body.error], [400, code]);
};

test('a stolen code is worth nothing', async () => {
  const other = await register();
  await refused(exchanging(await codeFor(), { code_verifier: 'w'.repeat(43) }));
  await refused(exchanging(await codeFor(), { code_verifier: undefined }));
  await refused(exchanging(await codeFor(), { code_verifier: challengeOf(verifier) }));
  await refused(exchanging(await codeFor(), { client_id: other }));
  await refused(exchanging(await codeFor(), { redirect_uri: 'https://evil.example/' }));
  await refused(exchanging(await codeFor(), { redirect_uri: undefined }));
  await refused(exchanging(await codeFor(), { resource: 'https://evil.example/mcp' }), 'invalid_target');
  await refused(exchanging('td_ac_unknown'));
  const late = await codeFor();
  clock.now += 60_000;
  await refused(exchanging(late));
});

test('a code that is used twice ends what it gave, also much later', async () => {
  for (const wait of [0, 30 * dayMs]) {
    const code = await codeFor();
    const { body } = await exchanging(code);
    assert.ok(oauth.grantOf(body.access_token));
    clock.now += wait;
    await refused(exchanging(code));
    assert.is(oauth.grantOf(body.access_token), undefined);
    await refused(renewing(body.refresh_token));
  }
});

test('of two that show a code at once one gets tokens, and loses them', async () => {
  const code = await codeFor();
  const answers = await Promise.all(Array.from({ length: 5 }, () => exchanging(code)));
  const given = answers.filter(({ status }) => status === 200);
  assert.is(given.length, 1);
  assert.is(oauth.grantOf(given[0]!.body.access_token), undefined);
});

test('a token for new ones that comes again ends the whole family', async () => {
  const first = await tokens();
  const second = (await renewing(first.refresh_token)).body;
  assert.ok(oauth.grantOf(second.access_token));
  await refused(renewing(first.refresh_token));
  assert.is(oauth.grantOf(second.access_token), undefined);
  await refused(renewing(second.refresh_token));
});

test('a token for new ones is of its program, and gives no more than it had', async () => {
  const { refresh_token: token } = await tokens();
  await refused(renewing(token, { client_id: await register() }));
  await refused(renewing(token, { scope: 'read notes' }));
  await refused(renewing(token, { resource: 'https://evil.example/mcp' }), 'invalid_target');
  assert.is((await renewing(token, { scope: 'read' })).status, 200);
});

test('tokens are of one kind each, and end', async () => {
  const code = await codeFor();
  assert.is(oauth.grantOf(code), undefined);
  const { body } = await exchanging(code);
  assert.is(oauth.grantOf(body.refresh_token), undefined);
  await refused(renewing(body.access_token));
  await refused(exchanging(body.access_token));
  clock.now += hourMs;
  assert.is(oauth.grantOf(body.access_token), undefined);
  const next = (await renewing(body.refresh_token)).body;
  clock.now += 90 * dayMs;
  await refused(renewing(next.refresh_token));
});

test('a program gives tokens back, and an unknown one is no error', async () => {
  for (const kind of ['access_token', 'refresh_token'] as const) {
    const given = await tokens();
    assert.is((await post('/oauth/revoke', new URLSearchParams({ token: given[kind] }))).status, 200);
    assert.is(oauth.grantOf(given.access_token), undefined);
    await refused(renewing(given.refresh_token));
  }
  assert.is((await post('/oauth/revoke', new URLSearchParams({ token: 'x' }))).status, 200);
});

test('the token endpoint takes forms by POST, each field once', async () => {
  assert.is((await fetch(`${url}/oauth/token?grant_type=refresh_token`)).status, 405);
  await refused(post('/oauth/token', { grant_type: 'authorization_code' }), 'invalid_request');
  await refused(post('/oauth/token', new URLSearchParams('grant_type=refresh_token&grant_type=x')), 'invalid_request');
  await refused(
    post('/oauth/token', new URLSearchParams({ grant_type: 'password', username: 'a', password: 'b' })),
    'unsupported_grant_type',
  );
  await refused(
    post('/oauth/token', new URLSearchParams({ grant_type: 'x', more: 'x'.repeat(20_000) })),
    'invalid_request',
  );
});

test('only programs that can be reached safely are registered, and not too many', async () => {
  clientId = await register();
  network = 'bad';
  for (const uri of [
    'javascript:alert(1)',
    'http://example.com/cb',
    'https://a.example/cb#x',
    'data:text/html,x',
    'https://user@a.example/',
    'x',
    'file:///etc/passwd',
  ])
    await refused(post('/oauth/register', { redirect_uris: [uri] }), 'invalid_redirect_uri');
  await refused(post('/oauth/register', { redirect_uris: [] }), 'invalid_redirect_uri');
  await refused(
    post('/oauth/register', { redirect_uris: [redirect], token_endpoint_auth_method: 'client_secret_basic' }),
    'invalid_client_metadata',
  );
  network = 'many';
  for (let i = 0; i < 20; i++) assert.is((await post('/oauth/register', { redirect_uris: [redirect] })).status, 201);
  const { status, headers } = await post('/oauth/register', { redirect_uris: [redirect] });
  assert.equal([status, headers.get('retry-after')], [429, '3600']);
  for (let i = 0; i < 60; i++) {
    network = `n${i}`;
    for (let j = 0; j < 20; j++) await post('/oauth/register', { redirect_uris: [redirect] });
  }
  network = 'one more';
  assert.is((await post('/oauth/register', { redirect_uris: [redirect] })).status, 429);
  // Those that nobody used make room after a day; one that has access stays.
  await exchanging(await codeFor());
  clock.now += dayMs + 1;
  network = 'one more';
  assert.is((await post('/oauth/register', { redirect_uris: [redirect] })).status, 201);
  assert.is(await failureOf(asking()), 'none');
});

test('a program may be known by the address of a document that names it', async () => {
  const id = 'https://assistant.example/client.json';
  const about = { client_id: id, redirect_uris: [redirect], client_name: 'Evil\u202e\nname' };
  documents[id] = about;
  const { client } = await oauth.read(asking({ client_id: id }));
  assert.equal([client.id, client.name], [id, 'Evilname']);
  // It is kept for a day.
  delete documents[id];
  assert.is(await failureOf(asking({ client_id: id })), 'none');
  clock.now += dayMs;
  assert.is(await failureOf(asking({ client_id: id })), 'invalid_client');
  const lies: Record<string, unknown> = {
    'https://evil.example/a': about,
    'https://evil.example/b': 'text',
    'https://evil.example/c': { client_id: 'https://evil.example/c' },
    'https://evil.example/d': { client_id: 'https://evil.example/d', redirect_uris: ['javascript:alert(1)'] },
    'http://evil.example/e': { client_id: 'http://evil.example/e', redirect_uris: [redirect] },
    'https://evil.example/': { client_id: 'https://evil.example/', redirect_uris: [redirect] },
    'https://evil.example/x/../f': { client_id: 'https://evil.example/x/../f', redirect_uris: [redirect] },
    'https://u:p@evil.example/g': { client_id: 'https://u:p@evil.example/g', redirect_uris: [redirect] },
    'https://evil.example/h#x': { client_id: 'https://evil.example/h#x', redirect_uris: [redirect] },
  };
  Object.assign(documents, lies);
  for (const lie of Object.keys(lies)) assert.match(await failureOf(asking({ client_id: lie })), /^invalid_/, lie);
});

test('access ends with the person, and no secret is in the file', async () => {
  const { id } = persons(db).add('bob@example.com', clock.now);
  const request = await oauth.read(asking());
  const code = new URL(oauth.allow(request, { personId: id, scopes: ['read'], sites: null })).searchParams.get('code')!;
  const { body } = await exchanging(code);
  assert.is(oauth.grants.ofPerson(id).length, 1);
  db.pragma('wal_checkpoint(truncate)');
  const file = readFileSync(databaseFile(dataDir));
  for (const secret of [code, body.access_token, body.refresh_token]) assert.not(file.includes(secret));
  persons(db).remove(id);
  assert.is(oauth.grantOf(body.access_token), undefined);
  await refused(renewing(body.refresh_token));
});

test('a person has at most a hundred programs, and those that ended are forgotten', async () => {
  for (let i = 0; i < 110; i++) await exchanging(await codeFor());
  assert.is(oauth.grants.ofPerson(ada).length, 100);
  clock.now += 200 * dayMs;
  await codeFor({ client_id: await register() });
  assert.is(db.prepare('select count(*) from oauth_grant').pluck().get(), 1);
});

test.after(() => {
  server.close();
});
test.run();
