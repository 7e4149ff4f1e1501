/** The endpoints over real HTTP: statuses, bodies and headers as docs/collecting.md has them, and what no client may break. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { until } from '../tools/conditions.ts';
import { noon, startCollector, type TestCollector } from './start-collector.ts';
import { storedCrawls, storedHits, storedOutcomes, storedVitals } from './stored.ts';

const collector = await startCollector();
const { url, site, post, db, requested } = collector;
const u = 'https://site1.example/';
test.after(() => collector.close());

/** The bytes of an answer as they came, not decoded as fetch would. */
const get = (
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }> =>
  new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers }, async response => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) });
    });
    sent.on('error', reject);
    sent.end();
  });

const trackerText = '/* the tracker */ '.repeat(100);

for (const [path, code] of [
  ['/t.js', trackerText],
  ['/script.js', '/* the tracker under another tag */ '.repeat(100)],
] as const) {
  test(`GET ${path}`, async () => {
    const { status, headers, body } = await get(path);
    assert.is(status, 200);
    assert.is(body.toString(), code);
    assert.is(headers['cache-control'], 'public, max-age=3600, stale-while-revalidate=86400');
    assert.is(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.is(headers.vary, 'accept-encoding');
    assert.is(headers['access-control-allow-origin'], '*');
    assert.match(headers.etag as string, /^"[^"]+"$/);
  });
}

test('a container of Matomo’s Tag Manager is not found, where Plausible’s scripts are', async () => {
  for (const path of ['/js/script.hash.js', '/js/plausible.js', '/js/pa-AbC.js'])
    assert.is((await get(path)).status, 200, path);
  for (const path of ['/js/container_aBcD1234.js', '/js/container_aBcD1234_dev_0123.js'])
    assert.is((await get(path)).status, 404, path);
});

test('the tracker is compressed as the client accepts', async () => {
  const br = await get('/t.js', { 'accept-encoding': 'gzip, deflate, br' });
  assert.is(br.headers['content-encoding'], 'br');
  assert.is(brotliDecompressSync(br.body).toString(), trackerText);
  const gzip = await get('/t.js', { 'accept-encoding': 'GZIP;q=0.5, br;q=0' });
  assert.is(gzip.headers['content-encoding'], 'gzip');
  assert.is(gunzipSync(gzip.body).toString(), trackerText);
  const plain = await get('/t.js', { 'accept-encoding': 'gzip;q=0.0, identity' });
  assert.is(plain.headers['content-encoding'], undefined);
  assert.is(new Set([br.headers.etag, gzip.headers.etag, plain.headers.etag]).size, 3);
});

test('a tracker with a known ETag is not sent again', async () => {
  const { etag } = (await get('/t.js')).headers as { etag: string };
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, headers, body } = await get('/t.js', { 'if-none-match': known });
    assert.equal([status, body.length, headers.etag], [304, 0, etag], known);
    assert.is(headers['cache-control'], 'public, max-age=3600, stale-while-revalidate=86400');
  }
  for (const other of ['"other"', etag.slice(1, -1)]) {
    assert.is((await get('/t.js', { 'if-none-match': other })).status, 200, other);
  }
  assert.is((await get('/t.js', { 'if-none-match': etag, 'accept-encoding': 'br' })).status, 200, 'other bytes');
});

test('GET /c/:key tells the identity mode', async () => {
  for (const key of [site.publicKey, site.uuid, site.uuid.toUpperCase()]) {
    const { status, headers, body } = await get(`/c/${key}`);
    assert.equal([status, body.toString()], [200, '{"m":"hash"}'], key);
    assert.is(headers['cache-control'], 'public, max-age=60');
    assert.is(headers['content-type'], 'application/json');
  }
  for (const key of ['', 'pk_live_nobody', '__proto__', '%', 'x/y']) {
    const { status, body, headers } = await get(`/c/${key}`);
    assert.equal([status, body.toString()], [404, '{"error":"unknown site"}'], key);
    assert.is(headers['access-control-allow-origin'], '*');
  }
});

