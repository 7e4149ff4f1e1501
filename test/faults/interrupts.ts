/** Stops long commands of the built program at random moments, as Ctrl-C does, and looks at what they leave. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { dayMs, utcDayOf } from '../../src/model/time.ts';
import { createCopier } from '../../src/store/copies/copier.ts';
import { objects } from '../../src/store/copies/objects.ts';
import { openPlace } from '../../src/store/copies/open-place.ts';
import { makeChangedPages } from '../../src/store/copies/page-watch.ts';
import { openDatabase } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { hitRecord, recordedEntry, visitRecord } from '../helpers.ts';
import { builtProgram } from '../tools/build.ts';
import { must } from '../tools/conditions.ts';
import { writeOlder } from '../tools/older.ts';
import type { Fault } from './fault.ts';
import { runProgram } from './server-process.ts';
import { problemsOf } from './stored.ts';

interface LongCommand {
  name: string;
  /** Another one does nearly the same, so this one is left out where each is tried once. */
  isVariant?: boolean;
  /** `data` is a copy of its own, `out` an empty directory beside it. */
  args(data: string, out: string): string[];
  /** Makes the copy one that the command has work with. */
  prepare?(data: string): void;
  /** Throws where something half is left of what was stopped. */
  verify?(data: string, out: string): void;
}

/** What every try begins with. */
interface Stage {
  data: string;
  /** A log that is not imported yet. */
  log: string;
  /** Copies of it, for restore. */
  place: string;
}

const site = 'marigold.example';
const isEmpty = (dir: string): void => {
  const left = existsSync(dir) ? readdirSync(dir) : [];
  must(left.length === 0, `${left.join(', ')} was left.`);
};
/** The next start converts it. */
const isConverted = (data: string): void => {
  openDatabase(data).close();
};
const noDemo = (data: string): void => {
  if (!existsSync(join(data, 'daybook.db'))) return;
  const db = openDatabase(data);
  const rows = ['site', 'day_part', 'sealed_column', 'visit', 'hit', 'text'].map(table =>
    db.prepare(`select count(*) from ${table}`).pluck().get(),
  );
  db.close();
  must(
    rows.every(count => count === 0),
    'A part of the demo was left.',
  );
};

/** All of an import is there still, or nothing of it is seen, and the same command takes the rest. */
const isImportedOrGone = (data: string): void => {
  const isThere = /"finishedAt":\s*"/.test(ranOn(data, ['import', 'list', '--json']));
  must(isThere === hitLines(data, '/imported') > 0, 'Half of the import was left.');
  ranOn(data, ['import', 'undo', '1']);
  const db = openDatabase(data);
  const left = ['import', 'import_count', 'day_part where import_id > 0', 'crawl where status = 418'].map(
    table => db.prepare(`select count(*) from ${table}`).pluck().get() as number,
  );
  db.close();
  must(
    left.every(count => count === 0),
    `Of the import ${left.join(', ')} rows were left.`,
  );
};

/** How many visits there are of browsers that `erase` is to erase. */
const personLines = (data: string): number =>
  ranOn(data, ['person-data', site, '--where', 'browser=Firefox']).split('\n').length - 1;

/** Nothing of the import is seen, or all; and the same command brings all where it did not. */
const isImportedAtOnce = (data: string, log: string): void => {
  const count = (): number => hitLines(data, '/second/');
  const seen = count();
  must(seen === 0 || seen === secondHits, `${seen} of ${secondHits} hits are there.`);
  if (seen === 0) ranOn(data, ['import', log, '--site', site]);
  must(count() === secondHits, 'The second try did not do the rest.');
};

/** Exported hits with this in them: half of the lines of the logs are of crawlers. */
const hitLines = (data: string, text: string): number => {
  const lines = ranOn(data, ['export', '-', '--site', site]).split('\n');
  return lines.filter(line => line.includes(text) && !line.includes('"record"')).length;
};

/** What a command prints. */
const ranOn = (data: string, args: readonly string[]): string =>
  execFileSync(process.execPath, [builtProgram, ...args, '--data', data], {
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer: 2 ** 26,
  });

/** Days of a log, hits and crawls. */
const logOf = (days: number, lines: number, folder = 'imported'): string => {
  const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
  const person = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  return Array.from({ length: days * lines }, (_, i) => {
    const day = String(1 + Math.floor(i / lines)).padStart(2, '0');
    const [agent, status] = i % 2 === 0 ? [person, 200] : [bot, 418];
    return `203.0.113.${i % 250} - - [${day}/Jan/2024:10:00:00 +0000] "GET /${folder}/${i} HTTP/1.1" ${status} 1 "-" "${agent}"\n`;
  }).join('');
};

