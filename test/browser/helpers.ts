/**
 * A real Chromium before the real program as it was built. Each test has a site of its own, pages on other loopback hosts, and reads what was stored
 * from the database. The tests of a file run side by side, since most of their time is waiting.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { IdentityMode, Site } from '../../src/model/site.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite } from '../helpers.ts';
import { startTestServer, type TestServer } from '../start-server.ts';
import { hasChromium, sharedBrowser, startChromium } from './chromium.ts';
import { linesOf, readStored, type StoredHit, type StoredVital } from './stored.ts';
import { type Detour, openDetour, openWeb, type Trouble, type Web } from './webs.ts';

/** How long something that is awaited may take on a busy machine. */
const waitMs = 60_000;
const pollMs = 20;
/** Tests that run side by side: enough to fill the waiting, few enough that timers still keep their time. */
const sideBySide = 4;

/** Waits until the lines are as expected; the assertion shows the difference when they never are. */
export const becomes = async (read: () => string[] | Promise<string[]>, expected: string[]): Promise<void> => {
  const wanted = expected.join('\n');
  // By counting, since a machine that stood still for a while has spent none of the time.
  for (let ms = 0; ms < waitMs && (await read()).join('\n') !== wanted; ms += pollMs) await sleep(pollMs);
  assert.is((await read()).join('\n'), wanted);
};

/** Waits until something is so. */
export const until = (condition: () => boolean): Promise<void> => becomes(() => [String(condition())], ['true']);

/** Runs jobs in the order they are given, no more than `most` at a time. */
const createTurnstile = (most: number): (<T>(job: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async job => {
    if (inside === most) await new Promise<void>(resolve => waiting.push(resolve));
    else inside++;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else inside--;
    }
  };
};

export interface Scene extends ReturnType<typeof readStored> {
  site: Site;
  /** Origin of the collector. */
  api: string;
  /** Where the site's pages are, on 127.0.0.2. */
  web: Web;
  /** Somebody else's pages, on 127.0.0.3. */
  elsewhere: Web;
  browser: Browser;
  /** The tracker's tag, with attributes as they are written: `data-hash="true"`. */
  tag(attributes?: string, src?: string): string;
  /** A page of a visitor of their own. Errors in its console fail the test, but for those that match `tolerated`. */
  open(url: string, tolerated?: RegExp): Promise<Page>;
  /** The same in a tab that is hidden when another is opened, with the visitor of all such tabs. */
  openTab(url: string, tolerated?: RegExp): Promise<Page>;
  /** Opens the page in a browser that nobody drives, as prerendering needs it. */
  browse(url: string): void;
  /** Another web site on another host of this machine. */
  openWeb(host: string): Promise<Web>;
  detour(trouble: Trouble): Promise<Detour>;
  /** Changes the site's identity mode, as the dashboard would. */
  setMode(mode: IdentityMode): void;
  /** Waits as long as a hit takes that is sent now, however busy the machine is. What was not stored until then was not sent. */
  settled(): Promise<void>;
  /** Waits until exactly these lines are stored. The last ones of a test are still all there is when it has settled. */
  stores(...lines: string[]): Promise<StoredHit[]>;
  /** Waits for reports of web vitals, of exactly these pages. */
  reports(...paths: string[]): Promise<StoredVital[]>;
}

export interface Stage {
  test(name: string, run: (scene: Scene) => Promise<void>, settings?: Partial<Site>): void;
}

interface House extends Pick<Scene, 'browser' | 'settled'> {
  server: TestServer;
  close(): Promise<void>;
}

/** A page of a site of its own. The function opens it, sends more from it than any page sends at once, and waits for it. */
const openNeighbour = async ({ db, collectorUrl }: TestServer, browser: Browser) => {
  const site = addSite(db);
  const web = await openWeb('127.0.0.5');
  web.show({ '/': `<script src="${collectorUrl}/t.js" data-site="${site.publicKey}"></script>` });
  const stored = readStored(db, site);
  let calls = 0;
  return {
    close: web.close,
    async settled(): Promise<void> {
      const name = `Call ${++calls}`;
      const page = await browser.newPage();
      await page.goto(web.origin);
      await page.evaluate(`tracker.pageview(); tracker.pageview(); tracker('${name}')`);
      await until(() => stored.hits().some(({ event }) => event === name));
      await page.close();
    },
  };
};

const openHouse = async (): Promise<House> => {
  const server = await startTestServer();
  const browser = await sharedBrowser();
  const neighbour = await openNeighbour(server, browser);
  return {
    server,
    browser,
    settled: neighbour.settled,
    async close() {
      await neighbour.close();
      await server.close();
    },
  };
};

/** Starts the program and the browser, and ends them after the file's tests. Null when there is no browser. */
export const openStage = async (atOnce = sideBySide): Promise<Stage | null> => {
  if (!hasChromium()) return null;
  const { server, browser, settled, close } = await openHouse();
  const turn = createTurnstile(atOnce);
  test.after(close);

  const runScene = async (settings: Partial<Site>, run: (scene: Scene) => Promise<void>): Promise<void> => {
    const site = addSite(server.db, settings);
    const stored = readStored(server.db, site);
    const closing: (() => Promise<void>)[] = [];
    const openHere = async (host: string): Promise<Web> => {
      const web = await openWeb(host);
      closing.push(web.close);
      return web;
    };
    const errors: string[] = [];
    let expected: string[] = [];

    const watch = async (context: BrowserContext, url: string, tolerated?: RegExp): Promise<Page> => {
      context.setDefaultTimeout(2 * waitMs);
      const page = await context.newPage();
      closing.push(() => page.close());
      const note = (text: string) => tolerated?.test(text) || errors.push(text);
      page.on('pageerror', error => note(String(error)));
      page.on('console', message => message.type() === 'error' && note(`${message.text()} ${message.location().url}`));
      await page.goto(url);
      return page;
    };

    const scene: Scene = {
      ...stored,
      site,
      api: server.collectorUrl,
      web: await openHere('127.0.0.2'),
      elsewhere: await openHere('127.0.0.3'),
      browser,
      tag: (attributes = '', src = `${server.collectorUrl}/t.js`) =>
        `<script src="${src}" data-site="${site.publicKey}" ${attributes}></script>`,
      async open(url, tolerated) {
        const context = await browser.newContext();
        closing.push(() => context.close());
        return watch(context, url, tolerated);
      },
      openTab: (url, tolerated) => watch(browser.contexts()[0]!, url, tolerated),
      browse(url) {
        const { child, end } = startChromium(url);
        child.stderr.resume();
        closing.push(end);
      },
      openWeb: openHere,
      async detour(trouble) {
        const detour = await openDetour(server.collectorUrl, trouble);
        closing.push(detour.close);
        return detour;
      },
      settled,
      setMode(identityMode) {
        sites(server.db).set(site.id, { ...site, identityMode });
      },
      async stores(...lines) {
        expected = lines;
        await becomes(() => linesOf(stored.hits()), lines);
        return stored.hits();
      },
      async reports(...paths) {
        await becomes(() => stored.vitals().map(({ path }) => path), paths);
        return stored.vitals();
      },
    };

    try {
      await run(scene);
      await settled();
      assert.is(linesOf(stored.hits()).join('\n'), expected.join('\n'));
      assert.equal(errors, []);
    } finally {
      for (const close of closing.reverse()) await close();
    }
  };

  return {
    test(name, run, settings = {}) {
      const done = turn(() => runScene(settings, run));
      // A failure is the test's own, which may be waiting for an earlier one.
      done.catch(() => {});
      test(name, () => done);
    },
  };
};
