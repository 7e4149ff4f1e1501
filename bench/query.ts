/**
 * How fast are questions answered? The same hits are asked the same questions in Daybook (as its
 * server answers them by default), in ClickHouse (chdb, in-process, all cores) and in DuckDB (all
 * cores), each in a process of its own, and every answer must agree.
 *
 *     npm run bench -- query [--hits 10000000] [--seed 1] [--rounds 5] [--competitor-rounds 3] [--cold-rounds 3] [--engines daybook,clickhouse,duckdb] [--data hash,cookie,pages]
 *
 * Data and the competitors' packages are made once and kept in a folder under the system's
 * temporary one. For each question: `warm` is the median of the answers after the first one; for
 * Daybook each asks with another filter that lets every hit pass, so that nothing kept of an
 * earlier answer is of use; `again` is the very same question once more, of which Daybook keeps
 * what sealed days contribute. `cold` is the first answer of a fresh process, with the file in the
 * system's cache, the median of some processes. A run with less than the defaults is printed alone.
 */
import { isDeepStrictEqual } from 'node:util';
import { dayMs } from '../src/model/time.ts';
import { openReader } from '../src/store/database.ts';
import { optionsOf } from '../test/tools/options.ts';
import { machine, markdownTable, publish, publishInShort } from '../test/tools/results.ts';
import { median, rounded } from '../test/tools/statistics.ts';
import { type TrafficPlan, usualPages } from './generate.ts';
import { breakdownCsvName, isSection } from './query-cases.ts';
import { sealedData } from './query-data.ts';
import type { EngineName } from './query-engines.ts';
import type { TrialResult, TrialSettings } from './query-trial.ts';
import { competitorData, installedCompetitors, millionPages, runTrial, type Trial } from './trials.ts';

const days = 30;
const firstDay = 20_000;

interface DataSet {
  section: string;
  traffic: Pick<TrafficPlan, 'cookies' | 'pages'>;
  /** What is asked; all questions where no names are given. */
  warm: readonly string[];
  cold: readonly string[];
}

const dataSets: Record<string, DataSet> = {
  hash: {
    section: 'query',
    traffic: { cookies: 0, pages: usualPages },
    warm: [],
    cold: [
      'by path',
      'by country',
      'by path where country = BK',
      'totals',
      'series of days',
      'list of events',
      'values of a property',
      breakdownCsvName,
      'sessions CSV of 5,000 visits',
    ],
  },
  cookie: {
    section: 'query-cookies',
    traffic: { cookies: 1, pages: usualPages },
    warm: [
      'by path',
      'by title',
      'by referrer',
      'by country',
      'by browser',
      'by event',
      'by path where country = BK',
      'by country where path = /blog/page-5',
      'by path where country is not BK',
      'table by country',
      'table by path',
      'all metrics by day',
      'totals',
      'totals where country = BK',
      'series of days',
      'list of events',
      'one event by day',
      'latest 50 visits',
      breakdownCsvName,
    ],
    cold: ['by path', 'by country', 'totals', breakdownCsvName],
  },
  pages: {
    section: 'query-pages',
    traffic: { cookies: 0, pages: millionPages },
    warm: [
      'by path',
      'by entryPath',
      'by exitPath',
      'by title',
      'by query',
      'by country',
      'by path where country = BK',
      'by country where path = /blog/page-5',
      'by path where path contains page-12',
      'by path where country is not BK',
      'table by path',
      'totals',
      'totals where path = /blog/page-5',
      'series of days',
      'list of events',
      'latest 50 visits',
      breakdownCsvName,
    ],
    cold: ['by path', 'by path where path contains page-12', breakdownCsvName],
  },
};

