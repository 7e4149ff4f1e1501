/** Pages that are loaded in a real Chromium and end at a random moment, and what is stored of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Chance } from '../../src/cli/demo/random.ts';
import type { StoredHit } from '../browser/stored.ts';

/**
 * How a page ends: its tab is closed, somebody goes to another page in it, or its process dies, which the page cannot know before.
 */
export type Ending = 'closed' | 'left' | 'killed';

export interface PageLoad {
  path: string;
  ending: Ending;
  /** When it ends: after the beginning of the navigation, or after the tracker ran if it is killed. */
  ms: number;
  /** Whether the page has said that the tracker ran: from then on its page view has to be stored. */
  hasRun: boolean;
}

export interface LoadOptions {
  browser: Browser;
  /** Where pages are, that have paths of `pagesFor`. */
  origin: string;
  count: number;
  chance: Chance;
  endings: readonly Ending[];
}

/** A page ends before this is over. */
const lifeMsMax = 3000;
const closeMsMax = 2000;
/** Pages that are open at once, each in front of a window of its own. */
const atOnce = 6;
const said = 'the tracker has run';
const blank = '/blank';

/** The pages that are loaded, each with a path of its own, with the tracker's tag in the head. */
export const pagesFor = (count: number, tag: string): Record<string, string> => {
  // After the tag, which is deferred too.
  const page = `<!doctype html><title>Page</title>${tag}<script defer src="/say.js"></script><h1>Page</h1>`;
  const pages: Record<string, string> = {
    '/say.js': `if (window.tracker?.pageview) console.log(${JSON.stringify(said)})`,
    [blank]: 'blank',
  };
  for (let n = 0; n < count; n++) pages[pathOf(n)] = page;
  return pages;
};

/** Loads pages and ends each at a random moment. */
export const loadPages = async (options: LoadOptions): Promise<PageLoad[]> => {
  const { browser, count, chance, endings } = options;
  const loads: PageLoad[] = Array.from({ length: count }, (_, n) => ({
    path: pathOf(n),
    ending: chance.one(endings),
    ms: chance.number() * lifeMsMax,
    hasRun: false,
  }));
  const waiting = loads.values();
  const work = async (): Promise<void> => {
    // A context has a window of its own, so that its page is visible.
    const context = await browser.newContext();
    for (const load of waiting) {
      // Half of the visitors have the script and the mode of the site in their cache.
      await loadPage(context, options, load, chance.is(0.5));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return loads;
};

/** What became of page loads. */
export interface Account {
  /** How many were there long enough for the tracker to run. */
  counted: number;
  /** Those of them that are not stored. */
  lost: PageLoad[];
  /** All that are stored more than once. */
  twice: PageLoad[];
}

/** Compares page loads with how often the page view of each path is stored. */
export const accountFor = (loads: readonly PageLoad[], views: ReadonlyMap<string, number>): Account => {
  const counted = loads.filter(({ hasRun }) => hasRun);
  return {
    counted: counted.length,
    lost: counted.filter(({ path }) => !views.has(path)),
    twice: loads.filter(({ path }) => (views.get(path) ?? 0) > 1),
  };
};

/** How often the page view of each path is stored. */
export const storedViews = (hits: readonly StoredHit[]): Map<string, number> => {
  const views = new Map<string, number>();
  for (const { type, path } of hits) if (type === 'pageview') views.set(path!, (views.get(path!) ?? 0) + 1);
  return views;
};

const pathOf = (n: number): string => `/load/${n}`;

const loadPage = async (
  context: BrowserContext,
  { origin }: LoadOptions,
  load: PageLoad,
  isFirst: boolean,
): Promise<void> => {
  const page = await context.newPage();
  const hasRun = new Promise<void>(resolve =>
    page.on('console', message => {
      if (message.text() !== said) return;
      load.hasRun = true;
      resolve();
    }),
  );
  const session = await context.newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: isFirst });
  // Ends with an error where the page ends before.
  const loaded = page.goto(origin + load.path).catch(ignore);
  if (load.ending === 'killed') await hasRun;
  await sleep(load.ms);
  await endings[load.ending](page, session, origin);
  await loaded;
};

const ignore = (): void => {};

const endings: Record<Ending, (page: Page, session: CDPSession, origin: string) => Promise<unknown>> = {
  async closed(page) {
    const closed = new Promise(resolve => page.once('close', resolve));
    await page.close({ runBeforeUnload: true });
    // A tab that shows nothing yet may not listen.
    await Promise.race([closed, sleep(closeMsMax)]);
    await page.close();
  },
  async left(page, _, origin) {
    await page.goto(origin + blank).catch(ignore);
    await page.close();
  },
  async killed(page, session) {
    const crashed = new Promise(resolve => page.once('crash', resolve));
    session.send('Page.crash').catch(ignore);
    await crashed;
    await page.close();
  },
};
