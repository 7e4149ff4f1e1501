/** Other products' own trackers, as they are published, with Daybook as their host: what each sends arrives. */
import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { key } from '../api/fixture.ts';
import { chrome } from '../collect/start-collector.ts';
import { addSite } from '../helpers.ts';
import type { Client } from './clients.ts';
import { arrivals, bundled, visit } from './in-chromium.ts';

// biome-ignore lint/suspicious/noExplicitAny: the packages are not installed where types are checked
type Tracker = any;

/** The script of a page, in a file of its own. */
const own = '<script defer src="/own.js"></script>';

export const plausibleTracker: Client = {
  name: 'plausible-tracker',
  packages: { 'plausible-tracker': '0.3.9' },
  async run({ folder }, program) {
    const code = `
      import Plausible from 'plausible-tracker';
      window.tracker = Plausible({ domain: 'shop.example.org', apiHost: '${program.url}' });
      tracker.enableAutoPageviews();
      tracker.enableAutoOutboundTracking();`;
    const scripts = { '/own.js': await bundled(code, folder) };
    await visit(program, { head: own, scripts }, async ({ page, elsewhere, arrived }) => {
      await arrived('pageview /');
      await page.evaluate(`history.pushState(null, '', '/two')`);
      await arrived('pageview /', 'pageview /two');
      await page.evaluate(`tracker.trackEvent('Signup', { props: { plan: 'pro' } })`);
      const before = ['pageview /', 'pageview /two', 'custom Signup {"plan":"pro"}'];
      await arrived(...before);
      await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<a href="${elsewhere}/there">out</a>')`);
      await page.click('text=out');
      await arrived(...before, `outbound ${elsewhere}/there`);
    });
  },
};

export const plausibleWebTracker: Client = {
  name: '@plausible-analytics/tracker',
  packages: { '@plausible-analytics/tracker': '0.4.6' },
  async run({ folder }, program) {
    const code = `
      import { init, track } from '@plausible-analytics/tracker';
      window.track = track;
      init({ domain: 'shop.example.org', endpoint: '${program.url}/api/event', outboundLinks: true, fileDownloads: true });`;
    const scripts = { '/own.js': await bundled(code, folder) };
    await visit(program, { head: own, scripts }, async ({ page, origin, elsewhere, arrived }, site) => {
      const lines = ['pageview /'];
      const becomes = (line: string) => arrived(...lines, line).then(() => lines.push(line));
      await arrived(...lines);
      await page.evaluate(`track('Signup', { props: { plan: 'pro' }, interactive: false })`);
      await becomes('custom Signup {"plan":"pro"}');
      await page.evaluate(`track('Purchase', { revenue: { amount: 10.29, currency: 'EUR' } })`);
      await becomes('revenue Purchase 1029 EUR');
      // They lead nowhere, so that the page is not left, of which it would tell.
      const stay = 'onclick="event.preventDefault()"';
      const links = `<a href="${elsewhere}/there" ${stay}>out</a> <a href="/a.pdf" ${stay}>file</a>`;
      await page.evaluate(`document.body.insertAdjacentHTML('afterbegin', '${links}')`);
      await page.click('text=file');
      await becomes(`custom File Download {"url":"${origin}/a.pdf"}`);
      await page.click('text=out');
      await becomes(`outbound ${elsewhere}/there`);
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      // It tells of no page that was seen for less than three seconds.
      await page.waitForTimeout(3500);
      await page.goto('about:blank');
      const told = await arrived(...lines, 'duration');
      assert.ok(told.at(-1)!.durationMs >= 3000, 'engagement');
      const scroll = program.db.prepare('select max(scroll) from hit where site_id = ?').pluck().get(site.id);
      assert.ok(Number(scroll) > 50, `scroll ${scroll}`);
    });
  },
};

export const matomoTracker: Client = {
  name: 'matomo-tracker',
  packages: { 'matomo-tracker': '2.2.4' },
  async run(importPackage, program) {
    const { default: MatomoTracker } = (await importPackage('matomo-tracker')) as Tracker;
    const site = addSite(program.db, { domain: 'shop.example.org', currency: 'EUR', aliases: ['matomo:7'] });
    const arrived = arrivals(program, site);
    const matomo = new MatomoTracker(7, `${program.url}/matomo.php`);
    const failures: unknown[] = [];
    matomo.on('error', (failure: unknown) => failures.push(failure));
    const told = { token_auth: key, cip: '203.0.113.9', ua: chrome };
    matomo.track({ url: 'https://shop.example.org/', action_name: 'Home', ...told });
    await arrived('pageview /');
    const events = [
      { url: 'https://shop.example.org/a', e_c: 'Videos', e_a: 'Play', ...told },
      { url: 'https://shop.example.org/b', idgoal: 0, ec_id: 'A-1', revenue: 49.9, ...told },
    ];
    const answer = await new Promise<string>(resolve => matomo.trackBulk(events, resolve));
    assert.equal(JSON.parse(answer), { status: 'success', tracked: 2, invalid: 0, invalid_indices: [] });
    const [first] = await arrived(
      'pageview /',
      'custom Videos {"action":"Play"}',
      'revenue Order 4990 EUR {"order":"A-1"}',
    );
    assert.equal([first!.title, first!.device, failures], ['Home', 'desktop', []]);
  },
};

