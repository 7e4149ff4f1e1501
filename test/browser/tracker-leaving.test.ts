/** Tabs that are hidden, shown and closed: time on page and web vitals. One test at a time, since tabs hide each other. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { becomes, openStage, until } from './helpers.ts';
import { linesOf } from './stored.ts';

const stage = await openStage(1);

const page = (head: string, body = '<h1>Hello</h1>'): string => `<!doctype html><title>Home</title>${head}${body}`;

/** Tabs learn some time later that they are hidden or shown. */
const becomesSo = (visit: Page, state: 'hidden' | 'visible'): Promise<void> =>
  becomes(async () => [await visit.evaluate<string>('document.visibilityState')], [state]);

stage?.test('time in a hidden tab is no time on page', async scene => {
  const { web, tag, openTab, stores, reports } = scene;
  web.show({ '/': page(tag()), '/blank': '' });
  const openedAt = Date.now();
  const visit = await openTab(`${web.origin}/`);
  await stores('pageview /');
  await sleep(400);

  const other = await openTab(`${web.origin}/blank`);
  await becomesSo(visit, 'hidden');
  await stores('pageview /', 'duration');
  const hiddenAt = Date.now();
  await reports('/');
  await sleep(1500);

  const shownAt = Date.now();
  await visit.bringToFront();
  await becomesSo(visit, 'visible');
  await sleep(300);
  await other.bringToFront();
  const [, first, second] = await stores('pageview /', 'duration', 'duration');
  const hiddenAgainAt = Date.now();

  assert.ok(first!.durationMs >= 400 && first!.durationMs <= hiddenAt - openedAt, `${first!.durationMs} ms`);
  assert.ok(second!.durationMs >= 250 && second!.durationMs <= hiddenAgainAt - shownAt, `${second!.durationMs} ms`);
  assert.is(second!.visitId, first!.visitId);
  await reports('/');
});

stage?.test('a page that stays visible says how long, before its visit is over', async scene => {
  const { web, tag, openTab, stores } = scene;
  // A quarter of an hour that passes in a second, once.
  const hurry = `<script>const repeat = setInterval;
    window.setInterval = (run, ms) => (ms === 900000 ? setTimeout(run, 1000) : repeat(run, ms))</script>`;
  web.show({ '/': page(hurry + tag()), '/blank': '' });
  const openedAt = Date.now();
  const visit = await openTab(`${web.origin}/`);
  const [landing, reported] = await stores('pageview /', 'duration');
  assert.ok(reported!.durationMs >= 900 && reported!.durationMs <= Date.now() - openedAt, `${reported!.durationMs} ms`);
  assert.is(reported!.visitId, landing!.visitId);
  // The rest comes when the page is left, and nothing twice.
  await openTab(`${web.origin}/blank`);
  await becomesSo(visit, 'hidden');
  const [, , left] = await stores('pageview /', 'duration', 'duration');
  assert.ok(reported!.durationMs + left!.durationMs <= Date.now() - openedAt, `${left!.durationMs} ms`);
});

stage?.test('a closed tab sends its time and vitals once', async ({ web, tag, openTab, stores, reports }) => {
  web.show({ '/': page(tag()) });
  const visit = await openTab(`${web.origin}/`);
  await stores('pageview /');
  await visit.close({ runBeforeUnload: true });
  await stores('pageview /', 'duration');
  await reports('/');
});

stage?.test('a page hands over what it has before it is left, and goes on if it stays', async scene => {
  const { web, tag, openTab, stores } = scene;
  // Pageviews wait for ever, unless they are handed over; five seconds pass at once.
  const hurry = `<script>const later = setTimeout;
    window.setTimeout = (run, ms) => (ms === 50 ? 0 : later(run, ms === 5000 ? 0 : ms))</script>`;
  const download = { body: 'a,b', headers: { 'content-disposition': 'attachment', 'content-type': 'text/csv' } };
  web.show({ '/': page(hurry + tag()), '/list.csv': download, '/blank': '' });
  const visit = await openTab(`${web.origin}/`);
  await sleep(300);
  await visit.evaluate(`location.assign('/list.csv')`);
  await stores('pageview /', 'duration');
  const stayedAt = Date.now();
  await sleep(300);
  await openTab(`${web.origin}/blank`);
  const [, before, after] = await stores('pageview /', 'duration', 'duration');
  assert.ok(before!.durationMs >= 250, `${before!.durationMs} ms`);
  assert.ok(after!.durationMs >= 250 && after!.durationMs <= Date.now() - stayedAt + 1000, `${after!.durationMs} ms`);
});

stage?.test('what is handed over together arrives in its order', async scene => {
  const { web, tag, openTab, detour, stores, elsewhere } = scene;
  const { origin, bodies } = await detour(() => undefined);
  // Pageviews wait for ever, unless they are handed over.
  const hurry = `<script>const later = setTimeout; window.setTimeout = (run, ms) => (ms === 50 ? 0 : later(run, ms))</script>`;
  web.show({ '/': page(hurry + tag(`data-api="${origin}"`)) });
  elsewhere.show({ '/': '' });
  const visit = await openTab(`${web.origin}/`);
  await sleep(300);
  await visit.evaluate(`tracker('Last')`);
  await visit.goto(elsewhere.origin);
  await stores('pageview /', 'custom Last', 'duration');
  const lists = bodies.filter(body => body.startsWith('{"hits":'));
  assert.equal(
    lists.map(list => JSON.parse(list).hits.map(({ t }: { t: string }) => t)),
    [['pageview', 'custom', 'duration']],
  );
});

