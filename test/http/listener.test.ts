import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addSite } from '../helpers.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../start-server.ts';
import { until } from '../tools/conditions.ts';

/** A connection, all that came over it, and when it ended. */
interface Line {
  socket: Socket;
  received: () => string;
  ended: Promise<void>;
}

const open = async ({ url }: TestServer): Promise<Line> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', chunk => chunks.push(chunk));
  // Being cut off is what these tests are about.
  socket.on('error', () => {});
  const ended = new Promise<void>(resolve => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return { socket, received: () => Buffer.concat(chunks).toString(), ended };
};

const serving = async (options: TestServerOptions, work: (server: TestServer) => Promise<void>): Promise<void> => {
  const server = await startTestServer(options);
  try {
    await work(server);
    assert.is((await fetch(`${server.url}/health`)).status, 200, 'it serves on');
  } finally {
    await server.close();
  }
};

const soon = { checkMs: 30 };

test('a client that is slow with its headers is closed', () =>
  serving({ limits: { ...soon, headersMs: 100 } }, async server => {
    const line = await open(server);
    line.socket.write('POST /e HTTP/1.1\r\nhost: x\r\nx-slow: ');
    const drip = setInterval(() => line.socket.write('a'), 20);
    await line.ended;
    clearInterval(drip);
    assert.match(line.received(), /^HTTP\/1\.1 408 /);
  }));

test('a client that is slow with its body is closed', () =>
  serving({ limits: { ...soon, headersMs: 100, requestMs: 200 } }, async server => {
    const line = await open(server);
    line.socket.write('POST /e HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n');
    const drip = setInterval(() => line.socket.write('a'), 20);
    await line.ended;
    clearInterval(drip);
    assert.match(line.received(), /^HTTP\/1\.1 408 /);
  }));

test('a silent connection is closed', () =>
  serving({ limits: { ...soon, headersMs: 100, requestMs: 100 } }, async server => {
    await (await open(server)).ended;
  }));

test('an idle connection is closed after a while', () =>
  serving({ limits: { keepAliveMs: 100 } }, async server => {
    const line = await open(server);
    line.socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    await line.ended;
    assert.match(line.received(), /^HTTP\/1\.1 200 OK/);
  }));

test('a client that sends requests and never reads is closed, and costs little memory', () =>
  serving({ limits: { idleMs: 300 } }, async server => {
    const line = await open(server);
    line.socket.pause();
    const requests = 'GET /t.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1000);
    const before = process.memoryUsage().rss;
    let gone = false;
    void line.ended.then(() => {
      gone = true;
    });
    for (let i = 0; i < 100 && !gone && line.socket.write(requests); i++) await wait(1);
    // Who does not read learns from writing that the connection is closed.
    await until('the connection is closed', () => {
      line.socket.write('G');
      return gone;
    });
    assert.ok(process.memoryUsage().rss - before < 150e6);
    line.socket.resume();
    await line.ended;
  }));

test('connections beyond the limit are closed at once, until others leave', () =>
  serving({ flags: { 'connections-max': '10' } }, async server => {
    const lines = await Promise.all(Array.from({ length: 10 }, () => open(server)));
    const surplus = await open(server);
    await surplus.ended;
    for (const { socket } of lines) socket.write('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await Promise.all(lines.map(({ ended }) => ended));
    for (const { received } of lines) assert.match(received(), /^HTTP\/1\.1 200 OK/);
  }));

const strange: [name: string, request: string, answer: RegExp][] = [
  ['headers of 20 KiB', `GET /health HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
  [
    'thousands of headers',
    `GET /health HTTP/1.1\r\nhost: x\r\n${'a:b\r\n'.repeat(3000)}\r\n`,
    /^HTTP\/1\.1 (200|431) /,
  ],
  ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /^HTTP\/1\.1 400 /],
  [
    'two lengths',
    'POST /e HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'a length and chunks',
    'POST /e HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', /^$/],
  [
    'a protocol nobody speaks',
    'GET /health HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h9\r\n\r\n',
    /^HTTP\/1\.1 200 /,
  ],
  ['a method nobody knows', 'BREW /e HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['a path that goes up', 'GET /../../etc/passwd HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 404 /],
  ['a path that is no text', 'GET /c/%ff%00%c0 HTTP/1.1\r\nhost: x\r\n\r\n', /^HTTP\/1\.1 404 /],
  [
    'a header named like what all objects have',
    'GET /health HTTP/1.1\r\nhost: x\r\n__proto__: y\r\nconstructor: z\r\n\r\n',
    /^HTTP\/1\.1 200 /,
  ],
  [
    'cookies that are junk',
    `GET /health HTTP/1.1\r\nhost: x\r\ncookie: ;;=;a==;"\x80\xff;${';'.repeat(5000)}\r\n\r\n`,
    /^HTTP\/1\.1 200 /,
  ],
  ['nothing but a key', 'GET /api/v1/sites HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \r\n\r\n', /^HTTP\/1\.1 401 /],
];
test('strange requests get an answer or a closed connection, and the server goes on', () =>
  serving({ limits: { keepAliveMs: 150 } }, async server => {
    const end = async ([name, request, answer]: (typeof strange)[number]): Promise<void> => {
      const line = await open(server);
      line.socket.write(Buffer.from(request, 'latin1'));
      await line.ended;
      assert.match(line.received(), answer, name);
    };
    await Promise.all(strange.map(end));
  }));

test('a body beyond 32 KiB is refused, whatever length it claims', () =>
  serving({}, async server => {
    const { publicKey } = addSite(server.db);
    const chunk = `${(1024).toString(16)}\r\n${' '.repeat(1024)}\r\n`;
    const line = await open(server);
    line.socket.write(`POST /e HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(33)}`);
    await line.ended;
    assert.match(line.received(), /^HTTP\/1\.1 413 [\s\S]*payload too large/);
    const exact = JSON.stringify({ s: publicKey, u: 'https://site1.example/' }).padEnd(32 * 1024, ' ');
    const fits = await fetch(`${server.url}/e`, {
      method: 'POST',
      body: exact,
      headers: { 'user-agent': 'Mozilla/5.0' },
    });
    assert.is(fits.status, 202);
  }));

test('a request with two Host headers is refused, whatever it asks', () =>
  serving({}, async server => {
    for (const path of ['/health', '/api/v1/sites', '/', '/e']) {
      const line = await open(server);
      line.socket.write(`GET ${path} HTTP/1.1\r\nHost: one.example\r\nhOST: two.example\r\n\r\n`);
      await line.ended;
      assert.match(line.received(), /^HTTP\/1\.1 400 .*more than one Host header/s, path);
    }
  }));

test('no browser guesses the type of an answer, and all may load the tracker alone', () =>
  serving({}, async server => {
    const { publicKey } = addSite(server.db);
    const loads = async (path: string): Promise<(string | null)[]> => {
      const { headers } = await fetch(server.url + path);
      return ['x-content-type-options', 'cross-origin-resource-policy'].map(name => headers.get(name));
    };
    assert.equal(await loads('/t.js'), ['nosniff', 'cross-origin']);
    for (const path of [`/c/${publicKey}`, '/c/none', '/health'])
      assert.equal(await loads(path), ['nosniff', null], path);
    for (const path of ['/api/v1/sites', '/nothing', '/app/me', '/sign-in', '/assets/none.js'])
      assert.equal(await loads(path), ['nosniff', 'same-origin'], path);
  }));

test.run();
