/**
 * The whole server under questions: what it keeps in memory, what the same questions cost again,
 * and what the collector's answers suffer from them:
 *
 *     npm run bench -- beside [--hits 10000000] [--rate 5000] [--seconds 12] [--rounds 3] [--only server|beside|server-pages]
 *
 * It is the built program with its default settings, in a process of its own, with the city
 * database, asked over HTTP. Its data are 30 sealed days, the last of them yesterday. Hits are due
 * at fixed times, whether or not the server keeps up, and their answers are timed from then on; the
 * load runs on the same machine. A run with less than the defaults is printed alone.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { withCopyOf } from '../test/tools/directories.ts';
import { startLoad } from '../test/tools/load.ts';
import { optionsOf } from '../test/tools/options.ts';
import { markdownTable, publishSections } from '../test/tools/results.ts';
import { median, quantile, rounded } from '../test/tools/statistics.ts';
import { endlessTraffic } from '../test/tools/traffic.ts';
import { type TrafficPlan, usualPages } from './generate.ts';
import { type Client, clientOf, type Program, startProgram } from './program.ts';
import { sealedData } from './query-data.ts';
import { days, firstDay, key, prepare, type ServedSite, sumDays } from './served-site.ts';
import { everyQuestion, filterSets, otherQuestions, pageQuestions, pageRequest } from './server-questions.ts';
import { millionPages } from './trials.ts';

const overallMs = 15 * 60_000;
const idleMs = 8_000;
/** From the start of a load to when it is measured. */
const settleMs = 1_000;
const connections = 64;
const pageRounds = 9;
/** Questions at once while memory is measured: as many as there are threads, and one that waits. */
const askersOfMemory = 3;

export const run = async (args: readonly string[]): Promise<void> => {
  const { hits, only, isFull, ...plan } = optionsOf(
    args,
    { hits: 10_000_000, rate: 5000, seconds: 12, rounds: 3 },
    { only: '' },
  );
  const measured: Record<string, (asking: Asking) => Promise<string>> = {
    server: async asking => `${await measureMemory(asking)}\n\n${await measurePages(asking)}`,
    beside: asking => measureCollector(asking, plan),
  };
  const sectionsOf = (all: typeof measured, asking: Asking): Record<string, () => Promise<string>> =>
    Object.fromEntries(Object.entries(all).map(([name, measure]) => [name, () => measure(asking)]));
  const usual = { seed: 1, hits, days, firstDay, cookies: 0, pages: usualPages };
  if (only !== 'server-pages')
    await withServer(usual, asking => publishSections(sectionsOf(measured, asking), only, isFull));
  if (only === '' || only === 'server-pages')
    await withServer({ ...usual, pages: millionPages }, asking =>
      publishSections(sectionsOf({ 'server-pages': measureMemory }, asking), '', isFull),
    );
};

/** Starts the program on a copy of a plan's data, since it writes to them, and ends it after the work. */
const withServer = async (plan: TrafficPlan, work: (asking: Asking) => Promise<void>): Promise<void> => {
  const data = sealedData(plan);
  await sumDays(data);
  await withCopyOf(data, async dir => {
    const site = prepare(dir);
    const program = await startProgram(dir);
    try {
      await Promise.race([
        work({ program, site, client: clientOf(program.url, `Bearer ${key}`), hits: plan.hits }),
        tooLate(),
      ]);
    } finally {
      await program.stop();
    }
  });
};

/** Ends what waits for a server that does not answer any more. */
const tooLate = async (): Promise<never> => {
  await wait(overallMs, undefined, { ref: false });
  throw new Error(`The server was not measured within ${overallMs / 60_000} minutes.`);
};

