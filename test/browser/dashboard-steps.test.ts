/** Funnels and journeys: built and read with mouse and keyboard, and equal to what the API answers. */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Breakdown, FunnelAnswer, Journey, VisitsAnswer } from '../../src/dashboard/app/answers.ts';
import { formatNumber } from '../../src/dashboard/app/format.ts';
import { goTo, openStage, settled } from './dashboard.ts';

const stage = await openStage();
if (stage !== null) {
  const { open, api, site } = stage;
  const home = `/sites/${site.domain}`;
  const ext = `/api/ext/sites/${site.id}`;
  const steps = (page: Page): string[] => new URL(page.url()).searchParams.getAll('_step');
  const texts = (page: Page, selector: string): Promise<string[]> =>
    page.locator(selector).evaluateAll(all => all.map(one => one.textContent!.trim()));

  stage.test('a funnel is built step by step from the keyboard, and counts what the API counts', async () => {
    const page = await open(`${home}/funnels`);
    await page.getByText('A funnel shows how many people').waitFor();
    await page.getByRole('button', { name: 'Choose the first step' }).focus();
    await page.keyboard.press('Enter');
    // After the first step, the next one is asked for.
    for (const path of ['/', '/pricing']) {
      await page.getByRole('dialog').getByRole('textbox', { name: 'Value' }).fill(path);
      await page.keyboard.press('Enter');
      await settled(page);
    }
    assert.equal(steps(page), ['path=/', 'path=/pricing']);
    const { data, visits } = await api<FunnelAnswer>(`${ext}/funnel?step=path%3D/&step=path%3D/pricing`);
    assert.equal(
      await texts(page, '.funnel-count b'),
      data.map(row => formatNumber(row.visits)),
    );
    assert.ok(data[1]!.visits > 0 && data[1]!.lost > 0);
    await page.getByText(`${formatNumber(data[0]!.visits)} of ${formatNumber(visits)} visits`).waitFor();
    assert.match((await texts(page, '.funnel-lost'))[0]!, `${formatNumber(data[1]!.lost)} visits lost`);

    await page.getByRole('button', { name: 'Move /pricing earlier' }).click();
    await settled(page);
    assert.equal(steps(page), ['path=/pricing', 'path=/']);
    await page.getByRole('button', { name: 'Add alternative to /pricing' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Value' }).fill('/signup');
    await page.keyboard.press('Enter');
    await settled(page);
    assert.equal(steps(page), ['path=/pricing|path=/signup', 'path=/']);
    await page.getByRole('link', { name: 'Within a day' }).click();
    await settled(page);
    assert.is(new URL(page.url()).searchParams.get('_scope'), 'visitor');
    await page.getByRole('button', { name: 'Remove /', exact: true }).click();
    await settled(page);
    assert.equal(steps(page), ['path=/pricing|path=/signup']);
    await page.goBack();
    await settled(page);
    assert.is(steps(page).length, 2);
  });

  stage.test('the number of each step leads to the visits that came to it', async () => {
    const asked = 'range=7d&_step=path%3D/&_step=path%3D/pricing';
    const { data } = await api<FunnelAnswer>(`${ext}/funnel?${asked.replaceAll('_step', 'step')}`);
    for (const [i, { visits }] of data.entries()) {
      const page = await open(`${home}/funnels?${asked}`);
      await page.locator('.funnel-count a').nth(i).click();
      await settled(page);
      assert.equal(steps(page), ['path=/', 'path=/pricing'].slice(0, i + 1));
      assert.is(await page.locator('.through-steps strong').count(), i + 1);
      const listed = await api<VisitsAnswer>(
        `${ext}/visits?limit=500&${new URL(page.url()).search.slice(1).replaceAll('_step', 'step')}`,
      );
      assert.is(listed.data.length, Math.min(visits, 500));
      assert.ok((await page.locator('.visits tr.visit').count()) > 0);
      await page.getByRole('link', { name: 'Show all visits' }).click();
      await settled(page);
      assert.equal(steps(page), []);
    }
  });

  stage.test('a funnel is saved under a name, opened, renamed and removed', async () => {
    const page = await open(`${home}/funnels?_step=path%3D/&_step=path%3D/pricing&_scope=visitor`);
    const list = page.getByRole('button', { name: 'Saved funnels' });
    await list.click();
    await page.getByLabel('Save the funnel as').fill('Way to buy');
    await page.keyboard.press('Enter');
    await settled(page);
    const { data } = await api<{ data: { name: string; question: string }[] }>(`${ext}/funnels`);
    assert.equal(data, [{ name: 'Way to buy', question: 'step=path%3D/&step=path%3D/pricing&scope=visitor' }]);
    const named = await api<FunnelAnswer>(`${ext}/funnel?funnel=Way+to+buy`);
    assert.equal(named, await api<FunnelAnswer>(`${ext}/funnel?${data[0]!.question}`));

    await page.goto(`${stage.server.url}${home}/funnels`);
    await settled(page);
    await list.click();
    await page.getByRole('link', { name: 'Way to buy' }).click();
    await settled(page);
    assert.equal(steps(page), ['path=/', 'path=/pricing']);
    assert.is(new URL(page.url()).searchParams.get('_scope'), 'visitor');

    await list.click();
    await page.getByRole('button', { name: 'Rename Way to buy' }).click();
    await page.getByLabel('New name of Way to buy').fill('Sale');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Sale' }).waitFor();
    await page.getByRole('button', { name: 'Remove Sale' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await settled(page);
    assert.equal((await api<{ data: unknown[] }>(`${ext}/funnels`)).data, []);
  });

  stage.test('a journey opens to the right, and becomes a funnel', async () => {
    const page = await open(`${home}/journeys`);
    const { levels } = await api<Journey>(`${ext}/journey`);
    assert.equal(await texts(page, '.journey-level:first-child .row-link'), [
      ...levels[0]!.data.map(({ name }) => name),
      ...(levels[0]!.other.visits > 0 ? [`${levels[0]!.other.steps} others`] : []),
      ...(levels[0]!.end.visits > 0 ? ['Left the site'] : []),
    ]);
    const first = levels[0]!.data[0]!;
    await page.getByRole('link', { name: first.name, exact: true }).focus();
    await page.keyboard.press('Enter');
    await settled(page);
    const next = await api<Journey>(`${ext}/journey?via=${encodeURIComponent(first.step)}`);
    assert.is(await page.locator('.journey-level').count(), 2);
    const second = next.levels[1]!.data[0]!;
    await page
      .getByRole('region', { name: `After ${first.name}` })
      .getByRole('link', { name: second.name, exact: true })
      .click();
    await settled(page);
    assert.is(await page.locator('.journey-level').count(), 3);
    assert.is(await page.locator('.journey-level [aria-current]').count(), 2);
    await page.getByRole('link', { name: 'Show as a funnel' }).click();
    await settled(page);
    assert.equal(steps(page), [first.step, second.step]);
  });

  stage.test('what people do next after a page takes five actions from the overview', async () => {
    const page = await open(home);
    await goTo(page, 'journeys');
    await page.getByRole('button', { name: 'the beginning of the visit' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Value' }).fill('/pricing');
    await page.keyboard.press('Enter');
    await settled(page);
    const { levels } = await api<Journey>(`${ext}/journey?anchor=path%3D/pricing`);
    assert.is((await texts(page, '.row-link'))[0], levels[0]!.data[0]!.name);
    await page.getByText(`${formatNumber(levels[0]!.visits)} visits.`).waitFor();
    await page.getByRole('link', { name: 'What came before' }).click();
    await settled(page);
    const before = await api<Journey>(`${ext}/journey?anchor=path%3D/pricing&direction=before`);
    assert.is((await texts(page, '.row-link'))[0], before.levels[0]!.data[0]!.name);
    await page.getByRole('link', { name: 'Folders' }).click();
    await settled(page);
    assert.is(new URL(page.url()).searchParams.get('_folder'), '1');
  });

  stage.test('nothing to show is explained', async () => {
    const page = await open(`${home}/journeys?_anchor=path%3D/nothing`);
    await page.getByText('No visit came to /nothing in this period.').waitFor();
    const { data } = await api<Breakdown>(`/api/v1/sites/${site.id}/breakdown?dimension=path&path=/nothing`);
    assert.equal(data, []);
  });
}

test.run();
