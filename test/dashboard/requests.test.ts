/** What every endpoint under /app has in common. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startDashboard } from './helpers.ts';

test('a change must come from a page of the same host', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const host = dashboard.url.slice('http://'.length);
  const silent = { 'sec-fetch-site': undefined };
  const rows: [name: string, headers: Record<string, string | undefined>, status: number][] = [
    ['as the app does it', {}, 200],
    ['a browser that tells only the origin', silent, 200],
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['another site, and only the origin', { ...silent, origin: 'https://evil.example' }, 403],
    ['another port of this host', { ...silent, origin: 'http://127.0.0.1:1' }, 403],
    ['a host that begins like ours', { ...silent, origin: `http://${host}.evil.example` }, 403],
    ['a sandboxed frame', { ...silent, origin: 'null' }, 403],
    ['a subdomain of ours', { 'sec-fetch-site': 'same-site' }, 403],
    ['an address typed in', { 'sec-fetch-site': 'none' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a form that poses as JSON', { 'content-type': 'text/plain' }, 415],
    ['a type that begins like JSON', { 'content-type': 'application/jsonp' }, 415],
    ['JSON with a charset', { 'content-type': 'Application/JSON; charset=utf-8' }, 200],
  ];
  for (const [name, headers, status] of rows) {
    assert.is((await browser.post('/app/keys', { name: 'k' }, headers)).status, status, name);
  }
  await dashboard.close();
});

/** A request written by hand, and the whole answer. */
const raw = async (url: string, lines: string[], body = ''): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write([...lines, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body].join('\r\n'));
  let text = '';
  socket.on('data', data => (text += data));
  await once(socket, 'close');
  return text;
};

test('a change without any sign of its origin is refused', async () => {
  const dashboard = await startDashboard();
  const host = dashboard.url.slice('http://'.length);
  const lines = ['POST /app/sign-out HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json'];
  assert.match(await raw(dashboard.url, lines, '{}'), /^HTTP\/1\.1 403 /);
  assert.match(await raw(dashboard.url, [...lines, `Origin: http://${host}`], '{}'), /^HTTP\/1\.1 200 /);
  await dashboard.close();
});

test('behind a proxy that renames the host, the origin is that of BASE_URL', async () => {
  const dashboard = await startDashboard({ baseUrl: 'https://stats.example.com' });
  const lines = ['POST /app/sign-out HTTP/1.1', 'Host: daybook.internal', 'Content-Type: application/json'];
  const from = async (origin: string) =>
    (await raw(dashboard.url, [...lines, `Origin: ${origin}`], '{}')).slice('HTTP/1.1 '.length, 12);
  assert.is(await from('https://stats.example.com'), '200');
  assert.is(await from('https://evil.example.com'), '403');
  await dashboard.close();
});

test('a Host that is none is refused with 400, without BASE_URL and with it', async () => {
  for (const parts of [{}, { baseUrl: 'http://stats.example.com' }]) {
    const dashboard = await startDashboard(parts);
    for (const host of ['a b', '[', 'x/y', 'x?y', 'me@x', 'x:99999', '%']) {
      for (const line of ['GET /sign-in HTTP/1.1', 'POST /app/sign-out HTTP/1.1']) {
        const sent = [line, `Host: ${host}`, 'Accept: text/html', 'Origin: http://x', 'Content-Type: application/json'];
        const answer = await raw(dashboard.url, sent, '{}');
        assert.match(answer, /^HTTP\/1\.1 [234]\d\d /, JSON.stringify([host, line]));
        if (parts.baseUrl === undefined) assert.match(answer, /^HTTP\/1\.1 400 /, JSON.stringify([host, line]));
      }
    }
    assert.equal(dashboard.logged, []);
    await dashboard.close();
  }
});