export const queueTracker: Client = {
  name: '@jonkoops/matomo-tracker',
  packages: { '@jonkoops/matomo-tracker': '0.7.0' },
  async run({ folder }, program) {
    const code = `
      import MatomoTracker from '@jonkoops/matomo-tracker';
      window.matomo = new MatomoTracker({ urlBase: '${program.url}', siteId: 7 });
      matomo.trackPageView();`;
    const scripts = { '/own.js': await bundled(code, folder) };
    const settings = { aliases: ['matomo:7'] };
    await visit(program, { head: own, scripts, settings }, async ({ page, arrived }) => {
      await arrived('pageview /');
      await page.evaluate(`matomo.trackEvent({ category: 'Videos', action: 'Play', name: 'Intro', value: 2 })`);
      await page.evaluate(`matomo.trackSiteSearch({ keyword: 'shoes', count: 3 })`);
      await arrived(
        'pageview /',
        'custom Videos {"action":"Play","name":"Intro","value":2}',
        'custom Site search {"keyword":"shoes","results":3}',
      );
    });
  },
};

export const vueMatomo: Client = {
  name: 'vue-matomo',
  packages: { 'vue-matomo': '4.2.0', vue: '3.5.45', 'vue-router': '4.6.5' },
  async run({ folder }, program) {
    const code = `
      import { createApp, h } from 'vue';
      import { createRouter, createWebHistory, RouterView } from 'vue-router';
      import VueMatomo from 'vue-matomo';
      const Page = { render: () => h('h1', 'Page') };
      const router = createRouter({ history: createWebHistory(), routes: [{ path: '/:path(.*)', component: Page }] });
      const root = document.body.appendChild(document.createElement('div'));
      const app = createApp({ render: () => h(RouterView) }).use(router);
      app.use(VueMatomo, { host: '${program.url}', siteId: 7, router, preInitActions: [['setCustomDimension', 1, 'x']] });
      app.mount(root);
      window.go = path => router.push(path);
      window.matomo = () => app.config.globalProperties.$matomo;`;
    const scripts = { '/own.js': await bundled(code, folder) };
    const settings = { aliases: ['matomo:7'], currency: 'EUR' };
    await visit(program, { head: own, scripts, settings }, async ({ page, arrived }) => {
      const lines = ['pageview / {"dimension1":"x"}'];
      await arrived(...lines);
      await page.evaluate(`go('/two')`);
      lines.push('pageview /two {"dimension1":"x"}');
      await arrived(...lines);
      await page.evaluate(`matomo().trackEvent('Videos', 'Play')`);
      lines.push('custom Videos {"action":"Play","dimension1":"x"}');
      await arrived(...lines);
      await page.evaluate(`matomo().trackGoal(3, 9.99)`);
      await arrived(...lines, 'revenue Goal 3 999 EUR {"dimension1":"x"}');
    });
  },
};

export const umamiNode: Client = {
  name: '@umami/node',
  packages: { '@umami/node': '0.4.0' },
  async run(importPackage, program) {
    const { Umami } = (await importPackage('@umami/node')) as Tracker;
    const site = addSite(program.db, { domain: 'shop.example.org' });
    const arrived = arrivals(program, site);
    const umami = new Umami({ websiteId: site.uuid, hostUrl: program.url, userAgent: chrome });
    const answers: { status: number }[] = [];
    // As its README calls it.
    answers.push(await umami.identify({ attribute: '11.23', sessionId: 7 }));
    answers.push(await umami.track({ url: '/home' }));
    answers.push(await umami.track({ url: '/home', title: 'Home', name: 'button-click', data: { color: 'red' } }));
    answers.push(await umami.track('Signup', { plan: 'pro' }));
    answers.push(await umami.track({ hostname: 'shop.example.org', url: '/two', title: 'Two', language: 'en' }));
    assert.equal(
      answers.map(({ status }) => status),
      [202, 202, 202, 202, 202],
    );
    const lines = [
      'identify 11.23',
      'pageview /home',
      'custom button-click {"color":"red"}',
      'custom Signup {"plan":"pro"}',
    ];
    const [, page] = await arrived(...lines, 'pageview /two');
    assert.is(page!.hostname, 'shop.example.org');
    const silent = new Umami({ websiteId: site.uuid, hostUrl: program.url });
    assert.is((await silent.track({ url: '/home' })).status, 202);
    await arrived(...lines, 'pageview /two', 'pageview /home');
  },
};

/** GoatCounter's `count.js`, which is on no registry: the file of its public source. */
export const goatcounterScript = (file: string): Client => ({
  name: 'goatcounter',
  packages: {},
  async run(_, program) {
    const scripts = { '/count.js': readFileSync(file, 'utf8') };
    const head = `<script data-goatcounter="${program.url}/gc/shop/count" async src="/count.js"></script>
      <button data-goatcounter-click="signup" title="Sign up">up</button>`;
    const settings = { aliases: ['goatcounter:shop'] };
    await visit(program, { head, scripts, settings }, async ({ page, arrived }) => {
      await arrived('pageview /');
      await page.click('text=up');
      const [first] = await arrived('pageview /', 'custom signup {"title":"Sign up"}');
      assert.is(first!.title, 'Page');
    });
  },
});
