/** `daybook export`: all hits of a site, for other programs and for another Daybook. */
import { once } from 'node:events';
import { closeSync, constants, createWriteStream, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { type ExportFormat, type ExportWriter, exportFormatNames, exportFormats } from '../export/formats.ts';
import { visitsOf } from '../export/stored-hits.ts';
import { dayExists } from '../model/calendar.ts';
import type { Site } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import { ruledDays } from '../query/rules/ruled-days.ts';
import { type Database, openReader } from '../store/database.ts';
import type { Day } from '../store/day/day.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { byDay, unitedDays } from '../store/day/united-days.ts';
import { accountFlag, CommandError, type Context, command, type Opened, UsageError } from './command.ts';
import { counted } from './format.ts';
import { progressOf, stopIfAsked } from './long-work.ts';
import { siteWithHits } from './lookup.ts';
import { cannotWrite, pieceWriter } from './piece-writer.ts';

const farAhead = Date.UTC(9999, 0, 1);
export const exportHits = command({
  name: 'export',
  operands: { FILE: String },
  flags: {
    site: { kind: 'text', value: 'DOMAIN', required: true, meaning: 'The site whose hits are exported' },
    format: {
      kind: 'text',
      value: 'FORMAT',
      meaning: `${exportFormatNames.join(', ')} (default: ndjson)`,
      read: (typed: string) => formatNamed(typed),
    },
    from: {
      kind: 'text',
      value: 'DATE',
      meaning: 'First day, in UTC',
      read: (typed: string) => dayNamed('--from', typed),
    },
    to: { kind: 'text', value: 'DATE', meaning: 'Last day, in UTC', read: (typed: string) => dayNamed('--to', typed) },
    force: { kind: 'switch', meaning: 'Replace the file if it exists' },
    ...accountFlag,
  },
  summary: 'Write all hits of a site to a file, or - for stdout',
  details: `ndjson is what daybook import reads, and answers every question alike where it is imported. parquet has a row for each hit, for DuckDB
and its like. umami is Umami's table website_event as CSV; it has no place for properties, traits, amounts and times on pages.
Days come in order, each as it is when it is read. The file gets its name when it is whole. It may run beside a server.`,
  database: 'find',
  run: async (context, { operands: { FILE }, flags }) => {
    const db = openReader(context.dataDir);
    try {
      const site = siteWithHits(db, flags.site, flags.account);
      const asked = { site, from: flags.from ?? 0, to: (flags.to ?? farAhead) + dayMs };
      const format = await exportFormats[flags.format ?? 'ndjson'](site.uuid);
      if (FILE === '-') {
        await writeHits(context, db, format, asked, context.stdout as Writable, 'what was written is not whole.');
        return undefined;
      }
      const meaning = 'no file was written.';
      const letGo = await readerOf(context, FILE, meaning);
      const hits = await toFile(FILE, flags.force, file => writeHits(context, db, format, asked, file, meaning));
      letGo();
      const text = `Wrote ${counted(hits, 'hit')} of ${site.domain} to ${FILE}.`;
      return { json: { site: site.domain, file: FILE, hits }, text };
    } finally {
      db.close();
    }
  },
});

/** UTC milliseconds, the last not included. */
interface ExportFlags {
  site: Site;
  from: number;
  to: number;
}

/** Visits between two looks at the signals. */
const visitsPerTurn = 1000;

/** Gives the number of hits. `meaning` is what it means to stop. */
const writeHits = async (
  context: Opened<'find'>,
  db: Database,
  format: ExportWriter,
  { site, from, to }: ExportFlags,
  stream: Writable,
  meaning: string,
): Promise<number> => {
  const progress = progressOf(context);
  const write = pieceWriter(context, stream, meaning);
  const [reader, days] = [dayReader(db, 0), daysOf(db, site.id, from, to)];
  let [hits, visits] = [0, 0];
  try {
    await write(format.begin ?? '');
    for (const [i, parts] of days.entries()) {
      for (const day of parts()) {
        for (const visit of visitsOf(day, reader.texts)) {
          hits += visit.hits.length;
          await write(format.visit(visit) ?? '');
          if (++visits % visitsPerTurn !== 0) continue;
          progress.show({ unit: 'hit', verb: 'written', count: hits, part: i / days.length });
          await turn();
          stopIfAsked(context, meaning);
        }
      }
      await turn();
      stopIfAsked(context, meaning);
    }
    await write(format.end?.() ?? '', true);
    return hits;
  } finally {
    progress.end();
  }
};

/** Gives the parts of each day as they came; as they are read where rules leave hits out. */
const daysOf = (db: Database, siteId: number, from: number, to: number): (() => Generator<Day>)[] => {
  const reader = dayReader(db, 0);
  const ruled = ruledDays(db, unitedDays(reader));
  return byDay(reader.outline(siteId, from, to)).map(
    parts =>
      function* () {
        const { day } = parts[0]!;
        const isWhole = ruled.rulesOf(siteId, day) === '';
        const left = isWhole ? parts : ruled.outline(siteId, day * dayMs, (day + 1) * dayMs);
        for (const part of left) yield* (isWhole ? reader : ruled).day(siteId, part);
      },
  );
};

/** How often a named pipe is looked at. */
const pipePauseMs = 100;

/**
 * Waits until somebody reads a named pipe; opening one before would keep even the end of the
 * process waiting. Gives what lets go of it once it was written.
 */
const readerOf = async (context: Context, path: string, meaning: string): Promise<() => void> => {
  if (!statSync(path, { throwIfNoEntry: false })?.isFIFO()) return () => {};
  while (true) {
    try {
      const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return () => closeSync(descriptor);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') return cannotWrite(error as Error);
    }
    await wait(pipePauseMs);
    stopIfAsked(context, meaning);
  }
};

/** Writes a file that gets its name when it is whole; a pipe or the like is written to as it is. */
const toFile = async <T>(path: string, replace: boolean, work: (file: Writable) => Promise<T>): Promise<T> => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && !replace) throw new CommandError(`${path} is there already: --force replaces it.`);
  const isWhole = found === undefined || found.isFile();
  const whole = found === undefined ? path : realpathSync(path);
  const name = isWhole ? `${whole}.partial` : path;
  // Its owner alone may read it.
  const file = createWriteStream(name, { mode: 0o600 });
  let isDone = false;
  try {
    await once(file, 'open').catch(cannotWrite);
    const result = await work(file);
    file.end();
    await finished(file).catch(cannotWrite);
    if (isWhole) renameSync(name, whole);
    isDone = true;
    return result;
  } finally {
    file.destroy();
    if (isWhole && !isDone) rmSync(name, { force: true });
  }
};

const formatNamed = (typed: string): ExportFormat => {
  const found = exportFormatNames.find(name => name === typed);
  if (found === undefined) throw new UsageError(`--format is "${typed}": it must be ${exportFormatNames.join(', ')}.`);
  return found;
};

/** UTC milliseconds of the beginning of a day. */
const dayNamed = (flag: string, typed: string): number => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(typed) ?? [];
  if (!dayExists(Number(year), Number(month), Number(day)))
    throw new UsageError(`${flag} is "${typed}": it must be a day like 2026-10-01.`);
  return Date.parse(typed);
};
