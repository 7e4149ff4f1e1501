/** What is saved under names: chosen, saved and removed where it is used, and shown to strangers as far as they may see it. */
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Goals } from '../../src/dashboard/app/answers.ts';
import { formatMoney, formatNumber, formatPercent } from '../../src/dashboard/app/format.ts';
import type { DefinitionLists } from '../../src/dashboard/wire.ts';
import { makePublic, openStage, settled } from './dashboard.ts';
import type { Stats } from './told.ts';

const stage = await openStage();
if (stage !== null) {
  const { open, api, post, site } = stage;
  const home = `/sites/${site.domain}`;
  const v1 = `/api/v1/sites/${site.id}`;
  const saved = (): Promise<DefinitionLists> => api<DefinitionLists>(definitions);
  const asked = (page: Page): URLSearchParams => new URL(page.url()).searchParams;
  const visitors = (page: Page) => page.locator('[data-metric="visitors"] .figure-value').textContent();
  const definitions = `/app/sites/${site.id}/definitions`;

  stage.test('filters are saved as a segment, chosen and removed from the keyboard', async () => {
    const page = await open(`${home}?country=DE&path^=/`);
    const before = await visitors(page);
    await page.getByRole('button', { name: 'Segments' }).press('Enter');
    await page.getByRole('textbox', { name: 'Save the filters as' }).waitFor();
    await page.keyboard.type('Germans & co');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Segments' }).waitFor({ state: 'detached' });
    await settled(page);
    assert.equal((await saved()).segments, [{ name: 'Germans & co', filters: 'country=DE&path%5E=/' }]);
    assert.equal([...asked(page)], [['segment', 'Germans & co']]);
    assert.is(await visitors(page), before);

    await page.getByRole('button', { name: 'Segments' }).click();
    await page.getByText('A segment cannot be saved while another one filters.').waitFor();
    await page.getByRole('link', { name: 'Germans & co' }).click();
    await settled(page);
    assert.equal([...asked(page)], []);
    const all = await api<Stats>(`${v1}/stats`);
    assert.is(await visitors(page), formatNumber(all.visitors));

    await page.getByRole('button', { name: 'Segments' }).click();
    await page.getByRole('link', { name: 'Germans & co' }).press('Enter');
    await settled(page);
    assert.is(await visitors(page), before);
    await page.getByRole('button', { name: 'Segments' }).click();
    await page.getByRole('button', { name: 'Remove Germans & co' }).click();
    await page.getByText('Remove Germans & co?').waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('A segment is a set of filters under a name.').waitFor();
    await settled(page);
    assert.equal([...asked(page)], []);
    assert.equal((await saved()).segments, []);
  });

  stage.test('the panel of goals explains what a goal is, counts what the API counts, and filters', async () => {
    const page = await open(home);
    const panel = page.getByRole('region', { name: 'Goals' });
    await panel.getByText('A goal is something you want visitors to do').waitFor();
    await panel.getByRole('link', { name: 'Add a goal' }).waitFor();
    await post(definitions, { kind: 'goal', name: 'Pricing', conditions: 'path=/pricing', value: '250' });
    await post(definitions, { kind: 'goal', name: 'Never & ever', conditions: 'path=/nothing' });
    await page.reload();
    await settled(page);
    const { data, currency } = await api<Goals>(`/api/ext/sites/${site.id}/goals`);
    const pricing = data.find(({ name }) => name === 'Pricing')!;
    assert.ok(pricing.conversions > 0);
    assert.equal(
      await panel
        .locator('tbody tr')
        .evaluateAll(rows =>
          rows.map(row => [...row.querySelectorAll('td:not(.goal-choice)')].map(cell => cell.textContent)),
        ),
      data.map(goal => [
        goal.name,
        formatNumber(goal.conversions),
        formatNumber(goal.visitors),
        formatPercent(goal.conversionRate),
        goal.value === null ? '–' : formatMoney(goal.totalValue!, currency),
      ]),
    );
    await panel.getByRole('link', { name: 'Pricing' }).click();
    await settled(page);
    assert.equal([...asked(page)], [['visit:goal', 'Pricing']]);
    assert.is(await visitors(page), formatNumber(pricing.visitors));
    await panel.getByRole('link', { name: 'Never & ever' }).click();
    await settled(page);
    assert.equal([...asked(page)], [['visit:goal', 'Never & ever']]);
    await panel.getByRole('link', { name: 'Never & ever' }).click();
    await settled(page);
    assert.equal([...asked(page)], []);
  });

  stage.test('a public page lists the segments that it may show, and saves none', async () => {
    await post(definitions, { kind: 'segment', name: 'Germans', filters: 'country=DE' });
    await post(definitions, { kind: 'segment', name: 'Pros', filters: 'prop:plan=pro' });
    const shareUrl = await makePublic(post, site.id);
    const page = await open(new URL(shareUrl).pathname, { isStranger: true });
    await page.getByRole('button', { name: 'Segments' }).click();
    const panel = page.getByRole('dialog', { name: 'Segments' });
    await panel.getByRole('link', { name: 'Germans' }).waitFor();
    assert.equal(await panel.getByRole('link').allTextContents(), ['Germans']);
    assert.is(await panel.getByRole('button').count(), 0);
    const goals = page.getByRole('region', { name: 'Goals' });
    assert.equal(await goals.getByRole('link').allTextContents(), ['Never & ever', 'Pricing']);
    await panel.getByRole('link', { name: 'Germans' }).click();
    await settled(page);
    const { visitors: germans } = await api<Stats>(`${v1}/stats?country=DE`);
    assert.is(await visitors(page), formatNumber(germans));
  });
}

test.run();
