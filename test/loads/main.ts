/**
 * `npm run loads`: page loads in a real Chromium that end at a random moment, and what is stored of them.
 *
 *     npm run loads [-- --loads 1000] [--killed 100] [--seed N]
 *
 * Once with a collector that runs all the time, once with one that restarts every few seconds behind a proxy, and once with pages whose
 * process dies. Takes some 20 minutes. A run with less than the defaults is printed alone.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { openDatabase, openReader } from '../../src/store/database.ts';
import { openBrowser } from '../browser/chromium.ts';
import { readStored } from '../browser/stored.ts';
import { openWeb } from '../browser/webs.ts';
import { addSite } from '../helpers.ts';
import { until } from '../tools/conditions.ts';
import { withDirectory } from '../tools/directories.ts';
import { optionsOf } from '../tools/options.ts';
import { machine, markdownTable, publish } from '../tools/results.ts';
import { type Account, accountFor, type Ending, loadPages, pagesFor, storedViews } from './page-loads.ts';
import { restartOften, startCollector } from './restarts.ts';

interface Round {
  what: string;
  count: number;
  endings: readonly Ending[];
  /** How the collector restarts meanwhile, if it does. */
  restarts?: 'held' | 'free';
}

const ordinary: readonly Ending[] = ['closed', 'left'];

const measure = async (): Promise<void> => {
  const others = { seed: Date.now() % 1_000_000 };
  const { loads, killed, seed, isFull } = optionsOf(process.argv.slice(2), { loads: 1000, killed: 100 }, others);
  console.log(`seed ${seed}`);
  const rounds: Round[] = [
    { what: 'closed or left', count: loads, endings: ordinary },
    {
      what: 'the same, and the server restarts; systemd holds its socket',
      count: loads,
      endings: ordinary,
      restarts: 'held',
    },
    {
      what: 'the same, and nobody holds it: the proxy answers 502',
      count: killed,
      endings: ordinary,
      restarts: 'free',
    },
    { what: 'page that dies, as in a crash', count: killed, endings: ['killed'] },
  ];
  const rows: (string | number)[][] = [];
  for (const round of rounds) {
    const { account, times } = await withDirectory(dir => roundIn(dir, round, seed));
    const { counted, lost, twice } = account;
    for (const { path, ending, ms } of lost) console.log(`lost: ${path}, ${ending} after ${Math.round(ms)} ms`);
    rows.push([round.what, round.count, counted, times, lost.length, twice.length]);
    console.log(rows.at(-1)!.join(', '));
  }
  const table = markdownTable(['pages', 'loads', 'script ran', 'restarts', 'lost', 'twice'], rows);
  publish('loads', `${table}\n\n${machine(Date.now())}`, isFull);
  // Promised of the first two.
  process.exit(rows.slice(0, 2).every(([, , , , lost, twice]) => lost === 0 && twice === 0) ? 0 : 1);
};

const roundIn = async (dir: string, round: Round, seed: number): Promise<{ account: Account; times: number }> => {
  const { count, endings, restarts } = round;
  const dataDir = join(dir, 'data');
  mkdirSync(dataDir);
  const setUp = openDatabase(dataDir);
  const site = addSite(setUp);
  setUp.close();
  const collector = await startCollector(dataDir, restarts !== 'free');
  const { browser, close } = await openBrowser();
  const web = await openWeb('127.0.0.2');
  web.show(pagesFor(count, `<script defer src="${collector.origin}/t.js" data-site="${site.publicKey}"></script>`));
  const stop = restarts === undefined ? async () => 0 : restartOften(collector);
  const loads = await loadPages({ browser, origin: web.origin, count, endings, chance: chanceFrom(seed) });
  const times = await stop();
  const db = openReader(dataDir);
  const stored = readStored(db, site);
  const account = (): Account => accountFor(loads, storedViews(stored.hits()));
  // Pages that wait for a server have ended by now; what they handed over is on its way.
  await until('all is stored', () => account().lost.length === 0, settleMs).catch(() => {});
  await close();
  await web.close();
  await collector.stop();
  const result = account();
  db.close();
  return { account: result, times };
};

const settleMs = 5000;

await measure();
