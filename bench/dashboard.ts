/**
 * How soon does the dashboard show what one came for? A real Chromium opens a site's first page
 * before a server of its own process and clicks through it; what is measured is what a person waits
 * for: from the click to the frame in which every panel shows the new numbers.
 *
 *     npm run bench -- dashboard [--hits 10000000] [--rounds 7]
 *
 * `first load` is a browser that has never been here, in front of a server that has answered
 * before. After it, the page is left alone for some seconds. `filter` clicks a row of each panel
 * that nobody clicked yet, so that no kept answer is of use; `back` goes back from there, and
 * `another metric` chooses another figure for the chart. A page that does not fill ends the run with
 * a word about what is missing. A run with less than the defaults is printed alone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { dayMs, hourMs } from '../src/model/time.ts';
import { chromiumArguments, chromiumPath } from '../test/browser/chromium.ts';
import { bundled } from '../test/tools/build.ts';
import { endChild } from '../test/tools/children.ts';
import { withCopyOf } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { median, quantile } from '../test/tools/statistics.ts';
import { usualPages } from './generate.ts';
import { startServer } from './program.ts';
import { sealedData } from './query-data.ts';

const days = 30;
const firstDay = 20_000;
const domain = 'site1.example';

/** Most that a person should wait, in milliseconds: in the median, and at the worst. */
const barsMs = {
  'first load': [300, 300],
  filter: [120, 200],
  'another metric': [60, 60],
  'another range': [300, 300],
} as const;
/** Most that script and style may be. */
const kibibytesMax = 90;

/**
 * Nobody clicks before they have looked. Meanwhile the browser has started a process for the next
 * tab, and the page has asked how many people are on the site now.
 */
const lookMs = 2500;

/** After this long, something is broken rather than slow. */
const stuckMs = 60_000;
/** A row of each of these panels is clicked. */
const panels = ['Pages', 'Sources', 'Places', 'Technology', 'Events'];
/** Figures that the chart shows one after the other. */
const figures = ['pageviews', 'bounceRate', 'visitors'];

export const run = async (args: readonly string[]): Promise<void> => {
  const { hits, rounds, isFull } = optionsOf(args, { hits: 10_000_000, rounds: 7 });
  const kept = sealedData({ seed: 1, hits, days, firstDay, cookies: 0, pages: usualPages });
  const program = bundled('bench/dashboard-server.ts');
  const now = (firstDay + days) * dayMs - hourMs;
  // The program writes to its data.
  await withCopyOf(kept, async data => {
    const server = await startServer([program, data, String(now)]);
    let browser: Browser | undefined;
    try {
      browser = await chromium.launch({ executablePath: chromiumPath, args: chromiumArguments });
      const url = new URL(server.url).origin;
      const setup = { browser, url, cookie: await signUp(server.url), now };
      publish('dashboard', report(await measure(setup, rounds), await transferred(setup), hits, rounds), isFull);
    } finally {
      await browser?.close();
      await endChild(server.process);
    }
  });
};

/** The cookie of somebody who has used the one-time link. */
const signUp = async (link: string): Promise<string> => {
  const { origin, hash } = new URL(link);
  const response = await fetch(`${origin}/app/link/use`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({
      token: hash.slice(1),
      email: 'a@example.com',
      password: 'correct horse',
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.headers.get('set-cookie')!.split(';')[0]!;
};

interface Setup {
  browser: Browser;
  url: string;
  cookie: string;
  now: number;
}

/** A page of a browser that has never been here. */
const openPage = async ({ browser, url, cookie, now }: Setup): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 2000 } });
  const [name, value] = cookie.split('=') as [string, string];
  await context.addCookies([{ name, value, url }]);
  context.setDefaultTimeout(stuckMs);
  const page = await context.newPage();
  await page.addInitScript({ content: fixedDate(now) });
  await page.addInitScript({ content: watchPanels });
  return page;
};

/**
 * In the page: it is always now. Timers and frames are the browser's own, since what they take is
 * measured.
 */
const fixedDate = (now: number): string => `
Date = class extends Date {
  constructor(...parts) { parts.length === 0 ? super(${now}) : super(...parts); }
  static now() { return ${now}; }
};
`;

/**
 * In the page: `acted` is when somebody last did something, or the navigation began, and `filled`
 * the first frame after that in which every panel shows its numbers; both in the milliseconds of
 * performance.now(). `whenFilled` waits for that, and gives whether it came to be. It looks when
 * something has changed, not in every frame, since the browser shares its cores with the server.
 */