test('a stranger is refused before the body is read', async () => {
  const dashboard = await startDashboard();
  const host = dashboard.url.slice('http://'.length);
  const rows: [path: string, origin: string, status: number][] = [
    ['/app/sites', `http://${host}`, 401],
    ['/app/account/password', `http://${host}`, 401],
    ['/app/sign-in', 'https://evil.example', 403],
  ];
  for (const [path, origin, status] of rows) {
    const socket = connect(Number(new URL(dashboard.url).port), '127.0.0.1');
    const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Origin: ${origin}`, 'Content-Type: application/json'];
    socket.write([...head, 'Content-Length: 1000', '', ''].join('\r\n'));
    const [answer] = await once(socket, 'data');
    assert.ok(String(answer).startsWith(`HTTP/1.1 ${status} `), path);
    socket.destroy();
  }
  await dashboard.close();
});

test('a malformed request gets an answer that says what is wrong', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const gone = await browser.get('/app/nothing');
  assert.equal([gone.status, gone.json], [404, { error: 'There is nothing at this address.' }]);
  assert.is((await browser.get('/app')).status, 404);
  assert.is((await browser.get('/app/')).status, 404);

  const wrongWay = await browser.get('/app/sign-in');
  assert.equal([wrongWay.status, wrongWay.headers.get('allow')], [405, 'POST']);
  const both = await browser.post('/app/me');
  assert.equal([both.status, both.headers.get('allow')], [405, 'GET, HEAD']);
  const several = await fetch(`${dashboard.url}/app/keys`, { method: 'DELETE' });
  assert.equal([several.status, several.headers.get('allow')], [405, 'GET, HEAD, POST']);

  for (const body of ['', '{', '[]', 'null', '"text"', '1']) {
    const refused = await browser.post('/app/keys', body);
    assert.equal([refused.status, refused.json], [400, { error: 'Send a JSON object.' }], body);
  }
  const pad = (bytes: number) => JSON.stringify({ name: 'k', pad: '' }).replace('""', `"${'x'.repeat(bytes - 21)}"`);
  assert.is(pad(65_536).length, 65_536);
  assert.is((await browser.post('/app/keys', pad(65_536))).status, 200);
  assert.is((await browser.post('/app/keys', pad(65_537))).status, 413);
  await dashboard.close();
});

test('strangers may only sign in', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const site = (await browser.post('/app/sites', { domain: 'a.example', timezone: 'UTC', currency: 'EUR' })).json;
  const paths: [method: 'get' | 'post', path: string][] = [
    ['get', '/app/me'],
    ['get', '/app/keys'],
    ['get', `/app/sites/${site.id}/imports`],
    ['post', '/app/sites'],
    ['post', `/app/sites/${site.id}`],
    ['get', `/app/sites/${site.id}/shares`],
    ['post', `/app/sites/${site.id}/shares`],
    ['post', `/app/sites/${site.id}/shares/1/remove`],
    ['post', `/app/sites/${site.id}/reset`],
    ['post', `/app/sites/${site.id}/remove`],
    ['post', '/app/keys'],
    ['post', '/app/keys/1/revoke'],
    ['post', '/app/account/email'],
    ['post', '/app/account/password'],
  ];
  const invented = dashboard.browser();
  invented.cookie = `daybook=${'x'.repeat(43)}`;
  for (const stranger of [dashboard.browser(), invented]) {
    for (const [method, path] of paths) {
      const { status, json } = await stranger[method](path);
      assert.equal([status, json], [401, { error: 'Sign in first.' }], path);
    }
  }
  await dashboard.close();
});

test('a login that ends while the body is on its way changes nothing', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const host = dashboard.url.slice('http://'.length);
  const body = '{"name":"k"}';
  const lines = [
    'POST /app/keys HTTP/1.1',
    `Host: ${host}`,
    `Origin: http://${host}`,
    `Cookie: ${browser.cookie}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
    'Connection: close',
  ];
  const socket = connect(Number(new URL(dashboard.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', data => (answer += data));
  socket.write([...lines, '', ''].join('\r\n'));
  await once(socket, 'data'); // The request is being answered.
  assert.match(answer, /^HTTP\/1\.1 100 /);
  await browser.post('/app/sign-out');
  socket.write(body);
  await once(socket, 'close');
  assert.match(answer, /\r\nHTTP\/1\.1 401 /);
  await dashboard.close();
});

test('an internal error is named in the log and not to the browser', async () => {
  const dashboard = await startDashboard({ collectorUrl: () => assert.unreachable('secret detail') as never });
  const { browser } = await dashboard.signedIn();
  const failed = await browser.post('/app/sites', { domain: 'a.example', timezone: 'UTC', currency: 'EUR' });
  assert.equal([failed.status, failed.text.includes('secret')], [500, false]);
  assert.equal(dashboard.logged, [['dashboard-failed', { reason: 'secret detail' }]]);
  await dashboard.close();
});

test('answers are never cached', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  for (const path of ['/app/me', '/app/nothing', '/settings']) {
    const { headers } = await browser.get(path);
    assert.equal([headers.get('cache-control'), headers.get('x-content-type-options')], ['no-store', 'nosniff'], path);
  }
  await dashboard.close();
});

test.run();
