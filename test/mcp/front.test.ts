/** What stands before the protocol, and the protocol's own errors, by plain requests. */
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeApiKey } from '../../src/model/ids.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { addAccount, key } from '../api/fixture.ts';
import { startProgram } from '../compat/fixture.ts';
import { addSite } from '../helpers.ts';

const program = await startProgram({ 'mcp-origins': 'https://inspector.example' });
const { url, db } = program;

interface Sent {
  method?: string;
  path?: string;
  token?: string | null;
  headers?: Record<string, string>;
  body?: string | object;
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { ...params, _meta: modern },
});
const named = (method: string, name?: string) => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});

const send = ({ method = 'POST', path = '/mcp', token = key, headers = {}, body = call('tools/list') }: Sent = {}) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  new Promise<{ status: number; headers: any; body: any }>((resolve, reject) => {
    const given = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...named('tools/list'),
      ...headers,
    };
    const sent = httpRequest(url + path, { method, headers: given }, async response => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const isJson = response.headers['content-type']?.startsWith('application/json') && text !== '';
      resolve({ status: response.statusCode!, headers: response.headers, body: isJson ? JSON.parse(text) : text });
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? (typeof body === 'string' ? body : JSON.stringify(body)) : undefined);
  });

test('nobody gets in without a key, and a key in the address is none', async () => {
  for (const sent of [{ token: null }, { token: 'x' }, { token: null, path: `/mcp?access_token=${key}&key=${key}` }]) {
    const { status, headers } = await send(sent);
    assert.is(status, 401);
    assert.match(headers['www-authenticate'], /^Bearer/);
  }
  assert.is((await send()).status, 200);
});

test('only POST is answered, to JSON of a bounded size', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { status, headers } = await send({ method });
    assert.equal([status, headers.allow], [405, 'POST']);
  }
  assert.is((await send({ headers: { 'content-type': 'text/plain' } })).status, 415);
  assert.is((await send({ body: JSON.stringify(call('tools/list', { x: 'x'.repeat(300_000) })) })).status, 413);
  assert.is((await send({ body: '['.repeat(200_000) })).status, 400);
});

test('pages of other origins and other names of the server are refused', async () => {
  assert.is((await send({ headers: { origin: 'https://evil.example' } })).status, 403);
  assert.is((await send({ headers: { origin: 'null' } })).status, 403);
  const { status, headers } = await send({ headers: { origin: 'https://inspector.example' } });
  assert.equal([status, headers['access-control-allow-origin']], [200, 'https://inspector.example']);
  const asked = await send({ method: 'OPTIONS', token: null, headers: { origin: 'https://inspector.example' } });
  assert.equal([asked.status, asked.headers['access-control-allow-methods']], [204, 'POST']);
  assert.is((await send({ method: 'OPTIONS', token: null, headers: { origin: 'https://evil.example' } })).status, 403);
  const based = await startProgram({ 'base-url': 'https://stats.example' });
  const at = (host: string) =>
    fetch(`${based.url}/mcp`, { method: 'POST', headers: { host } }).then(({ status }) => status);
  const seen = (host: string) =>
    new Promise<number>(resolve => {
      httpRequest(`${based.url}/mcp`, { method: 'POST', headers: { host } }, response => {
        response.resume();
        resolve(response.statusCode!);
      }).end();
    });
  assert.is(await at('x'), 401);
  assert.equal(
    await Promise.all(['stats.example', 'localhost:1', 'evil.example', 'stats.example.evil.example'].map(seen)),
    [401, 401, 403, 403],
  );
  await based.close();
});

/** The tools that a key lists, and what one of them answers. */
const toolsOf = async (token: string): Promise<string[]> =>
  (await send({ token })).body.result.tools.map(({ name }: { name: string }) => name);
const tool = async (token: string, name: string, given: object) =>
  (await send({ token, body: call('tools/call', { name, arguments: given }), headers: named('tools/call', name) })).body
    .result;