interface Asking {
  program: Program;
  site: ServedSite;
  client: Client;
  hits: number;
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** Asks every kind of question, several at a time. */
const measureMemory = async ({ program, site, client, hits }: Asking): Promise<string> => {
  await wait(idleMs);
  const idle = program.memory().resident;
  const questions = ['range=30d', site.sealedDays].flatMap(range => [
    ...filterSets.flatMap(filters => everyQuestion(site.uuid, range + filters)),
    ...otherQuestions(site.uuid, range),
  ]);
  const asked = questions.values();
  const askAll = async (): Promise<void> => {
    for (const path of asked) await client.ask(path);
  };
  await Promise.all(Array.from({ length: askersOfMemory }, askAll));
  const after = program.memory();
  await wait(idleMs);
  const later = program.memory().resident;
  const table = markdownTable(
    ['resident memory of the process', 'measured'],
    [
      ['idle, before any question', megabytes(idle)],
      ['at most, while it answered', megabytes(after.peak)],
      ['after the last answer', megabytes(after.resident)],
      [`${idleMs / 1000} s later`, megabytes(later)],
    ],
  );
  const about = `${questions.length} different questions of every kind about ${hits.toLocaleString('en-US')} hits, ${askersOfMemory} at a time.`;
  return `${table}\n\n${about}`;
};

/**
 * Opens a site's first page, each time with a filter that nobody asked for yet, and then once more.
 */
const measurePages = async ({ site, client }: Asking): Promise<string> => {
  const times: { first: number; again: number }[] = [];
  const open = (search: string): Promise<number> => client.ask(pageRequest(site.uuid, search));
  for (let round = 0; round < pageRounds; round++) {
    const search = `${site.sealedDays}&hostname!=none-${round}`;
    times.push({ first: await open(search), again: await open(search) });
  }
  const first = median(times.map(time => time.first));
  const again = median(times.map(time => time.again));
  const ratio = median(times.map(time => time.again / time.first));
  const questions = pageQuestions('').length;
  return `The ${questions} questions of a site's first page, asked in one request over the ${days} sealed days under a filter that is new: ${rounded(first)} ms until the last is answered. The same once more: ${rounded(again)} ms, ${rounded(ratio)} of the first time (medians of ${pageRounds}).`;
};

interface LoadPlan {
  rate: number;
  seconds: number;
  rounds: number;
}

/** Questions asked one right after the other. */
interface Askers {
  /** Ends them when their last question is answered; resolves to the number of answers. */
  stop(): Promise<number>;
}

const startAskers = (count: number, { client, site }: Asking): Askers => {
  let stopped = false;
  let answers = 0;
  const ask = async (asker: number): Promise<void> => {
    while (!stopped) {
      // Nothing kept of an earlier question is of use.
      const search = `range=30d&hostname!=none-${process.hrtime.bigint()}-${asker}`;
      for (const path of everyQuestion(site.uuid, search)) {
        if (stopped) return;
        await client.ask(path);
        answers++;
      }
    }
  };
  const asked = Array.from({ length: count }, (_, asker) => ask(asker));
  // Who fails is heard of at the end, and not as a rejection that nobody waits for.
  for (const one of asked) one.catch(() => {});
  return {
    async stop() {
      stopped = true;
      await Promise.all(asked);
      return answers;
    },
  };
};

interface Phase {
  askers: number;
  p50: number;
  p99: number;
  max: number;
  accepted: number;
  others: number;
  answers: number;
}

const askersOfPhases = [0, 1, 2];

const measureCollector = async (asking: Asking, plan: LoadPlan): Promise<string> => {
  const next = endlessTraffic(asking.site.publicKey);
  const phases: Phase[] = [];
  // The first one warms the server up and does not count.
  for (const askers of [0, ...Array.from({ length: plan.rounds }, () => askersOfPhases).flat()]) {
    phases.push(await measurePhase(asking, next, askers, plan));
    console.error(JSON.stringify(phases.at(-1)));
  }
  return collectorReport(phases.slice(1), asking.program, plan);
};

/**
 * Under a load of its own, so that what a server fell behind with in one phase does not count in
 * the next.
 */
const measurePhase = async (
  asking: Asking,
  next: () => string,
  askers: number,
  { rate, seconds }: LoadPlan,
): Promise<Phase> => {
  const load = startLoad({ url: asking.program.url, perSecond: rate, connections, next });
  const questions = startAskers(askers, asking);
  await wait(settleMs);
  load.take();
  await wait(seconds * 1000);
  const { times, accepted, others } = load.take();
  await load.stop();
  const answers = await questions.stop();
  const [p50, p99, max] = [0.5, 0.99, 1].map(part => quantile(times, part)) as [number, number, number];
  return { askers, p50, p99, max, accepted, others, answers };
};

const collectorReport = (phases: readonly Phase[], program: Program, { rate, seconds, rounds }: LoadPlan): string => {
  const of = (askers: number, field: keyof Phase): number =>
    median(phases.filter(phase => phase.askers === askers).map(phase => phase[field]));
  const rows = askersOfPhases.map(askers => [
    askers === 0 ? 'none' : `${askers} at a time, without pause`,
    rounded(of(askers, 'p50')),
    rounded(of(askers, 'p99')),
    rounded(of(askers, 'p99') / of(0, 'p99')),
    rounded(of(askers, 'max')),
    rounded(of(askers, 'accepted') / seconds),
    rounded(of(askers, 'answers') / seconds),
  ]);
  const headings = ['questions', 'hit p50 ms', 'p99', 'p99 of that without', 'max', 'hits/s', 'answers/s'];
  const refused = phases.reduce((sum, { others }) => sum + others, 0);
  return `${markdownTable(headings, rows)}

${rate.toLocaleString('en-US')} hits a second are due over ${connections} connections, of which ${refused === 0 ? 'none' : refused.toLocaleString('en-US')} were refused; the questions are of every kind, about 30 days with today,
which the hits go to. Medians of ${rounds} rounds of ${seconds} s each, in turns. Resident memory at most ${megabytes(program.memory().peak)}.`;
};
