/**
 * The dashboard as it was built, before a real Chromium: the whole program on a free port with the demo's sites in it, and people who are signed in, or not.
 * Every page is watched: an error in its console, or a request to another host, fails the test.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageLabel, type SitePage, sitePageNames } from '../../src/dashboard/app/routes.ts';
import { en } from '../../src/dashboard/app/texts/en.ts';
import { setTexts } from '../../src/dashboard/app/texts/text.ts';
import type { Me, ShareList, SiteView } from '../../src/dashboard/wire.ts';
import { remember } from '../../src/model/remember.ts';
import { sitePages } from '../../src/model/site-pages.ts';
import { databaseFile } from '../../src/store/database.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../start-server.ts';
import { hasChromium, sharedPlaywright } from './chromium.ts';

// What tests expect of a page, they write with the functions of the page.
setTexts('en', en);

/** A Friday, noon in UTC. The clocks of the server and of every page stand still there, or go on when a test says so. */
export const noon = Date.UTC(2026, 10, 20, 12);
export const email = 'ada@example.com';
export const password = 'correct horse';
export const domain = 'marigold.example';

/** How long something that is awaited may take on a busy machine. */
export const waitMs = 60_000;

export interface View {
  theme?: 'light' | 'dark';
  width?: number;
  height?: number;
  /** Pixels of the screen for one of the page, on a side. */
  pixelRatio?: number;
  /** A screen that is touched. */
  hasTouch?: boolean;
  reducedMotion?: 'reduce' | 'no-preference';
  /** The language of the browser. */
  locale?: string;
  /** Not the one who is signed in. */
  isStranger?: boolean;
  /** Errors in the console that belong to the test. */
  tolerated?: RegExp;
  /** Of a detour on the way to the server. */
  origin?: string;
}

export interface Stage {
  server: TestServer;
  clock: { now: number };
  /** The demo's first site; its id is that of the API. */
  site: SiteView;
  /** Opens a path of the dashboard and waits until all it asked for is there. */
  open(path: string, view?: View): Promise<Page>;
  /** The same in a page that is open, which takes half as long. */
  go(page: Page, path: string): Promise<void>;
  /** What the API answers to a path below the site, for the same person. */
  api<T>(path: string): Promise<T>;
  /** Sends what a form would. */
  post<T>(path: string, body: object): Promise<T>;
  /** Sends a hit, by default a page view of the home page, as a browser's tracker does. */
  send(hit: object, site?: Pick<SiteView, 'publicKey' | 'domain'>): Promise<void>;
  test(name: string, run: () => Promise<void>): void;
}

/** Makes a link to a public page; gives its address. */
export const makePublic = async (post: Stage['post'], siteId: string, settings: object = {}): Promise<string> => {
  const body = { name: `link ${++links}`, ...settings };
  const { data } = await post<ShareList>(`/app/sites/${siteId}/shares`, body);
  return data.at(-1)!.url;
};
let links = 0;

export interface StageOptions {
  /** Days and hits of the demo; null: an empty directory, and nobody to sign in as. */
  demo?: { days: number; hits: number } | null;
  /**
   * Whether a later test may get a page that an earlier one is done with, as if it were new: to open one takes a second. By default it may. Not
   * where tests sign out, or give a page scripts or powers that it would keep.
   */
  keepsPages?: boolean;
  /** Settings of the server. */
  flags?: NonNullable<TestServerOptions['flags']>;
  env?: NonNullable<TestServerOptions['env']>;
}

/** Of the person who sends hits. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const small = { days: 70, hits: 9000 };

/** The database of a demo of so many days and hits. Files that run in one process share it. */
const databaseOf = remember(async (size: `${number} ${number}`): Promise<Buffer> => {
  const dir = temporaryDir();
  const [days, hits] = size.split(' ') as [string, string];
  const { code, stderr } = await runCommand(dir, ['demo', '--days', days, '--hits', hits], { now: () => noon });
  assert.is(code, 0, stderr);
  return readFileSync(databaseFile(dir));
});