test('a key does what its scopes allow, with the sites that it has', async () => {
  const other = addSite(db, { domain: 'other.example' });
  const keyWith = (limits: Parameters<ReturnType<typeof apiKeys>['add']>[4]): string => {
    const token = makeApiKey(randomBytes);
    apiKeys(db).add(other.accountId, 'scoped', token, 0, limits);
    return token;
  };
  const reading = await toolsOf(keyWith({ scopes: ['read'] }));
  assert.not(reading.includes('add_note') || reading.includes('add_site'));
  assert.is((await send({ token: keyWith({ scopes: ['ingest'] }) })).status, 403);
  assert.ok((await toolsOf(keyWith({ scopes: ['read', 'notes'] }))).includes('add_note'));
  const managing = keyWith({ scopes: ['manage'] });
  const made = await tool(managing, 'add_site', { domain: 'https://New.Example/', timezone: 'Europe/Berlin' });
  assert.is(made.structuredContent.domain, 'new.example');
  assert.match(made.structuredContent.tag, /data-site="pk_live_/);
  assert.equal(await tool(managing, 'add_site', { domain: 'new.example' }), made);
  assert.match((await tool(managing, 'add_site', { domain: 'no domain' })).content[0].text, /\(domain\)/);
  assert.match(
    (await tool(managing, 'add_site', { domain: 'b.example', timezone: 'x' })).content[0].text,
    /\(timezone\)/,
  );
  const limited = keyWith({ scopes: ['manage'], sites: [other.uuid] });
  assert.not((await toolsOf(limited)).includes('add_site'));
  const { sites } = (await tool(limited, 'list_sites', {})).structuredContent;
  assert.equal(
    sites.map(({ domain }: { domain: string }) => domain),
    ['other.example'],
  );
  assert.match((await tool(limited, 'get_stats', { site: 'shop.example' })).content[0].text, /^site not found/);
});

test('an account without the API has no assistant', async () => {
  const token = `tk_live_${'h'.repeat(32)}`;
  addAccount(db, 'small', 'hobby', token);
  assert.is((await send({ token })).status, 403);
});

test('errors of the protocol have its codes', async () => {
  const rows: [string, Sent, number, number][] = [
    ['no JSON', { body: '{' }, 400, -32700],
    ['a batch', { body: [call('tools/list')] }, 400, -32600],
    ['an unknown method', { body: call('nothing/at-all'), headers: named('nothing/at-all') }, 404, -32601],
    ['another method in the header', { headers: named('prompts/list') }, 400, -32020],
    [
      'another name in the header',
      { body: call('tools/call', { name: 'list_sites', arguments: {} }), headers: named('tools/call', 'get_stats') },
      400,
      -32020,
    ],
    [
      'an unknown version',
      {
        body: {
          ...call('tools/list'),
          params: { _meta: { ...modern, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } },
        },
        headers: { 'mcp-protocol-version': '2031-01-01' },
      },
      400,
      -32022,
    ],
    [
      'an unknown tool',
      { body: call('tools/call', { name: 'drop_tables', arguments: {} }), headers: named('tools/call', 'drop_tables') },
      200,
      -32602,
    ],
    [
      'a tool that is switched off',
      { body: call('tools/call', { name: 'get_visits', arguments: {} }), headers: named('tools/call', 'get_visits') },
      200,
      -32602,
    ],
    [
      'an unknown resource',
      {
        body: call('resources/read', { uri: 'daybook://docs/../x' }),
        headers: named('resources/read', 'daybook://docs/../x'),
      },
      200,
      -32602,
    ],
    [
      'an unknown prompt',
      { body: call('prompts/get', { name: 'x' }), headers: named('prompts/get', 'x') },
      200,
      -32602,
    ],
  ];
  for (const [what, sent, status, code] of rows) {
    const got = await send(sent);
    assert.equal([got.status, got.body.error?.code], [status, code], `${what}: ${JSON.stringify(got.body)}`);
  }
});

test('nobody keeps a stream open', async () => {
  const body = call('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const got = await send({ body, headers: named('subscriptions/listen') });
  assert.ok(got.body.error, JSON.stringify(got.body));
});

test('single visits are not there unless the operator says so', async () => {
  const { body } = await send();
  const names = body.result.tools.map(({ name }: { name: string }) => name);
  assert.ok(names.includes('get_stats') && !names.includes('get_visits'));
  assert.ok(body.result.ttlMs > 0);
});

test('a token has 120 calls a minute', async () => {
  const token = `tk_live_${'r'.repeat(32)}`;
  apiKeys(db).add(accounts(db).named('default', 0).id, 'rate', token, 0);
  for (let i = 0; i < 120; i++) assert.is((await send({ token })).status, 200);
  const { status, headers } = await send({ token });
  assert.equal([status, headers['retry-after']], [429, '60']);
  assert.is((await send()).status, 200);
  program.clock.now += 60_000;
  assert.is((await send({ token })).status, 200);
});

test('it can be switched off', async () => {
  const off = await startProgram({ mcp: 'off' });
  assert.is((await off.ask('/mcp', { body: call('tools/list') })).status, 404);
  await off.close();
});

test.after(() => program.close());
test.run();
