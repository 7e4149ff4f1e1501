/**
 * Sends lines through the collector's own pipeline, day by day:
 *
 *     lines -> time and day -> sorted by time -> pipeline -> one transaction a day, which seals it too if it is over
 *
 * So every day is there whole or not at all, however the import ends, and a line of a day that is already there is counted and not
 * merged. Today stays open, and takes what comes.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Pipeline } from '../../collect/pipeline.ts';
import type { Outcome } from '../../model/outcomes.ts';
import type { Site } from '../../model/site.ts';
import { utcDayName, utcDayOf } from '../../model/time.ts';
import type { SiteDay } from '../../store/day/open/open-days.ts';
import type { WholeDays } from '../../store/day/whole-days.ts';
import type { LineSorter } from '../../store/write/line-sorter.ts';
import type { Entry, Recorder } from '../../store/write/recorder.ts';
import type { Format } from './formats.ts';

export interface ImportReport {
  /** Lines read; the outcomes add up to it. */
  lines: number;
  outcomes: Partial<Record<Outcome, number>>;
  /** Days that lines were written of, `2026-11-20`. */
  days: string[];
}

export interface ImporterOptions {
  site: Site;
  format: Format;
  pipeline: Pipeline;
  recorder: Recorder;
  sorter: LineSorter;
  days: WholeDays;
  /** The day that has rows already, which the lines of that day continue; null when there is none. */
  begun: number | null;
  /** UTC milliseconds. */
  now: () => number;
  /** Throws when the import is to stop. Called some hundred times a second. */
  check: (report: ImportReport) => void;
}

export interface Importer {
  take(lines: readonly string[]): Promise<void>;
  /** Writes what is still to be written, after the last line. */
  finish(): Promise<void>;
  report: ImportReport;
  /** The day whose lines are being gathered, of which nothing is written yet; null before the first. */
  gathering(): string | null;
}

/** Entries written at once. In between, signals are heard and progress is shown. */
const batchEntries = 1000;

export const createImporter = (options: ImporterOptions): Importer => {
  const { site, format, pipeline, recorder, sorter, days, begun, now, check } = options;
  const report: ImportReport = { lines: 0, outcomes: {}, days: [] };
  const sealed = days.sealed(site.id);
  let day: number | null = null;
  /** Of lines that are not written but counted: those of no time, and of closed days. */
  let refused: Entry[] = [];

  const count = (entries: readonly Entry[]): void => {
    for (const { outcome } of entries) report.outcomes[outcome] = (report.outcomes[outcome] ?? 0) + 1;
  };

  const writeRefused = (): void => {
    recorder.write(refused);
    count(refused);
    refused = [];
  };

  /** Why a line of this time can't be written; undefined when it can. */
  const refusal = (at: number): Outcome | undefined => {
    if (at > now()) return 'import-future';
    const its = utcDayOf(at);
    if (sealed.has(its)) return 'import-day-sealed';
    return day !== null && its < day ? 'import-day-passed' : undefined;
  };

  const refuse = (outcome: Outcome, at: number): void => {
    refused.push({ siteId: site.id, at, outcome });
    if (refused.length === batchEntries) writeRefused();
  };

  const writeDay = async (siteDay: SiteDay): Promise<void> => {
    await days.write(async () => {
      for (const batch of inBatches(sorter.drain())) {
        const entries = batch.map(line => format.entryOf(line, site, pipeline));
        recorder.write(entries);
        count(entries);
        check(report);
        await turn();
      }
      if (siteDay.day === begun) days.rejoin(siteDay);
      if (siteDay.day < utcDayOf(now())) days.seal(siteDay, now());
    });
    days.checkpoint();
    report.days.push(utcDayName(siteDay.day));
  };

  const finish = async (): Promise<void> => {
    if (day !== null) await writeDay({ siteId: site.id, day });
    writeRefused();
  };

  return {
    async take(lines) {
      for (const line of lines) {
        report.lines++;
        const at = format.timeOf(line);
        const outcome = at === null ? 'import-malformed' : refusal(at);
        if (outcome !== undefined) {
          refuse(outcome, at ?? now());
          continue;
        }
        if (utcDayOf(at!) !== day) {
          await finish();
          day = utcDayOf(at!);
        }
        sorter.add(at!, line);
      }
      check(report);
    },
    finish,
    report,
    gathering: () => (day === null ? null : utcDayName(day)),
  };
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
