/**
 * What people ask of a product like this in their first week: each takes five actions at most, with a
 * mouse, and most on a phone by the keyboard alone. An action is a click, a key or a text that is typed; the
 * way of the focus to it is none.
 */
import type { Locator, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Breakdown, FunnelAnswer, Goals } from '../../src/dashboard/app/answers.ts';
import { formatNumber, formatPercent } from '../../src/dashboard/app/format.ts';
import { linksTo, openStage, settled, type View } from './dashboard.ts';
import type { Stats } from './told.ts';

const actionsMax = 5;
/** Further than that, nobody goes for a button. */
const stopsMax = 150;

const stage = await openStage({ demo: { days: 80, hits: 12_000 } });
if (stage !== null) {
  const { api, open, post, site } = stage;
  const home = `/sites/${site.domain}`;
  const v1 = `/api/v1/sites/${site.id}`;
  const ext = `/api/ext/sites/${site.id}`;

  interface Hand {
    press(what: Locator): Promise<void>;
    type(into: Locator, text: string): Promise<void>;
  }

  const mouse = (): Hand => ({ press: what => what.click(), type: (into, text) => into.fill(text) });

  /** Goes from stop to stop, as the key does. */
  const keys = (page: Page): Hand => {
    const reach = async (what: Locator): Promise<void> => {
      for (let i = 0; i < stopsMax; i++) {
        if (await what.evaluate(element => element === document.activeElement)) return;
        await page.keyboard.press('Tab');
      }
      assert.unreachable(`${what} is out of reach`);
    };
    return {
      async press(what) {
        await reach(what);
        await page.keyboard.press('Enter');
      },
      async type(into, text) {
        await reach(into);
        await page.keyboard.type(text);
      },
    };
  };

  const ways: [name: string, view: View, (page: Page) => Hand][] = [
    ['', {}, mouse],
    [', on a phone and by keys', { width: 390, height: 844 }, keys],
  ];

  interface Options {
    path?: string;
    /** Menus that arrows lead through, and long ways, are tried with the mouse alone. */
    hasKeys?: boolean;
  }

  const task = (
    name: string,
    run: (page: Page, hand: Hand) => Promise<void>,
    { path = home, hasKeys = true }: Options = {},
  ): void => {
    for (const [way, view, handOf] of hasKeys ? ways : ways.slice(0, 1))
      stage.test(name + way, async () => {
        const page = await open(path, view);
        const hand = handOf(page);
        let actions = 0;
        const counted =
          <Given extends unknown[]>(act: (...given: Given) => Promise<void>) =>
          async (...given: Given): Promise<void> => {
            actions++;
            await act(...given);
            await settled(page);
          };
        await run(page, { press: counted(hand.press), type: counted(hand.type) });
        assert.ok(actions > 0 && actions <= actionsMax, `${actions} actions`);
      });
  };

  const panel = (page: Page, name: string): Locator => page.locator(`section.panel[aria-label="${name}"]`);
  const figure = (page: Page, name: string): Locator => page.locator(`[data-metric="${name}"] .figure-value`);
  const goTo = async (page: Page, { press }: Hand, name: Parameters<typeof linksTo>[1]): Promise<void> => {
    for (const link of linksTo(page, name)) await press(link);
  };
  const section = async (page: Page, hand: Hand, name: string): Promise<Locator> => {
    await goTo(page, hand, 'settings');
    await hand.press(page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true }));
    return page.locator('.settings-part');
  };

  task('which pages people in Germany read on their phones', async (page, { press }) => {
    await press(panel(page, 'Places').locator('.row-link[data-label="Germany"]'));
    await press(panel(page, 'Technology').getByRole('link', { name: 'Device', exact: true }));
    await press(panel(page, 'Technology').getByRole('link', { name: 'Mobile', exact: true }));
    const { data } = await api<Breakdown>(`${v1}/breakdown?country=DE&device=mobile&dimension=path`);
    const first = panel(page, 'Pages').locator('tbody tr').first();
    assert.is(await first.locator('td.number').first().textContent(), formatNumber(data[0]!.value));
  });

  task(
    'this month against the same days of last year',
    async (page, { press }) => {
      await press(page.locator('.period-button'));
      await press(page.locator('.range-list').getByRole('button', { name: 'This month' }));
      await press(page.locator('.period-button'));
      await press(page.getByRole('button', { name: 'Previous year' }));
      const { visitors } = await api<Stats>(`${v1}/stats?range=month`);
      assert.is(await figure(page, 'visitors').textContent(), formatNumber(visitors));
      assert.match(page.url(), 'compare=');
    },
    { hasKeys: false },
  );

  task('a release is noted on its day', async (page, { press, type }) => {
    await press(page.locator('.notes-button'));
    const text = `Release ${await page.evaluate(() => innerWidth)}`;
    await type(page.locator('.notes').getByLabel('Note', { exact: true }), text);
    await press(page.locator('.notes').getByRole('button', { name: 'Add note', exact: true }));
    await page.locator('.note-text', { hasText: text }).waitFor();
  });

  task('from which sources people sign up, and at which rate', async (page, { press, type }) => {
    const { data: goals } = await api<Goals>(`${ext}/goals`);
    for (const { name } of goals) await post(`/app/sites/${site.id}/definitions/remove`, { kind: 'goal', name });
    await page.reload();
    await settled(page);
    await press(panel(page, 'Goals').getByRole('link', { name: 'Add a goal' }));
    const dialog = page.getByRole('dialog', { name: 'New goal' });
    await type(dialog.getByLabel('Name', { exact: true }), 'Signed up');
    await type(dialog.getByLabel('Name of the event'), 'Signup');
    await press(dialog.getByRole('button', { name: 'Add goal' }));
    const rate = panel(page, 'Sources').locator('tbody tr').first().locator('td.converted');
    await rate.filter({ hasText: '%' }).waitFor();
    const { data } = await api<Goals>(`${ext}/goals`);
    const row = panel(page, 'Goals').getByRole('row', { name: /Signed up/ });
    assert.is(await row.locator('.conversionRate').textContent(), formatPercent(data[0]!.conversionRate));
  });

  task('how many go from the home page to the prices', async (page, hand) => {
    await goTo(page, hand, 'funnels');
    await hand.press(page.getByRole('button', { name: 'Choose the first step' }));
    for (const path of ['/', '/pricing'])
      await hand.press(
        page
          .getByRole('dialog')
          .locator('.suggestions button')
          .filter({ hasText: new RegExp(`^${path}\\d`) }),
      );
    const { data } = await api<FunnelAnswer>(`${ext}/funnel?step=path%3D/&step=path%3D/pricing`);
    assert.equal(
      await page.locator('.funnel-count b').allTextContents(),
      data.map(row => formatNumber(row.visits)),
    );
  });

  task('what one visitor did', async (page, hand) => {
    await goTo(page, hand, 'visits');
    await hand.press(page.locator('.visit-link').first());
    assert.ok((await page.locator('.hits .hit').count()) > 0);
  });

  task('which page is slow', async (page, hand) => {
    await goTo(page, hand, 'vitals');
    await hand.press(page.getByRole('link', { name: 'LCP' }));
    assert.match(page.url(), '_sort=lcp');
  });

  task('how the crawlers of AI come and go', async (page, hand) => {
    await goTo(page, hand, 'crawlers');
    await hand.press(page.getByRole('link', { name: 'Show AI crawlers alone' }));
    await page.locator('.trend h2', { hasText: 'AI crawlers' }).waitFor();
  });

  task('a page of the numbers for somebody else', async (page, { press, type }) => {
    await press(page.getByRole('link', { name: 'Share' }));
    await press(page.getByRole('button', { name: 'New link' }));
    const dialog = page.getByRole('dialog', { name: 'New link' });
    await type(dialog.getByLabel('Name', { exact: true }), `Press ${await page.evaluate(() => innerWidth)}`);
    await press(dialog.getByRole('button', { name: 'Create link' }));
    assert.match(await page.getByLabel('Public address').inputValue(), '/share/');
  });

  task('a key, and a first question with it', async (page, hand) => {
    const part = await section(page, hand, 'API');
    await hand.press(part.getByRole('button', { name: 'New API key' }));
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await hand.type(dialog.getByLabel('Key name'), `Shell ${await page.evaluate(() => innerWidth)}`);
    await hand.press(dialog.getByRole('button', { name: 'Create API key' }));
    const key = await part.getByLabel('New API key').inputValue();
    assert.match(await part.getByLabel('First request').inputValue(), key);
  });

  task('all sites at a glance', async (page, { press }) => {
    await press(page.getByRole('link', { name: 'Daybook' }));
    assert.is(await page.locator('.site-card').count(), 2);
  });

  task(
    'spam is removed, and put back',
    async (page, hand) => {
      const part = await section(page, hand, 'Spam');
      await hand.press(part.getByRole('button', { name: 'Remove…' }));
      await hand.press(part.getByRole('button', { name: /^Remove \d.* now$/ }));
      const back = part.getByRole('button', { name: 'Put back' }).and(part.locator(':enabled'));
      await back.waitFor();
      await hand.press(back);
      await back.waitFor({ state: 'detached' });
    },
    { path: `${home}?path=/pricing`, hasKeys: false },
  );
}

test.run();
