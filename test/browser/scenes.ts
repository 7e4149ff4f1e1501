/**
 * Every page of the dashboard, every part that opens above one, and every state: what axe looks at,
 * and what pictures are taken of.
 */
import type { Page } from 'playwright-core';
import type { Me, SiteView } from '../../src/dashboard/wire.ts';
import { domain, makePublic, type Stage, settled, type View } from './dashboard.ts';

interface Scene {
  path: string | ((stage: Stage) => Promise<string>);
  isStranger?: boolean;
  /** Errors in the console that belong to it. */
  tolerated?: RegExp;
  /** What somebody does on the page before they look. */
  act?: (page: Page, stage: Stage) => Promise<void>;
}

const home = `/sites/${domain}`;

const press =
  (name: string) =>
  (page: Page): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();

/** A site of its own with these hits of one visitor; gives its page. */
const siteWith = async (stage: Stage, name: string, hits: readonly object[]): Promise<string> => {
  const site = await stage.post<SiteView>('/app/sites', { domain: name, timezone: 'Europe/Berlin', currency: 'EUR' });
  for (const hit of hits) await stage.send(hit, site);
  return `/sites/${name}`;
};

const oddPaths = [
  '/مرحبا-بالعالم/المقالات/كيف-تعمل-الإحصائيات-بدون-ملفات-تعريف',
  '/पृष्ठ/नमस्ते',
  '/🦊/café/👩‍👩‍👧‍👦',
  '/a%2Fb',
  `/${'very-long-'.repeat(30)}`,
  '/日本語のページ',
];

const withGoals = async (page: Page, { post, site }: Stage): Promise<void> => {
  for (const [name, conditions, value] of [
    ['Pricing', 'path=/pricing', '250'],
    ['Read to the end', 'scroll>=90', ''],
  ]) {
    await post(`/app/sites/${site.id}/definitions`, { kind: 'goal', name, conditions, value });
  }
  await page.reload();
  await page.locator('td.converted:not(:empty)').first().waitFor();
};

const withNotes = async (page: Page, { post, site }: Stage): Promise<void> => {
  await post(`/app/sites/${site.id}/notes`, { date: '2026-11-12', text: 'A new price list went online' });
  await page.reload();
  await page.locator('.notes-button').click();
  await page.locator('.notes .form').waitFor();
};

const shared = async ({ post, site }: Stage): Promise<string> => {
  return new URL(await makePublic(post, site.id)).pathname;
};

/** Both sites of the demo as one; gives its page. */
export const addRollup = async ({ api, post }: Stage): Promise<string> => {
  const { data } = await api<{ data: { id: string }[] }>('/api/v1/sites');
  await post('/app/rollups', { name: 'All shops', sites: data.map(({ id }) => id) });
  return '/sites/All%20shops';
};

