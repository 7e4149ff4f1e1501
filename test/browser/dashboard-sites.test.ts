/** Between sites, and between being known and not: what lies beside the first run and the settings of one site. */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatNumber } from '../../src/dashboard/app/format.ts';
import { sitePageNames } from '../../src/dashboard/app/routes.ts';
import { domain, email, goTo, makePublic, openStage, password, settled } from './dashboard.ts';
import type { Members, Stats } from './told.ts';

const stage = await openStage({ demo: { days: 10, hits: 1500 }, keepsPages: false });
if (stage !== null) {
  const { open, server, site, api, post } = stage;
  const home = `/sites/${domain}`;
  const pathOf = (page: Page): string => page.url().slice(server.url.length);
  const userAgent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

  stage.test('the list shows all sites and leads to each', async () => {
    const page = await open('/');
    assert.equal(await page.locator('.site-name').allTextContents(), [domain, 'papertrail.example']);
    const visitorsOf = async (query: string): Promise<string> =>
      formatNumber((await api<Stats>(`/api/v1/sites/${site.id}/stats?${query}`)).visitors);
    const row = page.locator('.site-list li').first();
    assert.is(await row.locator('.site-figure strong').textContent(), await visitorsOf('range=30d'));
    // The demo is younger than the window compared with, so there is no change to tell.
    assert.is(await row.locator('.change').count(), 0);
    await row.locator('.site-before').waitFor();
    assert.is(await row.locator('.site-foot strong').textContent(), await visitorsOf('range=today'));
    const { previous } = await api<Stats>(`/api/v1/sites/${site.id}/stats?range=today&compare=previous-weekday`);
    assert.not.equal(formatNumber(previous!.visitors), await visitorsOf('from=2026-11-13&to=2026-11-13'));
    const before = `${formatNumber(previous!.visitors)} by this time last Friday`;
    assert.is(await row.locator('.site-before').textContent(), before);
    assert.is(await page.locator('.site-silence').count(), 0);
    await page.getByRole('link', { name: domain }).click();
    await settled(page);
    await page.keyboard.press('4');
    await page.getByLabel('Switch site').selectOption('papertrail.example');
    await settled(page);
    assert.is(pathOf(page), '/sites/papertrail.example?range=7d');
    await page.getByLabel('Switch site').selectOption('Add a site…');
    await page.getByRole('heading', { name: 'Add a site' }).waitFor();
  });

  stage.test('several sites are combined, shown as one wherever a site is, changed and taken apart again', async () => {
    const page = await open('/', { tolerated: /status of 400/ });
    await page.getByRole('button', { name: 'Combine sites' }).click();
    const dialog = page.getByRole('dialog', { name: 'Combine sites' });
    await dialog.getByLabel('Name').fill('All shops');
    await dialog.getByRole('button', { name: 'Create rollup' }).click();
    await dialog.getByText('A rollup needs a site at least.').waitFor();
    for (const name of [domain, 'papertrail.example']) await dialog.getByLabel(name).check();
    await dialog.getByRole('button', { name: 'Create rollup' }).click();
    await dialog.waitFor({ state: 'detached' });
    await settled(page);
    const row = page.getByRole('list', { name: 'Rollups' }).getByRole('listitem');
    assert.match((await row.textContent()) ?? '', `${domain}, papertrail.example`);

    await row.getByRole('link').click();
    await settled(page);
    await page.keyboard.press('4');
    await settled(page);
    assert.is(pathOf(page), '/sites/All%20shops?range=7d');
    const visitors = async (name: string) =>
      (await api<Stats>(`/api/v1/sites/${encodeURIComponent(name)}/stats?range=7d`)).visitors;
    const all = await visitors('All shops');
    assert.ok(all > (await visitors(domain)));
    assert.is(await page.locator('[data-metric="visitors"] .figure-value').textContent(), formatNumber(all));
    const rows = page.getByRole('region', { name: 'Sites' }).locator('tbody tr');
    await rows.first().waitFor();
    const { data } = await api<Members>('/api/ext/sites/All%20shops/members?range=7d');
    assert.equal(
      await rows.evaluateAll(all =>
        all.map(row => [...row.querySelectorAll('td')].slice(0, 2).map(cell => cell.textContent)),
      ),
      data.map(row => [row.name, formatNumber(row.visitors)]),
    );
    assert.is(
      data.reduce((sum, row) => sum + row.visitors, 0),
      all,
    );
    await rows.getByRole('link', { name: 'papertrail.example' }).click();
    await page.waitForURL('**/sites/papertrail.example?range=7d');
    await page.goBack();
    await settled(page);

    for (const name of sitePageNames.filter(each => each !== 'settings')) {
      await goTo(page, name);
      assert.is(await page.locator('.failed').count(), 0, name);
    }

    await page.goto(`${server.url}/sites/All%20shops/settings`);
    const settings = page.getByRole('region', { name: 'Name and sites' });
    await settings.getByLabel('Name').fill('Shops');
    await settings.getByLabel('papertrail.example').uncheck();
    await settings.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/sites/Shops/settings');
    assert.is(await visitors('Shops'), await visitors(domain));
    assert.is(await page.getByText('Aliases').count(), 0, 'nothing about hits themselves');

    await page.goto(server.url);
    await page.getByRole('button', { name: 'Edit Shops' }).click();
    for (let click = 0; click < 2; click++) await page.getByRole('button', { name: 'Remove rollup' }).click();
    await page.getByRole('list', { name: 'Rollups' }).waitFor({ state: 'detached' });
    assert.equal(await page.locator('.site-name').allTextContents(), [domain, 'papertrail.example']);
  });

  stage.test('a site without hits shows its tag until the first hit comes', async () => {
    const page = await open('/settings/add-site');
    await page.getByLabel('Domain').fill('third.example');
    await page.getByRole('button', { name: 'Add site' }).click();
    await page.getByRole('link', { name: 'Open dashboard' }).click();
    await page.getByRole('heading', { name: 'No hits yet' }).waitFor();
    const list = await open('/');
    assert.equal(await list.locator('.site-silence').allTextContents(), [
      'No hits yet. Open the site to get its script.',
    ]);
    await list.close();

    const tag = await page.getByLabel('Script tag').inputValue();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    assert.is(await page.evaluate(() => navigator.clipboard.readText()), tag);

    const [, publicKey] = /data-site="(pk_live_\w+)"/.exec(tag)!;
    const body = JSON.stringify({ s: publicKey, u: 'https://third.example/' });
    await fetch(`${server.url}/e`, { method: 'POST', headers: { 'user-agent': userAgent }, body });
    await page.getByText('The first hit has arrived.').waitFor();
    await page.reload();
    await settled(page);
    assert.is(await page.locator('[data-metric="visitors"] .figure-value').textContent(), '1');
    assert.is(await page.getByText('No hits yet').count(), 0);
  });

  stage.test('people whose login ended sign in again and are back where they were', async () => {
    const page = await open(home, { tolerated: /status of 401/ });
    await page.context().clearCookies();
    await page.keyboard.press('4');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('You were signed out.').waitFor();
    assert.is(await page.getByRole('link', { name: 'Account' }).count(), 0);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.headline .hero-figures').waitFor();
    assert.is(pathOf(page), `${home}?range=7d`);
  });

  stage.test('strangers can download what a public page shows', async () => {
    const shareUrl = await makePublic(post, site.id);
    const page = await open(`${new URL(shareUrl).pathname}?range=7d`, { isStranger: true });
    const { visitors } = await api<Stats>(`/api/v1/sites/${site.id}/stats?range=7d`);
    assert.is(await page.locator('[data-metric="visitors"] .figure-value').textContent(), formatNumber(visitors));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByLabel('Export these numbers as CSV').click(),
    ]);
    assert.is(download.suggestedFilename(), `${domain}-7d-2026-11-20.csv`);
  });

  stage.test('an unknown path says so', async () => {
    for (const path of ['/sites/nobody.example', `${home}/nothing`, '/share/nothing']) {
      const page = await open(path, { tolerated: /status of 404/ });
      assert.is(await page.locator('h1').textContent(), 'Page not found', path);
    }
  });
}

test.run();