const [secondDays, secondLines] = [28, 150];
/** Those of people, half of the lines. */
const secondHits = (secondDays * secondLines) / 2;

/** Days that are over and not sealed. */
const leaveOpen = (data: string): void => {
  const db = openDatabase(data);
  const { id: siteId } = sites(db).list()[0]!;
  const today = utcDayOf(Date.now());
  for (let day = today - 40; day < today - 32; day++) {
    const entries = Array.from({ length: 1000 }, (_, i) => {
      const of = { siteId, day: day - 400 };
      const id = 1_000_000 + day * 1000 + i;
      return recordedEntry(hitRecord({ ...of, visitId: id, at: of.day * dayMs + i }), visitRecord({ ...of, id }));
    });
    recorder(db).write(entries);
  }
  db.close();
};

const longCommands = ({ data: before, log, place }: Stage): LongCommand[] => [
  {
    name: 'demo',
    prepare: data => rmSync(data, { recursive: true }),
    args: () => ['demo', '--days', '30', '--hits', '8000'],
    verify: noDemo,
  },
  { name: 'export', args: (_, out) => ['export', join(out, 'a'), '--site', site], verify: (_, out) => isEmpty(out) },
  {
    ...{ name: 'export as Parquet', isVariant: true },
    args: (_, out) => ['export', join(out, 'a'), '--site', site, '--format', 'parquet'],
    verify: (_, out) => isEmpty(out),
  },
  {
    ...{ name: 'export for Umami', isVariant: true },
    args: (_, out) => ['export', join(out, 'a'), '--site', site, '--format', 'umami'],
    verify: (_, out) => isEmpty(out),
  },
  { name: 'import', args: () => ['import', log, '--site', site], verify: data => isImportedAtOnce(data, log) },
  {
    ...{ name: 'import --dry-run', isVariant: true },
    args: () => ['import', log, '--site', site, '--dry-run'],
    verify: data => isImportedAtOnce(data, log),
  },
  {
    name: 'erase',
    args: () => ['erase', site, '--where', 'browser=Firefox'],
    verify(data) {
      const left = personLines(data);
      must(left === 0 || left === personLines(before), `${left} visits are left.`);
    },
  },
  {
    ...{ name: 'person-data', isVariant: true },
    args: () => ['person-data', site, '--where', 'path^=/'],
  },
  { name: 'prune --older-than', args: () => ['prune', '--older-than', '2'] },
  { name: 'prune --where', args: () => ['prune', '--site', site, '--where', 'path^=/'] },
  { name: 'site reset', isVariant: true, args: () => ['site', 'reset', site, '--yes'] },
  { name: 'doctor', isVariant: true, args: () => ['doctor'] },
  { name: 'site remove', args: () => ['site', 'remove', site, '--yes'] },
  { name: 'import undo', args: () => ['import', 'undo', '1'], verify: isImportedOrGone },
  { name: 'seal', prepare: leaveOpen, args: () => ['seal'] },
  { name: 'repack', prepare: writeOlder, args: () => ['repack'] },
  { name: 'backup', args: (_, out) => ['backup', join(out, 'a.db')], verify: (_, out) => isEmpty(out) },
  {
    name: 'restore',
    args: (_, out) => ['restore', '--from', place, '--data', join(out, 'new', 'data')],
    verify: (_, out) => isEmpty(out),
  },
  { name: 'check', args: () => ['check'] },
  { name: 'upgrade', prepare: writeOlder, args: () => ['upgrade'], verify: isConverted },
  {
    ...{ name: 'upgrade --check', isVariant: true },
    prepare: writeOlder,
    args: () => ['upgrade', '--check'],
    verify: isConverted,
  },
];

/** Files that only work in progress has. */
const unfinished = /\.partial|^scratch-|^upgrade-|^backup-check/;

