/**
 * How long short questions wait while others ask the longest ones there are:
 *
 *     npm run bench -- fair [--hits 10000000] [--seconds 10] [--askers 4] [--rounds 3]
 *
 * The built program with its default settings answers over HTTP. One account's site has 30 sealed
 * days of hits; another account's site has a thirtieth of them. A short question is that account's
 * `stats`, or `stats` of the large site by its owner: both over the sealed days, asked before and
 * so answered from what is kept, ten times a second. The long ones are asked without pause about
 * the large site, by its public page or by its owner.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { newShare } from '../src/model/share.ts';
import { accounts, apiKeys } from '../src/store/accounts/accounts.ts';
import { openDatabase } from '../src/store/database.ts';
import { encoded, sealer } from '../src/store/day/seal.ts';
import { shares } from '../src/store/shares.ts';
import { sites } from '../src/store/sites.ts';
import { textWriter } from '../src/store/texts.ts';
import { addSite } from '../test/helpers.ts';
import { withCopyOf } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { markdownTable, publishSections } from '../test/tools/results.ts';
import { median, quantile, rounded } from '../test/tools/statistics.ts';
import { generateDays, usualPages } from './generate.ts';
import { type Client, clientOf, type Program, startProgram } from './program.ts';
import { sealedData } from './query-data.ts';
import { days, firstDay, key, prepare } from './served-site.ts';

const neighbourKey = `tk_live_${'n'.repeat(32)}`;
const shareToken = 's'.repeat(32);
const pauseMs = 100;
const settleMs = 1_000;

export const run = async (args: readonly string[]): Promise<void> => {
  const { hits, isFull, ...plan } = optionsOf(args, { hits: 10_000_000, seconds: 10, askers: 4, rounds: 3 }, {});
  const kept = sealedData({ seed: 1, hits, days, firstDay, cookies: 0, pages: usualPages });
  await withCopyOf(kept, async dir => {
    const neighbour = addNeighbour(dir, Math.ceil(hits / days));
    const site = prepare(dir);
    const program = await startProgram(dir);
    try {
      const client = (authorization: string): Client => clientOf(program.url, authorization);
      const questions = {
        short: {
          neighbour: { client: client(`Bearer ${neighbourKey}`), path: statsOf(neighbour, site.sealedDays) },
          owner: { client: client(`Bearer ${key}`), path: statsOf(site.uuid, site.sealedDays) },
        },
        long: { public: client(`Share ${shareToken}`), owner: client(`Bearer ${key}`) },
        uuid: site.uuid,
        range: site.sealedDays,
      };
      await publishSections({ fair: () => measure(questions, program, plan) }, '', isFull);
    } finally {
      await program.stop();
    }
  });
};

const statsOf = (uuid: string, range: string): string => `/api/v1/sites/${uuid}/stats?${range}`;

/** Adds another account with a site; returns its id. The other site becomes public. */
const addNeighbour = (dataDir: string, hits: number): string => {
  const db = openDatabase(dataDir);
  const [large] = sites(db).list();
  shares(db).add(large!.id, shareToken, { ...newShare, name: 'public' }, 0);
  const account = accounts(db).add('neighbour', 'unlimited', 0);
  apiKeys(db).add(account.id, 'bench', neighbourKey, 0);
  const { id: siteId, uuid } = addSite(db, { accountId: account.id });
  const [seal, texts] = [sealer(db), textWriter(db)];
  db.exec('begin immediate');
  const plan = { seed: 2, hits, days, firstDay, cookies: 0, pages: usualPages };
  for (const day of generateDays(plan, siteId, text => texts.id(siteId, text))) {
    const sealing = seal.begin(day);
    for (const _ of sealing.write(encoded(day)));
    sealing.finish(0);
  }
  db.exec('commit');
  db.close();
  return uuid;
};

interface Questions {
  short: Record<'neighbour' | 'owner', { client: Client; path: string }>;
  long: Record<'public' | 'owner', Client>;
  /** Of the large site. */
  uuid: string;
  range: string;
}

/** A question that nobody asked before, as long as one request can make it. */
const longQuestion = ({ uuid, range }: Questions, number: number): string => {
  const asks = Array.from({ length: 20 }, (_, i) => {
    const filters = `${range}&hostname!=none-${number}&path*=${i}&title!*=none-${i}`;
    return ['ask', `breakdown?dimension=path&limit=500&${filters}`];
  });
  return `/api/ext/sites/${uuid}/answers?${new URLSearchParams(asks)}`;
};

let asked = 0;

/** Asks long questions until it is told to stop; resolves to the number of answers. */
const askLong = (client: Client, count: number, questions: Questions): { stop(): Promise<number> } => {
  let [stopped, answers] = [false, 0];
  const ask = async (): Promise<void> => {
    while (!stopped) {
      const isAnswered = await client.ask(longQuestion(questions, asked++)).then(
        () => true,
        () => false,
      );
      if (isAnswered) answers++;
      else await wait(pauseMs);
    }
  };
  const all = Array.from({ length: count }, ask);
  return {
    async stop() {
      stopped = true;
      await Promise.all(all);
      return answers;
    },
  };
};

interface Phase {
  name: string;
  /** Milliseconds. */
  times: number[];
  answers: number;
}

interface Plan {
  seconds: number;
  askers: number;
  rounds: number;
}

/** The times of a short question, asked every so often. */
const timesOf = async ({ client, path }: Questions['short']['owner'], seconds: number): Promise<number[]> => {
  const times: number[] = [];
  const asking: Promise<unknown>[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    asking.push(client.ask(path).then(ms => times.push(ms)));
    await wait(pauseMs);
  }
  await Promise.all(asking);
  return times;
};

const measure = async (questions: Questions, program: Program, { seconds, askers, rounds }: Plan): Promise<string> => {
  const phases: Phase[] = [];
  const { short, long } = questions;
  for (const { client, path } of Object.values(short)) for (let i = 0; i < 20; i++) await client.ask(path);
  const cases = [
    ['the neighbour’s, alone', short.neighbour, null],
    ['the neighbour’s, beside the public page', short.neighbour, long.public],
    ['the neighbour’s, beside the owner', short.neighbour, long.owner],
    ['the owner’s, beside the public page', short.owner, long.public],
  ] as const;
  for (let round = 0; round < rounds; round++)
    for (const [name, of, asker] of cases) {
      const asking = asker === null ? null : askLong(asker, askers, questions);
      await wait(settleMs);
      const times = await timesOf(of, seconds);
      phases.push({ name, times, answers: (await asking?.stop()) ?? 0 });
      console.error(name, ...[0.5, 0.99, 1].map(part => rounded(quantile(times, part))), phases.at(-1)!.answers);
    }
  const rows = cases.map(([name]) => {
    const own = phases.filter(phase => phase.name === name);
    const of = (part: number): number => rounded(median(own.map(({ times }) => quantile(times, part))));
    return [name, of(0.5), of(0.99), of(1), rounded(median(own.map(({ answers }) => answers)))];
  });
  const table = markdownTable(['short questions', 'p50 ms', 'p99', 'max', 'long answers'], rows);
  return `${table}\n\n${askers} long questions at a time, 20 breakdowns under filters of their own each. Medians of ${rounds} rounds of ${seconds} s. Resident memory at most ${Math.round(program.memory().peak / 1e6)} MB.`;
};
