/** Notes on days of a site: read by those who may, written by programs with a key. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { teamGrant } from '../../src/model/grant.ts';
import { noteTextCharsMax } from '../../src/model/notes.ts';
import { noteOutage, notes, noteZone } from '../../src/store/notes.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite } from '../helpers.ts';
import { addAccount, addShop, key, now, startApi } from './fixture.ts';

const account = { id: 1, uuid: 'a', name: 'default', plan: 'unlimited', createdAt: 0, secondFactor: false } as const;
const cookie = { cookie: 'signed-in' };
const api = await startApi({
  authenticators: [
    ({ headers }) =>
      headers.cookie === cookie.cookie
        ? { account, grants: [teamGrant(account, { role: 'owner', sites: null, hidden: [] })], byKey: false }
        : undefined,
  ],
});
const shop = addShop(api.db);
const path = `/api/ext/sites/${shop.uuid}/notes`;
const send = async (method: string, at: string, body?: unknown, headers: Record<string, string> = {}) => {
  const authorization = headers.cookie === undefined ? { authorization: `Bearer ${key}` } : {};
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(api.base + at, {
    method,
    headers: { ...authorization, ...headers },
    ...(body !== undefined && { body: sent }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const listed = async (query = 'range=30d') =>
  (await api.get(`${path}?${query}`)).body.data.map(({ date, kind, text }: Record<string, string>) => [
    date,
    kind,
    text,
  ]);

test('a note is written, listed within its days, changed and removed', async () => {
  const { status, body } = await send('POST', path, { date: '2026-11-18', text: '  New\nprices ' });
  assert.is(status, 200);
  assert.equal(Object.keys(body), ['id', 'date', 'kind', 'text', 'createdAt']);
  assert.is((await send('POST', path, { date: '2026-10-01', text: 'Old' })).status, 200);
  assert.equal(await listed(), [['2026-11-18', 'person', 'New prices']]);
  assert.equal(await listed('from=2026-11-18&to=2026-11-18'), [['2026-11-18', 'person', 'New prices']]);
  assert.equal(await listed('from=2026-11-19&to=2026-11-19'), []);

  assert.is((await send('POST', `${path}/${body.id}`, { date: '2026-11-17', text: 'Newer prices' })).status, 200);
  assert.equal(await listed('range=7d'), [['2026-11-17', 'person', 'Newer prices']]);
  const exported = await api.get(`/api/export/${shop.uuid}?range=7d`);
  assert.match(exported.text, '\n# Filters: none\n# Note: 2026-11-17 Newer prices\nSection,');

  assert.equal(await send('DELETE', `${path}/${body.id}`), { status: 200, body: { done: true } });
  assert.equal(await listed('range=7d'), []);
  assert.equal(await send('DELETE', `${path}/${body.id}`), { status: 404, body: { error: 'no such note' } });
});

test('what is no note is refused, with the field that is wrong', async () => {
  const rows: [body: unknown, status: number, field: unknown][] = [
    [{ date: '2026-02-30', text: 'a' }, 400, 'date'],
    [{ date: 'today', text: 'a' }, 400, 'date'],
    [{ text: 'a' }, 400, 'date'],
    [{ date: '2026-11-20', text: ' \n ' }, 400, 'text'],
    [{ date: '2026-11-20', text: 7 }, 400, 'text'],
    [{ date: '2026-11-20', text: 'a'.repeat(noteTextCharsMax + 1) }, 400, 'text'],
    [[], 400, undefined],
    ['{', 400, undefined],
    [{ date: '2026-11-20', text: 'a'.repeat(70_000) }, 413, undefined],
  ];
  for (const [body, status, field] of rows) {
    const got = await send('POST', path, body);
    assert.equal([got.status, got.body.field], [status, field], JSON.stringify(body).slice(0, 60));
  }
  assert.is((await send('POST', path, { date: '2026-11-20', text: 'a'.repeat(noteTextCharsMax) })).status, 200);
  assert.is((await send('PUT', path, {})).status, 405);
});

test('only a key of the site’s account writes', async () => {
  const note = { date: '2026-11-20', text: 'x' };
  assert.is((await send('POST', path, note, cookie)).status, 403);
  assert.is((await send('POST', path, note, { authorization: 'Bearer none' })).status, 401);
  const others = addSite(api.db, {
    accountId: addAccount(api.db, 'others', 'pro', `tk_live_${'o'.repeat(32)}`),
    domain: 'others.example',
  });
  assert.is((await send('POST', `/api/ext/sites/${others.uuid}/notes`, note)).status, 404);
  const id = notes(api.db).add(others.id, 'person', '2026-11-20', 'theirs', now)!.id;
  assert.is((await send('DELETE', `${path}/${id}`)).status, 404);
  assert.is((await send('POST', `${path}/${id}`, note)).status, 404);
  assert.equal(
    notes(api.db)
      .list(others.id)
      .map(({ text }) => text),
    ['theirs'],
  );
});

test('an outage and another time zone are noted on the site’s days, and nobody rewrites them', async () => {
  const table = notes(api.db);
  const all = sites(api.db).list();
  const site = all.find(({ id }) => id === shop.id)!;
  noteOutage(
    table,
    [{ ...site, timezone: 'Europe/Berlin' }],
    Date.UTC(2026, 10, 14, 22),
    Date.UTC(2026, 10, 14, 22, 40),
  );
  noteOutage(table, [{ ...site, timezone: 'Europe/Berlin' }], Date.UTC(2026, 10, 15, 22), Date.UTC(2026, 10, 16, 6));
  noteOutage(table, [{ ...site, createdAt: now + 1 }], now, now + 1);
  noteZone(table, site, { ...site, timezone: 'Asia/Tokyo' }, Date.UTC(2026, 10, 16, 20));
  noteZone(table, site, site, now);
  assert.equal(await listed('from=2026-11-14&to=2026-11-17'), [
    ['2026-11-14', 'outage', '23:00 – 23:40'],
    ['2026-11-15', 'outage', '2026-11-15 23:00 – 2026-11-16 07:00'],
    ['2026-11-17', 'zone', `${site.timezone} → Asia/Tokyo`],
  ]);
  const { id } = table.list(shop.id).find(({ kind }) => kind === 'zone')!;
  assert.is((await send('POST', `${path}/${id}`, { date: '2026-11-20', text: 'x' })).status, 404);
  assert.is((await send('DELETE', `${path}/${id}`)).status, 200);
});

test('a reset of a site keeps its notes', () => {
  const site = addSite(api.db, { domain: 'again.example' });
  notes(api.db).add(site.id, 'person', '2026-11-20', 'kept', now);
  sites(api.db).reset(site.id);
  const { id } = sites(api.db)
    .list()
    .find(({ domain }) => domain === 'again.example')!;
  assert.is.not(id, site.id);
  assert.is(notes(api.db).list(id).length, 1);
});

test.after(() => api.close());
test.run();
