import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Histogram } from '../src/model/histogram.ts';
import { dayMs, minuteMs } from '../src/model/time.ts';
import { definitions } from '../src/store/definitions.ts';
import { outboxStore } from '../src/store/outbox.ts';
import { sites } from '../src/store/sites.ts';
import { addSite } from './helpers.ts';
import { startSmtp } from './outbox/smtp-server.ts';
import { startTestServer } from './start-server.ts';

let clock = 20_000 * dayMs + 12 * 3_600_000;

const read = (url: string, headers: Record<string, string> = {}) => fetch(`${url}/metrics`, { headers });

/** Samples by name and labels; throws when a line is not of the format, or a sample is of no family. */
const parse = (text: string): Map<string, number> => {
  assert.ok(text.endsWith('\n# EOF\n'));
  const samples = new Map<string, number>();
  let family = '';
  for (const line of text.split('\n').slice(0, -2)) {
    const [, name] = /^# TYPE (\w+) (?:gauge|counter|histogram)$/.exec(line) ?? [];
    if (name !== undefined) family = name;
    else if (!/^# HELP \w+ .+\.$/.test(line)) {
      const [, sample, labels, value] = /^(\w+)(\{(?:\w+="(?:[^"\\\n]|\\.)*",?)+\})? (\S+)$/.exec(line) ?? [];
      assert.ok(sample?.startsWith(family) && Number.isFinite(Number(value)), line);
      samples.set(sample! + (labels ?? ''), Number(value));
    }
  }
  return samples;
};

test('metrics count hits, queries, rows and days', async () => {
  const server = await startTestServer();
  const { publicKey } = addSite(server.db);
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0' };
  const post = (body: object) => fetch(`${server.url}/e`, { method: 'POST', headers, body: JSON.stringify(body) });
  await post({ s: publicKey, u: 'https://site1.example/' });
  await post({ s: publicKey, u: 'https://site1.example/a' });
  await post({ s: publicKey });
  await fetch(`${server.url}/api/v1/sites`, { headers: { authorization: 'Bearer wrong' } });

  const answer = await read(server.url);
  assert.is(answer.status, 200);
  assert.is(answer.headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  assert.equal(
    ['cache-control', 'x-content-type-options'].map(name => answer.headers.get(name)),
    ['no-store', 'nosniff'],
  );
  const metrics = parse(await answer.text());
  assert.is(metrics.get('daybook_hits_total{outcome="recorded"}'), 2);
  assert.is(metrics.get('daybook_hits_total{outcome="bad-payload"}'), 1);
  assert.is(metrics.get('daybook_writable'), 1);
  assert.is(metrics.get('daybook_open_rows'), 2);
  assert.is(metrics.get('daybook_sealed_days'), 0);
  assert.is(metrics.get('daybook_sync_seconds_count'), 2);
  assert.is(metrics.get('daybook_sync_seconds_bucket{le="+Inf"}'), 2);
  assert.ok(metrics.get('process_resident_memory_bytes')! > 1e7);
  assert.ok(metrics.get('daybook_database_bytes')! + metrics.get('daybook_log_bytes')! > 1e4);
  await server.close();
});

test('traffic of sites is not told unless it is asked for', async () => {
  const server = await startTestServer();
  assert.is((await fetch(`${server.url}/metrics/sites`)).status, 404);
  await server.close();
});

test('traffic of sites is what their hits and goals say, and ends with the sites', async () => {
  const server = await startTestServer({ flags: { 'metrics-sites': '2' }, now: () => clock });
  const [first, second, third] = [1, 2, 3].map(() => addSite(server.db));
  const goals: Record<string, string> = {
    Docs: 'path^=/docs/&path!=/docs/old|event=Signup',
    'a "quoted" one': 'event!=',
    'of visits': 'path=/docs/a&country=DE',
  };
  for (const [name, conditions] of Object.entries(goals))
    definitions(server.db).set(first!.id, 'goal', name, { conditions, value: null }, 0);
  const post = (site: typeof first, path: string, more: object = {}, agent = 'Firefox/132.0') =>
    fetch(`${server.url}/e`, {
      method: 'POST',
      headers: { 'user-agent': `Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 ${agent}` },
      body: JSON.stringify({ s: site!.publicKey, u: `https://site1.example${path}`, ...more }),
    });
  definitions(server.db).set(first!.id, 'goal', 'unreadable', { conditions: 'gone=1', value: null }, 0);
  // What changed counts from then on.
  await fetch(`${server.url}/metrics/sites`);
  await post(first, '/docs/a');
  await post(first, '/docs/old');
  await post(first, '/', { t: 'custom', n: 'Signup' }, 'Firefox/131.0');
  await post(first, '/', { t: 'duration', d: 1000 });
  await post(third, '/');
  const traffic = async () => parse(await (await fetch(`${server.url}/metrics/sites`)).text());
  const of = (metrics: Map<string, number>, name: string, site: number, label = '') =>
    metrics.get(`${name}{site="site${site}.example",account="default"${label}}`);
  const before = await traffic();
  const conversions = (metrics: Map<string, number>, goal: string) =>
    of(metrics, 'daybook_site_conversions_total', 1, `,goal="${goal}"`);
  assert.equal(
    ['pageview', 'custom', 'revenue'].map(type => of(before, 'daybook_site_hits_total', 1, `,type="${type}"`)),
    [2, 1, 0],
  );
  assert.equal([conversions(before, 'Docs'), conversions(before, 'of visits')], [2, undefined]);
  assert.is([...before.keys()].filter(name => name.includes('a \\"quoted')).length, 1);
  assert.equal(
    [1, 2, 3].map(site => of(before, 'daybook_site_visitors', site)),
    [2, 0, undefined],
  );
  assert.is(before.get('daybook_sites'), 3);
  clock += 3 * minuteMs;
  await post(first, '/');
  clock += 3 * minuteMs;
  assert.is(of(await traffic(), 'daybook_site_visitors', 1), 1);
  sites(server.db).remove(second!.id);
  assert.is(of(await traffic(), 'daybook_site_hits_total', 3, ',type="pageview"'), 0, 'it is told of from now on');
  await server.close();
});

test('metrics count mail where a server sends it', async () => {
  const smtp = await startSmtp();
  const env = { SMTP_URL: `smtp://127.0.0.1:${smtp.server.port}` };
  const server = await startTestServer({ env, flags: { 'mail-from': 'a@b.example', 'smtp-tls': 'none' } });
  try {
    const message = { kind: 'mail', accountId: null, target: 'ada@a.example', body: { subject: 'A', text: 'B' } };
    outboxStore(server.db).add({ key: 'test', ...message }, Date.now());
    const count = async (name: string) => parse(await (await read(server.url)).text()).get(name);
    for (let i = 0; i < 3000 && (await count('daybook_mail_sent_total')) !== 1; i++) await wait(20);
    const names = ['sent_total', 'failed_total', 'waiting', 'failing'].map(name => `daybook_mail_${name}`);
    assert.equal(await Promise.all(names.map(count)), [1, 0, 0, 0]);
    assert.is(smtp.mails.length, 1, 'what another process wrote is found');
  } finally {
    await server.close();
    await smtp.close();
  }
});

test('a clock that was ahead and is right again is in the metrics and in the log', async () => {
  const logged: string[] = [];
  let aheadMs = 3 * dayMs;
  const server = await startTestServer({ now: () => Date.now() + aheadMs, log: event => void logged.push(event) });
  const ahead = async () => parse(await (await read(server.url)).text()).get('daybook_hits_ahead_seconds')!;
  // The day began with it a moment ago.
  assert.ok((await ahead()) < 1);
  aheadMs = 0;
  assert.ok((await ahead()) > 2 * 86_400);
  assert.ok(logged.includes('clock-behind'));
  await server.close();
});

test('metrics are for programs on this machine alone, and not behind a proxy', async () => {
  const server = await startTestServer();
  assert.is((await read(server.url)).status, 200);
  for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
    const answer = await read(server.url, { [header]: '127.0.0.1' });
    assert.equal([answer.status, await answer.text()], [404, '{"error":"not found"}'], header);
  }
  await server.close();
});

test('metrics are not for pages that reach this machine under a name of their own', async () => {
  const server = await startTestServer();
  const { port } = new URL(server.url);
  const status = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const options = { port, path: '/metrics', headers: { host }, setHost: false };
      get(options, answer => resolve(answer.resume().statusCode)).on('error', reject);
    });
  for (const host of [`localhost:${port}`, '127.0.0.1', `127.1.2.3:${port}`, `[::1]:${port}`, 'LOCALHOST'])
    assert.is(await status(host), 200, host);
  for (const host of [`evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example', '0.0.0.0', ''])
    assert.is(await status(host), 404, host);
  await server.close();
});

test('a token opens the metrics to its holder anywhere', async () => {
  const server = await startTestServer({ flags: { 'metrics-token': 's3cret' } });
  assert.is((await read(server.url)).status, 404);
  assert.is((await read(server.url, { authorization: 'Bearer other' })).status, 404);
  const headers = { authorization: 'bearer s3cret', 'x-forwarded-for': '203.0.113.9' };
  assert.is((await read(server.url, headers)).status, 200);
  await server.close();
});

test('a histogram counts each observation once, under every bound it does not exceed', () => {
  const histogram = new Histogram();
  for (const seconds of [0, 0.0005, 0.0006, 0.3, 60]) histogram.observe(seconds);
  const buckets = new Map(histogram.buckets());
  assert.equal([buckets.get(0.0005), buckets.get(0.001), buckets.get(0.5), buckets.get(10)], [2, 3, 4, 4]);
  assert.equal([histogram.count, histogram.sum], [5, 60.3011]);
});

test('a proxy that says nothing of its clients, as nginx does by default, reads no metrics', async () => {
  const server = await startTestServer();
  const { port } = new URL(server.url);
  const first = async (version: string): Promise<string> => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /metrics HTTP/${version}\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    const [chunk] = await once(socket, 'data');
    socket.destroy();
    return String(chunk).split('\r\n')[0]!;
  };
  assert.is(await first('1.1'), 'HTTP/1.1 200 OK');
  assert.is(await first('1.0'), 'HTTP/1.1 404 Not Found');
  await server.close();
});

test.run();