/** Starts the program and the browser, and ends them after the file's tests. Null when there is no browser. */
export const openStage = async ({
  demo = small,
  keepsPages = true,
  flags = {},
  env = {},
}: StageOptions = {}): Promise<Stage | null> => {
  if (!hasChromium()) return null;
  const dataDir = temporaryDir();
  if (demo !== null) writeFileSync(databaseFile(dataDir), await databaseOf(`${demo.days} ${demo.hits}`));
  const clock = { now: noon };
  const server = await startTestServer({ dataDir, flags, env, now: () => clock.now });
  const browser = await sharedPlaywright();
  const me = demo === null ? null : await signUp(server);
  const troubles: string[] = [];
  let used: OpenPage[] = [];
  let kept: OpenPage[] = [];

  test.after(async () => {
    await Promise.all(kept.map(({ page }) => page.context().close()));
    await server.close();
  });

  const open: Stage['open'] = async (path, view = {}) => {
    const { origin = server.url, tolerated, ...look } = view;
    const name = JSON.stringify({ ...look, origin });
    const free = kept.find(each => each.name === name);
    kept = kept.filter(each => each !== free);
    const page = free?.page ?? (await newPage(look, origin));
    used.push({ name, look, page, origin });
    watch(page, origin, note => tolerated?.test(note) || troubles.push(note));
    await page.clock.setFixedTime(clock.now);
    await page.goto(origin + path);
    await settled(page);
    return page;
  };

  const newPage = async (look: View, origin: string): Promise<Page> => {
    const context = await newContext(browser, look);
    context.setDefaultTimeout(waitMs);
    if (me !== null && look.isStranger !== true) await context.addCookies([{ ...me.cookie, url: origin }]);
    return context.newPage();
  };

  /** After a test: its pages are closed, or made like new. */
  const leave = async (isKept: boolean): Promise<void> => {
    const left = used;
    used = [];
    const whole = isKept ? left.filter(({ page }) => !page.isClosed()) : [];
    await Promise.all(left.map(each => (whole.includes(each) ? clear(each) : each.page.context().close())));
    kept.push(...whole);
  };

  const ask = async <T>(path: string, { headers, ...init }: RequestInit): Promise<T> => {
    const cookie = `${me!.cookie.name}=${me!.cookie.value}`;
    const response = await fetch(server.url + path, { ...init, headers: { ...headers, cookie } });
    assert.is(response.status, 200, path);
    return (await response.json()) as T;
  };

  return {
    server,
    clock,
    site: me?.sites.find(site => site.domain === domain) as SiteView,
    open,
    async go(page, path) {
      await page.goto(server.url + path);
      await settled(page);
    },
    api: path => ask(path, {}),
    post: (path, body) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url },
        body: JSON.stringify(body),
      }),
    async send(hit, to = me!.sites.find(site => site.domain === domain)!) {
      const body = JSON.stringify({ s: to.publicKey, u: `https://${to.domain}/`, x: 1, ...hit });
      const response = await fetch(`${server.url}/e`, { method: 'POST', headers: { 'user-agent': userAgent }, body });
      assert.is(response.status, 202);
    },
    test(name, run) {
      test(name, async () => {
        let isKept = false;
        try {
          await run();
          assert.equal(troubles, []);
          isKept = keepsPages;
        } catch (error) {
          // What a test waits for in vain, a fault of the page may explain.
          for (const trouble of troubles) console.error(trouble);
          throw error;
        } finally {
          troubles.length = 0;
          await leave(isKept);
        }
      });
    },
  };
};

interface SignedIn extends Me {
  cookie: { name: string; value: string; url: string };
}

/** Uses the one-time link as the app does. */
const signUp = async ({ url, firstRunUrl }: TestServer): Promise<SignedIn> => {
  const response = await fetch(`${url}/app/link/use`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ token: new URL(firstRunUrl!).hash.slice(1), email, password }),
  });
  assert.is(response.status, 200);
  const [name = '', value = ''] = response.headers.get('set-cookie')!.split(';')[0]!.split('=');
  return { ...((await response.json()) as Me), cookie: { name, value, url } };
};

interface OpenPage {
  /** Alike for pages that look alike. */
  name: string;
  look: View;
  page: Page;
  origin: string;
}

const windowOf = ({ width = 1280, height = 900 }: View) => ({ width, height });

/** Takes back what a test did to a page. */
const clear = async ({ page, look, origin }: OpenPage): Promise<void> => {
  for (const event of ['pageerror', 'console', 'request', 'response'] as const) page.removeAllListeners(event);
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll();
  // Of the same origin, or the next page of the dashboard would have to compile all code again.
  await page.goto(`${origin}/health`);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.mouse.move(0, 0);
  await page.emulateMedia({
    media: null,
    colorScheme: look.theme ?? 'light',
    reducedMotion: look.reducedMotion ?? null,
  });
  await page.setViewportSize(windowOf(look));
};

const newContext = (
  browser: Browser,
  { theme = 'light', pixelRatio = 1, hasTouch = false, reducedMotion, locale = 'en-GB', ...size }: View,
) =>
  browser.newContext({
    viewport: windowOf(size),
    deviceScaleFactor: pixelRatio,
    colorScheme: theme,
    hasTouch,
    acceptDownloads: true,
    locale,
    timezoneId: 'America/New_York',
    ...(reducedMotion === undefined ? {} : { reducedMotion }),
  });

const watch = (page: Page, origin: string, note: (trouble: string) => void): void => {
  page.on('pageerror', error => note(String(error)));
  page.on('console', message => {
    const { url } = message.location();
    // The browser asks for it by itself on the page that a test left behind (`clear`).
    if (url === `${origin}/favicon.ico`) return;
    if (['error', 'warning'].includes(message.type())) note(`${message.text()} ${url}`);
  });
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) note(`asked ${request.url()}`);
  });
};

/** The links that lead to a page of a site from any other, in their order: its place, and then the page. */
export const linksTo = (page: Page, name: SitePage): Locator[] => {
  const { place } = sitePages[name];
  const names = sitePageNames.filter(each => sitePages[each].place === place);
  const link = (of: string, label: string): Locator =>
    page.getByRole('navigation', { name: of, exact: true }).getByRole('link', { name: label, exact: true });
  const label = en[`place.${place}`];
  return [link('Site', label), ...(name === names[0] ? [] : [link(label, pageLabel(name))])];
};

export const goTo = async (page: Page, name: SitePage): Promise<void> => {
  for (const link of linksTo(page, name)) {
    await link.click();
    await settled(page);
  }
};

/** Waits until nothing is loading, and what came is drawn. */
export const settled = async (page: Page): Promise<void> => {
  do {
    await page.waitForFunction(isIdle);
    await page.evaluate(effectsRun);
  } while (!(await page.evaluate(isIdle)));
};

/** In the page: nothing that is seen is yet to come. */
const isIdle = (): boolean =>
  document.querySelector('#app main') !== null &&
  document.querySelector('.skeleton, [aria-busy="true"], .chart-waiting, .country-map.waiting') === null;

/** In the page: until what follows from the last change has happened, and from that. It may well be another question. */
const effectsRun = async (): Promise<void> => {
  for (let i = 0; i < 2; i++) await new Promise<void>(resolve => requestAnimationFrame(() => setTimeout(resolve)));
};