stage?.test('what is too long for one request is handed over in several', async scene => {
  const { web, tag, openTab, elsewhere, stores, hits } = scene;
  const hurry = `<script>const later = setTimeout; window.setTimeout = (run, ms) => (ms === 50 ? 0 : later(run, ms))</script>`;
  web.show({ '/': page(hurry + tag()) });
  elsewhere.show({ '/': '' });
  const visit = await openTab(`${web.origin}/`);
  await sleep(300);
  await visit.evaluate(`for (let i = 0; i < 40; i++) tracker('Event ' + i, { text: '€'.repeat(200) })`);
  await visit.goto(elsewhere.origin);
  await until(() => hits().length === 42);
  const lines = linesOf(hits());
  assert.is(new Set(lines).size, 42);
  await stores(...lines);
});

stage?.test('time that overtakes its pageview begins the visit as the pageview would have', async scene => {
  const { web, tag, openTab, detour, stores, elsewhere } = scene;
  let posts = 0;
  const { origin } = await detour(path => (path === '/e' && ++posts === 1 ? { delayMs: 2000 } : undefined));
  const redirect = `<script>history.replaceState(null, '', '/new')</script>`;
  web.show({ '/old': page(tag(`data-api="${origin}"`), redirect) });
  elsewhere.show({ '/': `<a href="${web.origin}/old?utm_source=ad&utm_campaign=june">go</a>`, '/next': '' });
  const visit = await openTab(elsewhere.origin);
  await visit.click('a');
  await until(() => posts === 1);
  await visit.goto(`${elsewhere.origin}/next`);
  const [first, second] = await stores('duration', 'pageview /new');
  assert.is(first!.visitId, second!.visitId);
  const { utmSource, utmCampaign, referrer } = first!;
  assert.equal([utmSource, utmCampaign, referrer], ['ad', 'june', '127.0.0.3']);
});

stage?.test('a page opened in the background is counted, and its time begins when shown', async scene => {
  const { web, tag, openTab, stores } = scene;
  web.show({ '/': page(tag()), '/opener': '<a href="/" target="_blank">open</a>', '/blank': '' });
  const opener = await openTab(`${web.origin}/opener`);
  const [visit] = await Promise.all([
    opener.context().waitForEvent('page'),
    opener.click('a', { modifiers: ['ControlOrMeta'] }),
  ]);
  await visit.waitForLoadState();
  await becomesSo(visit, 'hidden');
  await stores('pageview /');
  await sleep(1000);
  const shownAt = Date.now();
  await visit.bringToFront();
  await becomesSo(visit, 'visible');
  await sleep(300);
  await opener.bringToFront();
  const [, left] = await stores('pageview /', 'duration');
  assert.ok(left!.durationMs >= 250 && left!.durationMs <= Date.now() - shownAt, `${left!.durationMs} ms`);
  await visit.close();
});

stage?.test('a hidden page sends its hits, and a frozen one goes on when it thaws', async scene => {
  const { web, tag, openTab, stores } = scene;
  web.show({ '/': page(tag()), '/blank': '' });
  const visit = await openTab(`${web.origin}/`);
  await stores('pageview /');
  const session = await visit.context().newCDPSession(visit);
  await openTab(`${web.origin}/blank`);
  await stores('pageview /', 'duration');
  await visit.evaluate(`tracker('Hidden')`);
  await stores('pageview /', 'duration', 'custom Hidden');
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  await sleep(500);
  await session.send('Page.setWebLifecycleState', { state: 'active' });
  await visit.bringToFront();
  await visit.evaluate(`tracker('Thawed')`);
  await stores('pageview /', 'duration', 'custom Hidden', 'custom Thawed');
});

stage?.test('web vitals hold the paint, the interaction and the layout shift of a page', async scene => {
  const { web, tag, openTab, stores, reports } = scene;
  const body = `<style>div { height: 0 } div.grown { height: 300px }</style><div></div>
    <h1>Hello</h1><p style="height: 400px">text</p>
    <button onclick="const end = performance.now() + 60; while (performance.now() < end);">work</button>
    <script>
      // Only what was painted before can shift.
      const grow = () => setTimeout(() => document.querySelector('div').classList.add('grown'), 300);
      new PerformanceObserver(grow).observe({ type: 'paint', buffered: true });
      // From the beginning, since a short event is told only to those who watch when it happens.
      const told = {};
      const watch = (type, is) =>
        new PerformanceObserver(list => { told[type] ||= list.getEntries().some(is); }).observe({ type, durationThreshold: 16 });
      watch('layout-shift', () => true);
      watch('event', entry => entry.interactionId && entry.duration >= 56);
    </script>`;
  web.show({ '/shop': page(tag(), body), '/blank': '' });
  const visit = await openTab(`${web.origin}/shop?a=b`);
  await stores('pageview /shop');
  await visit.waitForFunction(`told['layout-shift']`);
  await visit.click('button');
  await visit.waitForFunction('told.event');
  await visit.evaluate(`history.pushState(null, '', '/elsewhere')`);
  await stores('pageview /shop', 'pageview /elsewhere');
  await openTab(`${web.origin}/blank`);
  await stores('pageview /shop', 'pageview /elsewhere', 'duration');
  const [report] = await reports('/shop');
  const { lcp, inp, cls, fcp, ttfb } = report!;
  assert.ok(fcp! > 0 && lcp! >= fcp! && lcp! < 60_000, `fcp ${fcp}, lcp ${lcp}`);
  assert.ok(ttfb! > 0 && ttfb! < fcp!, `ttfb ${ttfb}`);
  assert.ok(inp! >= 56 && inp! < 5000, `inp ${inp}`);
  assert.ok(cls! > 0.05 && cls! < 1, `cls ${cls}`);
});

test.run();