test('a change of the mode applies from the next probe and hit on', async () => {
  const own = await startCollector();
  const mode = async () => [
    await (await fetch(`${own.url}/c/${own.site.publicKey}`)).text(),
    (await own.post({ s: own.site.publicKey, u })).body,
  ];
  assert.equal(await mode(), ['{"m":"hash"}', '{"m":"hash"}']);
  const command = openDatabase(own.dataDir);
  sites(command).set(own.site.id, { ...own.site, identityMode: 'cookie' });
  command.close();
  assert.equal(await mode(), ['{"m":"cookie"}', '{"m":"cookie"}']);
  await own.close();
});

test('GET /health', async () => {
  const { status, headers, body } = await get('/health');
  assert.equal([status, body.toString()], [200, '{"ok":true,"service":"ingest"}']);
  assert.is(headers['access-control-allow-origin'], '*');
});

test('HEAD gives the headers of GET and no body', async () => {
  for (const path of ['/t.js', '/script.js', '/health', `/c/${site.publicKey}`, '/c/nobody']) {
    const asked = await get(path);
    const headOnly = await get(path, {}, 'HEAD');
    assert.is(headOnly.status, asked.status, path);
    assert.is(headOnly.body.length, 0, path);
    const { date: _a, ...same } = asked.headers;
    const { date: _b, ...found } = headOnly.headers;
    assert.equal(found, same, path);
  }
});

test('a 500 can be read by any origin', async () => {
  const own = await startCollector();
  own.db.close();
  const failed = await fetch(`${own.url}/c/${own.site.publicKey}`);
  assert.equal([failed.status, await failed.text()], [500, '{"error":"internal error"}']);
  assert.is(failed.headers.get('access-control-allow-origin'), '*');
  assert.equal(own.logged, ['request-failed']);
  await own.close();
});

test('other methods get 405 and the list of allowed ones', async () => {
  for (const [path, method, allow] of [
    ['/e', 'GET', 'POST, OPTIONS'],
    ['/e', 'HEAD', 'POST, OPTIONS'],
    ['/api/send', 'GET', 'POST, OPTIONS'],
    ['/api/collect', 'PUT', 'POST, OPTIONS'],
    ['/api/batch', 'DELETE', 'POST, OPTIONS'],
    ['/crawl', 'GET', 'POST, OPTIONS'],
    ['/t.js', 'POST', 'GET, HEAD, OPTIONS'],
    ['/health', 'POST', 'GET, HEAD, OPTIONS'],
    [`/c/${site.publicKey}`, 'POST', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const response = await get(path, {}, method);
    assert.equal([response.status, response.headers.allow], [405, allow], `${method} ${path}`);
    assert.is(response.headers['access-control-allow-origin'], '*');
  }
});

test('paths of others are left to them', async () => {
  for (const path of ['/', '/e/', '/E', '/api/v1/sites', '/t.js.map', '/crawl/x']) {
    assert.is((await get(path)).body.toString(), 'not mine', path);
  }
});

test('a preflight allows any origin, the methods and the header', async () => {
  for (const path of ['/e', '/api/send', '/api/collect', '/api/batch', '/crawl', '/t.js', '/health', '/c/x']) {
    const { status, headers } = await get(path, { 'access-control-request-headers': 'content-type' }, 'OPTIONS');
    assert.is(status, 204, path);
    assert.is(headers['access-control-allow-origin'], '*');
    assert.is(headers['access-control-allow-methods'], 'POST, GET, OPTIONS');
    assert.is(headers['access-control-allow-headers'], 'content-type');
    assert.is(headers['access-control-max-age'], '86400');
  }
});

test('a preflight allows Umami’s header when the browser asks for it', async () => {
  const allowed = async (asked: string) =>
    (await get('/api/send', { 'access-control-request-headers': asked }, 'OPTIONS')).headers[
      'access-control-allow-headers'
    ];
  for (const asked of ['content-type,x-umami-cache', 'x-umami-cache', 'X-Umami-Cache , content-type']) {
    assert.is(await allowed(asked), 'content-type, x-umami-cache', asked);
  }
  for (const asked of ['', 'content-type', 'x-umami-cache-2', 'authorization']) {
    assert.is(await allowed(asked), 'content-type', asked);
  }
});

test('a site is found by its key and by its id', async () => {
  for (const s of [site.publicKey, site.uuid]) assert.is((await post({ s, u })).outcome, 'recorded');
});

test('a body may come in pieces, chunked or not', async () => {
  const before = storedHits(db).length;
  const body = JSON.stringify({ s: site.publicKey, u: 'https://site1.example/ünï' });
  for (const headers of [{}, { 'content-length': Buffer.byteLength(body) }]) {
    const sent = request(`${url}/e`, { method: 'POST', headers });
    for (const byte of Buffer.from(body)) {
      sent.write(Buffer.of(byte));
      if (byte % 7 === 0) await new Promise(resolve => setImmediate(resolve));
    }
    sent.end();
    const [response] = await once(sent, 'response');
    assert.is(response.headers['x-daybook'], 'recorded');
    response.resume();
  }
  assert.is(storedHits(db).length, before + 2);
});

test('a body may have 32 KiB and not a byte more', async () => {
  const hitOf = (bytes: number): string => {
    const frame = JSON.stringify({ s: site.publicKey, u, pad: '' });
    return JSON.stringify({ s: site.publicKey, u, pad: 'x'.repeat(bytes - frame.length) });
  };
  assert.is((await post(hitOf(32 * 1024))).status, 202);
  const refused = await post(hitOf(32 * 1024 + 1));
  assert.equal([refused.status, refused.body], [413, 'payload too large']);
  assert.is(refused.headers.get('connection'), 'close');
});

/** Sends raw bytes and gives what came back until the server closed. */
const exchange = async (...pieces: (string | Buffer)[]): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', chunk => {
    answer += chunk;
  });
  await once(socket, 'connect');
  for (const piece of pieces) {
    if (socket.destroyed) break;
    await new Promise(resolve => socket.write(piece, resolve));
  }
  if (!socket.closed) await once(socket, 'close');
  return answer;
};