const watchPanels = `
window.acted = 0;
window.filled = null;
for (const type of ['click', 'keydown', 'popstate']) {
  addEventListener(type, () => {
    window.acted = performance.now();
    window.filled = null;
  }, true);
}
const parts = [
  '.figure-value',
  '.chart-line',
  '.country',
  ...${JSON.stringify(panels)}.map(panel => 'section.panel[aria-label="' + panel + '"] .answered'),
];
window.missing = () => [
  ...parts.filter(part => document.querySelector(part) === null),
  ...document.querySelectorAll('.skeleton, [aria-busy="true"], .chart-waiting, .country-map.waiting, .failed'),
];
const look = () => {
  if (window.filled !== null || missing().length > 0) return;
  const acted = window.acted;
  // The first of these comes before the frame is painted.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    if (acted !== window.acted || window.filled !== null || missing().length > 0) return;
    window.filled = performance.now();
    tell();
  }));
};
let tell = () => {};
window.whenFilled = mostMs => new Promise(resolve => {
  tell = () => resolve(true);
  if (window.filled !== null) tell();
  setTimeout(() => resolve(false), mostMs);
});
new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
`;
/** Elements that wait, and selectors of those that are not there. */
declare const missing: () => (Element | string)[];
declare const whenFilled: (mostMs: number) => Promise<boolean>;
declare const acted: number;
declare const filled: number | null;

/** Milliseconds by what was done, one for each time. */
type Measured = Map<string, number[]>;

const measure = async (setup: Setup, rounds: number): Promise<Measured> => {
  const home = `${setup.url}/sites/${domain}`;
  const filters = panels.map(panel => `filter by a row of ${panel}`);
  const names = ['first load', ...filters, 'back', 'another metric', 'another range'];
  const measured = new Map(names.map(name => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    const page = await openPage(setup);
    await page.goto(home, { waitUntil: 'commit' });
    const loaded = await waited(page, 'the first load');
    // The first round only warms the server.
    if (round > 0) {
      measured.get('first load')!.push(loaded);
      await sleep(lookMs);
      for (const panel of panels) {
        const rows = page.locator(`section.panel[aria-label="${panel}"] .row-link`);
        if ((await rows.count()) < round) continue;
        await rows.nth(round - 1).click();
        measured.get(`filter by a row of ${panel}`)!.push(await waited(page, `a filter by row ${round} of ${panel}`));
        await page.goBack();
        measured.get('back')!.push(await waited(page, `the way back from row ${round} of ${panel}`));
      }
      for (const figure of figures) {
        await page.locator(`[data-metric="${figure}"] [role="radio"]`).click();
        measured.get('another metric')!.push(await waited(page, `the figure ${figure}`));
      }
      await page.keyboard.press('4');
      measured.get('another range')!.push(await waited(page, 'another range'));
      process.stderr.write('.');
    }
    await page.context().close();
  }
  process.stderr.write('\n');
  return measured;
};

/** From what was done last until every panel showed the new numbers. */
const waited = async (page: Page, what: string): Promise<number> => {
  if (!(await page.evaluate(mostMs => whenFilled(mostMs), stuckMs))) {
    const lacks = await page.evaluate(() =>
      missing().map(part => (typeof part === 'string' ? part : part.outerHTML.slice(0, 200))),
    );
    throw new Error(`After ${what}, the page was not filled for ${stuckMs / 1000} s: ${lacks.join('\n')}`);
  }
  return page.evaluate(() => filled! - acted);
};

/** Bytes of script and style that a first load transfers when they are gzipped. */
const transferred = async (setup: Setup): Promise<number> => {
  const page = await openPage(setup);
  const paths = new Set<string>();
  page.on('response', response => {
    const { pathname } = new URL(response.url());
    if (/\.(js|css)$/.test(pathname)) paths.add(pathname);
  });
  await page.goto(`${setup.url}/sites/${domain}`);
  await waited(page, 'a load');
  await page.context().close();
  let bytes = 0;
  for (const path of paths) {
    const response = await fetch(setup.url + path, { headers: { 'accept-encoding': 'gzip' } });
    bytes += Number(response.headers.get('content-length'));
    await response.arrayBuffer();
  }
  return bytes;
};

const report = (measured: Measured, bytes: number, hits: number, rounds: number): string => {
  const rows = [...measured].map(([name, ms]) => {
    const [inMedian, atWorst] = name in barsMs ? barsMs[name as keyof typeof barsMs] : barsMs.filter;
    return [name, Math.round(median(ms)), Math.round(quantile(ms, 1)), inMedian, atWorst];
  });
  return [
    markdownTable(
      ['until every panel shows its numbers, ms', 'median', 'worst', 'median wanted', 'worst wanted'],
      rows,
    ),
    `${hits.toLocaleString('en-US')} hits over ${days} days, ${rounds} rounds, on loopback, server and browser on the same cores. Script and style: ${(bytes / 1024).toFixed(1)} KiB gzipped, wanted at most ${kibibytesMax}. ${machine(Date.now())}`,
  ].join('\n\n');
};
