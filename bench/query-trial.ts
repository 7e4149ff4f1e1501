/**
 * One engine in a process of its own: asks every question of the benchmark and prints what it took and what was answered, one JSON
 * line each. Started by query.ts.
 */
import { performance } from 'node:perf_hooks';
import { type Case, casesFor, type Row } from './query-cases.ts';
import { type EngineName, openEngine } from './query-engines.ts';

export interface TrialSettings {
  engine: EngineName;
  dir: string;
  peers: string;
  window: { from: number; to: number };
  words: { country: string; path: string };
  /** Names of the questions to ask; empty for all. */
  only: string[];
  /** Answers after the first one. */
  rounds: number;
}

export interface TrialResult {
  name: string;
  /** Milliseconds: of the first answer, the median of those after it, and the median of those that may use what was kept. */
  first: number;
  warm: number;
  again: number | null;
  rows: Row[];
}

const settings = JSON.parse(process.argv[2]!) as TrialSettings;
const engine = await openEngine(settings.engine, settings.dir, settings.peers);

const timed = async (ask: () => Promise<Row[]>): Promise<{ ms: number; rows: Row[] }> => {
  const begun = performance.now();
  const rows = await ask();
  return { ms: performance.now() - begun, rows };
};

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;

const medianOf = async (ask: () => Promise<Row[]>): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < settings.rounds; round++) times.push((await timed(ask)).ms);
  return median(times);
};

const trial = async (question: Case): Promise<TrialResult> => {
  const { ms, rows } = await timed(() => engine.ask(question));
  if (settings.rounds === 0) return { name: question.name, first: ms, warm: ms, again: null, rows };
  const warm = await medianOf(() => engine.ask(question));
  const { askAgain } = engine;
  if (askAgain === undefined) return { name: question.name, first: ms, warm, again: null, rows };
  await askAgain(question);
  return { name: question.name, first: ms, warm, again: await medianOf(() => askAgain(question)), rows };
};

for (const question of casesFor(settings.window, settings.words)) {
  if (settings.only.length > 0 && !settings.only.includes(question.name)) continue;
  console.log(JSON.stringify(await trial(question)));
}
console.log(JSON.stringify({ version: engine.version, rss: process.memoryUsage.rss() }));
await engine.close();
process.exit(0);
