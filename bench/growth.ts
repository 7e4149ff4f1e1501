/**
 * How time and memory grow with the data: the same questions about more hits, about more days, about
 * more hits of a year, and about a day that is still open. Daybook alone, with the query threads and the cache of its
 * default settings, each row of sizes in a process of its own:
 *
 *     npm run bench -- growth [--scale 1] [--rounds 5] [--only growth-hits|growth-days|growth-year|open-day]
 *
 * Each question but a process's first asks with another filter that lets every hit pass, so that
 * neither day sums nor anything kept of an earlier answer is of use. Data are made once and kept in a folder under the system's temporary
 * one. A scale below 1 asks about fewer hits. A run with less than the defaults is printed alone.
 */
import { createReadStream } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { dayMs } from '../src/model/time.ts';
import { databaseFile, openDatabase } from '../src/store/database.ts';
import { withCopyOf } from '../test/tools/directories.ts';
import { optionsOf } from '../test/tools/options.ts';
import { markdownTable, publishSections } from '../test/tools/results.ts';
import { median, rounded } from '../test/tools/statistics.ts';
import { usualPages } from './generate.ts';
import { openAndSealed } from './open-day.ts';
import { clientOf, startProgram } from './program.ts';
import { breakdownCsvName } from './query-cases.ts';
import { sealedData } from './query-data.ts';
import type { TrialSettings } from './query-trial.ts';
import { key, prepare, sumDays } from './served-site.ts';
import { pageRequest } from './server-questions.ts';
import { runTrial, type Trial } from './trials.ts';

const firstDay = 20_000;
const millions = [1, 3, 10, 30];
const daysOfSizes = 30;
const spans = [7, 30, 90, 365];
const millionsOfSpans = 10;
const millionsOfYear = [10, 30, 100];
const daysOfYear = 365;
/** Hits that come before each question about a day that is filled meanwhile. */
const arrivingHits = 500;

const questions = [
  'by path',
  'by country',
  'by path where country = BK',
  'by path where country is not BK',
  'totals',
  'series of days',
  'list of events',
  'latest 50 visits',
  breakdownCsvName,
];

export const run = async (args: readonly string[]): Promise<void> => {
  const { scale, rounds, only, isFull } = optionsOf(args, { scale: 1, rounds: 5 }, { only: '' });
  const million = 1e6 * scale;
  const ofHits = async (millions: readonly number[], days: number): Promise<string> => {
    const steps: Step[] = [];
    for (const hits of millions.map(count => count * million)) {
      const trial = await askAbout(hits, days, rounds);
      steps.push({ name: `${hits.toLocaleString('en-US')} hits`, size: hits, trial });
    }
    return `${growthTable(steps)}\n\n${growthSentence(steps, 'hits')}`;
  };
  const sections: Record<string, () => Promise<string>> = {
    'growth-hits': () => ofHits(millions, daysOfSizes),
    'growth-days': async () => {
      const steps: Step[] = [];
      for (const days of spans) {
        const trial = await askAbout(millionsOfSpans * million, days, rounds);
        steps.push({ name: `${days} days`, size: days, trial });
      }
      return `${growthTable(steps)}\n\n${growthSentence(steps, 'days')}`;
    },
    'growth-year': async () => `${await ofHits(millionsOfYear, daysOfYear)}\n\n${await yearSentences(million)}`,
    'open-day': () => openDayReport(million, rounds),
  };
  await publishSections(sections, only, isFull);
};

const settingsOf = (data: string, days: number, rounds: number): TrialSettings => ({
  engine: 'daybook',
  places: { data, competitors: '', packages: '' },
  window: { from: firstDay * dayMs, to: (firstDay + days) * dayMs },
  words: { country: 'BK', path: '/blog/page-5' },
  only: questions,
  rounds,
});

/** A first answer is about a file in the system's cache, whoever read it last. */
const ask = async (settings: TrialSettings): Promise<Trial> => {
  for await (const _ of createReadStream(databaseFile(settings.places.data)));
  return runTrial(settings);
};

const askAbout = async (hits: number, days: number, rounds: number): Promise<SizeTrial> => {
  const data = sealedData({ seed: 1, hits, days, firstDay, cookies: 0, pages: usualPages });
  await sumDays(data);
  const firsts: number[] = [];
  for (const name of firstQuestions) {
    const { results } = await ask({ ...settingsOf(data, days, 0), only: [name] });
    firsts.push(results[0]!.first);
  }
  return { ...(await ask(settingsOf(data, days, rounds))), firsts };
};

/** What a year costs whose every day adds up to what one of a billion hits a year does, and what the page of a year costs. */
const yearSentences = async (million: number): Promise<string> => {
  const day = {
    seed: 1,
    hits: Math.round((1000 * million) / daysOfYear),
    days: 1,
    firstDay,
    cookies: 0,
    pages: usualPages,
  };
  const dayData = sealedData(day);
  await sumDays(dayData);
  const byPath = await withCopyOf(dayData, async data => {
    repeatDay(data);
    const { results } = await ask({ ...settingsOf(data, daysOfYear, 0), only: ['by path'] });
    return results[0]!.first;
  });
  const pages: string[] = [];
  for (const hits of [1, ...millionsOfYear].map(count => count * million)) {
    const data = sealedData({ ...day, hits, days: daysOfYear });
    await sumDays(data);
    pages.push(`${rounded(await withCopyOf(data, pageSeconds))} s with ${hits.toLocaleString('en-US')} hits`);
  }
  return `A process that finds what days of a billion hits a year add up to gives its first answer by path after ${rounded(byPath)} ms.
The first page of a server's site over the year, with all its questions, takes so much processor time after a start: ${pages.join(', ')}.`;
};

