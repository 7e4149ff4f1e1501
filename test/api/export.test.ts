import { request as httpRequest } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exportSections } from '../../src/model/dimensions.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { rates } from '../../src/store/rates.ts';
import { addSite } from '../helpers.ts';
import { addShop, key, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const get = (query: string, id = shop.uuid) => api.get(`/api/export/${id}?${query}`);

test('the export has the summary, the series and every breakdown', async () => {
  const { status, headers, text } = await get('range=7d');
  assert.is(status, 200);
  assert.is(headers['content-type'], 'text/csv; charset=utf-8');
  assert.is(headers['content-disposition'], 'attachment; filename="shop.example-7d-2026-11-20.csv"');
  assert.is(headers['cache-control'], 'no-store');
  assert.fixture(
    text,
    `# Site: shop.example, Range: Last 7 days, Timezone: Europe/Berlin
# Filters: none
Section,Name,Value
Summary,Unique visitors,5
Summary,Pageviews,8
Summary,Visits,6
Summary,Bounces,4
Summary,Bounce rate %,66.67
Summary,Avg visit seconds,34.17
Summary,Views per visit,1.33
Summary,Revenue EUR,49.00
Series,2026-11-14T00:00:00,0
Series,2026-11-15T00:00:00,0
Series,2026-11-16T00:00:00,0
Series,2026-11-17T00:00:00,0
Series,2026-11-18T00:00:00,2
Series,2026-11-19T00:00:00,1
Series,2026-11-20T00:00:00,3
Series pageviews,2026-11-14T00:00:00,0
Series pageviews,2026-11-15T00:00:00,0
Series pageviews,2026-11-16T00:00:00,0
Series pageviews,2026-11-17T00:00:00,0
Series pageviews,2026-11-18T00:00:00,3
Series pageviews,2026-11-19T00:00:00,2
Series pageviews,2026-11-20T00:00:00,3
Page,/,3
Page,/blog,3
Page,/pricing,2
Entry page,/,3
Entry page,/blog,2
Entry page,/pricing,1
Exit page,/blog,3
Exit page,/pricing,2
Exit page,/,1
Referrer,Direct / none,3
Referrer,google.com,1
Referrer,'=cmd.example,1
UTM source,newsletter,1
UTM medium,email,1
Campaign,november,1
Country,DE,3
Country,FR,2
Region,Land Berlin,3
Region,Île-de-France,2
City,Berlin,3
City,Paris,2
Language,de-DE,3
Language,fr-FR,2
Browser,Chrome,3
Browser,Mobile Safari,2
OS,Windows,3
OS,iOS,2
Device,desktop,3
Device,mobile,2
Screen,1280-1535,3
Screen,<480,2
Event,Signup,2
Event,'=1+1,1
Event,https://partner.example/,1
`,
  );
});

test('mode=breakdown is accepted', async () => {
  assert.is((await get('range=7d&mode=breakdown')).text, (await get('range=7d')).text);
  const { status, body } = await get('mode=breakdown&mode=sessions');
  assert.equal([status, body], [400, { error: 'repeated parameter', parameter: 'mode' }]);
});

test('filters are named in the file and applied', async () => {
  const { text } = await get('from=2026-11-20&to=2026-11-20&country=DE&path*=blog&path*=PRI&title!=a%0Ab,%3Dcmd()');
  assert.equal(text.split('\n').slice(0, 6), [
    '# Site: shop.example, Range: 2026-11-20, Timezone: Europe/Berlin',
    "# Filters: country=DE; path*=blog; path*=PRI; title!=a b,'=cmd()",
    'Section,Name,Value',
    'Summary,Unique visitors,2',
    'Summary,Pageviews,2',
    'Summary,Visits,2',
  ]);
});

test('raw leaves cells as they are', async () => {
  const { text } = await get('range=7d&raw=1');
  assert.ok(text.includes('\nReferrer,=cmd.example,1\n'));
  assert.ok(text.includes('\nEvent,=1+1,1\n'));
});

test('custom dates stand in the file name, and a hostile domain does not', async () => {
  const { headers } = await get('from=2026-11-01&to=2026-11-20');
  assert.is(headers['content-disposition'], 'attachment; filename="shop.example-2026-11-01_2026-11-20-2026-11-20.csv"');
  const site = addSite(api.db, { domain: 'a"b\r\nx: y/é' });
  assert.is(
    (await get('range=all', site.uuid)).headers['content-disposition'],
    'attachment; filename="a_b__x__y__-all-2026-11-20.csv"',
  );
});

test('a section has at most 500 rows, and values are quoted', async () => {
  const site = addSite(api.db);
  const hits = Array.from({ length: 501 }, (_, i) => ({ path: `/"${i}",\n` }));
  record(api.db, site, [{ began: '2026-11-19T10:00:00Z', by: 1, hits }]);
  const { text } = await get('range=7d', site.uuid);
  assert.is(text.split('\nPage,"/""').length - 1, 500);
  assert.ok(text.includes('\nPage,"/""0"",\n",1\n'));
});

test('amounts have the digits of their currency', async () => {
  const site = addSite(api.db, { currency: 'JPY' });
  record(api.db, site, [
    {
      began: '2026-11-19T10:00:00Z',
      by: 1,
      hits: [{ type: 'revenue', event: 'Buy', revenue: { amount: 1200, currency: 'JPY' } }],
    },
  ]);
  assert.ok((await get('range=7d', site.uuid)).text.includes('\nSummary,Revenue JPY,1200\n'));
});

test('the sixteen sections are in order', async () => {
  const { text } = await get('range=all');
  const sections = text
    .split('\n')
    .slice(3, -1)
    .map(line => line.slice(0, line.indexOf(',')));
  assert.equal([...new Set(sections)].slice(3), [
    'Page',
    'Entry page',
    'Exit page',
    'Referrer',
    'UTM source',
    'UTM medium',
    'Campaign',
    'Country',
    'Region',
    'City',
    'Language',
    'Browser',
    'OS',
    'Device',
    'Screen',
    'Event',
  ]);
  assert.is(exportSections.length, 16);
});

test('the plan limits the export too', async () => {
  accounts(api.db).setPlan(shop.accountId, 'hobby');
  api.setNow(Date.parse('2026-12-18T11:00:00Z'));
  const { text } = await get('range=90d');
  const series = text.split('\n').filter(line => line.startsWith('Series,'));
  assert.is(series.length, 30);
  assert.is(series[0], 'Series,2026-11-19T00:00:00,1');
  api.setNow(Date.parse('2026-11-20T13:30:00Z'));
  accounts(api.db).setPlan(shop.accountId, 'unlimited');
});

const header =
  'Started,Ended,Visitor,Identified,Entry,Exit,Referrer,UTM source,Campaign,Country,Region,City,Language,Browser,OS,Device,Screen,Pageviews,Events,Bounce,Seconds,Revenue,Session id';

const sessions = async (query: string): Promise<string[]> => (await get(`mode=sessions&${query}`)).text.split('\n');

test('sessions mode has one row per visit, latest first', async () => {
  const { headers, text } = await get('mode=sessions&range=7d');
  assert.is(headers['content-type'], 'text/csv; charset=utf-8');
  assert.is(headers['content-disposition'], 'attachment; filename="shop.example-visits-7d-2026-11-20.csv"');
  const withoutIds = text.replace(/[^,\n]*$/gm, '');
  const ofDesktop = 'DE,Land Berlin,Berlin,de-DE,Chrome,Windows,desktop,1440x900';
  const ofPhone = 'FR,Île-de-France,Paris,fr-FR,Mobile Safari,iOS,mobile,390x844';
  assert.fixture(
    withoutIds,
    `${header.replace('Session id', '')}
2026-11-20T13:28:30.000Z,2026-11-20T13:28:30.000Z,0000000000000006,,/blog,/blog,,,,${ofDesktop},1,0,yes,0,0.00,
2026-11-20T13:20:00.000Z,2026-11-20T13:20:15.000Z,0000000000000005,,/,/,'=cmd.example,,,${ofPhone},1,1,yes,15,0.00,
2026-11-20T08:00:00.000Z,2026-11-20T08:00:50.000Z,0000000000000064,,/pricing,/pricing,,,,${ofDesktop},1,2,yes,50,0.00,
2026-11-19T09:00:00.000Z,2026-11-19T09:00:20.000Z,0000000000000064,,/,/blog,,newsletter,november,${ofDesktop},2,1,no,20,0.00,
2026-11-18T11:00:00.000Z,2026-11-18T11:00:00.000Z,0000000000000002,,/blog,/blog,,,,${ofPhone},1,0,yes,0,0.00,
2026-11-18T10:00:00.000Z,2026-11-18T10:02:00.000Z,0000000000000001,ada@example.com,/,/pricing,google.com,,,${ofDesktop},2,2,no,120,49.00,
`,
  );
  const ids = text
    .split('\n')
    .slice(1, -1)
    .map(line => line.slice(line.lastIndexOf(',') + 1));
  assert.is(new Set(ids).size, 6);
  assert.not.ok(ids.includes(''));
});

test('visits are sorted, chosen and searched as on the screen', async () => {
  const starts = async (query: string): Promise<string[]> =>
    (await sessions(`range=7d&${query}`)).slice(1, -1).map(line => line.slice(5, 16));
  const all = ['11-20T13:28', '11-20T13:20', '11-20T08:00', '11-19T09:00', '11-18T11:00', '11-18T10:00'];
  assert.equal(await starts(''), all);
  assert.equal(await starts('dir=asc'), all.toReversed());
  assert.equal((await starts('sort=duration'))[0], '11-18T10:00');
  assert.equal((await starts('sort=events')).slice(0, 2).sort(), ['11-18T10:00', '11-20T08:00']);
  assert.equal((await starts('sort=pageviews')).slice(0, 2).sort(), ['11-18T10:00', '11-19T09:00']);
  assert.equal((await starts('sort=revenue'))[0], '11-18T10:00');
  assert.equal(await starts('converted=1'), ['11-20T13:20', '11-20T08:00', '11-18T10:00']);
  assert.equal(await starts('bounced=1'), ['11-20T13:28', '11-20T13:20', '11-20T08:00', '11-18T11:00']);
  assert.equal(await starts('paid=1'), ['11-20T08:00', '11-18T10:00']);
  assert.equal(await starts('returning=1'), ['11-20T08:00']);
  assert.equal(await starts('returning=0'), all);
  assert.equal(await starts('q=ADA@'), ['11-18T10:00']);
  assert.equal(await starts('q=paris&bounced=1'), ['11-20T13:20', '11-18T11:00']);
  assert.equal(await starts('q=nobody'), []);
  assert.equal(await starts('country=FR'), ['11-20T13:20', '11-18T11:00']);
  assert.equal(await starts('event=Signup'), ['11-20T08:00', '11-18T10:00']);
});

test('the revenue of a visit is converted into the site’s currency', async () => {
  rates(api.db).set({ source: 'USD', target: 'EUR', rate: 0.92 });
  const [, paid] = await sessions('range=today&paid=1');
  assert.is(paid?.split(',')[21], '9.20');
});

test('text cells of a visit are guarded against formulas, numbers are not', async () => {
  const [, guarded] = await sessions('range=7d&referrer==cmd.example');
  assert.ok(guarded?.includes(",'=cmd.example,"));
  const [, raw] = await sessions('range=7d&referrer==cmd.example&raw=1');
  assert.ok(raw?.includes(',=cmd.example,'));
});

test('at most 5,000 visits are written, as fast as the client reads', async () => {
  const site = addSite(api.db);
  const title = 'x'.repeat(400);
  record(
    api.db,
    site,
    Array.from({ length: 5001 }, (_, i) => ({
      began: new Date(Date.parse('2026-11-19T00:00:00Z') + i * 1000).toISOString(),
      by: i + 1,
      utmCampaign: title,
      hits: [{ path: `/${i}` }],
    })),
  );
  const lines = await new Promise<string[]>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const sent = httpRequest(
      `${api.base}/api/export/${site.uuid}?mode=sessions&range=7d`,
      { headers },
      async response => {
        // A reader that is in no hurry: other requests are answered meanwhile.
        response.pause();
        assert.is((await get('range=7d')).status, 200);
        let text = '';
        for await (const piece of response) text += piece;
        resolve(text.split('\n'));
      },
    );
    sent.on('error', reject).end();
  });
  assert.is(lines.length, 5002);
  assert.is(lines[0], header);
  assert.ok(lines[1]?.includes(',/5000,'));
  assert.is(lines.at(-1), '');
});

test('a client that stops reading leaves nothing behind', async () => {
  const large = api.db.prepare('select uuid from site order by id desc limit 1').pluck().get();
  await new Promise<void>(resolve => {
    const headers = { authorization: `Bearer ${key}` };
    const sent = httpRequest(`${api.base}/api/export/${large}?mode=sessions&range=7d`, { headers }, response => {
      response.once('data', () => {
        response.destroy();
        resolve();
      });
    });
    sent.end();
  });
  assert.is((await get('range=7d')).status, 200);
  assert.equal(api.logged, []);
});

test.after(() => api.close());
test.run();
