/**
 * One engine in a process of its own: asks questions of the benchmark and prints what each took and
 * what was answered, one JSON line each. Started by trials.ts.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { utcDayOf } from '../src/model/time.ts';
import { arrivals } from './open-day.ts';
import { type Case, casesFor, type Row } from './query-cases.ts';
import { type Asked, type EngineName, type EnginePlaces, openEngine } from './query-engines.ts';

export interface TrialSettings {
  engine: EngineName;
  places: EnginePlaces;
  window: { from: number; to: number };
  words: { country: string; path: string };
  /** Names of the questions to ask; empty for all. */
  only: readonly string[];
  /** Answers after the first one, fewer when they take long. */
  rounds: number;
  /** Hits that come to the window's first day before each question, when it is open. */
  arriving?: number;
  /**
   * Times are those of the processor, all threads together: they hardly depend on what else the
   * machine does.
   */
  ofProcessor?: boolean;
}

export interface TrialResult {
  name: string;
  /**
   * Milliseconds: of the first answer, the median of those after it, and the median of those that
   * may use what was kept.
   */
  first: number;
  warm: number;
  again: number | null;
  /**
   * Of the typical answer: milliseconds of each of its statements; none where it is one question to
   * the engine.
   */
  parts: number[];
  rows: Row[];
}

export interface TrialEnd {
  version: string;
  /** Bytes that were resident at most. */
  peakBytes: number;
}

/**
 * The time that arriving hits take: without it the main thread, which writes them here, would be as
 * busy as with 30,000 hits a second.
 */
const arrivingMs = 200;

/** A question is asked no more than once more after it has taken so long. */
const patienceMs = 8000;

const settings = JSON.parse(process.argv[2]!) as TrialSettings;
const engine = await openEngine(settings.engine, settings.places);

const arrive = ((): (() => Promise<void>) => {
  const { arriving } = settings;
  if (arriving === undefined) return async () => {};
  const write = arrivals(settings.places.data, utcDayOf(settings.window.from));
  return async () => {
    write(arriving);
    await wait(arrivingMs);
  };
})();

interface Timed extends Asked {
  ms: number;
}

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const clock = settings.ofProcessor === true ? processorMs : () => performance.now();

const timed = async (ask: () => Promise<Asked>): Promise<Timed> => {
  await arrive();
  const begun = clock();
  const asked = await ask();
  return { ...asked, ms: clock() - begun };
};

/** The answer that took the median time. */
const typical = async (ask: () => Promise<Asked>): Promise<Timed> => {
  const answers: Timed[] = [];
  let spent = 0;
  while (answers.length < settings.rounds && spent < patienceMs) {
    const answer = await timed(ask);
    answers.push(answer);
    spent += answer.ms;
  }
  return answers.sort((a, b) => a.ms - b.ms)[answers.length >> 1]!;
};

const trial = async (question: Case): Promise<TrialResult> => {
  const { name } = question;
  // Alone, it is asked as somebody does who comes first: what was summed of days may answer it.
  const askFirst = settings.rounds === 0 ? (engine.askAgain ?? engine.ask) : engine.ask;
  const { ms: first, rows, parts } = await timed(() => askFirst(question));
  if (settings.rounds === 0) return { name, first, warm: first, again: null, parts, rows };
  const warm = await typical(() => engine.ask(question));
  const result = { name, first, warm: warm.ms, again: null, parts: warm.parts, rows };
  const { askAgain } = engine;
  if (askAgain === undefined) return result;
  await askAgain(question);
  return { ...result, again: (await typical(() => askAgain(question))).ms };
};

for (const question of casesFor(settings.window, settings.words)) {
  if (settings.only.length > 0 && !settings.only.includes(question.name)) continue;
  console.log(JSON.stringify(await trial(question)));
}
const end: TrialEnd = { version: engine.version, peakBytes: process.resourceUsage().maxRSS * 1024 };
await engine.close();
// A competitor may hold the process open; what was printed must have gone out before it ends.
process.stdout.write(`${JSON.stringify(end)}\n`, () => process.exit(0));