/** Has all days of the year add up to what the first does; they have no columns. */
const repeatDay = (data: string): void => {
  const db = openDatabase(data);
  const days = `with recursive later(days) as (select 1 union all select days + 1 from later where days < ${daysOfYear - 1})`;
  db.exec(
    `${days} insert into day_part (site_id, day, import_id, number, parts, version, visits, hash_visits, hits, bytes, first_at, last_at, sealed_at)
       select site_id, day + days, import_id, number, parts, version, visits, hash_visits, hits, bytes,
         first_at + days * ${dayMs}, last_at + days * ${dayMs}, sealed_at from day_part, later;
     ${days} insert into day_sum (site_id, name, day, version, data)
       select site_id, name, day + days, replace(version, day, day + days), data from day_sum, later`,
  );
  db.pragma('wal_checkpoint(truncate)');
  db.close();
};

/** A server has more to do just after its start than to answer. */
const settleMs = 2_000;

const pageSeconds = async (data: string): Promise<number> => {
  const site = prepare(data, daysOfYear);
  for await (const _ of createReadStream(databaseFile(data)));
  const program = await startProgram(data);
  await wait(settleMs);
  try {
    const client = clientOf(program.url, `Bearer ${key}`);
    const before = program.processorSeconds();
    await client.ask(pageRequest(site.uuid, site.sealedDays));
    client.close();
    return program.processorSeconds() - before;
  } finally {
    await program.stop();
  }
};

/** Asked by a process that has not answered anything: what its day sums do not tell, it reads. */
const firstQuestions = ['by path', 'by country', 'totals', 'series of days', breakdownCsvName];

interface SizeTrial extends Trial {
  /** Milliseconds of the first answer of a process, by question. */
  firsts: number[];
}

/** One size of the data. */
interface Step {
  name: string;
  size: number;
  trial: SizeTrial;
}

/** A measured line: its value at each step. */
const linesOf = (steps: readonly Step[]): { name: string; values: number[] }[] => [
  ...firstQuestions.map((name, i) => ({
    name: `${name}, first answer of a process`,
    values: steps.map(({ trial }) => trial.firsts[i]!),
  })),
  ...steps[0]!.trial.results.map(({ name }, i) => ({ name, values: steps.map(({ trial }) => trial.results[i]!.warm) })),
];

const growthTable = (steps: readonly Step[]): string => {
  const megabytes = { name: 'peak resident memory, MB', values: steps.map(({ trial }) => trial.peakBytes / 1e6) };
  return markdownTable(
    ['ms', ...steps.map(({ name }) => name), 'last of first'],
    [...linesOf(steps), megabytes].map(({ name, values }) => [
      name,
      ...values.map(rounded),
      rounded(values.at(-1)! / values[0]!),
    ]),
  );
};

/** Where time grew fastest in comparison with the data, from one step to the next. */
const growthSentence = (steps: readonly Step[], unit: string): string => {
  const growths = linesOf(steps).flatMap(({ name, values }) =>
    values.slice(1).map((value, i) => {
      const [times, data] = [value / values[i]!, steps[i + 1]!.size / steps[i]!.size];
      return { name, times, data, from: steps[i]!.name, to: steps[i + 1]!.name };
    }),
  );
  const [worst] = growths.sort((a, b) => b.times / b.data - a.times / a.data);
  const faster = growths.filter(({ times, data }) => times > data).length;
  return [
    `From step to step time grew faster than the number of ${unit} in ${faster} of ${growths.length} cases;`,
    `the worst is ${worst!.name} from ${worst!.from} to ${worst!.to}: ${rounded(worst!.times)} times as long for ${rounded(worst!.data)} times the ${unit}.`,
  ].join(' ');
};

const openDayReport = async (hits: number, rounds: number): Promise<string> => {
  const data = openAndSealed({ seed: 1, hits, days: 1, firstDay, cookies: 0, pages: usualPages });
  const sealed = await ask(settingsOf(data.sealed, 1, rounds));
  const open = await ask(settingsOf(data.open, 1, rounds));
  sealed.results.forEach(({ name, rows }, i) => {
    if (!isDeepStrictEqual(rows, open.results[i]!.rows))
      throw new Error(`${name}: the sealed day does not say what it said while it was open.`);
  });
  const arriving = await withCopyOf(data.open, copy => ask({ ...settingsOf(copy, 1, rounds), arriving: arrivingHits }));
  const ratiosOf = (trial: Trial): number[] => sealed.results.map(({ warm }, i) => trial.results[i]!.warm / warm);
  const [openRatios, arrivingRatios] = [ratiosOf(open), ratiosOf(arriving)];
  const table = markdownTable(
    ['warm, ms', 'sealed day', 'open day', 'of sealed', `open, ${arrivingHits} hits more each time`, 'of sealed'],
    sealed.results.map(({ name, warm }, i) => [
      name,
      rounded(warm),
      rounded(open.results[i]!.warm),
      rounded(openRatios[i]!),
      rounded(arriving.results[i]!.warm),
      rounded(arrivingRatios[i]!),
    ]),
  );
  return `${table}

A day of ${hits.toLocaleString('en-US')} hits; the same answers, sealed or open. The open day takes ${rounded(median(openRatios))} of the sealed one's time in the median, ${rounded(Math.max(...openRatios))} at most;
where ${arrivingHits} hits come before each question, ${rounded(median(arrivingRatios))} in the median, ${rounded(Math.max(...arrivingRatios))} at most.
The first question of a process, which reads its rows, takes ${rounded(open.results[0]!.first)} ms.`;
};
