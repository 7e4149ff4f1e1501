/**
 * Sends lines through the collector's own pipeline, day by day:
 *
 *     lines -> time and day -> sorted by time -> pipeline -> one transaction a day, which seals it
 *
 * So a day is there whole or not at all, however the import ends. A line of a day that is sealed
 * already is counted and left out. Today stays open and takes what comes.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Pipeline } from '../../collect/pipeline.ts';
import type { Outcome } from '../../model/outcomes.ts';
import type { Site } from '../../model/site.ts';
import { utcDayName, utcDayOf } from '../../model/time.ts';
import type { Database } from '../../store/database.ts';
import type { WholeDays } from '../../store/day/whole-days.ts';
import { type LineSorter, lineSorter } from '../../store/write/line-sorter.ts';
import type { Entry, Recorder } from '../../store/write/recorder.ts';
import { type Format, type FormatName, formatOfLine, makeFormat } from './formats.ts';

export interface ImportReport {
  /** Lines read; the outcomes add up to it. */
  lines: number;
  outcomes: Partial<Record<Outcome, number>>;
  /** Days that lines were written of, `2026-11-20`. */
  days: string[];
}

export interface ImportOptions {
  site: Site;
  /** By default what the first line looks like. */
  format: FormatName | undefined;
  pipeline: Pipeline;
  /** What the recorder and the days write to. */
  db: Database;
  recorder: Recorder;
  days: WholeDays;
  /** A day that has rows already, to which the import adds; null when there is none. */
  begun: number | null;
  /** UTC milliseconds. */
  now: () => number;
  /** Says at any time what is done so far. */
  report: ImportReport;
  /** Throws to stop the import. Called some hundred times a second, with the day being gathered. */
  check: (gathering: string | null) => void;
}

/** Entries written at once. In between, signals are heard and progress is shown. */
const batchEntries = 1000;

/** Resolves when all lines are written or counted. */
export const importAll = async (source: AsyncIterable<string[]>, options: ImportOptions): Promise<void> => {
  const { site, days, begun, now, report, check } = options;
  const sealed = days.sealed(site.id);
  const sorter = lineSorter(options.db);
  let format = options.format === undefined ? undefined : makeFormat(options.format);
  let day: number | null = null;
  /** Lines to count alone: those of no time, and of closed days. */
  const refused: Entry[] = [];

  const refusal = (at: number | null): Outcome | undefined => {
    if (at === null) return 'import-malformed';
    if (at > now()) return 'import-future';
    if (sealed.has(utcDayOf(at))) return 'import-day-sealed';
    return day !== null && utcDayOf(at) < day ? 'import-day-passed' : undefined;
  };
  const finish = async (): Promise<void> => {
    if (day !== null) await writeDay(day, sorter, format!, options);
    write(refused.splice(0), options);
  };

  try {
    for await (const lines of source) {
      format ??= makeFormat(formatOfLine(lines[0]!));
      for (const line of lines) {
        report.lines++;
        const at = format.timeOf(line);
        const outcome = refusal(at);
        if (outcome !== undefined) {
          refused.push({ siteId: site.id, at: at ?? now(), outcome });
          if (refused.length === batchEntries) write(refused.splice(0), options);
          continue;
        }
        if (utcDayOf(at!) !== day) {
          await finish();
          day = utcDayOf(at!);
        }
        sorter.add(at!, line);
      }
      check(day === null ? null : utcDayName(day));
    }
    await finish();
  } finally {
    sorter.close();
    // Earlier days may be written even if a later one fails.
    if (begun !== null) days.markReturning({ siteId: site.id, day: begun });
  }
};

const write = (entries: readonly Entry[], { recorder, report }: ImportOptions): void => {
  recorder.write(entries);
  for (const { outcome } of entries) report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + 1;
};

const writeDay = async (day: number, sorter: LineSorter, format: Format, options: ImportOptions): Promise<void> => {
  const { site, pipeline, days, begun, now, report, check } = options;
  const siteDay = { siteId: site.id, day };
  await days.write(async () => {
    for (const batch of inBatches(sorter.drain())) {
      const entries = batch.map(line => format.entryOf(line, site, pipeline));
      write(entries, options);
      check(utcDayName(day));
      await turn();
    }
    if (day === begun) days.rejoin(siteDay);
    if (day < utcDayOf(now())) days.seal(siteDay, now());
  });
  days.checkpoint();
  report.days.push(utcDayName(day));
};

function* inBatches(lines: Iterable<string>): Generator<string[]> {
  let batch: string[] = [];
  for (const line of lines) {
    batch.push(line);
    if (batch.length < batchEntries) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
