import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { domain, openStage, settled } from './dashboard.ts';
import { addRollup, openScene } from './scenes.ts';

/** Of what the site page needs, gzipped: script, style, chart, map and the texts of one language. */
const bytesMax = 90 * 1024;
/** The typeface is compressed in itself. */
const fontBytesMax = 45 * 1024;
/** Of all shifts on a page together, and of those with a filter, which brings other rows. */
const [shiftMax, filteredMax] = [0.02, 0.03];
/** Shifts within half a second of a click do not count: an answer comes later, as on a slow line. */
const lateMs = 700;

const stage = await openStage({ keepsPages: false });
if (stage !== null) {
  const { clock, open, send, server } = stage;
  const home = `/sites/${domain}`;

  stage.test('a wide screen is used, and lines stay readable', async () => {
    const page = await openScene(stage, 'overview', { width: 2200 });
    const width = (await page.locator('.panels').boundingBox())!.width;
    assert.ok(width > 1600 && width <= 1680, `${width} px`);
    // Three panels stand side by side, and none is wider than its lines want it.
    const pages = (await page.locator('section.panel[aria-label="Pages"]').boundingBox())!;
    const places = (await page.locator('section.panel[aria-label="Places"]').boundingBox())!;
    assert.is(pages.y, places.y);
    assert.ok(pages.width < 560);
  });

  stage.test('the theme is the system’s until somebody chooses another, which stays', async () => {
    const page = await open(home, { theme: 'dark' });
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const line = () =>
      page.evaluate(() => getComputedStyle(document.querySelector('.legend .swatch')!).backgroundColor);
    const dark = [await ground(), await line()];
    await page.getByRole('button', { name: 'Colours: system' }).click();
    const light = [await ground(), await line()];
    assert.not.equal(light, dark);
    await page.reload();
    await settled(page);
    assert.equal([await ground(), await line()], light);
    await page.getByRole('button', { name: 'Colours: light' }).click();
    await page.getByRole('button', { name: 'Colours: dark' }).click();
    assert.equal([await ground(), await line()], dark);
  });

  stage.test('panels below a button stay inside the window, also when it gets narrow', async () => {
    for (const name of ['notes', 'the period', 'the segments']) {
      const page = await openScene(stage, name, {});
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 740 });
        await settled(page);
        const { x, width: panel } = (await page.locator('.popover-panel').boundingBox())!;
        assert.ok(x >= 0 && x + panel <= width, `${name}: from ${x} to ${x + panel} of ${width}`);
      }
    }
  });

  stage.test('a panel stays inside the window when its content comes after it', async () => {
    const page = await open(home, { width: 390, height: 740 });
    const panel = page.locator('.popover-panel');
    const isOpen = panel.waitFor({ state: 'attached' });
    await page.route('**/part-*.js', async route => {
      await isOpen;
      await route.continue();
    });
    await page.locator('.period-button').click();
    await panel.locator('button').first().waitFor();
    await settled(page);
    const { x, width } = (await panel.boundingBox())!;
    assert.ok(x >= 0 && x + width <= 390, `from ${x} to ${x + width} of 390`);
  });

  stage.test('nothing moves for those who ask for less motion', async () => {
    for (const name of ['overview', 'realtime']) {
      const page = await openScene(stage, name, { reducedMotion: 'reduce' });
      const moving = await page.evaluate(
        () =>
          [...document.querySelectorAll('*')].filter(element => {
            const { animationName, transitionDuration } = getComputedStyle(element);
            return animationName !== 'none' || transitionDuration !== '0s';
          }).length,
      );
      assert.is(moving, 0, name);
    }
  });

  /** How far parts of the page have moved by themselves, as web vitals count it. */
  const shiftsOf = (page: Page): Promise<number> =>
    page.evaluate(() => (window as unknown as { shifts: number }).shifts);

  for (const name of [
    '',
    '/events',
    '/visits',
    '/realtime',
    '/vitals',
    '/crawlers',
    '/failures',
    '/health',
    '/journeys',
    '/settings',
    ' of a rollup',
  ]) {
    stage.test(`nothing shifts on ${name === '' ? 'the overview' : name}: on load, refresh and filter`, async () => {
      const path = name === ' of a rollup' ? await addRollup(stage) : home + name;
      const page = await open('/settings/nothing');
      await page.addInitScript(`
        window.shifts = 0;
        new PerformanceObserver(list => {
          for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts += value;
        }).observe({ type: 'layout-shift', buffered: true });
      `);
      await page.goto(server.url + path);
      await settled(page);
      // What is fetched when it is needed.
      if (path.endsWith('shops')) await page.locator('.panel.whole tbody tr').first().waitFor();
      const shifts = [await shiftsOf(page)];
      // Somebody comes, sees a page that nobody saw before, and a minute passes.
      const fresh = `https://${domain}/fresh${name.replaceAll(' ', '-')}`;
      await send({ u: fresh });
      await send({ u: fresh, t: 'custom', n: `Fresh ${name}` });
      clock.now += 61_000;
      await page.clock.setFixedTime(clock.now);
      const answered = name === '/settings' ? null : page.waitForResponse(/\/api\//);
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await answered;
      await settled(page);
      shifts.push(await shiftsOf(page));
      assert.ok(shifts[1]! < shiftMax, String(shifts));
      await page.route(/\/api\//, async route => {
        await sleep(lateMs);
        await route.continue();
      });
      const filter = page.locator('.row-link[href*="?"]').first();
      if ((await filter.count()) > 0) await filter.click();
      await settled(page);
      shifts.push(await shiftsOf(page));
      assert.ok(shifts[2]! < filteredMax, String(shifts));
    });
  }

  for (const locale of ['en-GB', 'de-DE', 'fr-FR']) {
    stage.test(`script, style and texts of the site page stay within their size limits in ${locale}`, async () => {
      const page = await open('/settings/nothing', { locale });
      const sizes = new Map<string, number>();
      const fonts: string[] = [];
      page.on('response', response => {
        const { pathname } = new URL(response.url());
        if (pathname.startsWith('/assets/') && !/\.(svg|woff2)$/.test(pathname)) sizes.set(pathname, 0);
        if (pathname.endsWith('.woff2')) fonts.push(pathname);
      });
      await page.goto(server.url + home);
      await settled(page);
      for (const path of sizes.keys()) {
        // As a browser asks that came by http.
        const response = await fetch(server.url + path, { headers: { 'accept-encoding': 'gzip, deflate' } });
        assert.is(response.headers.get('content-encoding'), 'gzip', path);
        sizes.set(path, Number(response.headers.get('content-length')));
      }
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      assert.ok(sizes.size > 4 && total <= bytesMax, `${total} bytes in ${sizes.size} files`);
      assert.is(fonts.length, 1);
      const font = await fetch(server.url + fonts[0]!);
      assert.is(font.headers.get('content-type'), 'font/woff2');
      assert.ok((await font.bytes()).length <= fontBytesMax);
    });
  }

  stage.test('pages allow no inline script and no other host, and show the attribution', async () => {
    const response = await fetch(`${server.url}/sign-in`);
    const policy = response.headers.get('content-security-policy')!;
    assert.match(policy, "script-src 'self'");
    assert.match(policy, "style-src 'self'");
    assert.not.match(policy, 'unsafe');
    const page = await open(home);
    const link = page.getByRole('link', { name: 'IP Geolocation by DB-IP' });
    assert.is(await link.getAttribute('href'), 'https://db-ip.com');
  });
}

test.run();
