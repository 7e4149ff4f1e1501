import type { Locator, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Breakdown, EventList, MetricSeries } from '../../src/dashboard/app/answers.ts';
import {
  formatBucket,
  formatDays,
  formatMoney,
  formatNumber,
  formatPercent,
  formatSeconds,
} from '../../src/dashboard/app/format.ts';
import { dimensionLabel, valueLabel } from '../../src/dashboard/app/names.ts';
import { figureNames, panelMetrics } from '../../src/dashboard/app/overview/choices.ts';
import { panels } from '../../src/dashboard/app/overview/panels.ts';
import { en } from '../../src/dashboard/app/texts/en.ts';
import { textIfAny } from '../../src/dashboard/app/texts/text.ts';
import { type DimensionName, dimensionNames, dimensions } from '../../src/model/dimensions.ts';
import { type MetricName, metricNames } from '../../src/model/metrics.ts';
import { rangeKeys, ranges } from '../../src/model/ranges.ts';
import type { TableMetricName } from '../../src/model/table-metrics.ts';
import { openStage, settled } from './dashboard.ts';
import type { Stats } from './told.ts';

const stage = await openStage();
if (stage !== null) {
  const { open, go, api, post, site } = stage;
  const home = `/sites/${site.domain}`;
  const v1 = `/api/v1/sites/${site.id}`;

  const figure = (page: Page, name: MetricName): Locator => page.locator(`[data-metric="${name}"] .figure-value`);
  const written: Partial<Record<MetricName, (value: number) => string>> = {
    bounceRate: formatPercent,
    avgVisitSeconds: formatSeconds,
    revenue: value => formatMoney(value, site.currency),
  };
  const searchOf = (page: Page): string => decodeURIComponent(new URL(page.url()).search);
  const panel = (page: Page, label: string): Locator => page.locator(`section.panel[aria-label="${label}"]`);
  const rowsOf = async (of: Locator): Promise<[string, string][]> =>
    of
      .locator('tbody tr')
      .evaluateAll(rows =>
        rows.map(row => [
          row.querySelector('.row-link')!.getAttribute('data-label')!,
          row.querySelector('td.number')!.textContent!,
        ]),
      );
  const shown = (dimension: DimensionName, { data }: Breakdown): [string, string][] =>
    data.slice(0, 10).map(({ name, value }) => [valueLabel(dimension, name), formatNumber(value)]);

  for (const query of [
    '',
    'range=7d',
    'range=all',
    'from=2026-10-01&to=2026-10-31',
    'country=DE&path*=blog',
    'referrer!=Direct / none',
  ]) {
    stage.test(`the headline figures equal the API’s: ${query || 'as it opens'}`, async () => {
      const page = await open(`${home}?${query}`);
      const stats = await api<Stats>(`${v1}/stats?${query}`);
      assert.ok(stats.visitors > 0);
      for (const name of metricNames) {
        if (name === 'bounces') continue;
        const isNone = name === 'revenue' && stats.revenue === 0 && (stats.previous?.revenue ?? 0) === 0;
        const value = isNone ? '–' : (written[name] ?? formatNumber)(stats[name]);
        assert.is(await figure(page, name).textContent(), value, name);
        const change = page.locator(`[data-metric="${name}"] .change`);
        const delta = isNone ? null : (stats.delta?.[name] ?? null);
        assert.is(await change.count(), delta === null ? 0 : 1, name);
        if (delta !== null)
          assert.is(Number((await change.textContent())!.replace('−', '-').replace(/[+%,]/g, '')), delta);
      }
    });
  }

  const ext = v1.replace('v1', 'ext');
  /** Browser and Node put other spaces between the days of a range. */
  const inBrowser = (text: string): string => text.replace(/\s+/g, ' ');
  const textOf = (name: MetricName, value: number): string => (written[name] ?? formatNumber)(value);
  /** What the chart's slider says of its first bucket. */
  const firstOf = async (page: Page): Promise<string> => {
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('Home');
    return inBrowser((await slider.getAttribute('aria-valuetext'))!);
  };

  stage.test('the chart and its table show the API’s series', async () => {
    const asked = `metrics=${figureNames.join(',')}`;
    const page = await open('/settings');
    for (const query of ['range=today', 'range=30d', 'range=12m', 'country=DE', 'range=last-month&_interval=week']) {
      await go(page, `${home}?${query}&_compare=none&_view=table`);
      const { data, interval } = await api<MetricSeries>(`${ext}/series?${query.replace('_', '')}&${asked}`);
      const rows = await page
        .locator('.trend-table tbody tr')
        .evaluateAll(list => list.map(row => [...row.children].map(cell => cell.textContent!.replace(/\s+/g, ' '))));
      const perVisit = ['viewsPerVisit', 'bounceRate', 'avgVisitSeconds'];
      const want = data.map(point => [
        inBrowser(formatBucket(point.date, interval)),
        ...figureNames.map(name =>
          point.visits === 0 && perVisit.includes(name) ? '–' : textOf(name, point[name] as number),
        ),
      ]);
      assert.equal(rows, want, query);

      await page.getByRole('button', { name: 'Show as a table' }).click();
      await settled(page);
      const first = `${inBrowser(formatBucket(data[0]!.date, interval))}, ${formatNumber(data[0]!.visitors!)} Visitors`;
      assert.is(await firstOf(page), first);
    }
  });

  stage.test(
    'a figure drives the chart, by a click and from the keyboard, in the address and without a question',
    async () => {
      const page = await open(`${home}?range=30d`);
      const { data, previous } = await api<MetricSeries>(
        `${ext}/series?range=30d&compare=previous&metrics=${figureNames.join(',')}`,
      );
      // What stands beside the rows comes after them.
      await page.waitForLoadState('networkidle');
      const asked: string[] = [];
      page.on('request', request => {
        if (/(answers|series|stats)\?/.test(request.url())) asked.push(request.url());
      });
      const radios = page.getByRole('radio');
      assert.is(await radios.count(), 8);
      for (const [i, name] of figureNames.entries()) {
        if (i === 0) continue;
        await radios.nth(i).click();
        assert.is(searchOf(page), `?range=30d&_metric=${name}`);
        assert.is(await page.locator('.figure.chosen').getAttribute('data-metric'), name);
        const before = (previous![0]!.visits ?? 0) === 0 ? '' : `: ${textOf(name, previous![0]![name] as number)}`;
        const said = await firstOf(page);
        assert.match(said, `, ${textOf(name, data[0]![name] as number)} `, name);
        assert.ok(said.endsWith(before), said);
      }
      await page.getByRole('radio', { checked: true }).focus();
      await page.keyboard.press('ArrowRight');
      assert.is(searchOf(page), '?range=30d');
      assert.is(await page.locator('.figure:focus-within').getAttribute('data-metric'), 'visitors');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      assert.is(searchOf(page), '?range=30d&_metric=events');
      // Of eight figures, the keyboard stops at the chosen one, at what changed and at its sign.
      assert.is(await page.locator('.hero-figures [tabindex="0"]').count(), 3);
      assert.equal(asked, []);
    },
  );

  stage.test('the chart shows the window compared with behind, as chosen beside the period', async () => {
    const rows: [query: string, compare: string][] = [
      ['range=7d', 'previous'],
      ['range=today', 'previous'],
      ['range=24h', 'previous'],
      ['range=month', 'previous'],
      ['range=last-month', 'previous'],
      ['range=7d', 'previous-weekday'],
      ['range=7d', '2026-10-01_2026-10-07'],
      ['from=2026-11-10&to=2026-11-12', 'previous'],
    ];
    const page = await open('/settings');
    for (const [query, compare] of rows) {
      await go(page, `${home}?${query}&_compare=${compare}`);
      const { previous, interval } = await api<MetricSeries>(
        `${ext}/series?${query}&metrics=visitors,visits&compare=${compare}`,
      );
      const stats = await api<Stats>(`${v1}/stats?${query}&compare=${compare}`);
      const change = page.locator('[data-metric="visitors"] .change');
      assert.is(Number((await change.textContent())!.replace('−', '-').replace(/[+%,]/g, '')), stats.delta!.visitors);
      await page.getByRole('slider').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      const { date, visitors } = previous![1]!;
      // Nothing is drawn before the first hit.
      const isRecorded = previous!.slice(0, 2).some(({ visits }) => visits! > 0);
      assert.equal(
        (await page.locator('.readout .earlier').allTextContents()).join(),
        isRecorded ? formatBucket(date, interval) + formatNumber(visitors!) : '',
        `${query} ${compare}`,
      );
    }
    for (const query of ['range=all', 'range=7d&_compare=none']) {
      await go(page, `${home}?${query}`);
      await page.getByRole('slider').focus();
      await page.keyboard.press('Home');
      assert.is(await page.locator('.readout .earlier').count(), 0, query);
    }
  });

  stage.test('the comparison is chosen in the period picker', async () => {
    const page = await open(`${home}?range=7d`);
    const choose = async (name: string): Promise<void> => {
      await page.locator('.period-button').click();
      await page.getByRole('button', { name, exact: true }).click();
      await settled(page);
    };
    const legend = page.locator('.legend .quiet');
    assert.is(await legend.textContent(), 'Previous period');
    await page.locator('.period-button').click();
    await page.getByLabel('Match weekdays').click();
    await settled(page);
    assert.is(searchOf(page), '?range=7d&_compare=previous-weekday');
    await choose('No comparison');
    assert.is(searchOf(page), '?range=7d&_compare=none');
    assert.is(await legend.count(), 0);
    assert.is(await page.locator('.hero-figures .change').count(), 0);
    await choose('Choose dates…');
    await page.getByRole('button', { name: /^Monday,? 2 November 2026/ }).click();
    await page.getByRole('button', { name: /^Sunday,? 8 November 2026/ }).click();
    await settled(page);
    assert.is(searchOf(page), '?range=7d&_compare=2026-11-02_2026-11-08');
    assert.is(inBrowser((await legend.textContent())!), inBrowser(formatDays('2026-11-02', '2026-11-08')));
    await choose('Last month');
    assert.is(searchOf(page), '?_compare=2026-11-02_2026-11-08&range=last-month');
  });

  stage.test('the interval of the chart can be chosen, as far as it suits the period', async () => {
    const page = await open(`${home}?range=90d`);
    const shown = page.locator('.intervals a');
    assert.equal(await shown.allTextContents(), ['Days', 'Weeks', 'Months']);
    await shown.nth(1).click();
    await settled(page);
    assert.is(await page.locator('.intervals [aria-current]').textContent(), 'Weeks');
    assert.ok((await firstOf(page)).startsWith(`${inBrowser(formatDays('2026-08-17', '2026-08-23'))}, `));
    // Hours of ninety days would be no chart.
    await page.goto(page.url().replace('_interval=week', '_interval=hour'));
    await settled(page);
    assert.is(await page.locator('.intervals [aria-current]').textContent(), 'Days');
  });

  test('every dimension has a tab in exactly one panel', () => {
    assert.equal(
      Object.values(panels)
        .flatMap(({ tabs }) => tabs as readonly string[])
        .sort(),
      [...dimensionNames].sort(),
    );
  });

  /** Of the last 90 days. Events have all types in their own list. */
  const breakdown = async (dimension: DimensionName): Promise<Breakdown> => {
    if (dimension !== 'event') return api<Breakdown>(`${v1}/breakdown?range=90d&dimension=${dimension}`);
    const { data } = await api<EventList>(`${v1}/events?range=90d`);
    assert.ok(data.some(({ type }) => type === 'revenue'));
    const rows = data.map(({ name, events, visitors }) => ({ name, value: visitors, events }));
    return { dimension, data: rows.slice(0, 11).sort((a, b) => b.value - a.value) };
  };

  /** Where there are many, some are below a button. */
  const tabOf = async (page: Page, label: string, dimension: DimensionName): Promise<Locator> => {
    const name = textIfAny(`tab.${dimension}`) ?? dimensionLabel(dimension);
    const tab = panel(page, label).locator('.tabs').getByRole('link', { name, exact: true });
    if ((await tab.count()) === 0) await panel(page, label).locator('.tabs-more').click();
    return tab;
  };

  for (const { choice, name, tabs } of Object.values(panels)) {
    const label = en[`panel.${name}`];
    stage.test(`the rows of ${label} equal the API’s, on every tab`, async () => {
      const page = await open(`${home}?range=90d`);
      for (const [i, dimension] of tabs.entries()) {
        if (i > 0) {
          await (await tabOf(page, label, dimension)).click();
          await settled(page);
          assert.is(new URL(page.url()).searchParams.get(choice), dimension);
        }
        assert.equal(await rowsOf(panel(page, label)), shown(dimension, await breakdown(dimension)), dimension);
      }
      for (let i = tabs.length - 2; i >= 0; i--) await page.goBack();
      await settled(page);
      assert.is(new URL(page.url()).search, '?range=90d');
    });
  }

  stage.test('a typed name filters by the code that it stands for, with Enter', async () => {
    const page = await open(home);
    await page.keyboard.press('f');
    await page.locator('.filter-kind select').nth(1).selectOption('country');
    await page.locator('.filter-value input').fill('germany');
    await page.locator('.suggestions button', { hasText: 'Germany' }).waitFor();
    await page.locator('.filter-value input').press('Enter');
    await settled(page);
    assert.is(searchOf(page), '?country=DE');
    assert.is(
      await figure(page, 'visitors').textContent(),
      formatNumber((await api<Stats>(`${v1}/stats?country=DE`)).visitors),
    );
  });

  stage.test('the table of all rows does not come back when its filter is inverted or removed', async () => {
    const page = await open(`${home}?_all=country`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'Germany' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Operator of the filter on Country').selectOption('is not');
    await settled(page);
    assert.is(searchOf(page), '?country!=DE');
    await page.getByLabel('Remove the filter on Country').click();
    await settled(page);
    assert.is(searchOf(page), '');
    assert.is(await dialog.count(), 0);
  });

  stage.test('notes are written, changed and removed beside the chart, and read in it', async () => {
    const page = await open(`${home}?range=7d`);
    const button = page.locator('.notes-button');
    const write = async (text: string, submit: string): Promise<void> => {
      await page.getByLabel('Note', { exact: true }).fill(text);
      await page.locator('.notes').getByRole('button', { name: submit, exact: true }).click();
      await page.locator('.note-text', { hasText: text }).waitFor();
    };
    await button.click();
    await page.getByLabel('Day', { exact: true }).fill('2026-11-18');
    await write('New prices', 'Add note');
    await page.getByRole('button', { name: 'Edit New prices' }).click();
    await write('Newer prices', 'Save note');
    await page.keyboard.press('Escape');
    assert.is(await button.textContent(), '1 note');

    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    assert.not.match((await slider.getAttribute('aria-valuetext'))!, 'Newer prices');
    await page.keyboard.press('ArrowLeft');
    assert.match((await slider.getAttribute('aria-valuetext'))!, /Wed, 18 Nov 2026.*, Newer prices$/);
    assert.equal(await page.locator('.readout-note').allTextContents(), ['Newer prices']);

    await button.click();
    await page.getByRole('button', { name: 'Remove Newer prices' }).click();
    await page.locator('.notes').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.locator('.note-text').waitFor({ state: 'detached' });
  });

  stage.test('the metric of a panel can be chosen, and its rows follow', async () => {
    const page = await open(`${home}?range=90d`);
    const pages = panel(page, 'Pages');
    interface Table {
      data: (Partial<Record<TableMetricName, number | null>> & { name: string })[];
    }
    for (const metric of panelMetrics) {
      await page.getByLabel('Metric of Pages').selectOption(metric);
      await settled(page);
      assert.is(searchOf(page), metric === 'visitors' ? '?range=90d' : `?range=90d&_pagesBy=${metric}`);
      const isMean = metric === 'bounceRate' || metric === 'avgVisitSeconds';
      const asked = `dimension=path&metrics=${metric}&sort=${isMean ? 'visitors' : metric}&limit=11`;
      const { data } = await api<Table>(`${ext}/table?range=90d&${asked}`);
      if (isMean) data.sort((a, b) => b[metric]! - a[metric]!);
      const text = metric === 'conversions' ? formatNumber : (value: number) => textOf(metric, value);
      const want = data.slice(0, 10).map(row => [row.name, text(row[metric]!)]);
      assert.equal(await rowsOf(pages), want, metric);
    }
    await page.getByLabel('Metric of Events').selectOption('events');
    await settled(page);
    const { data } = await api<EventList>(`${v1}/events?range=90d&limit=11`);
    const want = data.slice(0, 10).map(({ name, events }) => [name, formatNumber(events)]);
    assert.equal(await rowsOf(panel(page, 'Events')), want);
  });

  stage.test('what stands beside the rows is asked as one question, and is there at once on the way back', async () => {
    const page = await open(`${home}?range=90d`);
    const asked: string[] = [];
    page.on('request', request => {
      if (request.url().includes('compare=previous') || request.url().includes('compare%3Dprevious'))
        asked.push(request.url());
    });
    await page.reload();
    const row = panel(page, 'Pages').locator('tbody tr').first();
    await panel(page, 'Pages').locator('tbody tr[data-tip]').first().waitFor();
    // The figures with the chart, and the tables of all panels.
    assert.is(asked.length, 2, asked.join('\n'));
    const tip = await row.getAttribute('data-tip');
    assert.match(tip!, /^Pageviews: [\d,]+ · Bounce rate: [\d.]+% · Visit duration: /);
    await row.locator('.row-link').click();
    await settled(page);
    await page.evaluate(() => {
      addEventListener('popstate', () =>
        queueMicrotask(() =>
          requestAnimationFrame(() => {
            document.body.dataset.told = String(document.querySelectorAll('.panel tr[data-tip]').length);
          }),
        ),
      );
    });
    await page.goBack();
    await page.locator('body[data-told]').waitFor();
    assert.ok(Number(await page.locator('body').getAttribute('data-told')) > 20);
  });

  stage.test('with a goal chosen, each row of each panel shows how many reached it', async () => {
    await post(`/app/sites/${site.id}/definitions`, { kind: 'goal', name: 'Saw prices', conditions: 'path=/pricing' });
    const page = await open(`${home}?range=90d`);
    await page.getByLabel('By source: conversion rate for Saw prices in all panels').click();
    await settled(page);
    assert.is(searchOf(page), '?range=90d&_goal=Saw+prices');
    for (const [label, dimension] of [
      ['Pages', 'path'],
      ['Sources', 'channel'],
      ['Places', 'country'],
    ] as const) {
      await panel(page, label).locator('td.converted:not(:empty)').first().waitFor();
      const asked = `dimension=${dimension}&metrics=conversionRate&limit=10&conversionGoal=Saw prices`;
      const { data } = await api<{ data: { conversionRate: number }[] }>(`${ext}/table?range=90d&${asked}`);
      assert.equal(
        await panel(page, label).locator('td.converted').allTextContents(),
        data.map(row => formatPercent(row.conversionRate)),
        label,
      );
    }
    await post(`/app/sites/${site.id}/definitions/remove`, { kind: 'goal', name: 'Saw prices' });
  });

  stage.test('a click on a row filters by it, and a second click no longer', async () => {
    const page = await open(home);
    for (const [label, dimension] of [
      ['Pages', 'path'],
      ['Sources', 'channel'],
      ['Places', 'country'],
      ['Technology', 'browser'],
      ['Events', 'event'],
    ] as const) {
      const first = (await panel(page, label).locator('.row-link').first().getAttribute('data-label'))!;
      await panel(page, label).locator('.row-link').first().click();
      await settled(page);
      const value = new URL(page.url()).searchParams.get(dimension)!;
      assert.is(valueLabel(dimension, value), first);
      const stats = await api<Stats>(`${v1}/stats?${new URLSearchParams({ [dimension]: value })}`);
      assert.is(await figure(page, 'visitors').textContent(), formatNumber(stats.visitors), dimension);
      await panel(page, label).locator('.chosen .row-link').click();
      await settled(page);
      assert.is(new URL(page.url()).search, '', dimension);
    }
  });

  stage.test('a filter asks all questions of the page in one request', async () => {
    const page = await open(home);
    // What asks by itself has done so.
    await page.locator('.live:not(:empty)').waitFor();
    // The pointer comes for the click, so what is asked where it rests is not.
    const seen: string[][] = [];
    page.on('request', request => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.startsWith('/api/')) seen.push(searchParams.getAll('ask').map(whatIsAsked));
    });
    await panel(page, 'Pages').locator('.row-link').first().click();
    await settled(page);
    const asked = ['stats', 'ext/series', 'path', 'browser', 'event', 'channel', 'country', 'ext/goals'];
    // What stands beside the rows comes after the numbers.
    assert.equal(seen[0], asked);
  });
  const whatIsAsked = (ask: string): string => {
    const { pathname, searchParams } = new URL(ask, 'http://x');
    return searchParams.get('dimension') ?? pathname.slice(1);
  };

  stage.test('the map filters too', async () => {
    const page = await open(home);
    await page.locator('[data-country="DE"]').click();
    await settled(page);
    assert.is(searchOf(page), '?country=DE');
    assert.is(await page.locator('.country.chosen').getAttribute('data-country'), 'DE');
    assert.equal(await page.locator('.chip-value').allTextContents(), ['Germany']);
    // It is seen from nearer, in the middle.
    const [map, country] = [await page.locator('.country-map > svg').boundingBox(), page.locator('.country.chosen')];
    const box = (await country.boundingBox())!;
    assert.ok(box.height > map!.height / 4 && box.height < map!.height);
    assert.ok(Math.abs(box.x + box.width / 2 - map!.x - map!.width / 2) < 5);
    await country.click();
    await settled(page);
    assert.ok((await page.locator('[data-country="DE"]').boundingBox())!.height < box.height / 3);
  });

  stage.test('chips of filters can be negated, extended and removed, and back undoes that', async () => {
    const page = await open(`${home}?country=DE&path*=blog`);
    const visitors = async (query: string) => formatNumber((await api<Stats>(`${v1}/stats?${query}`)).visitors);
    const sees = async (query: string): Promise<void> => {
      await settled(page);
      assert.is(searchOf(page), `?${query}`);
      assert.is(await figure(page, 'visitors').textContent(), await visitors(query), query);
    };
    await sees('country=DE&path*=blog');
    await page.getByLabel('Operator of the filter on Country').selectOption('is not');
    await sees('path*=blog&country!=DE');
    await page.getByLabel('Operator of the filter on Page').selectOption('does not contain');
    await sees('country!=DE&path!*=blog');

    await page.getByRole('button', { name: 'Change Germany' }).click();
    await page.getByLabel('Another value').fill('Fran');
    await page.locator('.suggestions button', { hasText: 'France' }).click();
    await sees('country!=DE&path!*=blog&country!=FR');
    assert.equal(await page.locator('.chip-value').allTextContents(), ['Germany or France', 'blog']);

    await page.getByLabel('Remove the filter on Page').click();
    await sees('country!=DE&country!=FR');
    await page.goBack();
    await sees('country!=DE&path!*=blog&country!=FR');
    await page.getByRole('link', { name: 'Remove all' }).click();
    await settled(page);
    assert.is(searchOf(page), '');
    await page.goBack();
    await page.goBack();
    await sees('country!=DE&path!*=blog');
    await page.goForward();
    await sees('country!=DE&path!*=blog&country!=FR');
    await page.reload();
    await sees('country!=DE&path!*=blog&country!=FR');
  });

  stage.test('filters on properties, numbers and visits are made, shown in words, and changed', async () => {
    const page = await open(home);
    const dialog = page.getByRole('dialog');
    const filter = async (choices: Record<string, string>, property: string, value: string): Promise<void> => {
      await page.keyboard.press('f');
      for (const [label, option] of Object.entries(choices)) await dialog.getByLabel(label).selectOption(option);
      if (property !== '') await dialog.getByLabel('Name of the property').fill(property);
      await page.locator('.filter-value input').fill(value);
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'hidden' });
      await settled(page);
    };
    const chips = (): Promise<string[]> =>
      page
        .locator('.chip')
        .evaluateAll(all =>
          all.map(chip =>
            [
              chip.querySelector('.chip-field')!.textContent,
              chip.querySelector('select')!.selectedOptions[0]!.textContent,
              chip.querySelector('.chip-value')!.textContent,
            ].join(' '),
          ),
        );
    await filter({ Match: 'Visits with', Field: 'Event' }, '', 'Signup');
    await filter({ Match: 'Visits without', Field: 'Page', Operator: 'starts with' }, '', '/docs/');
    await filter({ Field: 'Visit duration', Operator: 'more than' }, '', '10');
    await filter({ Field: 'Property…', Operator: 'at least' }, 'seats', '3');
    assert.is(searchOf(page), '?visit:event=Signup&visit:path!^=/docs/&duration>10=&prop:seats>=3');
    const words = [
      'Visits with Event is Signup',
      'Visits without Page starts with /docs/',
      'Visit duration more than 10s',
    ];
    assert.equal(await chips(), [...words, 'seats at least 3']);
    await page.getByLabel('Operator of the filter on seats').selectOption('is not');
    await page.getByLabel('Operator of the filter on Visit duration').selectOption('less than');
    await settled(page);
    await page.reload();
    await settled(page);
    assert.equal(await chips(), [...words.slice(0, 2), 'seats is not 3', 'Visit duration less than 10s']);
    const { visitors } = await api<Stats>(
      `${v1}/stats?visit:event=Signup&visit:path!^=/docs/&prop:seats!=3&${encodeURIComponent('duration<10')}`,
    );
    assert.is(await figure(page, 'visitors').textContent(), formatNumber(visitors));
  });

  stage.test('a filter can be made from the keyboard', async () => {
    const page = await open(home);
    await page.keyboard.press('f');
    await page.getByLabel('Field').selectOption('Page');
    await page.getByLabel('Operator').selectOption('starts with');
    await page.locator('.filter-value input').fill('/blog/');
    await page.keyboard.press('Enter');
    await settled(page);
    assert.is(searchOf(page), '?path^=/blog/');
    assert.is(
      await figure(page, 'visitors').textContent(),
      formatNumber((await api<Stats>(`${v1}/stats?path^=/blog/`)).visitors),
    );
    await page.keyboard.press('x');
    await settled(page);
    assert.is(searchOf(page), '');
  });

  stage.test('any range can be chosen by name or key, and so can the one before or after', async () => {
    const page = await open(home);
    for (const [i, range] of rangeKeys.entries()) {
      if (i < 9) {
        await page.keyboard.press(String(i + 1));
      } else {
        await page.locator('.period-button').click();
        await page.getByRole('button', { name: ranges[range].label, exact: true }).click();
      }
      await settled(page);
      assert.is(searchOf(page), range === '30d' ? '' : `?range=${range}`);
      assert.is(await page.locator('.period-label').textContent(), ranges[range].label);
    }
    await page.locator('.period-button').click();
    await page.getByRole('button', { name: 'Last 7 days' }).click();
    await settled(page);
    assert.is(searchOf(page), '?range=7d');
    await page.keyboard.press('[');
    await settled(page);
    assert.is(searchOf(page), '?from=2026-11-07&to=2026-11-13');
    assert.is((await page.locator('.period-label').textContent())!.replace(/\s*–\s*/, '–'), '7–13 Nov 2026');
    await page.keyboard.press(']');
    await settled(page);
    assert.is(searchOf(page), '?from=2026-11-14&to=2026-11-20');
    assert.ok(await page.getByLabel('Next period').isDisabled());
  });

  stage.test('dates can be chosen in a calendar, with mouse or keyboard', async () => {
    const page = await open(home);
    await page.keyboard.press('c');
    await page.getByLabel('Previous month').click();
    await page.getByRole('button', { name: /^Monday,? 12 October 2026/ }).click();
    await page.getByRole('button', { name: /^Thursday,? 8 October 2026/ }).click();
    await settled(page);
    assert.is(searchOf(page), '?from=2026-10-08&to=2026-10-12');
    const stats = await api<Stats>(`${v1}/stats?from=2026-10-08&to=2026-10-12`);
    assert.is(await figure(page, 'pageviews').textContent(), formatNumber(stats.pageviews));

    await page.locator('.period-button').click();
    await page.locator('.day[tabindex="0"]').focus();
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await settled(page);
    assert.is(searchOf(page), '?from=2026-09-07&to=2026-09-14');
    await page.locator('.period-button').click();
    await page.keyboard.press('Escape');
    await page.locator('.calendar').waitFor({ state: 'detached' });
  });

  stage.test('a click on the chart goes to that day, and a drag to several days', async () => {
    const page = await open(home);
    const box = (await page.locator('.chart-plot').boundingBox())!;
    await page.mouse.click(box.x + box.width - 4, box.y + 60);
    // A day can be noted as well.
    await page.getByRole('button', { name: 'Add note', exact: true }).nth(1).click();
    assert.is(await page.locator('.notes').getByLabel('Day').inputValue(), '2026-11-20');
    await page.keyboard.press('Escape');
    await page.mouse.click(box.x + box.width - 4, box.y + 60);
    await page.getByRole('button', { name: 'Only this day' }).click();
    await settled(page);
    assert.is(searchOf(page), '?from=2026-11-20&to=2026-11-20');
    await page.goBack();
    await settled(page);
    const day = box.width / 29;
    await page.mouse.move(box.x + 2 * day, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 9 * day, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await settled(page);
    assert.is(searchOf(page), '?from=2026-10-24&to=2026-10-31');
  });

  stage.test('all rows of a panel can be browsed', async () => {
    const page = await open(home);
    await page.getByRole('link', { name: 'More: Page' }).click();
    await settled(page);
    const { data } = await api<Breakdown>(`${v1}/breakdown?dimension=path&limit=500`);
    const dialog = page.getByRole('dialog', { name: 'Page' });
    const names = dialog.locator('tbody .row-link');
    await dialog.getByRole('link', { name: 'Visitors' }).waitFor();
    while ((await names.count()) < data.length) {
      await dialog.locator('.dialog-scroll').evaluate(list => list.scrollTo(0, list.scrollHeight));
      await settled(page);
    }
    assert.equal(
      await names.allTextContents(),
      data.map(row => row.name),
    );

    // Another column, and the order of it.
    await dialog.locator('summary', { hasText: 'Columns' }).click();
    await dialog.getByRole('button', { name: 'Exit rate' }).click();
    await dialog.locator('summary', { hasText: 'Columns' }).click();
    await dialog.getByRole('link', { name: 'Exit rate' }).click();
    await settled(page);
    const asked = 'dimension=path&metrics=visitors,exitRate&sort=exitRate&limit=20';
    const { data: sorted } = await api<{ data: { name: string }[] }>(`${v1.replace('v1', 'ext')}/table?${asked}`);
    assert.equal(
      (await names.allTextContents()).slice(0, 20),
      sorted.map(row => row.name),
    );
    assert.match(searchOf(page), /_sort=exitRate/);

    await dialog.getByLabel('Search these rows').fill('BLOG');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('dialog .row-link')].every(link => link.textContent.includes('blog')),
    );
    assert.is(await names.count(), data.filter(row => row.name.includes('blog')).length);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.is(searchOf(page), '');
  });

  stage.test('every figure has an explanation, in the words of the model', async () => {
    const page = await open(home);
    const tip = page.locator('#tip');
    for (const name of metricNames) {
      const sign = page.locator(`[data-metric="${name}"] .figure-sign`);
      if ((await sign.count()) === 0) continue;
      await sign.focus();
      assert.ok((await tip.textContent())!.startsWith(`${en[`metric.${name}.meaning`]}. Previous period: `));
      assert.ok(await tip.isVisible());
    }
    await page.keyboard.press('Escape');
    assert.not.ok(await tip.isVisible());
    for (const { tabs, name } of Object.values(panels)) {
      const label = en[`panel.${name}`];
      if (tabs.length === 1) continue;
      for (const dimension of tabs) {
        await (await tabOf(page, label, dimension)).hover();
        assert.is(await tip.textContent(), dimensions[dimension].meaning);
      }
    }
  });

  stage.test('the view can be downloaded as CSV', async () => {
    const page = await open(`${home}?country=DE&range=7d`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByLabel('Export these numbers as CSV').click(),
    ]);
    assert.is(download.suggestedFilename(), `${site.domain}-7d-2026-11-20.csv`);
    const { readFileSync } = await import('node:fs');
    assert.match(readFileSync(await download.path(), 'utf8'), '# Filters: country=DE\n');
  });

  stage.test('a panel whose answer fails says so and tries again', async () => {
    const page = await open(home, { tolerated: /status of 500/ });
    let fails = true;
    const internal = '"status":500,"body":{"error":"internal error"}}';
    await page.route('**/answers?**', async route => {
      const asks = new URL(route.request().url()).searchParams.getAll('ask');
      const browsers = asks.findIndex(ask => ask.includes('dimension=browser'));
      const response = await route.fetch();
      const lines = (await response.text()).split('\n');
      const body = lines.map(line => line.replace(new RegExp(`^({"ask":${browsers},).*`), `$1${internal}`)).join('\n');
      await route.fulfill({ response, body });
    });
    await page.route('**/breakdown?**dimension=browser**', route =>
      fails
        ? route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":"internal error"}' })
        : route.continue(),
    );
    await page.keyboard.press('4');
    await panel(page, 'Technology').getByRole('alert').waitFor();
    assert.is(await panel(page, 'Technology').getByRole('alert').locator('p').textContent(), 'internal error');
    assert.ok((await rowsOf(panel(page, 'Pages'))).length > 0);
    const again = panel(page, 'Technology').getByRole('button', { name: 'Try again' });
    await Promise.all([page.waitForResponse(response => response.status() === 500), again.click()]);
    fails = false;
    await again.click();
    await panel(page, 'Technology').locator('.row-link').first().waitFor();
  });

  stage.test('an empty panel says so', async () => {
    const page = await open(`${home}?path=/nothing-like-this`);
    assert.is(await figure(page, 'visitors').textContent(), '0');
    for (const name of ['bounceRate', 'viewsPerVisit', 'avgVisitSeconds', 'revenue'] as const) {
      assert.is(await figure(page, name).textContent(), '–', name);
    }
    assert.equal(
      (await page.locator('.panel .empty').allTextContents()).sort(),
      [
        `${en['overview.goals.none']}${en['overview.goals.add']}`,
        ...Object.values(panels).map(({ name }) =>
          name === 'events' ? en['panel.events.none'] + en['panel.events.how'] : en[`panel.${name}.none`],
        ),
      ].sort(),
    );
  });

  stage.test('an address that the API refuses says what is wrong with it', async () => {
    const page = await open(`${home}?from=2026-13-01`);
    assert.match((await page.locator('.headline').textContent())!, 'This link has an invalid date.');
  });
}

test.run();
