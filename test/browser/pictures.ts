/**
 * `npm run pictures` takes the pictures of README.md anew, from the demo's first site.
 * `npm run pictures -- all [DIR] [PATTERN]` takes one of every page and state in every look, as PNG, to be
 * looked at. Of those, the pattern chooses some by their names.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import { packageRoot } from '../../src/package-root.ts';
import { domain, openStage, type Stage, settled, type View } from './dashboard.ts';
import { openScene, scenes } from './scenes.ts';

/** Narrow enough for its words to be read where it is shown 838 pixels wide. */
const view = { width: 1160, height: 912, pixelRatio: 2 };
const quality = 80;
const home = `/sites/${domain}`;

/** Every look; one page is shown in all of them, since windows change their size too. */
const looks: Record<string, Required<Pick<View, 'theme' | 'width' | 'height'>>> = {
  light: { theme: 'light', width: 1280, height: 900 },
  dark: { theme: 'dark', width: 1280, height: 900 },
  wide: { theme: 'light', width: 2560, height: 1300 },
  narrow: { theme: 'light', width: 1100, height: 800 },
  phone: { theme: 'light', width: 390, height: 844 },
};

const takeAll = (stage: Stage, dir: string, pattern: RegExp): void => {
  mkdirSync(dir, { recursive: true });
  console.log(`  in ${dir}`);
  for (const name of Object.keys(scenes).filter(each => pattern.test(each))) {
    stage.test(name, async () => {
      const page = await openScene(stage, name, {});
      await page.mouse.move(0, 0);
      for (const [look, { theme, width, height }] of Object.entries(looks)) {
        await page.emulateMedia({ colorScheme: theme });
        await page.setViewportSize({ width, height });
        await settled(page);
        const path = join(dir, `${name.replaceAll(' ', '-')}.${look}.png`);
        await page.screenshot({ path, fullPage: true });
      }
    });
  }
};

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

/** The day with the most visitors, a few days back, so that its note stands in the middle of the chart. */
const peakOf = async ({ api, site }: Stage): Promise<string> => {
  const { data } = await api<{ data: { date: string; Visitors: number }[] }>(
    `/api/v1/sites/${site.id}/series?range=30d`,
  );
  const [peak] = data.slice(5, -4).toSorted((a, b) => b.Visitors - a.Visitors);
  return peak!.date.slice(0, 10);
};

const themes = { light: '', dark: '-dark' } as const;

/** Each in both themes, as the reader's browser asks for. */
const takeForReadme = (stage: Stage): void => {
  const { open, test, post, site } = stage;
  test('a note that explains a peak', async () => {
    await post(`/app/sites/${site.id}/notes`, { date: await peakOf(stage), text: 'Newsletter sent' });
    for (const [theme, suffix] of Object.entries(themes)) {
      const page = await open(`${home}?range=30d`, { ...view, theme: theme as keyof typeof themes });
      await page.locator('.live:not(:empty)').waitFor();
      // What stands beside the rows comes after them.
      await page.locator('td.delta:not(:empty)').first().waitFor();
      await take(page, `site${suffix}`);
    }
  });

  test('a journey', async () => {
    for (const [theme, suffix] of Object.entries(themes)) {
      const page = await open(`${home}/journeys?_show=all&_via=path%3D/`, {
        ...view,
        theme: theme as keyof typeof themes,
      });
      await page.mouse.move(0, 0);
      await take(page, `journey${suffix}`);
    }
  });
};

const [what, dir = join(tmpdir(), 'daybook-pictures'), pattern = ''] = process.argv.slice(2);
const isAll = what === 'all';
const stage = await openStage({ demo: isAll ? { days: 70, hits: 10_000 } : { days: 62, hits: 80_000 } });
if (stage !== null) {
  if (isAll) takeAll(stage, dir, new RegExp(pattern));
  else takeForReadme(stage);
}

test.run();
