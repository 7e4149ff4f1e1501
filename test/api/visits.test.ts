import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addSite } from '../helpers.ts';
import { addShop, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const get = (query: string, id = shop.uuid) => api.get(`/api/ext/sites/${id}/visits?${query}`);

interface Row {
  id: string;
  started: string;
}

test('a visit has all its fields', async () => {
  const { body } = await get('range=7d&q=ada@');
  assert.equal(body, {
    data: [
      {
        id: '20775-0000000000000001-1794996000000',
        started: '2026-11-18T10:00:00.000Z',
        ended: '2026-11-18T10:02:00.000Z',
        seconds: 120,
        visitor: '0000000000000001',
        identified: 'ada@example.com',
        entryPath: '/',
        exitPath: '/pricing',
        referrer: 'google.com',
        utmSource: null,
        utmCampaign: null,
        country: 'DE',
        region: 'Land Berlin',
        city: 'Berlin',
        language: 'de-DE',
        browser: 'Chrome',
        os: 'Windows',
        device: 'desktop',
        screen: '1440x900',
        pageviews: 2,
        events: 2,
        bounce: false,
        returning: false,
        revenue: 4900,
      },
    ],
    next: null,
  });
  const [foreign] = (await get('range=today&paid=1')).body.data;
  assert.equal([foreign.revenue, foreign.otherRevenue, foreign.returning], [0, { USD: 1000 }, true]);
});

test('a search finds paths as they are read, and as they are stored', async () => {
  const site = addSite(api.db);
  const visit = (path: string, by: number) => ({ began: '2026-11-18T10:00:00Z', by, hits: [{ path, after: 0 }] });
  const paths = ['/caf%C3%A9', '/%D9%85%D8%B1%D8%AD%D8%A8%D8%A7', '/%F0%9F%A6%8A/menu', '/menu'];
  record(
    api.db,
    site,
    paths.map((path, i) => visit(path, i + 1)),
  );
  const found = async (q: string): Promise<string[]> => {
    const { body } = await get(new URLSearchParams({ range: '7d', q }).toString(), site.uuid);
    return body.data.map(({ entryPath }: { entryPath: string }) => entryPath).sort();
  };
  assert.equal(await found('CAFÉ'), [paths[0]]);
  assert.equal(await found('رحب'), [paths[1]]);
  assert.equal(await found('🦊/m'), [paths[2]]);
  assert.equal(await found('%c3%a9'), [paths[0]]);
  assert.equal(await found('menu'), [paths[2], paths[3]]);
});

test('pages follow each other and hold each visit once, in every order', async () => {
  const site = addSite(api.db);
  record(
    api.db,
    site,
    Array.from({ length: 60 }, (_, i) => ({
      began: `2026-11-1${5 + (i % 5)}T0${i % 3}:00:00Z`,
      by: i + 1,
      hits: Array.from({ length: 1 + (i % 4) }, (_, place) => ({ path: `/${place}`, after: place * (i % 5) })),
    })),
  );
  const all: Row[] = (await get('range=30d&limit=500', site.uuid)).body.data;
  assert.is(all.length, 60);
  for (const sort of ['started', 'duration', 'pageviews', 'events', 'revenue']) {
    for (const dir of ['asc', 'desc']) {
      const query = `range=30d&sort=${sort}&dir=${dir}`;
      const whole: Row[] = (await get(`${query}&limit=500`, site.uuid)).body.data;
      const paged: Row[] = [];
      let cursor = '';
      let pages = 0;
      do {
        const { body } = await get(`${query}&limit=13${cursor}`, site.uuid);
        paged.push(...body.data);
        cursor = body.next === null ? '' : `&cursor=${body.next}`;
        pages++;
      } while (cursor !== '');
      assert.is(pages, 5, query);
      assert.equal(paged, whole, query);
      assert.is(new Set(paged.map(row => row.id)).size, 60, query);
    }
  }
});

test('a page has 50 visits by default and at most 500', async () => {
  const site = addSite(api.db);
  record(
    api.db,
    site,
    Array.from({ length: 501 }, (_, i) => ({ began: '2026-11-19T10:00:00Z', by: i + 1, hits: [{ path: '/' }] })),
  );
  const lengths: [string, number, boolean][] = [
    ['', 50, true],
    ['limit=0', 1, true],
    ['limit=500', 500, true],
    ['limit=9999', 500, true],
    ['limit=x', 50, true],
  ];
  for (const [query, want, more] of lengths) {
    const { body } = await get(`range=7d&${query}`, site.uuid);
    assert.is(body.data.length, want, query);
    assert.is(body.next !== null, more, query);
  }
});

test('a foreign cursor is refused', async () => {
  for (const cursor of [
    '',
    'x',
    '%00',
    Buffer.from('1').toString('base64url'),
    Buffer.from('a b').toString('base64url'),
  ]) {
    const { status, body } = await get(`cursor=${cursor}`);
    assert.is(status, 400, cursor);
    assert.equal(body, { error: 'bad cursor', parameter: 'cursor' });
  }
});

test.after(() => api.close());
test.run();
