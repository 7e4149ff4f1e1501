/** What changed behind a figure, and who goes through a funnel: parts that the API tells apart. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Explanation, FunnelAnswer } from '../../src/dashboard/app/answers.ts';
import { alignedPercent, formatNumber } from '../../src/dashboard/app/format.ts';
import { valueLabel } from '../../src/dashboard/app/names.ts';
import { figureNames } from '../../src/dashboard/app/overview/choices.ts';
import { en } from '../../src/dashboard/app/texts/en.ts';
import { domain, openStage, settled } from './dashboard.ts';

const stage = await openStage();
if (stage !== null) {
  const { open, api, site } = stage;
  const home = `/sites/${domain}`;
  const ext = `/api/ext/sites/${site.id}`;

  stage.test('behind the change of each figure are the values that the API says changed', async () => {
    const page = await open(`${home}?range=30d`);
    const dialog = page.getByRole('dialog');
    for (const figure of figureNames) {
      const why = page.locator(`[data-metric="${figure}"] .figure-why`);
      if ((await why.count()) === 0) continue;
      await why.click();
      await dialog.waitFor();
      await settled(page);
      assert.is(new URL(page.url()).searchParams.get('_explain'), figure);
      const isMean = ['viewsPerVisit', 'bounceRate', 'avgVisitSeconds'].includes(figure);
      const metric = isMean ? 'visits' : figure;
      const { data } = await api<Explanation>(`${ext}/explain?range=30d&metric=${metric}&limit=5`);
      const want = data.flatMap(({ dimension, rose, fell }) => {
        const rows = [...rose, ...fell].sort((a, b) => Math.abs(b.change!) - Math.abs(a.change!)).slice(0, 5);
        return rows.map(({ name }) => `${dimension} ${valueLabel(dimension, name)}`);
      });
      const shown = await page.locator('.explain-parts tbody tr').evaluateAll(rows =>
        rows.map(row => {
          const { dimension } = row.closest<HTMLElement>('[data-dimension]')!.dataset;
          return `${dimension} ${row.querySelector('.row-link')!.getAttribute('title')}`;
        }),
      );
      assert.equal(shown, want, figure);
      assert.is(await dialog.locator('.hint', { hasText: 'is an average' }).count(), isMean ? 1 : 0);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });

  stage.test('a change says by how much, and a click on the value filters by it', async () => {
    const page = await open(`${home}?range=30d&_explain=visits`);
    const { data } = await api<Explanation>(`${ext}/explain?range=30d&metric=visits&dimensions=country&limit=5`);
    const [{ rose, fell }] = data as [Explanation['data'][number]];
    const most = [...rose, ...fell].sort((a, b) => Math.abs(b.change!) - Math.abs(a.change!))[0]!;
    const row = page.locator('[data-dimension="country"] tbody tr').first();
    assert.is(await row.locator('td').nth(1).textContent(), formatNumber(most.value!));
    const change = (await row.locator('td.ranked').textContent())!;
    assert.match(change, `${most.change! < 0 ? '−' : '+'}${formatNumber(Math.abs(most.change!))}`);
    await row.getByRole('link').click();
    await settled(page);
    assert.is(new URL(page.url()).search, `?range=30d&country=${most.name}`);
    assert.is(await page.getByRole('dialog').count(), 0);
  });

  stage.test('without a window before there is no change, and nothing behind it', async () => {
    const page = await open(`${home}?range=30d&_compare=none`);
    assert.is(await page.locator('.figure-why').count(), 0);
  });

  stage.test('below a funnel stands who finishes it, by channel and by others', async () => {
    const steps = 'step=path%3D/&step=path%3D/pricing';
    const page = await open(`${home}/funnels?range=30d&${steps.replaceAll('step=', '_step=')}`);
    const panel = page.getByRole('region', { name: en['funnel.groups'] });
    for (const by of ['channel', 'country', 'device'] as const) {
      if (by !== 'channel') await panel.locator(`.tabs a[href*="_by=${by}"]`).click();
      await settled(page);
      const { groups } = await api<FunnelAnswer>(`${ext}/funnel?range=30d&${steps}&by=${by}`);
      assert.ok(groups!.length > 1);
      assert.equal(
        await panel
          .locator('tbody tr')
          .evaluateAll(rows => rows.map(row => [...row.children].map(cell => cell.textContent).join('|'))),
        groups!.map(({ name, totalRate, first, last }) =>
          [valueLabel(by, name), alignedPercent(totalRate), formatNumber(first), formatNumber(last)].join('|'),
        ),
        by,
      );
    }
    await panel.locator('.row-link').first().click();
    await settled(page);
    assert.match(new URL(page.url()).search, /device=/);
  });
}

test.run();