test('a body whose length header is too large is refused before it is sent', async () => {
  const answer = await exchange('POST /e HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.match(answer, /payload too large$/);
});

test('a body that grows too large is refused while the client is still sending', async () => {
  const head = 'POST /e HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const answer = await exchange(head, ...Array<string>(40).fill(chunk));
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.match(answer, /payload too large$/);
});

test('a client that goes away in mid-request leaves nothing behind', async () => {
  const before = [storedHits(db).length, (await get('/health')).status];
  const asked = requested();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`POST /e HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"s":"${site.publicKey}",`);
  await asked;
  socket.destroy();
  await once(socket, 'close');
  assert.equal([storedHits(db).length, (await get('/health')).status], before);
  assert.is((await post({ s: site.publicKey, u })).outcome, 'recorded');
});

test('a hit is stored though its client is gone, and later hits too', async () => {
  const own = await startCollector();
  own.collector.writer.pause();
  const body = JSON.stringify({ s: own.site.publicKey, u });
  const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
  socket.write(`POST /e HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  await until('the hit waits for the disk', () => own.collector.writer.stats().queued === 1);
  socket.destroy();
  await once(socket, 'close');
  own.collector.writer.resume();
  await own.collector.writer.idle();
  assert.is(storedHits(own.db).length, 1);
  assert.is((await own.post({ s: own.site.publicKey, u })).outcome, 'recorded');
  await own.close();
});

test('many hits may follow each other on one connection without waiting', async () => {
  const before = storedHits(db).length;
  const body = JSON.stringify({ s: site.publicKey, u });
  const one = `POST /e HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const last = one.replace('host: x', 'host: x\r\nconnection: close');
  const answers = await exchange(one.repeat(20) + last);
  assert.is(answers.match(/x-daybook: recorded/g)?.length, 21);
  assert.is(storedHits(db).length, before + 21);
});

const crawled = async (reports: unknown, own: TestCollector = collector): Promise<[number, string, string | null]> => {
  const { status, body, outcome } = await own.post(reports, { path: '/crawl', userAgent: 'nginx-reporter' });
  return [status, body, outcome];
};
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

test('POST /crawl counts what a server reports', async () => {
  const own = await startCollector({ site: { excludedPaths: ['/admin/**'], excludedIps: ['203.0.113.1'] } });
  const report = { s: own.site.publicKey, u: `${u}a?x=1`, ua: googlebot, st: 200, m: 'GET', r: 'https://example.net/' };
  assert.equal(await crawled(report, own), [202, '{"accepted":1,"ignored":0}', 'recorded']);
  const person = { ...report, ua: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  const hidden = { ...report, u: `${u}admin/x` };
  const missing = { ...report, u: `${u}gone`, st: 404, ua: 'GPTBot/1.2 (+https://openai.com/gptbot)' };
  assert.equal(await crawled([report, person, hidden, missing], own), [202, '{"accepted":2,"ignored":2}', 'recorded']);
  assert.equal(await crawled([person], own), [202, '{"accepted":0,"ignored":1}', 'ignored; reason=not-crawler']);
  assert.equal(await crawled([], own), [202, '{"accepted":0,"ignored":0}', 'recorded']);
  for (const st of [99, 600, 200.5, '200', null]) await crawled({ ...report, u: `${u}odd`, st }, own);
  await own.stop();
  assert.equal(
    storedCrawls(own.db)
      .map(({ name, path, status, crawls }) => `${name} ${path} ${status}: ${crawls}`)
      .sort(),
    ['GPTBot /gone 404: 1', 'Googlebot /a 200: 2', 'Googlebot /odd 0: 5'],
  );
  assert.is(storedHits(own.db).length, 0);
  await own.close();
});

test('a report with any wrong entry is refused as a whole', async () => {
  const good = { s: site.publicKey, u, ua: googlebot };
  const before = storedCrawls(db).length;
  assert.equal(await crawled([good, { ...good, ua: undefined }]), [400, 'bad payload', 'rejected; reason=bad-payload']);
  assert.equal(await crawled([good, { ...good, u: '/a' }]), [400, 'bad url', 'rejected; reason=bad-url']);
  const unknown = await crawled([good, { ...good, s: 'pk_live_nobody' }]);
  assert.equal(unknown, [404, '{"error":"unknown site"}', 'rejected; reason=unknown-site']);
  assert.equal(await crawled('{'), [400, 'bad payload', 'rejected; reason=bad-payload']);
  assert.is(storedCrawls(db).length, before);
});

test('a request may hold 200 reports and not one more', async () => {
  const report = { s: 'x', u: 'http://x', ua: 'bot' };
  assert.is((await crawled(Array(201).fill(report)))[0], 400);
  assert.is((await crawled(Array(200).fill({ ...report, s: site.publicKey })))[1], '{"accepted":200,"ignored":0}');
});

test('hits that come together to /e are taken in their order, as a batch', async () => {
  const own = await startCollector();
  const hit = { s: own.site.publicKey, u };
  const list = [
    { ...hit, u: `${u}?utm_campaign=may`, r: 'https://news.example/' },
    { ...hit, t: 'custom', n: 'Signup' },
    { ...hit, t: 'nonsense' },
    { ...hit, t: 'duration', d: 500 },
  ];
  const { status, body } = await own.post({ hits: list });
  const details = [{ index: 2, response: { error: 'bad-payload' } }];
  assert.equal([status, JSON.parse(body)], [200, { size: 4, processed: 3, errors: 1, details }]);
  await own.stop();
  assert.equal(
    storedHits(own.db).map(({ type }) => type),
    ['pageview', 'custom', 'duration'],
  );
  await own.close();
});

test('web vitals are stored apart from hits', async () => {
  const own = await startCollector();
  const send = (p: unknown) => own.post({ s: own.site.publicKey, t: 'vitals', u: `${u}a#/b`, p });
  const p = { lcp: 1200.5, inp: 60_000, cls: 0.02, fcp: 60_000.1, ttfb: -1 };
  assert.equal(
    [(await send(p)).body, (await send({ cls: 100.1, lcp: '12' })).body, (await send(null)).body],
    Array(3).fill('{"m":"hash"}'),
  );
  await own.stop();
  assert.equal(
    storedVitals(own.db).map(({ id: _, ...vital }) => vital),
    [
      {
        site_id: own.site.id,
        at: noon,
        path: '/a#/b',
        device: 'desktop',
        lcp: 1200.5,
        inp: 60_000,
        cls: 0.02,
        fcp: null,
        ttfb: null,
        import_id: 0,
        epoch: 0,
      },
    ],
  );
  assert.is(storedHits(own.db).length, 0);
  assert.equal(storedOutcomes(own.db), { [`${own.site.id} recorded`]: 3 });
  await own.close();
});

test('refused and ignored hits are counted soon, also when no hit follows', async () => {
  const own = await startCollector();
  await own.post('{');
  await own.post('{');
  await until('they are counted', () => Object.keys(storedOutcomes(own.db)).length > 0);
  assert.equal(storedOutcomes(own.db), { '0 bad-payload': 2 });
  await own.close();
});

test.run();
