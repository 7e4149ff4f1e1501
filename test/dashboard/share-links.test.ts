/** Links to public pages: each with its own segment, password, end and parts, whatever is asked of it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apiRoutes } from '../../src/api/routes.ts';
import { sharesMax } from '../../src/model/limits.ts';
import { publicPartNames } from '../../src/model/public-parts.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { definitions } from '../../src/store/definitions.ts';
import { provisioned } from '../../src/store/provisioned.ts';
import { shares } from '../../src/store/shares.ts';
import { now, record, shopVisits } from '../api/fixture.ts';
import { repeat } from '../repeat.ts';
import { type Browser, berlin, makePublic, type PublicLink, startDashboard, stateOf } from './helpers.ts';

const withSite = async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  return { dashboard, browser, id, shares: `/app/sites/${id}/shares` };
};

/** What is asked of each endpoint; an empty one where it needs nothing. */
const asks: Readonly<Record<string, readonly string[]>> = {
  funnel: ['step=path%3D/&step=event%3DSignup', 'step=path%3D/&scope=visitor', 'step=path%3D/&by=country'],
  table: ['', 'dimension=country&metrics=visitors,visits,revenue', 'dimension=path&metrics=entries&sort=entries'],
  journey: ['', 'show=all', 'anchor=path%3D/', 'direction=before&anchor=path%3D/pricing'],
  breakdown: ['', 'dimension=browser', 'dimension=event', 'dimension=prop:plan'],
  events: ['', 'event=Signup&series=1', 'event=Signup&property=plan'],
  goals: ['', 'conditions=event%3DSignup'],
  explain: ['metric=visitors', 'metric=revenue'],
  hits: ['visit=x'],
  visitor: ['visitor=0000000000000001'],
  '': ['', 'mode=table&dimension=device&metrics=visitors', 'mode=funnel&step=path%3D/', 'mode=sessions'],
  answers: ['ask=stats&ask=ext/goals&ask=ext/vitals&ask=stats%3Fdevice%3Ddesktop'],
};

/** Of the asker: none, some of their own, and those that would take the segment off. */
const filters = [
  '',
  'path=/',
  'country=DE',
  'device=desktop',
  'segment=Phones',
  'segment!=Phones',
  'visit:event=Signup',
];

const ranges = ['range=7d', 'range=all', 'range=today&compare=year'];

/** What tells of single visits, and what is counted besides hits. */
const neverOfSegment = /^(visits|visitor|hits|latest-hits|vitals|crawlers|outcomes|members)$/;

test('what a file sets of a link is locked, and the rest is free', async () => {
  const { dashboard, browser, id, shares } = await withSite();
  const [link] = (await browser.post(shares, { name: 'board', parts: ['events'] })).json.data;
  const row = { kind: 'shares', owner: id, key: ['board'], fields: ['name', 'parts'], isMade: true, file: 'x.yaml' };
  provisioned(dashboard.db).replace([row]);
  const { status, json } = await browser.post(`${shares}/${link.id}`, { parts: [] });
  assert.equal([status, json.error], [409, 'This is set in x.yaml.']);
  assert.is((await browser.post(`${shares}/${link.id}`, { name: 'other' })).status, 409);
  assert.is((await browser.post(`${shares}/${link.id}/remove`)).status, 409);
  assert.is((await browser.post(`${shares}/${link.id}`, { parts: ['events'], expires: '2027-01-31' })).status, 200);
  provisioned(dashboard.db).replace([{ ...row, fields: ['name', 'expires', 'password'] }]);
  assert.is((await browser.post(`${shares}/${link.id}`, { parts: [] })).status, 200);
  assert.is((await browser.post(`${shares}/${link.id}`, { expires: '2027-02-01' })).status, 409);
  assert.is((await browser.post(`${shares}/${link.id}`, { password: 'correct horse' })).status, 409);
});

