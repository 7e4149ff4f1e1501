/**
 * `npm run test:frameworks`: the tracker in pages of the frameworks that people use, from their own
 * packages. In each, a visitor makes a visit of 13 pageviews and a bounce, and the API has to say
 * what the visitor saw.
 *
 *     npm run test:frameworks [-- --only Vue] [--without project] [--browser 'firefox-esr --headless --profile {profile}']
 *
 * `--only` takes a part of a name, `--without` leaves a kind out. Chromium is the browser; `--browser`
 * starts another one for each visit, with the address at the end. A run of all in Chromium that
 * finds nothing wrong puts its table into docs/tracker.md.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../src/package-root.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { openBrowser, startChromium } from '../browser/chromium.ts';
import { temporaryDir } from '../helpers.ts';
import { startTestServer } from '../start-server.ts';
import { chosen, optionsOf } from '../tools/options.ts';
import { publish } from '../tools/results.ts';
import { type Framework, frameworks, frameworksTable } from './frameworks.ts';
import { installPackages } from './install.ts';
import { openPages } from './pages.ts';
import { type Browse, visitFramework } from './visit.ts';
import { openWeb, respondElsewhere } from './web.ts';

/** Most of a visit is waiting. */
const sideBySide = 6;

const {
  only,
  without,
  browser: command,
} = optionsOf(process.argv.slice(2), {}, { only: '', without: '', browser: '' });
const wanted = chosen(frameworks, only).filter(({ kind }) => kind !== without);

const undriven: Browse = async url => {
  const { child, end } = startChromium(url);
  child.stderr.resume();
  return end;
};

const commanded: Browse = async url => {
  const [program, ...flags] = command.replace('{profile}', temporaryDir()).split(' ');
  const child = spawn(program!, [...flags, url], { stdio: 'ignore' });
  const gone = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
  return () => {
    child.kill();
    return gone;
  };
};

/** Pages of one Chromium, each with a visitor of its own. */
const openChromium = async (): Promise<{ browse: Browse; close(): Promise<void> }> => {
  const { browser, close } = await openBrowser();
  return {
    close,
    async browse(url) {
      const context = await browser.newContext();
      const page = await context.newPage();
      page.on('pageerror', error => console.log(`${new URL(page.url()).origin}: ${error}`));
      await page.goto(url);
      return () => context.close();
    },
  };
};

const run = async (): Promise<boolean> => {
  installPackages(wanted);
  const server = await startTestServer();
  const key = 'dk_test';
  apiKeys(server.db).add(accounts(server.db).named('default', 0).id, 'test', key, 0);
  const elsewhere = await openWeb('127.0.0.3', respondElsewhere);
  const chromium = command === '' ? await openChromium() : { browse: commanded, close: async () => {} };
  let failed = 0;

  const tryOne = async (framework: Framework): Promise<void> => {
    const browse = framework.isUndriven && command === '' ? undriven : chromium.browse;
    const house = { server, key, elsewhere: elsewhere.origin, browse };
    const began = performance.now();
    let fault = '';
    try {
      const pages = await openPages(framework);
      try {
        await visitFramework(house, framework, pages.respond);
      } finally {
        await pages.close();
      }
    } catch (error) {
      failed++;
      const { message, details = '' } = error as Error & { details?: string };
      fault = `\n${message}\n${details}`;
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(5);
    console.log(`${seconds} s  ${fault === '' ? '' : 'FAILED '}${framework.name}${fault}`);
  };

  const queue = [...wanted];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await tryOne(next);
  };
  await Promise.all(Array.from({ length: command === '' ? sideBySide : 1 }, work));
  await chromium.close();
  await elsewhere.close();
  await server.close();
  console.log(`\n${wanted.length - failed} of ${wanted.length} frameworks right`);
  const isFull = wanted.length === frameworks.length && command === '' && failed === 0;
  if (isFull) publish('frameworks', frameworksTable(), true, join(packageRoot, 'docs', 'tracker.md'));
  return failed === 0;
};

process.exit((await run()) ? 0 : 1);