const setStage = async (dir: string): Promise<Stage> => {
  const [data, place] = [join(dir, 'data'), join(dir, 'place')];
  const { code, said } = await runProgram(builtProgram, ['demo', '--days', '30', '--hits', '8000', '--data', data]);
  must(code === 0, said);
  const log = join(dir, 'b.log');
  writeFileSync(join(dir, 'a.log'), logOf(28, 150));
  writeFileSync(log, logOf(secondDays, secondLines, 'second'));
  ranOn(data, ['import', join(dir, 'a.log'), '--site', site]);
  const copier = createCopier({
    ...{ dataDir: data, place: openPlace({ to: place, key: null, access: null }), sealed: objects(null) },
    ...{ keep: { minutes: 60, hours: 1, days: 1, months: 1 }, changed: makeChangedPages(), version: '1' },
    owner: { id: 'one', process: 'aa', host: 'here' },
  });
  await copier.round(Date.now());
  copier.close();
  return { data, log, place };
};

/** Of work that takes long, lines that say how far it is come first. */
const oneSentence = /^(?:[\d,.]+ .*\n)*daybook: Interrupted[.:] .*\n$/;
/** About as long as these commands take; where each is tried more than once, it is measured. */
const usualMs = 800;

interface Ended {
  code: number | null;
  /** What ended it, where it did not end by itself. */
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  ms: number;
}

/** Node hears no signal any more while it ends: then the command has said what it did. */
const isDone = ({ code, signal, stdout }: Ended): boolean => code === 0 || (signal !== null && stdout !== '');

/** Runs the program and stops it after a time; null lets it go on to its end. */
const runAndStop = async (args: readonly string[], dataDir: string, afterMs: number | null): Promise<Ended> => {
  const began = performance.now();
  const child = spawn(process.execPath, [builtProgram, ...args], {
    env: { ...process.env, DAYBOOK_DATA: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', text => (stdout += text));
  child.stderr.on('data', text => (stderr += text));
  const closed = once(child, 'close');
  if (afterMs !== null) {
    await Promise.race([wait(afterMs), closed]);
    child.kill('SIGINT');
  }
  const [code, signal] = await closed;
  return { code, signal, stdout, stderr, ms: performance.now() - began };
};

export interface InterruptReport {
  /** By command, how many of the tries were stopped before they were done. */
  stopped: Map<string, number>;
  tries: number;
}

/** Throws where a command that is stopped says anything but one sentence, ends otherwise, or leaves something half. */
export const interruptRounds = async (dir: string, tries: number, random: () => number): Promise<InterruptReport> => {
  const stage = await setStage(dir);
  const stopped = new Map<string, number>();
  const tried = longCommands(stage).filter(({ isVariant = false }) => tries > 1 || !isVariant);
  for (const command of tried) {
    const run = async (afterMs: number | null): Promise<Ended> => {
      const [data, out] = [join(dir, 'try', 'data'), join(dir, 'try', 'out')];
      rmSync(join(dir, 'try'), { recursive: true, force: true });
      cpSync(stage.data, data, { recursive: true });
      mkdirSync(out);
      command.prepare?.(data);
      const ended = await runAndStop(command.args(data, out), data, afterMs);
      const { code, signal, stderr } = ended;
      if (isDone(ended)) return ended;
      const told = `${command.name}, stopped after ${afterMs} ms, code ${code ?? signal}: ${stderr}`;
      // Before the program can hear a signal it ends by it, and has done nothing.
      const isUnheard = code === null && stderr === '';
      must(isUnheard || (code === 130 && oneSentence.test(stderr)), told);
      const left = existsSync(data) ? readdirSync(data).filter(name => unfinished.test(name)) : [];
      must(left.length === 0, `${told} left ${left.join(', ')}`);
      command.verify?.(data, out);
      if (existsSync(join(data, 'daybook.db'))) must(problemsOf(data).length === 0, `${told} damaged the database`);
      return ended;
    };
    const whole = tries > 1 ? await run(null) : { code: 0, signal: null, stdout: '', stderr: '', ms: usualMs };
    must(whole.code === 0, `${command.name}: ${whole.stderr}`);
    for (let i = 0; i < tries; i++) {
      const ended = await run(100 + random() * whole.ms);
      if (!isDone(ended)) stopped.set(command.name, (stopped.get(command.name) ?? 0) + 1);
    }
  }
  return { stopped, tries };
};

/** Each command is tried so often. */
const triesMax = 15;

export const interruptFault: Fault = {
  name: 'Ctrl-C or SIGTERM in a long command',
  outcome:
    'It ends with code 130 and one sentence. The database is sound, and nothing half is left: a file is whole or not there, and what changes days goes on when the command is run again.',
  async run(dir, rounds) {
    await interruptRounds(dir, Math.min(rounds, triesMax), Math.random);
  },
};
