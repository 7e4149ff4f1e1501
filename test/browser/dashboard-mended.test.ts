/** How the dashboard behaves where people stumble: filters by their names, ways back, themes, clocks, one banner. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openStage, settled } from './dashboard.ts';
import { addRollup } from './scenes.ts';

const stage = await openStage({ demo: { days: 40, hits: 3000 } });
if (stage !== null) {
  const { open, send, site, server, post } = stage;
  const home = `/sites/${site.domain}`;

  stage.test('a typed value means what the suggestion says, and arrow keys reach the others', async () => {
    for (const [field, typed, asked] of [
      ['Browser', 'chrome', 'browser=Chrome'],
      ['Channel', 'organic sea', 'channel=Organic+search'],
      ['Device', 'mob', 'device=mobile'],
      ['Referrer', 'direct', 'referrer='],
      ['Country', 'germany', 'country=DE'],
    ] as const) {
      const page = await open(home);
      await page.keyboard.press('f');
      await page.getByLabel('Field').selectOption(field);
      await page.getByLabel('Value', { exact: true }).fill(typed);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.ok(new URL(page.url()).search.startsWith(`?${asked}`), page.url());
    }
    const page = await open(home);
    await page.keyboard.press('f');
    await page.getByLabel('Field').selectOption('Page');
    await page.getByLabel('Value', { exact: true }).fill('/');
    await page.locator('.suggestions .meant', { hasText: /^\/\d/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    const second = await page.locator('.suggestions .meant span').first().textContent();
    await page.keyboard.press('Enter');
    await page.locator('.chip-value', { hasText: second! }).waitFor();
  });

  stage.test('back from a visitor leads to the place in the list', async () => {
    const page = await open(`${home}/visits`);
    await page.evaluate(() => scrollTo(0, 1600));
    await settled(page);
    await page.evaluate(() => scrollTo(0, 1600));
    const link = page.locator('.visitor a').nth(35);
    await link.scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => scrollY);
    assert.ok(before > 500, `${before} px`);
    await link.click();
    await page.locator('.detail-title').waitFor();
    await settled(page);
    await page.goBack();
    await page.waitForFunction(y => Math.abs(scrollY - y) < 50, before);
  });

  stage.test('the chosen colours hold before the app draws', async () => {
    const page = await open(home, { tolerated: /ERR_FAILED/ });
    await page.evaluate(() => localStorage.setItem('daybook-theme', 'dark'));
    await page.route('**/app-*.js', route => route.abort());
    await page.goto(`${server.url}${home}`, { waitUntil: 'domcontentloaded' }).catch(() => {});
    assert.is(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.unrouteAll();
  });

  stage.test('a server that is gone is said once', async () => {
    const page = await open('/settings', { tolerated: /ERR_FAILED/ });
    await page.route('**/api/**', route => route.abort());
    await page.evaluate(to => history.pushState(null, '', to), home);
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
    await page.locator('.stale', { hasText: 'Can’t reach the server.' }).waitFor();
    assert.is(await page.getByText('Can’t reach the server.').count(), 1);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.stale p').waitFor({ state: 'detached' });
    await settled(page);
  });

  stage.test('times of a visit stay on one line, whatever the clock', async () => {
    const page = await open(`${home}/visits`, { locale: 'en-US' });
    await page.locator('.visit-link').first().click();
    await settled(page);
    const time = page.locator('.hit time').first();
    assert.match((await time.textContent())!, /[AP]M/);
    assert.ok((await time.boundingBox())!.height < 25);
  });

  stage.test('one hit is one, paper is light, and a page that is none has status 404', async () => {
    const alone = { domain: 'lone.example', timezone: 'UTC', currency: 'EUR' };
    const { publicKey } = await post<{ publicKey: string }>('/app/sites', alone);
    await send({ u: 'https://lone.example/' }, { publicKey, domain: 'lone.example' });
    const page = await open('/sites/lone.example/realtime');
    assert.match((await page.locator('.now .hint').textContent())!, '1 pageview, 0 events');
    await page.goto(`${server.url}${home}`);
    await settled(page);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    assert.is(ground, 'rgb(246, 245, 242)');
    assert.is(await page.locator('.site-nav').first().isVisible(), false);
    const missing = await page.request.get(`${server.url}${home}/nothing`);
    assert.is(missing.status(), 404);
    assert.is((await page.request.get(`${server.url}${home}/visits?range=7d`)).status(), 200);
  });

  stage.test('pages of a rollup lead to no host of its name, and the day that goes on is named', async () => {
    const page = await open(await addRollup(stage));
    const pages = page.getByRole('region', { name: 'Pages' });
    await pages.locator('tbody tr').first().waitFor();
    assert.is(await pages.locator('.page-link').count(), 0);
    assert.is(await page.locator('.chart-column.last').textContent(), 'Today');
  });

  stage.test('no tab of a panel is cut, and all others are behind one button', async () => {
    for (const locale of ['en-GB', 'de-DE', 'fr-FR']) {
      const page = await open(home, { locale });
      for (const width of [1440, 1280, 900, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await settled(page);
        const cut = await page
          .locator('.panel .tabs')
          .evaluateAll(all => all.filter(tabs => tabs.scrollWidth > tabs.clientWidth + 1).map(tabs => tabs.ariaLabel));
        assert.equal(cut, [], `${locale} ${width}`);
      }
    }
  });

  stage.test('no head of a column runs into the next, in any language', async () => {
    for (const locale of ['en-GB', 'de-DE', 'fr-FR']) {
      for (const path of ['?_pagesBy=bounceRate', '/visits', '/funnels?_step=path%3D/&_step=path%3D/pricing']) {
        const page = await open(home + path, { locale });
        for (const width of [1100, 390]) {
          await page.setViewportSize({ width, height: 900 });
          await settled(page);
          const over = await page
            .locator('.rows th.number, .visits th')
            .evaluateAll(all => all.filter(th => th.scrollWidth > th.clientWidth).map(th => th.textContent));
          assert.equal(over, [], `${locale} ${path} ${width}`);
        }
      }
    }
  });

  stage.test('all columns of the whole table fit, whatever a path is long', async () => {
    await send({ u: `https://${site.domain}/${'long-path/'.repeat(30)}` });
    const page = await open(`${home}?_all=path`, { width: 1440 });
    const table = page.locator('.dialog .table');
    await page.getByLabel('Search these rows').fill('long-path');
    await table.locator('tbody tr', { hasText: 'long-path' }).first().waitFor();
    const box = (await page.locator('.dialog-scroll').boundingBox())!;
    for (const head of await table.locator('thead th').all()) {
      const { x, width } = (await head.boundingBox())!;
      assert.ok(x + width <= box.x + box.width + 1, `a column ends at ${x + width}`);
    }
  });

  stage.test('a huge amount is short, and whole in its tip', async () => {
    await send({ t: 'revenue', v: 39_506_172_919_800, c: site.currency, n: 'Purchase' });
    const page = await open(`${home}?range=today`);
    const value = page.locator('[data-metric="revenue"] .figure-value');
    assert.match((await value.textContent())!, /^€395(\.\d)?B$/);
    assert.match((await value.getAttribute('title'))!, /^€395,06/);
    const [figure, number] = [
      (await page.locator('[data-metric="revenue"]').boundingBox())!,
      (await value.boundingBox())!,
    ];
    assert.ok(number.x + number.width <= figure.x + figure.width);
  });

  stage.test('the running month is drawn as open on every page with a chart', async () => {
    for (const path of ['', '/crawlers', '/events?_event=Signup', '/health']) {
      const page = await open(`${home}${path}${path.includes('?') ? '&' : '?'}range=12m`);
      await page.locator('.chart-line.open').first().waitFor();
      assert.match((await page.locator('.chart-line.open').first().getAttribute('d'))!, /^M/, path);
    }
  });

  stage.test('a dialog saves only what was changed', async () => {
    const definitions = `/app/sites/${site.id}/definitions`;
    await post(definitions, { kind: 'goal', name: 'Prices', conditions: 'path=/pricing', value: '250' });
    await post(`/app/sites/${site.id}/alerts`, {
      ...{ kind: 'spike', name: 'Quiet', params: { sensitivity: 'keen' }, filters: 'country=DE&path^=/blog' },
      ...{ channels: [], mailOwners: true, enabled: true },
    });
    await post(`/app/sites/${site.id}/shares`, { name: 'Press' });
    for (const [section, button] of [
      ['goals', 'Change Prices'],
      ['alerts', 'Change Quiet'],
      ['share', 'Edit Press'],
    ] as const) {
      const page = await open(`${home}/settings?_section=${section}`);
      await page.getByRole('button', { name: button }).click();
      const dialog = page.getByRole('dialog');
      const save = dialog.getByRole('button', { name: 'Save' });
      await save.waitFor();
      assert.ok(await save.isDisabled(), section);
      const name = dialog.getByLabel('Name', { exact: true });
      const typed = await name.inputValue();
      await name.fill(`${typed} 2`);
      assert.ok(await save.isEnabled(), section);
      await name.fill(typed);
      assert.ok(await save.isDisabled(), section);
    }
    const page = await open(`${home}/settings?_section=alerts`);
    await page.getByText('Country is Germany, Page starts with /blog').waitFor();
    await post(definitions.concat('/remove'), { kind: 'goal', name: 'Prices' });
  });

  stage.test('a dialog stays while its request is under way, and tells the error', async () => {
    const page = await open(`${home}/settings?_section=goals`, { tolerated: /status of 400/ });
    let answer = (): void => {};
    await page.route('**/definitions', async route => {
      if (route.request().method() === 'GET') return route.fallback();
      await new Promise<void>(resolve => {
        answer = resolve;
      });
      await route.fulfill({ status: 400, json: { error: 'This name is taken.' } });
    });
    await page.getByRole('button', { name: 'New goal' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Twice');
    await dialog.getByLabel('Name of the event').fill('Signup');
    await dialog.getByRole('button', { name: 'Add goal' }).click();
    await dialog.locator('[aria-disabled="true"]').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.mouse.click(3, 3);
    await dialog.getByRole('button', { name: 'Close' }).click();
    assert.ok(await dialog.isVisible());
    answer();
    await dialog.getByText('This name is taken.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  stage.test('a new goal leads back to the question it was asked from, and to nowhere else', async () => {
    const question = '?range=7d&device=mobile';
    const page = await open(home + question);
    const goals = page.getByRole('region', { name: 'Goals' });
    const dialog = page.getByRole('dialog');
    const add = async (name: string): Promise<void> => {
      await dialog.getByLabel('Name', { exact: true }).fill(name);
      await dialog.getByLabel('Name of the event').fill('Signup');
      await dialog.getByRole('button', { name: 'Add goal' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await goals.getByRole('link', { name: 'Add a goal' }).click();
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.is(new URL(page.url()).search, `${question}&_section=goals`);
    await page.getByRole('button', { name: 'New goal' }).click();
    await add('First');
    assert.is(new URL(page.url()).pathname, `${home}/settings`);
    await page.goBack();
    await goals.getByRole('link', { name: 'Change goals' }).click();
    await add('Second');
    assert.is(page.url(), `${server.url}${home}${question}&_goal=Second`);
    await page.goBack();
    await settled(page);
    assert.is(page.url(), server.url + home + question);
  });

  stage.test('the curve keeps to its card when the window gets narrower', async () => {
    const page = await open(home, { width: 1440 });
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.evaluate(() =>
      addEventListener('transitionrun', ({ target }) => {
        if ((target as Element).matches('.chart-line')) document.body.dataset.glided = 'yes';
      }),
    );
    const glided = (): Promise<string | null> => page.locator('body').getAttribute('data-glided');
    await page.setViewportSize({ width: 900, height: 900 });
    await page.waitForFunction(() => {
      const [line, card] = ['.chart-line:not(.earlier, .open)', '.hero'].map(name =>
        document.querySelector(name)!.getBoundingClientRect(),
      );
      return line!.right <= card!.right;
    });
    assert.is(await glided(), null);
    await page.locator('[data-metric="visits"] [role="radio"]').click();
    await page.locator('body[data-glided]').waitFor();
  });
}

test.run();
