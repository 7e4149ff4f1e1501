/** Single visitors: their page with traits, and the hits as they come; and what strangers see. */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LatestHits, Visitor } from '../../src/dashboard/app/answers.ts';
import type { ShareList } from '../../src/dashboard/wire.ts';
import { makePublic, openStage, settled } from './dashboard.ts';

const stage = await openStage({ demo: { days: 40, hits: 3000 } });
if (stage !== null) {
  const { open, api, post, send, site, server, clock } = stage;
  const home = `/sites/${site.domain}`;
  const ext = `/api/ext/sites/${site.id}`;
  const searchOf = (page: Page): string => decodeURIComponent(new URL(page.url()).search);

  stage.test('an identified visitor has a page with figures and with traits, found by search', async () => {
    await send({});
    await send({ t: 'identify', p: { email: 'grace@example.com', plan: 'free' } });
    await send({ t: 'revenue', v: 1250, c: site.currency, n: 'Purchase' });
    await send({ t: 'identify', p: { plan: 'pro', seats: 3 } });
    const page = await open(`${home}/visits?range=today&_q=grace@`);
    await page.getByRole('link', { name: 'grace@example.com' }).click();
    await settled(page);
    assert.is(await page.locator('.detail-title').textContent(), 'grace@example.com');
    assert.equal(await page.locator('.traits dt').allTextContents(), ['email', 'plan', 'seats']);
    assert.equal(await page.locator('.traits dd').allTextContents(), ['grace@example.com', 'pro', '3']);
    assert.is(await page.locator('.visits th').nth(1).textContent(), 'Entry and exit');
    const visitor = new URLSearchParams(new URL(page.url()).search).get('_visitor');
    const known = await api<Visitor>(`${ext}/visitor?visitor=${visitor}`);
    assert.equal([known.visits, known.pageviews, known.events, known.revenue], [1, 1, 1, 1250]);
    const shown = await page.locator('.figures.few .figure-value').allTextContents();
    assert.equal(shown.slice(0, 3), ['1', '1', '1']);
    assert.match(shown[3]!, /12\.50/);
  });

  stage.test('hits are listed as they come, and the list rests when it is paused', async () => {
    await send({ u: `https://${site.domain}/first` });
    const page = await open(`${home}/realtime`);
    const rows = page.locator('.latest-hits tbody tr');
    const { data } = await api<LatestHits>(`${ext}/latest-hits`);
    assert.is(await rows.count(), data.length);
    assert.match((await rows.first().textContent())!, /\/first/);
    clock.now += 1000;
    await send({ t: 'custom', n: 'Second', u: `https://${site.domain}/second` });
    await page.locator('.latest-hits').getByRole('link', { name: 'Second', exact: true }).waitFor();
    assert.match((await rows.first().textContent())!, /Second \/second/);

    await page.getByRole('button', { name: 'Pause' }).click();
    clock.now += 1000;
    await send({ u: `https://${site.domain}/third` });
    await page.locator('section[aria-label="Pages"] .row-link', { hasText: '/third' }).waitFor();
    assert.match((await rows.first().textContent())!, /Second/);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('.latest-hits').getByRole('link', { name: '/third' }).waitFor();

    await page.locator('.latest-hits').getByRole('link', { name: '/first' }).click();
    await settled(page);
    assert.is(searchOf(page), '?path=/first');
    assert.is(await rows.count(), 1);
    await rows.getByRole('link', { name: 'grace@example.com' }).click();
    await settled(page);
    assert.is(await page.locator('.detail-title').textContent(), 'grace@example.com');
  });

  stage.test('a public page shows no single hit', async () => {
    const shareUrl = await makePublic(post, site.id);
    const page = await open(`${new URL(shareUrl).pathname}/realtime`, { isStranger: true });
    assert.is(await page.locator('.now-value').count(), 1);
    assert.is(await page.locator('.latest-hits').count(), 0);
  });

  stage.test('the owner names the hosts that may embed the public page, and copies what to put there', async () => {
    const { url } = (await api<ShareList>(`/app/sites/${site.id}/shares`)).data[0]!;
    const page = await open(`${home}/settings?_section=share`, { tolerated: /status of 400|frame-ancestors/ });
    const hosts = page.getByLabel('Hosts that may embed the pages');
    await hosts.fill('https://blog.example/');
    await page.getByRole('button', { name: 'Save hosts' }).click();
    await page.getByText('is not a host').waitFor();
    await hosts.fill(new URL(server.url).host);
    await page.getByRole('button', { name: 'Save hosts' }).click();
    const snippet = await page.getByLabel('HTML to embed it').inputValue();
    assert.ok(snippet.startsWith(`<iframe src="${url}"`), snippet);
    // Any page of the host that is named; without scripts of its own.
    await page.route('**/embedding', route => route.fulfill({ contentType: 'text/html', body: snippet }));
    await page.goto(`${server.url}/embedding`);
    await page.frameLocator('iframe').locator('[data-metric="visitors"]').waitFor();
    await post(`/app/sites/${site.id}`, { embedHosts: [] });
    await page.goto(`${server.url}/embedding`);
    await page.waitForLoadState('networkidle');
    assert.is(await page.frameLocator('iframe').locator('[data-metric="visitors"]').count(), 0);
  });
}

test.run();
