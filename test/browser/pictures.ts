/** Takes the pictures of README.md anew, from the demo's first site: `npm run pictures`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import { packageRoot } from '../../src/package-root.ts';
import { domain, openStage, settled } from './dashboard.ts';

const view = { width: 1280, height: 980, pixelRatio: 2 };
const quality = 80;

const stage = await openStage({ demo: { days: 62, hits: 80_000 } });
if (stage !== null) {
  const { open } = stage;
  const home = `/sites/${domain}`;

  /** As WebP, which Playwright itself does not write. */
  const take = async (page: Page, name: string): Promise<void> => {
    const devtools = await page.context().newCDPSession(page);
    // A session of its own sees the page at its own size.
    const { width, height, pixelRatio } = view;
    await devtools.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: pixelRatio,
      mobile: false,
    });
    await settled(page);
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality });
    writeFileSync(join(packageRoot, 'docs', 'images', `${name}.webp`), Buffer.from(data, 'base64'));
  };

  stage.test('a site, light', async () => {
    const page = await open(home, view);
    await page.locator('.live:not(:empty)').waitFor();
    await take(page, 'site');
  });

  stage.test('its visits, dark', async () => {
    const page = await open(`${home}/visits?_paid=1`, { ...view, theme: 'dark' });
    await page.locator('.visit-link').nth(2).click();
    await page.locator('.hits').waitFor();
    await page.mouse.move(0, 0);
    await take(page, 'visits');
  });
}

test.run();