test('a link of a segment answers every question as if the site had no other hits', async () => {
  const { dashboard, browser, id } = await withSite();
  dashboard.clock.now = now;
  const few = (await browser.post('/app/sites', { domain: 'b.example', ...berlin })).json.id as string;
  const phones = shopVisits.filter(({ device }) => device === 'mobile');
  const links: PublicLink[] = [];
  for (const [site, visits] of [
    [id, shopVisits],
    [few, phones],
  ] as const) {
    record(dashboard.db, dashboard.directory.find(site)!, visits);
    const define = `/app/sites/${site}/definitions`;
    await browser.post(define, { kind: 'segment', name: 'Phones', filters: 'device=mobile' });
    // Its name is nobody's business.
    if (site === id) await browser.post(define, { kind: 'segment', name: 'Another client', filters: 'utmSource=b' });
    await browser.post(define, { kind: 'goal', name: 'Signup', conditions: 'event=Signup', value: '2500' });
    const segment = site === id ? { segment: 'Phones' } : {};
    links.push(await makePublic(browser, site, { parts: publicPartNames, ...segment }));
  }
  const stranger = dashboard.browser();
  const ask = (site: string, { token }: PublicLink, path: string) =>
    stranger.get(path.replace(':id', site), { authorization: `Share ${token}` });
  const same = (text: string): string => text.replaceAll(few, id).replaceAll('b.example', 'a.example');

  const answered = new Set<string>();
  for (const { path, method } of apiRoutes.filter(({ path, method }) => path.includes(':id') && method === 'GET')) {
    const name = path.replace(/^.*:id\/?/, '');
    for (const [q, question] of (asks[name] ?? ['']).entries()) {
      for (const [f, filter] of filters.entries()) {
        for (const [r, range] of ranges.entries()) {
          // Each question with each filter and each range, if not with both at once.
          if (repeat === 1 && name !== 'answers' && r !== (q + f) % ranges.length) continue;
          if (name === 'answers' && (filter !== '' || !range.endsWith('7d'))) continue;
          const search = name === 'answers' ? question : [range, question, filter].filter(Boolean).join('&');
          const [got, want] = await Promise.all([
            ask(id, links[0]!, `${path}?${search}`),
            ask(few, links[1]!, `${path}?${search}`),
          ]);
          const about = `${method} ${path}?${search}`;
          if (neverOfSegment.test(name) || search.includes('mode=sessions')) assert.is(got.status, 403, about);
          else if (name === 'answers') {
            const lines = (text: string) =>
              text
                .trim()
                .split('\n')
                .map(line => JSON.parse(line))
                .sort((a, b) => a.ask - b.ask);
            const [own, theirs] = [lines(got.text), lines(same(want.text))];
            assert.equal([own[0], own[1], own[3]], [theirs[0], theirs[1], theirs[3]], about);
            assert.is(own[2].status, 403);
          } else assert.equal([got.status, got.text], [want.status, same(want.text)], about);
          if (got.status === 200) answered.add(path);
        }
      }
    }
  }
  assert.ok(answered.size >= 15, [...answered].join(' '));
  const visitorsOf = async (browser: Browser, headers: Record<string, string>) =>
    (await browser.get(`/api/v1/sites/${id}/stats?range=7d`, headers)).json.visitors;
  const shown = await visitorsOf(stranger, { authorization: `Share ${links[0]!.token}` });
  assert.equal([shown, await visitorsOf(browser, {})], [2, 5]);
  assert.is(stateOf(await stranger.get(`/share/${links[0]!.token}`)).share!.isOfSegment, true);
  await dashboard.close();
});