export const run = async (args: readonly string[]): Promise<void> => {
  const options = optionsOf(
    args,
    { hits: 10_000_000, rounds: 5, 'competitor-rounds': 3, 'cold-rounds': 3 },
    { seed: 1, engines: 'daybook,clickhouse,duckdb', data: Object.keys(dataSets).join() },
  );
  const { hits, seed } = options;
  const roundsOf = (engine: EngineName): number => options[engine === 'daybook' ? 'rounds' : 'competitor-rounds'];
  const engines = options.engines.split(',') as EngineName[];
  const areAll = engines.length >= 3;
  for (const name of options.data.split(',')) {
    const { section, traffic, warm, cold } = dataSets[name]!;
    const plan: TrafficPlan = { seed, hits, days, firstDay, ...traffic };
    const places = placesOf(plan, engines);
    const trials: EngineTrial[] = [];
    for (const engine of engines) {
      const settings = { ...asked, engine, places };
      const measured = await runTrial({ ...settings, only: warm, rounds: roundsOf(engine) });
      const firsts: TrialResult[] = [];
      for (const question of cold) firsts.push(await firstAnswer(settings, question, options['cold-rounds']));
      trials.push({ engine, ...measured, cold: firsts });
    }
    checkAgreement(trials);
    publish(section, report(trials, places.data), areAll && options.isFull);
    if (areAll && section === 'query') publishInShort(section, inShort(trials, hits), options.isFull);
  }
};

const asked = {
  window: { from: firstDay * dayMs, to: (firstDay + days) * dayMs },
  words: { country: 'BK', path: '/blog/page-5' },
};

/** That of the process in which it took the median time. */
const firstAnswer = async (
  settings: Omit<TrialSettings, 'only' | 'rounds'>,
  question: string,
  processes: number,
): Promise<TrialResult> => {
  const answers: TrialResult[] = [];
  while (answers.length < processes)
    answers.push(...(await runTrial({ ...settings, only: [question], rounds: 0 })).results);
  const middle = median(answers.map(({ first }) => first));
  return answers.find(({ first }) => first === middle)!;
};

const placesOf = (plan: TrafficPlan, engines: readonly EngineName[]): TrialSettings['places'] => {
  const data = sealedData(plan);
  if (engines.every(engine => engine === 'daybook')) return { data, competitors: '', packages: '' };
  const packages = installedCompetitors();
  return { data, competitors: competitorData(plan, packages), packages };
};

interface EngineTrial extends Trial {
  engine: EngineName;
  cold: TrialResult[];
}

/** Throws where two engines answered differently. */
const checkAgreement = ([first, ...others]: readonly EngineTrial[]): void => {
  for (const other of others) {
    const theirs = [...other.results, ...other.cold];
    [...first!.results, ...first!.cold].forEach(({ name, rows }, i) => {
      const row = rows.findIndex((values, at) => !isDeepStrictEqual(values, theirs[i]!.rows[at]));
      if (row < 0 && rows.length === theirs[i]!.rows.length) return;
      const at = row < 0 ? rows.length : row;
      const says = (trial: EngineTrial, answer: TrialResult['rows']): string =>
        `${trial.version} says ${JSON.stringify(answer[at])}`;
      throw new Error(`${name}, row ${at + 1}: ${says(first!, rows)}, ${says(other, theirs[i]!.rows)}.`);
    });
  }
};

const report = (trials: readonly EngineTrial[], dataDir: string): string => {
  const daybook = trials.find(({ engine }) => engine === 'daybook');
  const clickHouse = trials.find(({ engine }) => engine === 'clickhouse');
  const memory = trials.map(({ version, peakBytes }) => `${version} ${Math.round(peakBytes / 1e6)} MB`).join(', ');
  return [
    comparison('warm', trials, trial => trial.results),
    comparison('cold', trials, trial => trial.cold),
    ...(daybook === undefined || clickHouse === undefined ? [] : [csvSentence(daybook, clickHouse)]),
    `${sizes(dataDir)} Peak resident memory while it was warm: ${memory}.`,
    `Every answer of every engine was the same. ${machine(Date.now())}`,
  ].join('\n\n');
};

interface Column {
  heading: string;
  value: (question: number) => number;
}

