/**
 * Every page and every part that opens above one, as axe sees it: one half here, for each of the two files
 * that run side by side.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { openStage, settled } from './dashboard.ts';
import { openScene, scenes } from './scenes.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, one line each: rule, and where. Colours alone differ between light and dark. */
export const violationsOf = async (page: Page, isOfColours = false): Promise<string[]> => {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  return page.evaluate(
    async options => {
      const { axe: checker } = window as unknown as {
        axe: {
          run(
            options: object,
          ): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }>;
        };
      };
      const found = await checker.run(options);
      return found.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
      );
    },
    // It says little of what passes, which costs more than to find it out.
    {
      resultTypes: ['violations'],
      ...(isOfColours ? { runOnly: ['color-contrast'] } : { rules: { 'target-size': { enabled: true } } }),
    },
  );
};

/** What stands above the page takes its new place some frames later. */
const untilNarrow = async (page: Page): Promise<void> => {
  const isNarrow = (): boolean => document.documentElement.scrollWidth <= 360;
  await page.waitForFunction(isNarrow, undefined, { timeout: 5000 }).catch(() => {});
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 360, `${width} px wide`);
};

export const lookAtScenes = async (half: 0 | 1): Promise<void> => {
  const stage = await openStage();
  if (stage === null) return;
  for (const name of Object.keys(scenes).filter((_, i) => i % 2 === half)) {
    stage.test(`${name} is accessible, light and dark, wide and on a phone`, async () => {
      const page = await openScene(stage, name, { reducedMotion: 'reduce' });
      assert.equal(await violationsOf(page), [], 'light');
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.equal(await violationsOf(page, true), [], 'dark');
      await page.setViewportSize({ width: 360, height: 740 });
      await settled(page);
      await untilNarrow(page);
      assert.equal(await violationsOf(page), [], 'phone');
    });
  }
};
