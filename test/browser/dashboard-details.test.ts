/** What people stumble over: servers that go away, foreign scripts, fingers, the keyboard. */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventList } from '../../src/dashboard/app/answers.ts';
import { refreshPauseMs } from '../../src/dashboard/app/freshness.ts';
import { noon, openStage, settled } from './dashboard.ts';

const stage = await openStage({ demo: { days: 40, hits: 3000 } });
if (stage !== null) {
  const { open, api, send, site, server } = stage;
  const home = `/sites/${site.domain}`;
  const searchOf = (page: Page): string => decodeURIComponent(new URL(page.url()).search);

  stage.test('numbers stay when they cannot be refreshed, and one banner says from when they are', async () => {
    for (const path of [home, `${home}/visits`]) {
      const page = await open(path, { tolerated: /ERR_FAILED|status of 503/ });
      const before = await page.locator('main').textContent();
      let answer: 'none' | 'busy' | 'real' = 'none';
      await page.route('**/api/**', route => {
        if (answer === 'none') return route.abort();
        if (answer === 'busy') return route.fulfill({ status: 503, json: { error: 'too many queries' } });
        return route.continue();
      });
      await page.clock.setFixedTime(noon + 90_000);
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      const banner = page.locator('.stale');
      await banner.getByText('Can’t reach the server. These numbers are from 07:00.').waitFor();
      assert.is(await page.locator('main').textContent(), before);
      assert.is(await page.getByRole('alert').count(), 0);

      answer = 'busy';
      await banner.getByRole('button', { name: 'Try again' }).click();
      await banner.getByText('The server can’t answer right now.').waitFor();
      assert.is(await page.locator('main').textContent(), before);
      answer = 'real';
      await page.evaluate(() => dispatchEvent(new Event('online')));
      await banner.locator('p').waitFor({ state: 'detached' });
      await settled(page);
    }
  });

  test('pauses grow while the server cannot be reached, up to five minutes', () => {
    assert.is(refreshPauseMs(60_000, 0), 60_000);
    assert.equal(
      [1, 2, 3, 6, 7, 50].map(failures => refreshPauseMs(60_000, failures)),
      [5000, 10_000, 20_000, 160_000, 300_000, 300_000],
    );
  });

  stage.test('paths are read in their own script, and filtered as they are stored', async () => {
    const paths = ['/مرحبا', '/पृष्ठ', '/🦊/café', '/a%2Fb'];
    for (const path of paths) await send({ u: `https://${site.domain}${path}?utm_source=scripts` });
    const page = await open(`${home}?range=today&utmSource=scripts`);
    const pages = page.locator('section.panel[aria-label="Pages"]');
    for (const path of paths) assert.is(await pages.getByRole('link', { name: path, exact: true }).count(), 1, path);
    await pages.getByRole('link', { name: '/مرحبا', exact: true }).click();
    await settled(page);
    assert.is(
      new URL(page.url()).search,
      `?range=today&utmSource=scripts&path=/${encodeURIComponent(encodeURIComponent('مرحبا'))}`,
    );
    assert.equal(await page.locator('.chip-value').allTextContents(), ['scripts', '/مرحبا']);
    assert.is(await page.locator('[data-metric="pageviews"] .figure-value').textContent(), '1');

    await page.goto(`${server.url}${home}/visits?range=today`);
    await page.getByLabel('Search visits').fill('مرح');
    await page.waitForURL(/_q=/);
    await settled(page);
    assert.is(await page.locator('.visits tr.visit').count(), 1);
  });

  stage.test('revenue events are among the events, also where events are filtered', async () => {
    const { data } = await api<EventList>(`/api/v1/sites/${site.id}/events?range=30d`);
    const { name } = data.find(({ type }) => type === 'revenue')!;
    const page = await open(`${home}?event=${encodeURIComponent(name)}`);
    const rows = page.locator('section.panel[aria-label="Events"] .row-link');
    assert.equal(await rows.allTextContents(), [name]);
    await page.goto(`${server.url}${home}/events?event=${encodeURIComponent(name)}`);
    await settled(page);
    assert.equal(await page.locator('.table.events tbody a').allTextContents(), [name]);
  });

  stage.test('on the chart a first tap reads a day, and a second goes to it', async () => {
    const page = await open(home, { width: 390, height: 844, hasTouch: true });
    const box = (await page.locator('.chart-plot').boundingBox())!;
    await page.touchscreen.tap(box.x + box.width / 2, box.y + 60);
    await page.locator('.readout').waitFor();
    assert.is(searchOf(page), '');
    await page.touchscreen.tap(box.x + box.width - 2, box.y + 60);
    await page.locator('.readout', { hasText: '20 Nov' }).waitFor();
    assert.is(searchOf(page), '');
    await page.touchscreen.tap(box.x + box.width - 2, box.y + 60);
    await page.getByRole('button', { name: 'Only this day' }).click();
    await settled(page);
    assert.is(searchOf(page), '?from=2026-11-20&to=2026-11-20');
  });

  stage.test('the key for dates leads into the calendar, and Escape back', async () => {
    const page = await open(home);
    await page.keyboard.press('c');
    await page.locator('.calendar .day:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.period-button:focus').waitFor();
  });

  stage.test('the period before is not drawn where nothing had been recorded yet', async () => {
    const page = await open(`${home}?range=90d`);
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    assert.is(await page.locator('.readout .current').count(), 1);
    assert.is(await page.locator('.readout .earlier').count(), 0);
  });

  stage.test('everything that can be pressed in a filter is large enough for a finger', async () => {
    const page = await open(`${home}?country=DE`);
    for (const part of await page.locator('.chip > *:not(.chip-field)').all()) {
      const { width, height } = (await part.boundingBox())!;
      assert.ok(width >= 24 && height >= 24, `${width} by ${height}`);
    }
  });

  stage.test('pages that people did not find lead to their visits, and those of crawlers to their crawls', async () => {
    await send({ t: 'custom', n: '404', u: `https://${site.domain}/gone` });
    await send({ t: 'custom', n: '404', u: `https://${site.domain}/gone` });
    const page = await open(`${home}/failures?range=today`);
    const people = page.getByRole('region', { name: 'Seen by people' });
    assert.equal(await people.locator('tbody td').allTextContents(), ['/gone', '1', '2']);
    const report = { s: site.publicKey, u: `https://${site.domain}/lost`, ua: 'Googlebot/2.1', st: 404 };
    await fetch(`${server.url}/crawl`, { method: 'POST', body: JSON.stringify(report) });
    await page.reload();
    await settled(page);
    const crawlers = page.getByRole('region', { name: 'Seen by crawlers' });
    await crawlers.getByRole('link', { name: '/lost' }).click();
    await settled(page);
    assert.is(searchOf(page), '?range=today&path=/lost&_status=404');
    assert.equal(await page.locator('section[aria-label="Pages"] .row-link').allTextContents(), ['/lost']);
    await page.goBack();
    await people.getByRole('link', { name: '/gone' }).click();
    await settled(page);
    assert.is(searchOf(page), '?range=today&event=404&path=/gone');
    assert.is(await page.locator('.visits tr.visit').count(), 1);
  });

  stage.test('a visitor has a page with all their visits', async () => {
    const page = await open(`${home}/visits?_sort=pageviews`);
    const row = page.locator('.visits tr.visit').first();
    const started = await row.locator('.visit-link').textContent();
    const pages = await row.locator('td.number').first().textContent();
    await row.locator('.visitor a').click();
    await settled(page);
    const visits = page.locator('.visits tr.visit');
    assert.ok((await visits.locator('.visit-link').allTextContents()).includes(started!));
    assert.is(await page.locator('[data-figure="Visits"] .figure-value').textContent(), String(await visits.count()));
    const shown = Number(await page.locator('[data-figure="Pageviews"] .figure-value').textContent());
    assert.ok(shown >= Number(pages));
    await page.getByRole('link', { name: 'All visits' }).click();
    await settled(page);
    assert.is(searchOf(page), '?_sort=pageviews');
  });
}

test.run();
