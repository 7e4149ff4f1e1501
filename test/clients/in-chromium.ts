/** A page with somebody's tracker in it, in a real Chromium. */
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import type { Site } from '../../src/model/site.ts';
import { openBrowser } from '../browser/chromium.ts';
import { becomes } from '../browser/helpers.ts';
import { linesOf, readStored, type StoredHit } from '../browser/stored.ts';
import type { Program } from '../compat/fixture.ts';
import { openWeb } from '../frameworks/web.ts';
import { addSite } from '../helpers.ts';

export interface Visit {
  page: Page;
  /** Origins of the page, and of another site. */
  origin: string;
  elsewhere: string;
  /** Waits until exactly these hits of the site are stored. */
  arrived(...lines: string[]): Promise<StoredHit[]>;
}

/** A script as a browser takes it, with the packages of a folder in it. */
export const bundled = async (code: string, folder: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser', logLevel: 'error' },
  });
  return outputFiles[0]!.text;
};

/** The hits of a site as lines, and waiting for them. */
export const arrivals =
  ({ db }: Program, site: Site): Visit['arrived'] =>
  async (...lines) => {
    const { hits } = readStored(db, site);
    await becomes(() => linesOf(hits()), lines);
    return hits();
  };

/**
 * Opens a page of `shop.example.org` with this head and these scripts, whose names are their paths.
 * Trackers leave out hosts of this machine, so it has a name that only this browser knows.
 */
export const visit = async (
  program: Program,
  { head, scripts, settings }: { head: string; scripts: Record<string, string>; settings?: Partial<Site> },
  go: (visit: Visit, site: Site) => Promise<void>,
): Promise<void> => {
  const site = addSite(program.db, { domain: 'shop.example.org', ...settings });
  const body = `<div style="height:300vh"></div>`;
  const web = await openWeb('127.0.0.2', ({ pathname }) =>
    scripts[pathname] === undefined
      ? { type: 'text/html', body: `<!doctype html><title>Page</title>${head}${body}` }
      : { type: 'text/javascript', body: scripts[pathname] },
  );
  const at = (name: string): string => web.origin.replace('127.0.0.2', `${name}.example.org`);
  const { browser, close } = await openBrowser();
  try {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${at('shop')}/`);
    await go({ page, origin: at('shop'), elsewhere: at('elsewhere'), arrived: arrivals(program, site) }, site);
  } finally {
    await close();
    await web.close();
  }
};
