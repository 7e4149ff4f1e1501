/**
 * Hits while assistants ask at /mcp, what the first call costs in memory, and how long it takes to
 * explain a change of 30 days against the 30 before in twelve dimensions:
 *
 *     npm run bench -- assistants [--hits 1000000] [--rate 1000] [--calls 20] [--seconds 12] [--explained 10000000]
 *
 * The built program with its default settings, in a process of its own, about 30 sealed days. Calls
 * begin at fixed times, whether or not earlier ones are answered, each with a filter that nobody
 * asked for yet; the load and the assistants run on the same machine.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { makeApiKey } from '../src/model/ids.ts';
import { accounts, apiKeys, defaultAccountName } from '../src/store/accounts/accounts.ts';
import { openDatabase } from '../src/store/database.ts';
import { withCopyOf } from '../test/tools/directories.ts';
import { startLoad } from '../test/tools/load.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish } from '../test/tools/results.ts';
import { median, quantile, rounded } from '../test/tools/statistics.ts';
import { endlessTraffic } from '../test/tools/traffic.ts';
import { usualPages } from './generate.ts';
import { type Client, clientOf, startProgram } from './program.ts';
import { sealedData } from './query-data.ts';
import { days, firstDay, key, prepare } from './served-site.ts';

const idleMs = 4000;
const settleMs = 1000;
const connections = 64;
/** Each token has 120 calls a minute. */
const callsOfToken = 1.9;

export const run = async (args: readonly string[]): Promise<void> => {
  const defaults = { hits: 1_000_000, rate: 1000, calls: 20, seconds: 12, explained: 10_000_000 };
  const { hits, explained, isFull, ...plan } = optionsOf(args, defaults, {});
  const shape = { seed: 1, firstDay, cookies: 0, pages: usualPages };
  const calls = await withCopyOf(sealedData({ ...shape, hits, days }), dir => measure(dir, plan));
  const explanations = await withCopyOf(sealedData({ ...shape, hits: explained, days: 2 * days }), measureExplanations);
  const text = `${hits.toLocaleString('en-US')} hits in ${days} days, and for the explanations, of 30 days against the 30 before in twelve dimensions, ${explained.toLocaleString('en-US')} in ${2 * days}. ${plan.rate} hits a second for ${plan.seconds} s each.`;
  publish('assistants', [calls, explanations, `${text} ${machine(Date.now())}`].join('\n\n'), isFull);
};

/** Of the first explanation: the file was just copied when the first of these begins. */
const starts = 3;

/** The first after a start, others with a filter that nobody asked for yet, and the same again. */
const measureExplanations = async (dir: string): Promise<string> => {
  const { uuid } = prepare(dir, 2 * days);
  const path = `/api/ext/sites/${uuid}/explain?range=30d`;
  const rows: [string, number[]][] = [['first after a start', []]];
  for (let i = 0; i < starts; i++) {
    const program = await startProgram(dir);
    const client = clientOf(program.url, `Bearer ${key}`);
    try {
      rows[0]![1].push(await client.ask(path));
      if (i === starts - 1) rows.push(...(await others(client, path)));
    } finally {
      client.close();
      await program.stop();
    }
  }
  const cells = rows.map(([name, times]) => [name, rounded(median(times)), rounded(Math.max(...times))]);
  return markdownTable(['explanation', 'median ms', 'max'], cells);
};

const others = async (client: Client, path: string): Promise<[string, number[]][]> => {
  const rows: [string, number[]][] = [];
  for (const metric of ['visitors', 'visits', 'pageviews'] as const) {
    const times = [];
    for (let i = 0; i < 5; i++) times.push(await client.ask(`${path}&metric=${metric}&hostname!=none-${called++}`));
    rows.push([`${metric}, another filter each time`, times]);
  }
  return [...rows, ['the first once more', [await client.ask(path)]]];
};

interface Plan {
  rate: number;
  calls: number;
  seconds: number;
}

const addKeys = (dir: string, count: number): string[] => {
  const db = openDatabase(dir);
  const { id } = accounts(db).named(defaultAccountName, 0);
  const keys = Array.from({ length: count }, () => makeApiKey(randomBytes));
  for (const key of keys) apiKeys(db).add(id, 'bench', key, 0);
  db.close();
  return keys;
};

let called = 0;
const questionOf = (site: string): object => {
  const filters = [`hostname!=none-${called++}`];
  const given = { site, range: '30d', filters };
  const tools = [
    { name: 'get_stats', arguments: given },
    { name: 'get_table', arguments: { ...given, dimension: 'path' } },
    { name: 'get_series', arguments: given },
    { name: 'get_table', arguments: { ...given, dimension: 'country', metrics: 'visitors,visits' } },
    { name: 'explain_change', arguments: { ...given, range: '7d' } },
  ];
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tools[called % tools.length] };
};

/** Milliseconds to the answer. Throws for any that is none. */
const call = async (url: string, key: string, body: object): Promise<number> => {
  const began = performance.now();
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== 200 || !text.includes('structuredContent'))
    throw new Error(`${response.status} ${text.slice(0, 500)}`);
  return performance.now() - began;
};

const measure = async (dir: string, { rate, calls, seconds }: Plan): Promise<string> => {
  const site = prepare(dir);
  const keys = addKeys(dir, Math.ceil(calls / callsOfToken));
  const program = await startProgram(dir);
  const resident = (): string => `${Math.round(program.memory().resident / 1e6)} MB`;
  try {
    await wait(idleMs);
    const rows = [['idle', resident()]];
    for (let i = 0; i < 50; i++) await fetch(`${program.url}/mcp`, { method: 'POST', body: '{}' });
    rows.push(['after 50 calls without a key', resident()]);
    const list = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_tag', arguments: { site: site.uuid } },
    };
    await call(program.url, keys[0]!, list);
    rows.push(['after the first call with one', resident()]);
    const next = endlessTraffic(site.publicKey);
    const phases = [];
    for (const perSecond of [0, calls]) {
      const load = startLoad({ url: program.url, perSecond: rate, connections, next });
      const asked: Promise<number>[] = [];
      const ask = (): unknown => asked.push(call(program.url, keys[called % keys.length]!, questionOf(site.uuid)));
      const timer = perSecond === 0 ? undefined : setInterval(ask, 1000 / perSecond);
      await wait(settleMs);
      load.take();
      await wait(seconds * 1000);
      const { times, accepted, others } = load.take();
      clearInterval(timer);
      const answers = await Promise.all(asked);
      await load.stop();
      const [p50, p99, max] = [0.5, 0.99, 1].map(part => rounded(quantile(times, part)));
      const cost = answers.length === 0 ? ['', ''] : [rounded(median(answers)), rounded(quantile(answers, 0.99))];
      phases.push([String(perSecond), p50!, p99!, max!, String(accepted), String(others), ...cost]);
    }
    const headings = ['calls a second', 'hit p50 ms', 'p99', 'max', 'taken', 'refused', 'call p50 ms', 'p99'];
    return [markdownTable(['resident memory', ''], rows), markdownTable(headings, phases)].join('\n\n');
  } finally {
    await program.stop();
  }
};
