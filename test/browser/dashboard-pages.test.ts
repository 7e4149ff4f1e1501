import type { Page, Request } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  Crawls,
  EventList,
  EventSeries,
  HitsOfVisit,
  MetricSeries,
  Outcomes,
  PropertyKeys,
  PropertyValuesAnswer,
  Realtime,
  VisitsAnswer,
  Vitals,
} from '../../src/dashboard/app/answers.ts';
import { crawlerKinds, knownCrawler } from '../../src/dashboard/app/crawlers/kinds.ts';
import {
  formatDelta,
  formatMoney,
  formatNumber,
  formatPercent,
  formatRate,
  formatSeconds,
  formatValue,
} from '../../src/dashboard/app/format.ts';
import { sitePageNames } from '../../src/dashboard/app/routes.ts';
import { en } from '../../src/dashboard/app/texts/en.ts';
import { formatVital, ratingOf } from '../../src/dashboard/app/vitals/rating.ts';
import { visitChips } from '../../src/model/figures.ts';
import { outcomes as outcomeRows } from '../../src/model/outcomes.ts';
import { sitePages } from '../../src/model/site-pages.ts';
import { vitalNames } from '../../src/model/vitals.ts';
import { goTo, noon, openStage, settled } from './dashboard.ts';

const stage = await openStage();
if (stage !== null) {
  const { open, api, server, site } = stage;
  const home = `/sites/${site.domain}`;
  const v1 = `/api/v1/sites/${site.id}`;
  const ext = `/api/ext/sites/${site.id}`;

  /** The texts of a table's cells, without those that are only drawn. */
  const cells = (page: Page, selector: string): Promise<string[][]> =>
    page
      .locator(`${selector} > tbody > tr`)
      .evaluateAll(rows => rows.map(row => [...row.children].map(cell => cell.textContent!.trim())));
  const search = (page: Page): string => decodeURIComponent(new URL(page.url()).search);

  stage.test('the navigation leads to every page and keeps range and filters', async () => {
    const page = await open(`${home}?country=DE&range=7d&_metric=visits`);
    for (const name of sitePageNames) {
      const label = en[`page.${name === '' ? 'overview' : name}`];
      await goTo(page, name);
      const url = new URL(page.url());
      assert.is(url.pathname, name === '' ? home : `${home}/${name}`);
      assert.is(url.searchParams.get('country'), 'DE', name);
      assert.is(url.searchParams.get('range'), '7d', name);
      assert.is(await page.title(), `${site.domain} · ${label} · Daybook`);
    }
    for (const [name, { key }] of Object.entries(sitePages)) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await settled(page);
      assert.is(new URL(page.url()).pathname, name === '' ? home : `${home}/${name}`);
    }
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });

  stage.test('the list of events shows the API’s rows, with sparks', async () => {
    const page = await open(`${home}/events?range=30d`);
    const { data } = await api<EventList>(`${v1}/events?range=30d`);
    assert.ok(data.length > 10);
    const rows = await cells(page, '.table.events');
    assert.equal(
      rows.map(([name, , events, visitors, perVisitor, delta]) => [name, events, visitors, perVisitor, delta]),
      data.map(event => [
        `${event.name} ${event.type}`,
        formatNumber(event.events),
        formatNumber(event.visitors),
        formatRate(event.perVisitor),
        event.delta === null ? 'new' : formatDelta(event.delta),
      ]),
    );
    assert.is(await page.locator('.table.events .spark-line').count(), data.length);
  });

  stage.test('the page of an event shows the API’s figures, series, properties, values and histogram', async () => {
    const page = await open(`${home}/events`);
    await page.getByRole('link', { name: 'Invoice sent' }).click();
    await settled(page);
    assert.is(search(page), '?_event=Invoice+sent');
    const about = `${v1}/events?event=Invoice%20sent`;
    const { data, summary } = await api<EventSeries>(`${about}&series=1`);
    const figures: [string, string][] = [
      ['events', formatNumber(summary.events)],
      ['visitors', formatNumber(summary.visitors)],
      ['visitorShare', formatPercent(summary.visitorShare)],
      ['perVisitor', formatNumber(summary.perVisitor)],
      ['sessions', formatNumber(summary.sessions)],
      ['medianPerSession', formatNumber(summary.medianPerSession)],
    ];
    for (const [name, value] of figures) {
      assert.is(await page.locator(`[data-figure="${name}"] .figure-value`).textContent(), value, name);
    }
    await page.getByRole('slider').focus();
    await page.keyboard.press('End');
    const last = data.at(-1)!;
    assert.match(
      (await page.getByRole('slider').getAttribute('aria-valuetext'))!,
      `so far, ${last.Events} Occurrences`,
    );
    // Most visitors send it once: in one picture the two lines would hide each other.
    await page.getByRole('navigation', { name: 'Over time' }).getByRole('link', { name: 'Visitors' }).click();
    await settled(page);
    await page.getByRole('slider').focus();
    await page.keyboard.press('End');
    assert.match((await page.getByRole('slider').getAttribute('aria-valuetext'))!, `so far, ${last.Visitors} Visitors`);

    const keys = (await api<PropertyKeys>(about)).data;
    assert.equal(
      await cells(page, 'section[aria-label="Properties"] .rows'),
      keys.map(row => [row.key, formatPercent(row.coverage), formatNumber(row.values), row.dataType]),
    );
    // Where each number came once, the histogram says it all.
    await page.getByRole('link', { name: 'total', exact: true }).click();
    await settled(page);
    assert.ok((await page.locator('.histogram li').count()) > 0);
    assert.is(await page.locator('section[aria-label="Values of total"] .rows').count(), 0);
    await page.getByRole('link', { name: 'lines', exact: true }).click();
    await settled(page);
    const values = await api<PropertyValuesAnswer>(`${about}&property=lines&histogram=1`);
    assert.equal(
      (await cells(page, 'section[aria-label="Values of lines"] .rows')).map(row => row.slice(0, 3)),
      values.data.map(row => [row.name, formatNumber(row.value), formatPercent(row.share)]),
    );
    assert.equal(
      await page.locator('.histogram li .unseen').allTextContents(),
      values.histogram.map(bin => `${bin.name}: ${formatNumber(bin.value)}`),
    );
    await page.locator('section[aria-label="Values of lines"] .row-link').first().click();
    await settled(page);
    assert.is(
      search(page),
      `?_event=Invoice+sent&_chart=visitors&_property=lines&event=Invoice+sent&propKey=lines&propValue=${values.data[0]!.name}`,
    );
    for (let i = 0; i < 5; i++) await page.goBack();
    await page.locator('.table.events').waitFor();
  });

  stage.test('the page of a revenue event shows what it earned, in all and over time', async () => {
    const page = await open(`${home}/events?range=90d&_event=Subscription`);
    const { data } = await api<MetricSeries>(`${ext}/series?range=90d&event=Subscription&metrics=revenue`);
    const all = data.reduce((sum, { revenue }) => sum + revenue!, 0);
    assert.ok(all > 0);
    const figure = page.locator('[data-figure="revenue"] .figure-value');
    await figure.getByText(formatMoney(all, site.currency)).waitFor();
    await page.getByRole('navigation', { name: 'Over time' }).getByRole('link', { name: 'Revenue' }).click();
    await settled(page);
    const most = data.findIndex(({ revenue }) => revenue === Math.max(...data.map(point => point.revenue!)));
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < most; i++) await page.keyboard.press('ArrowRight');
    const said = (await page.getByRole('slider').getAttribute('aria-valuetext'))!;
    assert.match(said, formatMoney(data[most]!.revenue!, site.currency));
    await page.goto(`${server.url}${home}/events?_event=Signup`);
    await settled(page);
    assert.is(await figure.count(), 0);
  });

  stage.test('the table of visits shows the API’s rows and grows while scrolling', async () => {
    const page = await open(`${home}/visits`);
    const { data } = await api<VisitsAnswer>(`${ext}/visits?limit=500`);
    assert.ok(data.length > 150);
    const rows = page.locator('.visits tr.visit');
    const before = await rows.count();
    assert.ok(before >= 50 && before < data.length);
    for (const most of [50, 100, 150]) {
      await page.mouse.wheel(0, 100_000);
      await rows.nth(most).waitFor();
    }
    const seen = await rows.evaluateAll(list =>
      list.map(row => row.lastElementChild!.previousElementSibling!.textContent),
    );
    assert.equal(
      seen,
      data.slice(0, seen.length).map(visit => formatSeconds(visit.seconds)),
    );
  });

  stage.test('chips, search and sort of visits work as in the API', async () => {
    const page = await open(`${home}/visits`);
    const shows = async (query: string): Promise<void> => {
      const { data } = await api<VisitsAnswer>(`${ext}/visits?${query}`);
      await settled(page);
      const seen = await page.locator('.visits tr.visit code').evaluateAll(list => list.map(code => code.textContent));
      const want = data.filter(visit => visit.identified === null).map(visit => visit.visitor.slice(0, 8));
      assert.equal(seen.slice(0, want.length), want, query);
      assert.ok(data.length === 0 || (await page.locator('.visits tr.visit').count()) >= data.length, query);
    };
    for (const [name, { label }] of Object.entries(visitChips)) {
      await page.getByRole('button', { name: label }).click();
      await shows(`${name}=1`);
      assert.is(new URL(page.url()).searchParams.get(`_${name}`), '1');
      await page.getByRole('button', { name: label }).click();
    }
    for (const [label, sort] of [
      ['Pages', 'pageviews'],
      ['Duration', 'duration'],
      ['Events', 'events'],
      ['Revenue', 'revenue'],
    ] as const) {
      await page.locator('.visits thead').getByRole('link', { name: label }).click();
      await shows(`sort=${sort}`);
      await page.locator('.visits thead').getByRole('link', { name: label }).click();
      await shows(`sort=${sort}&dir=asc`);
      assert.is(await page.locator('.visits th[aria-sort="ascending"]').textContent(), `${label} ↑`);
    }
    await page.locator('.visits thead').getByRole('link', { name: 'Started' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('Berlin');
    await page.waitForURL(/_q=Berlin/);
    await shows('q=Berlin');
    await page.getByLabel('Search visits').fill('nobody was here');
    await page.locator('.empty').waitFor();
    assert.is(await page.locator('.empty').textContent(), 'No matching visits in this period.');
  });

  stage.test('a visit opens to its hits in order, and has an address', async () => {
    const { data } = await api<VisitsAnswer>(`${ext}/visits?converted=1`);
    const place = data.findIndex(visit => visit.pageviews > 2 && visit.events > 1);
    const visit = data[place]!;
    const page = await open(`${home}/visits?_converted=1`);
    await page.locator('.visit-link').nth(place).click();
    await page.locator('.hits').waitFor();
    const { data: hits } = await api<HitsOfVisit>(`${ext}/hits?visit=${visit.id}`);
    const check = async (): Promise<void> => {
      const seen = await page
        .locator('.hit')
        .evaluateAll(list =>
          list.map(hit => [
            hit.querySelector('time')!.getAttribute('datetime'),
            hit.querySelector('strong')?.textContent ?? hit.querySelector('.hit-path')!.textContent,
            [...hit.querySelectorAll('.properties > div')].map(pair =>
              [...pair.children].map(part => part.textContent),
            ),
          ]),
        );
      assert.equal(
        seen,
        hits.map(hit => [
          hit.at,
          hit.type === 'pageview' ? hit.path! + (hit.query === null ? '' : `?${hit.query}`) : hit.event,
          hit.properties.map(({ key, value }) => [key, formatValue(value ?? '(empty)')]),
        ]),
      );
    };
    assert.is(hits.length, visit.pageviews + visit.events);
    await check();
    await page.reload();
    await page.locator('.hits').waitFor();
    await check();
    await page.locator('.visit-link').nth(place).click();
    await page.locator('.hits').waitFor({ state: 'detached' });
  });

  stage.test('visits can be downloaded as CSV, chosen and sorted as shown', async () => {
    const page = await open(`${home}/visits?_paid=1&_sort=revenue&range=90d`);
    const href = (await page.getByLabel('Export these visits as CSV').getAttribute('href'))!;
    assert.is(href, `/api/export/${site.id}?range=90d&mode=sessions&sort=revenue&paid=1`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByLabel('Export these visits as CSV').click(),
    ]);
    assert.is(download.suggestedFilename(), `${site.domain}-visits-90d-2026-11-20.csv`);
  });

  stage.test('the realtime page updates by itself', async () => {
    const page = await open(`${home}/realtime`);
    const figure = page.locator('.now-value');
    const visitors = async () => formatNumber((await api<Realtime>(`${v1}/realtime`)).visitors);
    assert.is(await figure.textContent(), await visitors());
    const response = await fetch(`${stage.server.url}/e`, {
      method: 'POST',
      headers: {
        'user-agent':
          'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      },
      body: JSON.stringify({ s: site.publicKey, u: `https://${site.domain}/just-now`, x: 1 }),
    });
    assert.is(response.status, 202);
    await page.locator('.row-link', { hasText: '/just-now' }).waitFor();
    assert.is(await figure.textContent(), await visitors());
    const { minutes } = await api<Realtime>(`${v1}/realtime`);
    assert.equal(
      await page.locator('.minutes .unseen').allTextContents(),
      minutes.map(({ date, value }) => `${date.slice(11, 16)}: ${formatNumber(value)}`),
    );
    await page.locator('.row-link', { hasText: '/just-now' }).click();
    await settled(page);
    assert.is(search(page), '?path=/just-now');
    assert.is(await figure.textContent(), '1');
  });

  stage.test('web vitals are shown against their thresholds, by page and by device', async () => {
    const page = await open(`${home}/vitals`);
    for (const by of ['path', 'device'] as const) {
      const { all, data } = await api<Vitals>(`${ext}/vitals?by=${by}&limit=500`);
      assert.ok(data.length > 0);
      for (const name of vitalNames) {
        const figures = all[name]!;
        const shown = page.locator(`[data-vital="${name}"]`);
        assert.is(await shown.locator('.figure-value').textContent(), formatVital(name, figures.p75));
        assert.is(await shown.locator('.rating').textContent(), en[`vitals.rating.${ratingOf(name, figures.p75)}`]);
        assert.match(
          (await shown.locator('.shares').getAttribute('aria-label'))!,
          `${formatPercent(figures.good)} good, ${formatPercent(figures.needsImprovement)} need improvement, ${formatPercent(figures.poor)} poor`,
        );
      }
      const rows = await page
        .locator('.vital-table tbody tr')
        .evaluateAll(list => list.map(row => row.lastElementChild!.textContent));
      assert.equal(
        rows,
        data.slice(0, 25).map(group => formatNumber(group.reports)),
      );
      if (by === 'path') await page.getByRole('link', { name: 'Device', exact: true }).click();
      await settled(page);
    }
    const [device] = (await api<Vitals>(`${ext}/vitals?by=device`)).data;
    await page.locator('.vital-table tbody a').first().click();
    await settled(page);
    assert.is(search(page), `?_by=device&device=${device!.name}`);
  });

  stage.test('a phone shows every vital of a page, and its reports', async () => {
    const width = 360;
    const page = await open(`${home}/vitals`, { width, height: 740 });
    for (const row of ['thead tr', 'tbody tr:first-child']) {
      const boxes = await page
        .locator(`.vital-table ${row} > *`)
        .evaluateAll(cells => cells.map(cell => cell.getBoundingClientRect().toJSON() as DOMRect));
      assert.is(boxes.length, vitalNames.length + 2);
      for (const box of boxes) assert.ok(box.width > 0 && box.left >= 0 && box.right <= width, JSON.stringify(box));
      const [name, ...figures] = boxes;
      const reports = figures.pop()!;
      assert.is(name!.top, reports.top);
      assert.ok(figures.every(figure => figure.top === figures[0]!.top && figure.top >= name!.bottom));
    }
  });

  stage.test('filters that a page cannot apply are shown as unused, and not sent', async () => {
    for (const name of ['vitals', 'crawlers', 'health']) {
      const page = await open(`${home}/${name}?country=DE&range=7d`);
      assert.ok(await page.locator('.chip').evaluate(chip => chip.classList.contains('void')), name);
      assert.is(await page.locator('.failed').count(), 0, name);
    }
  });

  stage.test('crawlers are listed by name, AI agents marked, each with the pages it reads', async () => {
    const page = await open(`${home}/crawlers?range=90d`);
    const { data, total } = await api<Crawls>(`${ext}/crawlers?range=90d&limit=500`);
    const names = page.locator('section[aria-label="Crawlers"]');
    assert.equal(
      await names
        .locator('tbody tr')
        .evaluateAll(rows =>
          rows.map(row => [row.querySelector('.row-link')!.textContent, row.lastElementChild!.textContent]),
        ),
      data.map(row => [row.name, formatNumber(row.crawls)]),
    );
    assert.is(await page.locator('.figure-value').first().textContent(), formatNumber(total));
    const isAi = (name: string) => crawlerKinds[knownCrawler(name)?.kind ?? 'tool'].isAi;
    const ai = data.filter(row => isAi(row.name));
    assert.ok(ai.length >= 3);
    assert.is(await names.locator('.kind.ai').count(), ai.length);
    assert.is(
      await page.locator('[data-figure="ai"] .figure-value').textContent(),
      formatNumber(ai.reduce((sum, row) => sum + row.crawls, 0)),
    );
    // All that gather for AI are one line, with its course.
    await page.locator('.ai-trend .spark-line').waitFor();
    await page.getByRole('link', { name: 'Show AI crawlers alone' }).click();
    await settled(page);
    assert.is(await page.locator('.trend h2').textContent(), 'AI crawlers');
    const aiNames = ai.map(({ name }) => `name=${encodeURIComponent(name)}`).join('&');
    const aiPaths = await api<Crawls>(`${ext}/crawlers?range=90d&by=path&limit=500&${aiNames}`);
    assert.is(
      aiPaths.total,
      ai.reduce((sum, row) => sum + row.crawls, 0),
    );
    assert.equal(
      await page.locator('section[aria-label="Pages"] .row-link').allTextContents(),
      aiPaths.data.slice(0, 12).map(row => row.name),
    );
    await page.goBack();
    await settled(page);
    await names.getByRole('link', { name: 'GPTBot' }).click();
    await settled(page);
    const paths = await api<Crawls>(`${ext}/crawlers?range=90d&by=path&name=GPTBot&limit=500`);
    assert.equal(
      (await cells(page, 'section[aria-label="Pages"] .rows')).map(row => row.slice(0, 2)),
      paths.data.slice(0, 12).map(row => [row.name, formatNumber(row.crawls)]),
    );

    // A status narrows the names, the pages and the chart.
    await page.goBack();
    await page.locator('section[aria-label="Status"]').getByRole('link', { name: '404', exact: true }).click();
    await settled(page);
    const asked = `${ext}/crawlers?range=90d&status=404&limit=500`;
    const [failed, lost] = [await api<Crawls>(asked), await api<Crawls>(`${asked}&by=path`)];
    assert.ok(failed.data.length > 0 && failed.total < total);
    assert.equal(
      await names.locator('.row-link').allTextContents(),
      failed.data.map(row => row.name),
    );
    assert.equal(
      await page.locator('section[aria-label="Pages"] .row-link').allTextContents(),
      lost.data.slice(0, 12).map(row => row.name),
    );
    assert.is(await page.locator('.trend h2').textContent(), '404');
  });

  stage.test('the health page shows how hits ended, in the words of the model', async () => {
    const page = await open(`${home}/health?range=90d`);
    const { totals, data } = await api<Outcomes>(`${ext}/outcomes?range=90d`);
    assert.ok(totals.length > 2);
    assert.equal(
      (await cells(page, '.table.outcomes')).map(row => [row[1], row[0]!.replace(/ (ignored|rejected)$/, ''), row[3]]),
      totals.map(({ outcome, hits }) => [outcome, outcomeRows[outcome].meaning, formatNumber(hits)]),
    );
    const { meaning } = outcomeRows.crawler;
    await page.getByRole('link', { name: meaning, exact: true }).click();
    await settled(page);
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('End');
    const last = data.filter(row => row.outcome === 'crawler' && row.date === '2026-11-20T00:00:00')[0]?.hits ?? 0;
    assert.match((await slider.getAttribute('aria-valuetext'))!, `so far, ${formatNumber(last)} ${meaning}`);
  });

  const asksForStats = (request: Request): boolean =>
    new URL(request.url()).searchParams.getAll('ask').some(ask => ask.startsWith('stats?'));
  stage.test('numbers refresh while somebody looks', async () => {
    const page = await open(`${home}?range=today`);
    let asked = 0;
    page.on('request', request => {
      if (asksForStats(request)) asked++;
    });
    const comesBack = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.clock.setFixedTime(noon + 59_000);
    await comesBack();
    await settled(page);
    const asksAnew = page.waitForRequest(asksForStats);
    await page.clock.setFixedTime(noon + 61_000);
    await comesBack();
    await asksAnew;
    await comesBack();
    await settled(page);
    assert.is(asked, 1);
  });
}

test.run();
