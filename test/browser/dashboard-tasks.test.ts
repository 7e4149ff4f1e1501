/**
 * What people come for, each from the overview in a few actions: a click, a key, a choice in a list or
 * a text that is typed. What they read in the end is what the API says.
 */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Breakdown, Goals, Journey, Realtime, VisitsAnswer, Vitals } from '../../src/dashboard/app/answers.ts';
import { formatMoney, formatNumber, formatPercent } from '../../src/dashboard/app/format.ts';
import { formatVital } from '../../src/dashboard/app/vitals/rating.ts';
import type { TableMetricName } from '../../src/model/table-metrics.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { linksTo, openStage, settled } from './dashboard.ts';
import type { Stats } from './told.ts';

const actionsMax = 5;

const stage = await openStage({ demo: { days: 80, hits: 12_000 } });
if (stage !== null) {
  const { api, clock, open, send, server, site } = stage;
  const home = `/sites/${site.domain}`;
  const v1 = `/api/v1/sites/${site.id}`;
  const ext = `/api/ext/sites/${site.id}`;

  /** Does one thing and waits for what it leads to. */
  type Act = (action: Promise<unknown>) => Promise<void>;

  const task = (name: string, run: (page: Page, act: Act) => Promise<void>): void => {
    stage.test(name, async () => {
      const page = await open(home);
      let actions = 0;
      await run(page, async action => {
        actions++;
        await action;
        await settled(page);
      });
      assert.ok(actions > 0 && actions <= actionsMax, `${actions} actions`);
    });
  };

  const panel = (page: Page, name: string): Locator => page.locator(`section.panel[aria-label="${name}"]`);
  const choosePeriod = (page: Page, name: string): Promise<void> =>
    page.locator('.range-list').getByRole('button', { name, exact: false }).first().click();
  /** The name of the first row, and its number. */
  const firstRow = async (rows: Locator): Promise<string[]> => [
    (await rows.locator('.row-link').first().getAttribute('data-label'))!,
    (await rows.locator('tbody tr').first().locator('td.number').first().textContent())!,
  ];
  const figure = (page: Page, name: string): Promise<string | null> =>
    page.locator(`[data-metric="${name}"] .figure-value`).textContent();
  interface Row extends Partial<Record<TableMetricName, number | null>> {
    name: string;
  }
  const table = async (asked: string): Promise<Row[]> => (await api<{ data: Row[] }>(`${ext}/table?${asked}`)).data;

  task('how many people came yesterday', async (page, act) => {
    await act(page.keyboard.press('2'));
    const { visitors } = await api<Stats>(`${v1}/stats?range=yesterday`);
    assert.is(await figure(page, 'visitors'), formatNumber(visitors));
  });

  task('this week against the last', async (page, act) => {
    await act(page.locator('.period-button').click());
    await act(choosePeriod(page, 'This week'));
    const { visitors, previous, delta } = await api<Stats>(`${v1}/stats?range=week`);
    assert.is(await figure(page, 'visitors'), formatNumber(visitors));
    assert.ok(previous && previous.visitors > 0);
    assert.match(
      (await page.locator('[data-metric="visitors"] .change').textContent())!,
      `${Math.abs(delta!.visitors!)}`,
    );
  });

  task('the country whose mobile visitors bounce most', async (page, act) => {
    await act(panel(page, 'Technology').getByRole('link', { name: 'Device', exact: true }).click());
    await act(panel(page, 'Technology').getByRole('link', { name: 'Mobile', exact: true }).click());
    await act(page.getByLabel('Metric of Places').selectOption('bounceRate'));
    const rows = await table('device=mobile&dimension=country&metrics=visitors,bounceRate&sort=visitors&limit=11');
    const most = Math.max(...rows.slice(0, 10).map(row => row.bounceRate!));
    assert.is((await firstRow(panel(page, 'Places')))[1], formatPercent(most));
  });

  task('which pages answer 404 to people, and on which visits', async (page, act) => {
    await send({ t: 'custom', n: '404', u: `https://${site.domain}/gone` });
    for (const link of linksTo(page, 'failures')) await act(link.click());
    const people = page.getByRole('region', { name: 'Seen by people' });
    assert.is(await people.locator('tbody td').first().textContent(), '/gone');
    await act(people.getByRole('link', { name: '/gone' }).click());
    assert.is(await page.locator('.visits tr.visit').count(), 1);
  });

  task('how many people sign up', async (page, act) => {
    await act(panel(page, 'Goals').getByRole('link', { name: 'Add a goal' }).click());
    const section = page.getByRole('region', { name: 'Goals' });
    await act(section.getByLabel('Name', { exact: true }).fill('Signed up'));
    await act(section.getByLabel('Name of the event').fill('Signup'));
    await act(section.getByRole('button', { name: 'Add goal' }).click());
    // It leads back to where it can be read.
    await page.locator('td.converted:not(:empty)').first().waitFor();
    const { data } = await api<Goals>(`${ext}/goals`);
    assert.ok(data[0]!.visitors > 0);
    const row = panel(page, 'Goals').getByRole('row', { name: /Signed up/ });
    assert.is(await row.locator('.visitors').textContent(), formatNumber(data[0]!.visitors));
    assert.is(await row.locator('.conversionRate').textContent(), formatPercent(data[0]!.conversionRate));
  });

  task('who sends people to the prices', async (page, act) => {
    await act(panel(page, 'Pages').getByRole('link', { name: '/pricing', exact: true }).click());
    await act(panel(page, 'Sources').getByRole('link', { name: 'Referrer', exact: true }).click());
    const { data } = await api<Breakdown>(`${v1}/breakdown?path=/pricing&dimension=referrer`);
    assert.equal(await firstRow(panel(page, 'Sources')), [data[0]!.name, formatNumber(data[0]!.value)]);
  });

  task('on which page most visits begin', async (page, act) => {
    await act(panel(page, 'Pages').getByRole('link', { name: 'Entry', exact: true }).click());
    const { data } = await api<Breakdown>(`${v1}/breakdown?dimension=entryPath`);
    assert.equal(await firstRow(panel(page, 'Pages')), [data[0]!.name, formatNumber(data[0]!.value)]);
  });

  task('what a customer did, known by e-mail', async (page, act) => {
    await send({ t: 'identify', p: { email: 'grace@example.com' } });
    for (const link of linksTo(page, 'visits')) await act(link.click());
    await act(page.getByLabel('Search visits').fill('grace@'));
    await page.waitForURL(/_q=/);
    await act(page.locator('.visit-link').first().click());
    const { data } = await api<VisitsAnswer>(`${ext}/visits?q=grace@`);
    assert.is(await page.locator('.visits tr.visit').count(), data.length);
    assert.ok((await page.locator('.hits .hit').count()) > 0);
  });

  task('who is here now, and where', async (page, act) => {
    for (const link of linksTo(page, 'realtime')) await act(link.click());
    const { visitors, countries } = await api<Realtime>(`${v1}/realtime`);
    assert.is(await page.locator('.now-value').textContent(), formatNumber(visitors));
    assert.is(await panel(page, 'Countries').locator('.row-link').count(), countries.length);
  });

  task('which page is slow', async (page, act) => {
    for (const link of linksTo(page, 'vitals')) await act(link.click());
    await act(page.getByRole('link', { name: 'LCP' }).click());
    const { data } = await api<Vitals>(`${ext}/vitals?limit=500`);
    // Pages with few reports come last.
    const slowest = Math.max(...data.map(({ lcp }) => (lcp === null || lcp.reports < 10 ? 0 : lcp.p75)));
    const first = page.locator('.vital-table tbody tr').first();
    assert.match((await first.locator('.vital-cell').first().textContent())!, formatVital('lcp', slowest));
  });

  task('the visits that paid, as a table for a spreadsheet', async (page, act) => {
    for (const link of linksTo(page, 'visits')) await act(link.click());
    await act(page.getByRole('button', { name: 'With revenue', exact: true }).click());
    const download = page.waitForEvent('download');
    await act(page.getByLabel('Export these visits as CSV').click());
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    const { data } = await api<VisitsAnswer>(`${ext}/visits?paid=1&limit=1000`);
    assert.is(lines.length, data.length + 1);
  });

  task('a page of the numbers for a colleague', async (page, act) => {
    await act(page.getByRole('link', { name: 'Share' }).click());
    const section = page.getByRole('region', { name: 'Public pages' });
    await act(section.getByRole('button', { name: 'New link' }).click());
    await act(section.getByLabel('Name', { exact: true }).fill('Colleague'));
    await act(section.getByRole('button', { name: 'Create link' }).click());
    const address = await section.getByLabel('Public address').inputValue();
    assert.ok(address.startsWith(`${server.url}/share/`));
    const seen = await open(new URL(address).pathname, { isStranger: true });
    assert.ok(Number((await figure(seen, 'visitors'))!.replace(/\D/g, '')) > 0);
  });

  task('which channel brought buyers in the last quarter', async (page, act) => {
    await act(page.locator('.period-button').click());
    await act(choosePeriod(page, 'Last quarter'));
    await act(page.getByLabel('Metric of Sources').selectOption('revenue'));
    const [best] = await table('range=last-quarter&dimension=channel&metrics=revenue&sort=revenue');
    assert.equal(await firstRow(panel(page, 'Sources')), [best!.name, formatMoney(best!.revenue!, site.currency)]);
  });

  task('what people do next who reach /pricing', async (page, act) => {
    for (const link of linksTo(page, 'journeys')) await act(link.click());
    await act(page.getByRole('button', { name: 'the beginning of the visit' }).click());
    await act(page.getByRole('dialog').getByRole('textbox', { name: 'Value' }).fill('/pricing'));
    await act(page.keyboard.press('Enter'));
    const { levels } = await api<Journey>(`${ext}/journey?anchor=path%3D/pricing`);
    assert.is(await page.locator('.row-link').first().textContent(), levels[0]!.data[0]!.name);
  });

  task('whether today is normal', async (page, act) => {
    await act(page.keyboard.press('1'));
    await act(page.locator('.period-button').click());
    await act(page.getByLabel('Match weekdays').click());
    const { visitors, previous } = await api<Stats>(`${v1}/stats?range=today&compare=previous-weekday`);
    assert.is(await figure(page, 'visitors'), formatNumber(visitors));
    const sign = page.locator('[data-metric="visitors"] .figure-sign');
    assert.match((await sign.getAttribute('data-tip'))!, formatNumber(previous!.visitors));
    await act(page.getByRole('slider').press('End'));
    await page.locator('.readout .earlier', { hasText: '13 Nov' }).waitFor();
  });

  test('sales of a campaign, eleven days ago', async () => {
    clock.now += hourMs;
    await send({ u: `https://${site.domain}/?utm_campaign=autumn` });
    await send({ t: 'revenue', v: 4900, c: site.currency, n: 'Purchase' });
    clock.now += 11 * dayMs;
  });

  task('which campaign sold most last month', async (page, act) => {
    await act(page.locator('.period-button').click());
    await act(choosePeriod(page, 'Last month'));
    await act(page.getByLabel('Metric of Sources').selectOption('revenue'));
    await act(panel(page, 'Sources').getByRole('link', { name: 'Campaign', exact: true }).click());
    const [best] = await table('range=last-month&dimension=utmCampaign&metrics=revenue&sort=revenue');
    assert.ok(best!.revenue! > 0);
    assert.equal(await firstRow(panel(page, 'Sources')), [best!.name, formatMoney(best!.revenue!, site.currency)]);
  });
}

test.run();
