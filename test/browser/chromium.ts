/** Debian's Chromium, as people run it. Tests that need it are skipped with a line where it is missing, but fail under CI. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Browser, chromium } from 'playwright-core';
import { test } from 'uvu';
import { temporaryDir } from '../helpers.ts';

/** How long a browser may take to start on a busy machine. */
export const startMs = 120_000;

export const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Quiet and alike on every machine. A driven Chromium would otherwise say so, and be counted as the crawler it is. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // What its address bar opens, a page of its own for each window, takes half of the processor.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
  // Names for the pages on 127.0.0.2: with subdomains, and without what browsers grant to loopback addresses alone.
  '--host-resolver-rules=MAP *.example.org 127.0.0.2',
];
const personArguments = [
  '--disable-blink-features=AutomationControlled',
  '--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
];

/** Whether there is a browser to test with; skips the file's tests when there is none. Throws under CI. */
export const hasChromium = (): boolean => {
  if (existsSync(chromiumPath)) return true;
  const message = `no Chromium at ${chromiumPath} (set CHROMIUM to its path)`;
  if (process.env.CI) throw new Error(message);
  console.log(`  skipped: ${message}`);
  test.skip(message);
  return false;
};

/** Where what all files of a run share is written; what one file writes elsewhere goes with it. */
const runDir = (): string => process.env.TEST_RUN_DIR ?? temporaryDir();

/** Starts a browser with a profile of its own. Without a debugging port nobody can drive it. */
export const startChromium = (
  ...flags: string[]
): { child: ChildProcessByStdio<null, null, Readable>; end(): Promise<void> } => {
  const own = ['--headless', `--user-data-dir=${mkdtempSync(join(runDir(), 'chromium-'))}`];
  const child = spawn(chromiumPath, [...own, ...chromiumArguments, ...personArguments, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  process.once('exit', () => child.kill());
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()));
  return {
    child,
    end() {
      child.kill();
      return gone;
    },
  };
};

/** A browser as people run it: with its back/forward cache, and with tabs that hide each other. */
export const openBrowser = async (): Promise<{ browser: Browser; close(): Promise<void> }> => {
  const { child, end } = startChromium('--remote-debugging-port=0', 'about:blank');
  const endpoint = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stderr.on('data', chunk => {
      output += chunk;
      const found = /ws:\/\/\S+/.exec(output);
      if (found) resolve(found[0]);
    });
    child.once('exit', () => reject(new Error(`Chromium ended: ${output}`)));
  });
  // Without Playwright's defaults, which would make every tab believe that it is in front.
  const browser = await chromium.connectOverCDP(endpoint, { noDefaults: true, timeout: startMs });
  return {
    browser,
    async close() {
      await browser.close();
      await end();
    },
  };
};

/**
 * A browser for all files of a process, which ends with the process: to start one takes a second of
 * the processor. Each file closes the pages and visitors that it opened.
 */
const shared = <T>(start: () => Promise<T>): (() => Promise<T>) => {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start();
    return started;
  };
};

/** As `openBrowser` gives it. */
export const sharedBrowser = shared(async () => (await openBrowser()).browser);

/** As Playwright starts it. */
export const sharedPlaywright = shared(async () => {
  // It makes its directories where this says, and needs them for as long as it runs.
  const { TMPDIR } = process.env;
  process.env.TMPDIR = runDir();
  const started = await chromium.launch({ executablePath: chromiumPath, args: chromiumArguments, timeout: startMs });
  process.env.TMPDIR = TMPDIR;
  return started;
});
