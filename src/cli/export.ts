/** `daybook export`: all hits of a site, for other programs and for another Daybook. */
import { once } from 'node:events';
import { closeSync, constants, createWriteStream, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Taker } from '../cluster/export-site.ts';
import { readSetting } from '../config.ts';
import { type ExportWriter, exportFormatNames, exportFormats } from '../export/formats.ts';
import { visitsOf } from '../export/stored-hits.ts';
import type { ExportedVisit } from '../model/exported-visit.ts';
import type { PastRecord } from '../model/past-hit.ts';
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { dayMs, utcDayOf } from '../model/time.ts';
import { type VitalValues, vitalNames } from '../model/vitals.ts';
import { ruledDays } from '../query/removal-rules/ruled-days.ts';
import { clusterStore } from '../store/cluster.ts';
import { type Database, openReader } from '../store/database.ts';
import type { Day } from '../store/day/day.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { byDay, unitedDays } from '../store/day/united-days.ts';
import { nodes } from '../store/nodes.ts';
import { countTableNames, recordReader } from '../store/read/record-rows.ts';
import { CommandError, type Context, command, type Opened, UsageError } from './command.ts';
import { accountFlag, settingFlag, switchFlag, textFlag } from './flags.ts';
import { counted } from './format.ts';
import { eachUnlessAsked, stopIfAsked, unlessAsked, withProgress } from './long-work.ts';
import { siteWithHits } from './lookup.ts';
import { cannotWrite, pieceWriter } from './piece-writer.ts';
import { dayOf, oneOf } from './typed.ts';

const farAhead = Date.UTC(9999, 0, 1);

const notFormat = (typed: string): string => `--format is "${typed}": it must be ${exportFormatNames.join(', ')}.`;

/** UTC milliseconds of the beginning of a day. */
const dayStart = (flag: string) => (typed: string) => Date.parse(dayOf(flag)(typed));

export const exportHits = command({
  name: 'export',
  operands: { FILE: String },
  flags: {
    site: { kind: 'text', value: 'DOMAIN', required: true, meaning: 'The site whose hits are exported' },
    format: textFlag(
      'FORMAT',
      `${exportFormatNames.join(', ')} (default: ndjson)`,
      oneOf(exportFormatNames, notFormat),
    ),
    from: textFlag('DATE', 'First day, in UTC', dayStart('--from')),
    to: textFlag('DATE', 'Last day, in UTC', dayStart('--to')),
    clickhouse: settingFlag('clickhouse'),
    of: textFlag(
      'WHOM',
      'On the primary of a cluster: only what collectors took, or what the primary did',
      oneOf<Taker>(['collectors', 'primary'], typed => `--of is "${typed}": it must be collectors or primary.`),
    ),
    force: switchFlag('Replace the file if it exists'),
    ...accountFlag,
  },
  summary: 'Write all hits of a site to a file, or - for stdout',
  details: `ndjson is what daybook import reads, and answers every question alike where it is imported. parquet has a row for each hit, for DuckDB
and its like. umami is Umami's table website_event as CSV; it has no place for properties, traits, amounts and times on pages.
Web vitals, crawls and outcomes are in ndjson alone. Days come in order, each as it is when it is read. The file gets its name
when it is whole. It may run beside a server. On the primary of a cluster hits come from ClickHouse.`,
  database: 'find',
  run: async (context, { operands: { FILE }, flags }) => {
    const db = openReader(context.dataDir);
    try {
      const site = siteWithHits(db, flags.site, flags.account);
      const asked = { site, from: flags.from ?? 0, to: (flags.to ?? farAhead) + dayMs };
      const meaning = FILE === '-' ? 'what was written is not whole.' : 'no file was written.';
      const source = await sourceOf(context, db, asked, { ...flags, meaning });
      const format = await exportFormats[flags.format ?? 'ndjson'](site);
      if (FILE === '-') {
        await writeHits(context, source, format, context.stdout as Writable, meaning);
        return undefined;
      }
      const letGo = await readerOf(context, FILE, meaning);
      const hits = await toFile(FILE, flags.force, file => writeHits(context, source, format, file, meaning));
      letGo();
      const text = `Wrote ${counted(hits, 'hit')} of ${site.domain} to ${FILE}.`;
      return { json: { site: site.domain, file: FILE, hits }, text };
    } finally {
      db.close();
    }
  },
});