/** The table of one kind of times, and how those of Daybook compare with ClickHouse's. */
const comparison = (
  kind: 'warm' | 'cold',
  trials: readonly EngineTrial[],
  resultsOf: (trial: EngineTrial) => readonly TrialResult[],
): string => {
  const [daybook, clickHouse] = (['daybook', 'clickhouse'] as const).map(name =>
    trials.find(({ engine }) => engine === name),
  );
  const [own, theirs] = [daybook, clickHouse].map(trial => trial && resultsOf(trial));
  const ratio = (question: number): number => own![question]!.warm / theirs![question]!.warm;
  const columns = trials.flatMap((trial): Column[] => {
    const results = resultsOf(trial);
    const time: Column = { heading: trial.version, value: i => results[i]!.warm };
    if (trial === daybook && kind === 'warm') return [time, { heading: 'again', value: i => results[i]!.again! }];
    return trial === clickHouse && own !== undefined ? [time, { heading: 'of ClickHouse', value: ratio }] : [time];
  });
  const names = resultsOf(trials[0]!).map(({ name }) => name);
  const table = markdownTable(
    [`${kind}, ms`, ...columns.map(({ heading }) => heading)],
    names.map((name, i) => [name, ...columns.map(({ value }) => rounded(value(i)))]),
  );
  return own === undefined || theirs === undefined
    ? table
    : `${table}\n\n${summary(
        kind,
        names,
        names.map((_, i) => ratio(i)),
      )}`;
};

const inShort = (trials: readonly EngineTrial[], hits: number): string => {
  const [own, theirs] = (['daybook', 'clickhouse'] as const).map(name => trials.find(({ engine }) => engine === name)!);
  const ratios = own!.results.map(({ warm }, i) => warm / theirs!.results[i]!.warm);
  const time = (trial: EngineTrial | undefined): string =>
    `${Math.round(trial!.results.find(({ name }) => name === 'by path')!.warm)} ms`;
  return [
    `Over ${ratios.length} kinds of questions about ${hits.toLocaleString('en-US')} hits, the median takes Daybook ${rounded(median(ratios))} of the time of ${theirs!.version} on the same machine, and the worst ${rounded(Math.max(...ratios))}.`,
    `Both count exactly. The unique visitors of each page take ${time(own)} instead of ${time(theirs)}.`,
  ].join('\n');
};

const summary = (kind: string, names: readonly string[], ratios: readonly number[]): string => {
  const atMost = (part: number): number => ratios.filter(ratio => ratio <= part).length;
  const worst = Math.max(...ratios);
  return [
    `Of ${names.length} ${kind} questions Daybook answers ${atMost(0.2)} in at most a fifth of ClickHouse's time and ${atMost(0.5)} in at most half;`,
    `the median is ${rounded(median(ratios))} of it, the worst ${rounded(worst)} (${names[ratios.indexOf(worst)]}).`,
  ].join(' ');
};

/** The file is many questions at once, which Daybook answers from one walk over the hits. */
const csvSentence = (daybook: EngineTrial, clickHouse: EngineTrial): string => {
  const [own, theirs] = [daybook, clickHouse].map(
    ({ results }) => results.find(({ name }) => name === breakdownCsvName)!,
  );
  const sections = theirs!.parts.filter((_, i) => isSection(i)).sort((a, b) => a - b);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const four = (sum(sections) / sections.length) * 4;
  const ms = (value: number): string => `${Math.round(value).toLocaleString('en-US')} ms`;
  return [
    `The whole breakdown CSV takes Daybook ${ms(own!.warm)}. Of its ${sections.length} sections ClickHouse answers any four in ${ms(four)}`,
    `on average, the quickest four in ${ms(sum(sections.slice(0, 4)))}.`,
  ].join(' ');
};

/** What is stored, and how large it is without texts. */
const sizes = (dataDir: string): string => {
  const db = openReader(dataDir);
  const { hits, visits, bytes } = db
    .prepare('select sum(hits) as hits, sum(visits) as visits, sum(bytes) as bytes from day_part')
    .get() as { hits: number; visits: number; bytes: number };
  db.close();
  const count = (value: number): string => value.toLocaleString('en-US');
  return `${count(hits)} hits in ${count(visits)} visits over ${days} days; sealed, ${(bytes / hits).toFixed(1)} bytes a hit without texts.`;
};