test('a link follows its segment: another name, other filters; and without it, it shows nothing', async () => {
  const { dashboard, browser, id, shares: path } = await withSite();
  dashboard.clock.now = now;
  record(dashboard.db, dashboard.directory.find(id)!, shopVisits);
  const define = (body: object) => browser.post(`/app/sites/${id}/definitions`, { kind: 'segment', ...body });
  await define({ name: 'S', filters: 'device=mobile' });
  const { token } = await makePublic(browser, id, { segment: 'S' });
  const stranger = dashboard.browser();
  const seen = async () => {
    const { status, json } = await stranger.get(`/api/v1/sites/${id}/stats?range=7d`, {
      authorization: `Share ${token}`,
    });
    return [status, json.visitors, (await stranger.get(`/share/${token}`)).status];
  };
  assert.equal(await seen(), [200, 2, 200]);
  await define({ name: 'S', newName: 'T', filters: 'device=desktop' });
  assert.equal([await seen(), (await browser.get(path)).json.data[0].segment], [[200, 3, 200], 'T']);
  await browser.post(`/app/sites/${id}/definitions/remove`, { kind: 'segment', name: 'T' });
  assert.equal(await seen(), [401, undefined, 404]);
  // A segment that cannot be understood any more shows nothing either.
  await browser.post(`/app/sites/${id}/definitions`, { kind: 'goal', name: 'G', conditions: 'path=/' });
  await define({ name: 'T', filters: 'goal=G' });
  assert.is((await seen())[0], 200);
  definitions(dashboard.db).remove(dashboard.directory.find(id)!.id, 'goal', 'G');
  assert.equal((await seen()).slice(0, 2), [404, undefined]);
  await dashboard.close();
});

test('a password opens a link for a day, in one browser, and for no other link', async () => {
  const { dashboard, browser, id } = await withSite();
  const link = await makePublic(browser, id, { password: 'a long password' });
  const other = await makePublic(browser, id, { name: 'other', password: 'a long password' });
  const stranger = dashboard.browser();
  const page = await stranger.get(`/share/${link.token}`);
  assert.equal([page.status, stateOf(page).share, stateOf(page).isLocked], [200, null, true]);
  assert.not.match(page.text, /a\.example/);
  const reads = async (by: Browser, { token }: PublicLink) => [
    (await by.get(`/api/v1/sites/${id}/stats`, { authorization: `Share ${token}` })).status,
    (await by.get(`/api/export/${id}?share=${token}`)).status,
    stateOf(await by.get(`/share/${token}`)).share !== null,
  ];
  const [closed, open] = [
    [401, 401, false],
    [200, 200, true],
  ];
  assert.equal(await reads(stranger, link), closed);
  const give = (by: Browser, password: string, { token } = link) => by.post('/app/share', { token, password });
  const wrong = await give(stranger, 'a wrong password');
  assert.equal([wrong.status, wrong.json.field], [400, 'password']);
  assert.is((await give(stranger, 'a long password')).status, 200);
  assert.equal([await reads(stranger, link), await reads(stranger, other)], [open, closed]);
  assert.equal(await reads(dashboard.browser(), link), closed);
  assert.equal(await reads(browser, link), closed, 'its owner sees what everybody sees');
  // What it keeps of one link opens no other, and none when it is changed.
  const [[name, value]] = [...stranger.others] as [[string, string]];
  const forged = dashboard.browser();
  for (const cookie of [
    value,
    value.replace(/^\d+/, at => String(Number(at) + 1)),
    `${value}x`,
    '',
    '.',
    '9'.repeat(15),
  ]) {
    forged.others.clear();
    forged.others.set(name.replace(/\d+$/, other.path.split('/').at(-1)!), cookie);
    assert.equal(await reads(forged, other), closed, cookie);
  }
  dashboard.clock.now += dayMs - 1;
  assert.equal(await reads(stranger, link), open);
  dashboard.clock.now += 1;
  assert.equal(await reads(stranger, link), closed);

  await give(stranger, 'a long password');
  assert.equal(await reads(stranger, link), open);
  await browser.post(link.path, { name: 'renamed' });
  assert.equal(await reads(stranger, link), open);
  await browser.post(link.path, { password: 'another password' });
  assert.equal(await reads(stranger, link), closed, 'another password ends what the old one opened');
  await browser.post(link.path, { password: '' });
  assert.equal(await reads(dashboard.browser(), link), open);
  assert.is((await browser.post(link.path, { password: 'short' })).json.field, 'password');
  for (const token of [link.token, 'nobody', ''])
    assert.is((await give(stranger, 'x', { ...link, token })).status, 404);
  await dashboard.close();
});