export const scenes: Readonly<Record<string, Scene>> = {
  overview: { path: home },
  'with filters': { path: `${home}?country=DE&path*=blog&referrer!=google.com` },
  'as a table': { path: `${home}?_view=table&range=today` },
  empty: { path: `${home}?path=/nothing` },
  'all rows': { path: `${home}?_all=path`, act: page => page.locator('.dialog .table').waitFor() },
  'the period': { path: home, act: page => page.locator('.period-button').click() },
  'a point of the chart': {
    path: home,
    async act(page) {
      await page.getByRole('slider').focus();
      for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowLeft');
    },
  },
  'what changed': {
    path: `${home}?_explain=visits`,
    act: page => page.locator('.explain-parts section').first().waitFor(),
  },
  notes: { path: `${home}?range=month`, act: withNotes },
  'a new filter': {
    path: home,
    async act(page) {
      await page.keyboard.press('f');
      await page.getByRole('dialog').waitFor();
    },
  },
  'the segments': { path: `${home}?country=DE`, act: press('Segments') },
  goals: { path: `${home}?visit:path=/pricing&_goal=Pricing&_pagesBy=bounceRate&_sources=referrer`, act: withGoals },
  'the keys': { path: home, act: page => page.keyboard.press('?') },
  'a tip': { path: home, act: page => page.locator('.chosen .figure-sign').focus() },
  events: { path: `${home}/events` },
  'one event': { path: `${home}/events?_event=Invoice%20sent&_property=total` },
  visits: { path: `${home}/visits`, act: page => page.locator('.visit-link').nth(1).click() },
  'a visitor': { path: `${home}/visits`, act: page => page.locator('.visitor a').first().click() },
  'no funnel': { path: `${home}/funnels` },
  'a funnel': { path: `${home}/funnels?_step=path%3D/&_step=path%3D/pricing|event%3DOpen%20question` },
  'a new step': { path: `${home}/funnels`, act: press('Choose the first step') },
  'saved funnels': { path: `${home}/funnels?_step=path%3D/&_step=path%3D/pricing`, act: press('Saved funnels') },
  'a journey': { path: `${home}/journeys?_show=all&_via=path%3D/` },
  realtime: { path: `${home}/realtime` },
  'hits as they come': {
    path: `${home}/realtime`,
    async act(page, { send }) {
      await send({ u: `https://${domain}/pricing` });
      await send({ t: 'identify', p: { email: 'grace@example.com' } });
      await send({ t: 'custom', n: 'Signup', u: `https://${domain}/signup` });
      await page.reload();
      await page.locator('.latest-hits tbody tr').first().waitFor();
    },
  },
  vitals: { path: `${home}/vitals` },
  crawlers: { path: `${home}/crawlers?_crawler=GPTBot` },
  failures: { path: `${home}/failures` },
  health: { path: `${home}/health?country=DE` },
  settings: { path: `${home}/settings` },
  'a removal': {
    path: `${home}/settings?_section=spam&path=/pricing`,
    async act(page) {
      await press('Remove…')(page);
    },
  },
  'removed hits': {
    async path({ post, site }) {
      const reason = 'Our own office, which opened the shop each morning to see whether it works';
      const removals = `/app/sites/${site.id}/removals`;
      await post(removals, { search: 'path=/nothing|/nowhere&country!=DE&range=today', reason });
      await post(removals, {
        search: 'path=/a-page-that-nobody-ever-wrote-and-that-has-a-long-name&range=all',
        reason: '',
      });
      return `${home}/settings?_section=spam`;
    },
    act: page => page.getByRole('button', { name: 'Put back' }).first().waitFor(),
  },
  'an import, tried': {
    path: `${home}/settings?_section=imports`,
    async act(page) {
      const line = {
        at: '2026-08-01T12:00:00.000Z',
        ip: '203.0.113.9',
        ua: 'Mozilla/5.0',
        hit: { u: `https://${domain}/` },
      };
      const buffer = Buffer.from(`${JSON.stringify(line)}\n`);
      const section = page.getByRole('region', { name: 'Imports' });
      await section
        .getByLabel('Files')
        .setInputFiles({ name: 'hits.ndjson', mimeType: 'application/x-ndjson', buffer });
      await section.getByRole('button', { name: 'Check files' }).click();
      await section.getByRole('region', { name: 'What the import found' }).waitFor();
    },
  },
  'a public page in settings': {
    async path(stage) {
      await shared(stage);
      await stage.post(`/app/sites/${stage.site.id}`, { embedHosts: ['blog.example'] });
      return `${home}/settings?_section=share`;
    },
    act: page =>
      page
        .getByRole('button', { name: /^Edit link / })
        .first()
        .click(),
  },
  'a report in settings': {
    async path({ post, site }) {
      const recipients = ['ada@example.com', 'somebody-with-a-long-name@another-company.example'];
      await post(`/app/sites/${site.id}/reports`, { name: 'Weekly', recipients });
      return `${home}/settings?_section=reports`;
    },
    act: press('Edit Weekly'),
  },
  'a public page with a password': {
    path: async ({ post, site }) => new URL(await makePublic(post, site.id, { password: 'a long password' })).pathname,
    isStranger: true,
  },
  'a public page of a segment': {
    async path({ post, site }) {
      await post(`/app/sites/${site.id}/definitions`, { kind: 'segment', name: 'Germany', filters: 'country=DE' });
      return new URL(await makePublic(post, site.id, { segment: 'Germany' })).pathname;
    },
    isStranger: true,
  },
  'a public page': { path: shared, isStranger: true },
  'settings: share': { path: `${home}/settings?_section=share` },
  ...Object.fromEntries(
    ['tracking', 'goals', 'reports', 'api', 'delete', 'alerts'].map(name => [
      `settings: ${name}`,
      { path: `${home}/settings?_section=${name}` },
    ]),
  ),
  account: { path: '/settings' },
  'the account’s keys': { path: '/settings?_section=keys' },
  'the account’s team': { path: '/settings?_section=teams' },
  'the account’s server': { path: '/settings?_section=server' },
  'the account’s members': { path: '/settings?_section=members' },
  'the account’s channels': {
    async path({ post, api }) {
      const { teams } = await api<Me>('/app/me');
      const channel = { kind: 'ntfy', name: 'phone', target: 'https://ntfy.example/my-topic', secret: '' };
      await post(`/app/teams/${teams[0]!.id}/channels`, channel);
      return '/settings?_section=channels';
    },
  },
  'an alert': {
    async path({ post, site }) {
      const alert = { kind: 'spike', name: 'Peak', params: { sensitivity: 'keen' }, filters: 'country=DE' };
      await post(`/app/sites/${site.id}/alerts`, { ...alert, channels: [], mailOwners: true, enabled: true });
      return `${home}/settings?_section=alerts`;
    },
    act: press('Change Peak'),
  },
  'an alert, to mute': { path: '/mute#a-dead-link', isStranger: true, tolerated: /status of 404/ },
  'the account’s audit': { path: '/settings?_section=audit' },
  'the account’s sign-in': { path: '/settings?_section=sign-in' },
  sites: { path: '/' },
  'a rollup': { path: addRollup, act: page => page.locator('.panel.whole tbody tr').first().waitFor() },
  'a new site': { path: '/settings/add-site' },
  'sign in': { path: '/sign-in', isStranger: true },
  'a dead link': { path: '/set-password', isStranger: true },
  'no such page': { path: `${home}/nothing`, tolerated: /status of 404/ },
  'a site without hits': { path: stage => siteWith(stage, 'empty.example', []) },
  'a site with one hit': { path: stage => siteWith(stage, 'one.example', [{ u: 'https://one.example/' }]) },
  'odd paths': {
    path: stage =>
      siteWith(
        stage,
        'paths.example',
        oddPaths.map(path => ({ u: `https://paths.example${path}`, ti: decodeURIComponent(path) })),
      ),
  },
};

/** Opens a scene. Most can be opened again; those that make a site, only once. */
export const openScene = async (stage: Stage, name: string, view: View): Promise<Page> => {
  const { path, act, ...scene } = scenes[name]!;
  const page = await stage.open(typeof path === 'string' ? path : await path(stage), { ...view, ...scene });
  await act?.(page, stage);
  await settled(page);
  return page;
};
