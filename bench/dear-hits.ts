/**
 * What the dearest hits cost the main thread of a server, in milliseconds of processor time each:
 *
 *     npm run bench -- dear-hits [--hits 200]
 *
 * A text of a stranger is as long as a body may hold, and goes to a site whose settings are the
 * dearest. Hits come one after the other, and no other program's load is in the figures. A run with
 * less than the defaults is printed alone.
 */
import { readFileSync } from 'node:fs';
import { bodyBytesMax } from '../src/model/limits.ts';
import { openDatabase } from '../src/store/database.ts';
import { dearSettings, dearTexts, plainPage } from '../test/collect/dear-hits.ts';
import { type Server, start } from '../test/faults/server-process.ts';
import { addSite } from '../test/helpers.ts';
import { withDirectory } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { quantile, rounded } from '../test/tools/statistics.ts';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
/** What fits into a body beside the rest of a hit. */
const textChars = bodyBytesMax - 1000;
/** Headers of a request may take 16 KiB. */
const userAgentChars = 12_000;
const warmUps = 100;
/** Rows of the table. */
const shown = 8;

export const run = (args: readonly string[]): Promise<void> => withDirectory(dir => measureIn(dir, args));

const measureIn = async (dir: string, args: readonly string[]): Promise<void> => {
  const { hits, isFull } = optionsOf(args, { hits: 200 });
  const db = openDatabase(dir);
  const keys = Object.fromEntries(
    Object.entries(dearSettings).map(([name, settings]) => [name, addSite(db, settings).publicKey]),
  );
  db.close();
  const server = await start({ dataDir: dir, env: { SENDER_BURST: '1000000', SENDER_HITS: '1000000' } });
  const found: { setting: string; text: string; ms: number; p99: number }[] = [];
  const measure = async (setting: string, text: string, given: Given): Promise<void> => {
    const costs = await costsOf(server, keys[setting]!, given, hits);
    const one = { setting, text, ms: rounded(quantile(costs, 0.5)), p99: rounded(quantile(costs, 0.99)) };
    console.log(JSON.stringify(one));
    found.push(one);
  };
  try {
    await measure('no exclusions', 'a usual hit', { body: { u: plainPage } });
    for (const [setting, { excludedPaths }] of Object.entries(dearSettings))
      for (const [text, make] of Object.entries(dearTexts)) {
        // What is too deep to be written as JSON is refused before it is read (npm run attack).
        if (text === 'deep properties' || (excludedPaths && !text.startsWith('path'))) continue;
        await measure(setting, text, fitting(make));
      }
  } finally {
    await server.stop();
  }
  const [usual, ...dear] = found;
  const dearest = dear.toSorted((a, b) => b.ms - a.ms).slice(0, shown);
  const rows = [usual!, ...dearest].map(({ text, setting, ms, p99 }) => [text, setting, ms, p99]);
  const table = markdownTable(['text', 'settings', 'ms of the main thread', 'p99'], rows);
  publish('dear-hits', `${table}\n\nThe dearest of ${dear.length}. ${machine(Date.now())}`, isFull);
};

interface Given {
  body?: object;
  userAgent?: string;
}

/** As long as it may be: some characters take several bytes. */
const fitting = (make: (length: number) => Given): Given => {
  for (let length = textChars; ; length = Math.floor(length * 0.9)) {
    const given = make(length);
    const isUserAgent = given.userAgent !== undefined;
    const bytes = Buffer.byteLength(given.userAgent ?? JSON.stringify(given.body));
    if (bytes <= (isUserAgent ? userAgentChars : textChars)) return given;
  }
};

/** Milliseconds of the main thread for each of some hits. */
const costsOf = async ({ url, pid }: Server, key: string, given: Given, hits: number): Promise<number[]> => {
  const body = JSON.stringify({ s: key, ...given.body });
  const headers = { 'content-type': 'application/json', 'user-agent': given.userAgent ?? chrome };
  const ran = (): number => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  const costs: number[] = [];
  for (let i = -warmUps; i < hits; i++) {
    const before = ran();
    await (await fetch(`${url}/e`, { method: 'POST', headers, body })).text();
    if (i >= 0) costs.push(ran() - before);
  }
  return costs;
};