test('passwords of links cannot be guessed: so many of a network, and then nobody from there', async () => {
  const { dashboard, browser, id } = await withSite();
  const link = await makePublic(browser, id, { password: 'a long password' });
  const stranger = dashboard.browser();
  const give = async (password: string, address: string) =>
    (await stranger.post('/app/share', { token: link.token, password }, { 'x-test-address': address })).status;
  for (let i = 0; i < 10; i++) assert.is(await give('wrong', '203.0.113.1'), 400);
  assert.is(await give('a long password', '203.0.113.2'), 429);
  assert.is(await give('a long password', '198.51.100.1'), 200);
  await dashboard.close();
});

test('a link ends with its last day by the site’s clock, and says when it was used', async () => {
  const { dashboard, browser, id, shares: path } = await withSite();
  const link = await makePublic(browser, id, { expires: '2026-11-21' });
  const listed = async () => (await browser.get(path)).json.data[0];
  assert.equal([(await listed()).expires, (await listed()).lastUsedAt], ['2026-11-21', null]);
  const status = async () => (await dashboard.browser().get(`/share/${link.token}`)).status;
  assert.is(await status(), 200);
  assert.is((await listed()).lastUsedAt, '2026-11-20T12:00:00.000Z');
  // Midnight in Berlin.
  dashboard.clock.now = Date.UTC(2026, 10, 21, 23) - 1;
  assert.is(await status(), 200);
  assert.is((await listed()).lastUsedAt, new Date(dashboard.clock.now).toISOString());
  dashboard.clock.now += 1;
  assert.is(await status(), 404);
  await browser.post(link.path, { expires: '' });
  assert.is(await status(), 200);
  for (const expires of ['2026-11-21', '2026-02-30', 'soon'])
    assert.equal((await browser.post(link.path, { expires })).json.field, 'expires', expires);
  await dashboard.close();
});

test('a site has so many links, each with a name of its own, and all is in the audit', async () => {
  const { dashboard, browser, id, shares: path } = await withSite();
  const { path: link } = await makePublic(browser, id);
  const taken = await browser.post(path, { name: 'public' });
  assert.equal([taken.status, taken.json.field], [409, 'name']);
  assert.is((await browser.post(path, { name: 'x', segment: 'none' })).json.field, 'segment');
  const siteId = dashboard.directory.find(id)!.id;
  const settings = { ...shares(dashboard.db).ofSite(siteId)[0]! };
  for (let i = 1; i < sharesMax; i++) shares(dashboard.db).add(siteId, `t${i}`, { ...settings, name: `n${i}` }, 0);
  const more = await browser.post(path, { name: 'one more' });
  assert.equal([more.status, more.json.error], [400, 'A site has at most 50 links to public pages.']);
  const other = (await browser.post('/app/sites', { domain: 'b.example', ...berlin })).json.id;
  assert.is((await browser.post(link.replace(id, other), { name: 'y' })).status, 404, 'a link of another site');
  await browser.post(link, { parts: ['events'] });
  await browser.post(`${link}/remove`);
  const { teams } = (await browser.get('/app/me')).json;
  const rows = (await browser.get(`/app/teams/${teams[0].id}/audit`)).json.data;
  const written = rows
    .filter(({ action }: { action: string }) => action.includes('shared'))
    .map(({ action, subject, details }: Record<string, unknown>) => [action, subject, details]);
  assert.equal(written, [
    ['unshared', 'a.example', { link: 'public' }],
    ['shared', 'a.example', { link: 'public', settings: ['parts'] }],
    ['shared', 'a.example', { link: 'public', settings: ['name'] }],
  ]);
  dashboard.clock.now += hourMs;
  await dashboard.close();
});

test.run();
