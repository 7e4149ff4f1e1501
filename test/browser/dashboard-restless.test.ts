/** People who do not wait: whatever they do while answers are on their way, the page ends up showing what the address asks. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import type { Breakdown } from '../../src/dashboard/app/answers.ts';
import { formatNumber } from '../../src/dashboard/app/format.ts';
import { openStage, waitMs } from './dashboard.ts';
import type { Series, Stats } from './told.ts';
import { openDetour } from './webs.ts';

const stage = await openStage();
if (stage !== null) {
  const { open, api, site } = stage;
  const home = `/sites/${site.domain}`;
  const v1 = `/api/v1/sites/${site.id}`;

  /** What somebody does; where there is nothing of the kind on the page, they do not. */
  type Act = { press: string } | { click: string; nth: number } | { step: -1 | 1 } | { reload: true };
  const act = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('1', '3', '4', '5', 'x').map((press): Act => ({ press })) },
    {
      weight: 6,
      arbitrary: fc.record({
        click: fc.constantFrom(
          '.panel .row-link',
          '.panel .row-link',
          '.chip-remove',
          '.panel .tabs a',
          '.figure-choice',
          '.country',
          '[data-shortcut="earlier"]',
          '.trend-head .icon-button',
        ),
        nth: fc.nat(49),
      }),
    },
    { weight: 6, arbitrary: fc.constantFrom(-1, -1, 1).map((step): Act => ({ step: step as -1 | 1 })) },
    { weight: 1, arbitrary: fc.constant<Act>({ reload: true }) },
  );
  const acts = fc.array(fc.record({ act, thenMs: fc.nat(150) }), { minLength: 15, maxLength: 30 });

  const perform = async (page: Page, what: Act): Promise<void> => {
    if ('press' in what) return page.keyboard.press(what.press);
    if ('reload' in what) {
      // A step through the history that is under way can take the page's place, and then Chromium refuses.
      await page.reload({ waitUntil: 'commit' }).catch((error: Error) => {
        if (!error.message.includes('Not attached to an active page')) throw error;
      });
      return;
    }
    await page.evaluate(what => {
      const { navigation } = window as unknown as { navigation: { canGoBack: boolean; canGoForward: boolean } };
      if ('step' in what) {
        if (what.step < 0 ? navigation.canGoBack : navigation.canGoForward) history.go(what.step);
        return;
      }
      const found = document.querySelectorAll(what.click);
      found[what.nth % found.length]?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    }, what);
  };

  interface Shown {
    search: string;
    visitors: string | undefined;
    /** Of the panel of pages, and of the table over time or of its picture. */
    pages: (string | null)[];
    buckets: number;
    isWaiting: boolean;
  }
  const shown = (page: Page): Promise<Shown> =>
    page.evaluate(() => {
      const slider = document.querySelector('.trend [role="slider"]');
      return {
        search: location.search,
        visitors: document.querySelector('[data-metric="visitors"] .figure-value')?.textContent,
        pages: [...document.querySelectorAll('section[aria-label="Pages"] tbody tr')].map(
          row => row.querySelector('td.number')!.textContent,
        ),
        buckets:
          slider === null
            ? document.querySelectorAll('.trend-table tbody tr').length
            : Number(slider.getAttribute('aria-valuemax')) + 1,
        isWaiting:
          document.querySelector('.skeleton, [aria-busy="true"], .chart-waiting, .country-map.waiting') !== null,
      };
    });
  /** What an address asks, as the API answers it. */
  const asked = async (search: string): Promise<Shown> => {
    const query = new URLSearchParams(search);
    const dimension = query.get('_pages') ?? 'path';
    for (const name of [...query.keys()]) if (name.startsWith('_')) query.delete(name);
    const [stats, series, breakdown] = await Promise.all([
      api<Stats>(`${v1}/stats?${query}`),
      api<Series>(`${v1}/series?${query}`),
      api<Breakdown>(`${v1}/breakdown?${query}&dimension=${dimension}&limit=10`),
    ]);
    return {
      search,
      visitors: formatNumber(stats.visitors),
      pages: breakdown.data.map(row => formatNumber(row.value)),
      buckets: series.data.length,
      isWaiting: false,
    };
  };
  /** In the end: what was done last may still be on its way. */
  const showsWhatIsAsked = async (page: Page): Promise<void> => {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const seen = await shown(page);
      const want = JSON.stringify(await asked(seen.search));
      if (JSON.stringify(seen) === want) return;
      if (Date.now() > deadline) throw new Error(`shows ${JSON.stringify(seen)}, not ${want}`);
      await sleep(50);
    }
  };

  stage.test('the page shows what its address asks, however fast somebody clicks', async () => {
    let turn = 0;
    const uneven = (): number => (++turn * 37) % 120;
    const detour = await openDetour(stage.server.url, path =>
      path.startsWith('/api/') ? { delayMs: uneven(), halfwayMs: uneven() } : undefined,
    );
    const restless = fc.asyncProperty(acts, async list => {
      const page = await open(home, { origin: detour.origin });
      for (const { act, thenMs } of list) {
        await perform(page, act);
        await sleep(thenMs);
      }
      await showsWhatIsAsked(page);
      await page.context().close();
    });
    try {
      await fc.assert(restless, { seed: 6, numRuns: 4, endOnFailure: true, includeErrorInReport: true });
    } finally {
      await detour.close();
    }
  });
}

test.run();