/** UTC milliseconds, the last not included. */
interface ExportedSpan {
  site: Site;
  from: number;
  to: number;
}

/** What there is of a site. All of it may reject with CommandError. */
interface ExportSource {
  days: (() => Iterable<ExportedVisit> | AsyncIterable<ExportedVisit>)[];
  records(): Iterable<PastRecord> | AsyncIterable<PastRecord>;
}

const sourceOf = (
  context: Opened<undefined>,
  db: Database,
  asked: ExportedSpan,
  { clickhouse, of, meaning }: { clickhouse: string | undefined; of: Taker | undefined; meaning: string },
): ExportSource | Promise<ExportSource> => {
  const shards = readSetting('clickhouse', context.env, { clickhouse });
  // Without collectors all is here.
  if (shards !== null && (of !== undefined || nodes(db).any()))
    return clusterSource(context, db, shards, { ...asked, of, meaning });
  if (of === undefined) return localSource(db, asked, context.now());
  throw new UsageError('--of is for the primary of a cluster: name ClickHouse with --clickhouse.');
};

const localSource = (db: Database, { site, from, to }: ExportedSpan, now: number): ExportSource => {
  const reader = dayReader(db, 0);
  return {
    days: daysOf(db, site.id, from, to).map(
      parts =>
        function* () {
          for (const day of parts()) yield* visitsOf(day, reader.texts);
        },
    ),
    *records() {
      const recorded = recordReader(db, 0);
      const first = recorded.firstAt();
      if (first === null) return;
      for (let day = utcDayOf(Math.max(first, from)); day * dayMs < Math.min(to, now + dayMs); day++) {
        const span = { from: day * dayMs, to: (day + 1) * dayMs, siteId: site.id };
        for (const { at, path, device, values } of recorded.vitals(span)) {
          const told = Object.fromEntries(vitalNames.map((name, i) => [name, values[i]])) as VitalValues;
          yield { record: 'vital', at, path, device, ...told };
        }
        for (const record of countTableNames)
          for (const { at, name, text, status, count } of recorded.counts(record, span))
            yield { record, at, name, text, status, count };
      }
    },
  };
};

const clusterSource = async (
  context: Opened<undefined>,
  db: Database,
  shards: Shards,
  { site, meaning, ...asked }: ExportedSpan & { of: Taker | undefined; meaning: string },
): Promise<ExportSource> => {
  const { exportedDays, exportedRecords, exportedVisits } = await import('../cluster/export-site.ts');
  const all = { db, shards, cluster: clusterStore(db).id(), siteId: site.id, ...asked };
  const failed = (error: unknown): never => {
    throw error instanceof CommandError ? error : new CommandError(`ClickHouse: ${(error as Error).message}`);
  };
  async function* heard<T>(found: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* eachUnlessAsked(context, found, meaning);
    } catch (error) {
      failed(error);
    }
  }
  const days = await unlessAsked(context, exportedDays(all), meaning).catch(failed);
  return {
    days: days.map(day => () => heard(exportedVisits(all, day))),
    records: () => heard(exportedRecords(all)),
  };
};

/** Visits, or other records, between two looks at the signals. */
const visitsPerTurn = 1000;

/** Gives the number of hits. `meaning` is what it means to stop. */
const writeHits = (
  context: Opened<undefined>,
  { days, records }: ExportSource,
  format: ExportWriter,
  stream: Writable,
  meaning: string,
): Promise<number> =>
  withProgress(context, meaning, async step => {
    const write = pieceWriter(context, stream, meaning);
    let [hits, visits, others] = [0, 0, 0];
    await write(format.begin ?? '');
    for (const [i, visitsOfDay] of days.entries()) {
      for await (const visit of visitsOfDay()) {
        hits += visit.hits.length;
        await write(format.visit(visit) ?? '');
        if (++visits % visitsPerTurn !== 0) continue;
        await turn();
        step({ unit: 'hit', verb: 'written', count: hits, part: i / days.length });
      }
      await turn();
      step();
    }
    for await (const record of format.record === undefined ? [] : records()) {
      await write(format.record!(record));
      if (++others % visitsPerTurn !== 0) continue;
      await turn();
      step();
    }
    await write(format.end?.() ?? '', true);
    return hits;
  });

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
