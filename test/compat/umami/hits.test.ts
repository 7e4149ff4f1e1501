/** Umami's hits from a server that shows an API key: it says whom it sends for, and when. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chrome, noon } from '../../collect/start-collector.ts';
import { startClient } from '../client.ts';

const website = '0a4f2d4e-6a63-4c8a-9a3e-0123456789ab';
const { collector, key, send, taken } = await startClient({ domain: 'example.com', aliases: [website] });
test.after(() => collector.close());

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const hit = (told: Record<string, unknown>): object => ({
  type: 'event',
  payload: { website, hostname: 'example.com', url: '/a', ...told },
});

const hits = async (all: Record<string, unknown>[], headers: Record<string, string>, path = '/api/send') => {
  const bodies = path === '/api/batch' ? [all.map(hit)] : all.map(hit);
  for (const body of bodies) assert.is((await send(path, body, headers)).status, path === '/api/batch' ? 200 : 202);
  return taken();
};

for (const path of ['/api/send', '/api/batch'])
  test(`${path}: address, user agent, time and id are those that the server tells`, async () => {
    const headers = { authorization: `Bearer ${key}` };
    const ann = { ip: '192.0.2.1', userAgent: firefox };
    const told = [
      { ...ann, timestamp: noon / 1000 - 600 },
      ann,
      { ...ann, ip: '192.0.2.2' },
      { ip: '192.0.2.3', userAgent: chrome, id: 'u1' },
      { ip: '192.0.2.4', userAgent: chrome, id: 'u1' },
    ];
    const [early, late, ben, here, there] = await hits(told, headers, path);
    assert.equal([early!.at, late!.at], [noon - 600_000, noon]);
    assert.equal([early!.browser, here!.browser], ['Firefox', 'Chrome']);
    assert.equal([early!.visit_id === late!.visit_id, late!.visit_id === ben!.visit_id], [true, false]);
    assert.equal([here!.visit_id === there!.visit_id, here!.visit_id === ben!.visit_id], [true, false]);
  });

test('a server may leave out the page and its host', async () => {
  const domainless = (payload: object, type = 'event') => send('/api/send', { type, payload: { website, ...payload } });
  const statuses: number[] = [];
  for (const payload of [
    { url: '/home' },
    { url: '/home', title: 'Home', name: 'button-click', data: { color: 'red' } },
    { name: 'signup', data: { plan: 'pro' } },
  ])
    statuses.push((await domainless(payload)).status);
  statuses.push((await domainless({ session: 7, data: { attribute: '11.23' } }, 'identify')).status);
  assert.equal(statuses, [202, 202, 202, 202]);
  assert.equal(
    taken().map(({ type, hostname, path, event }) => [type, hostname, path, event]),
    [
      ['pageview', 'example.com', '/home', null],
      ['custom', 'example.com', '/home', 'button-click'],
      ['custom', 'example.com', '/', 'signup'],
      ['identify', null, null, null],
    ],
  );
  const stranger = '00000000-6a63-4c8a-9a3e-0123456789ab';
  for (const [payload, status] of [
    [{ url: 'ftp://example.com/' }, 400],
    [{ url: 7 }, 400],
    [{ url: '/home', website: stranger }, 404],
  ] as const)
    assert.is((await domainless(payload)).status, status, JSON.stringify(payload));
  taken();
});

test('what is no such value is not heard', async () => {
  const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '198.51.100.7' };
  const [plain, ...others] = await hits(
    [{}, { ip: 1, userAgent: null, timestamp: 'now', id: {} }, { ip: '', userAgent: '', timestamp: -1, id: '' }],
    headers,
  );
  for (const other of others)
    assert.equal([other.visit_id, other.at, other.browser], [plain!.visit_id, noon, plain!.browser]);
});

test('a hit that is older than a visit may be silent is refused, and one of a crawler is none', async () => {
  const headers = { authorization: `Bearer ${key}` };
  const old = await send('/api/send', hit({ timestamp: noon / 1000 - 1801 }), headers);
  assert.match(old.headers['x-daybook'] ?? '', /too-old/);
  await send('/api/send', hit({ userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' }), headers);
  assert.equal(taken(), []);
});

test.run();
