/**
 * Imports files into a site:
 *
 *     files -> tables -> lines read -> hits gathered by day -> days written -> all there at once
 *
 * Nothing changes before all is read, so a wrong file leaves the site as it was. The same content
 * is imported once; what was interrupted goes on with the next try.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { dailySalts } from '../collect/visitor.ts';
import type { Format, HitFormat, RowFormat } from '../compat/import-format.ts';
import type { Outcome } from '../model/outcomes.ts';
import { utcDayName, utcDayOf } from '../model/time.ts';
import { type ImportTotals, imports } from '../store/imports/imports.ts';
import { type KnownRows, takeOutKnown } from '../store/imports/known-rows.ts';
import { gatherHits, type HitGatherer } from '../store/imports/read-hits.ts';
import { countImport, writeImport } from '../store/imports/write-import.ts';
import { salts } from '../store/salts.ts';
import { answersIn } from './api-answers.ts';
import { batchesOf, chunkReaders } from './batches.ts';
import { classify, noFormat } from './classify.ts';
import { beginImport, contentOf } from './content.ts';
import { distinctCounter } from './distinct.ts';
import { type ImportOptions, type ImportReport, KnownRowsProblem, type KnownView } from './import-report.ts';
import { importSums } from './import-sums.ts';
import type { Inputs } from './inputs.ts';
import type { LineReader } from './line-reader.ts';
import type { PastSalts } from './past-pipeline.ts';
import { ImportProblem, problemAt } from './problem.ts';
import { readSides, type SideTable } from './side-tables.ts';
import { type FileTable, tableOf } from './tables.ts';

export const importFiles = async (options: ImportOptions): Promise<ImportReport> => {
  const { db, inputs, dryRun } = options;
  if (inputs.isKnown && !dryRun) refuseKnown(options);
  const tables = await tablesOf(inputs);
  const { format, main, sides, ignored } = classify(tables, options.format);
  if (format.kind === 'sums') return { ...(await importSums(options, format, main, sides)), ignored };
  const gathered = gatherHits(db);
  try {
    const read = await readAll(options, format, main, sides, gathered);
    if (!dryRun) refuseKnown(options);
    const known = options.known === 'import' ? [] : await leftOut(options, format, gathered, read);
    if (known.length > 0 && !dryRun && options.known === undefined) throw new KnownRowsProblem(known.map(knownView));
    const found = known.length === 0 ? read : withoutKnown(read, known, gathered);
    const report = {
      ...{ id: null, format: format.name, ...found, ignored, known: known.map(knownView) },
      difference: differenceOf(format, found.source),
    };
    const isNothing = found.lines === 0 || (known.length > 0 && isEmpty(gathered));
    if (dryRun || isNothing) return { ...report, ...(await counted(gathered, options, found.lines)) };
    return { ...report, ...(await write(options, format, gathered, found)) };
  } finally {
    gathered.close();
  }
};

/** What all tables tell of themselves is held in memory: a header has some hundred bytes. */
const firstCharsMax = 16 * 1024 * 1024;

const tablesOf = async (inputs: Inputs): Promise<FileTable[]> => {
  const tables: FileTable[] = [];
  let chars = 0;
  for (const file of inputs.all)
    for (const input of await answersIn(file)) {
      const table = await tableOf(input);
      chars += table.first.length;
      if (chars > firstCharsMax)
        throw problemAt({ file: table.name, line: 1 }, 'the first lines of all files are too long');
      tables.push(table);
    }
  return tables;
};

const refuseKnown = (options: ImportOptions): void => {
  const { db, site, inputs } = options;
  const known = imports(db).ofContent(site.id, contentOf(options));
  if (known?.finishedAt != null)
    throw new ImportProblem(
      `${inputs.source} is imported already: it is import ${known.id} of ${utcDayName(Math.floor(known.createdAt / 86_400_000))}.`,
    );
};

const leftOut = async (
  { db, site, now, check, inputs }: ImportOptions,
  { name }: HitFormat,
  gathered: HitGatherer,
  { lines }: GatheredFacts,
): Promise<KnownRows[]> => {
  const steps = takeOutKnown(db, gathered, { siteId: site.id, format: name, now: now() });
  while (true) {
    const step = steps.next();
    if (step.done) return step.value;
    check({ lines, part: inputs.part(), days: null });
    await turn();
  }
};

const withoutKnown = (found: GatheredFacts, known: readonly KnownRows[], gathered: HitGatherer): GatheredFacts => {
  const outcomes = { ...found.outcomes };
  const rows = known.reduce((sum, of) => sum + of.rows, 0);
  for (const of of known)
    for (const [outcome, gone] of Object.entries(of.outcomes) as [Outcome, number][]) {
      const left = (outcomes[outcome] ?? 0) - gone;
      if (left > 0) outcomes[outcome] = left;
      else delete outcomes[outcome];
    }
  return { ...found, outcomes: { ...outcomes, 'import-known': rows }, ...gathered.spool.times() };
};

const isEmpty = (gathered: HitGatherer): boolean => gathered.spool.days().length === 0 && !gathered.hasRecords();

const knownView = ({ importId, rows, firstAt, lastAt }: KnownRows): KnownView => {
  const [first, last] = [firstAt, lastAt].map(at => utcDayName(utcDayOf(at))) as [string, string];
  return { import: importId, rows, first, last };
};

interface GatheredFacts {
  lines: number;
  outcomes: Partial<Record<Outcome, number>>;
  firstAt: number;
  lastAt: number;
  source: ImportTotals;
}

/** A try stores no salt: nobody may come to replace it. */
const pastSaltsOf = ({ db, random, now, dryRun }: ImportOptions): PastSalts => {
  const store = salts(db);
  const day = utcDayOf(now());
  const today = dailySalts(dryRun ? { ...store, replace: () => {} } : store, random)(day);
  return { today: { day, salt: today }, secret: Buffer.from(random(32)).toString('hex') };
};

const readAll = async (
  options: ImportOptions,
  format: HitFormat,
  main: readonly FileTable[],
  sideTables: readonly SideTable[],
  gathered: HitGatherer,
): Promise<GatheredFacts> => {
  const { db } = options;
  const sides = await readSides(db, sideTables);
  const pastSalts = pastSaltsOf(options);
  const sum = summing();
  const readers = chunkReaders(format, pastSalts, sideTables.length > 0 ? sides : null, options);
  try {
    for (const table of main)
      for await (const batch of batchesOf(table, format, readers)) {
        gathered.add(batch);
        sum.add(batch);
        options.check({ lines: sum.lines(), part: options.inputs.part(), days: null });
        await turn();
      }
  } finally {
    await readers.close();
    sides.close();
  }
  const found = sum.found();
  const [first] = main;
  if (first !== undefined && found.lines > 0 && found.outcomes['import-malformed'] === found.lines)
    throw options.format === undefined
      ? noFormat(first)
      : problemAt({ file: first.name, line: 1 }, `no line of it is one of ${format.title}`);
  if (first !== undefined && found.lines > 0 && found.outcomes['unknown-site'] === found.lines)
    throw problemAt(
      { file: first.name, column: (format as RowFormat).siteColumn?.name },
      `no row is of ${options.site.domain}: daybook site set ${options.site.domain} --alias … gives it the name that it has there`,
    );
  return found;
};

/** Adds up what batches say. */
const summing = () => {
  const outcomes: Partial<Record<Outcome, number>> = {};
  const [visitors, visits] = [distinctCounter(), distinctCounter()];
  const sums = { lines: 0, firstAt: 0, lastAt: 0, pageviews: 0, events: 0 };
  return {
    lines: () => sums.lines,
    add(batch: ReturnType<LineReader['take']>): void {
      sums.lines += batch.lines;
      if (batch.firstAt !== 0)
        sums.firstAt = sums.firstAt === 0 ? batch.firstAt : Math.min(sums.firstAt, batch.firstAt);
      sums.lastAt = Math.max(sums.lastAt, batch.lastAt);
      sums.pageviews += batch.pageviews;
      sums.events += batch.events;
      for (const [outcome, lines] of Object.entries(batch.ended) as [Outcome, number][])
        outcomes[outcome] = (outcomes[outcome] ?? 0) + lines;
      if (batch.ofOtherDays > 0) outcomes['import-other-day'] = (outcomes['import-other-day'] ?? 0) + batch.ofOtherDays;
      visitors.add(batch.visitors);
      visits.add(batch.visits);
    },
    found(): GatheredFacts {
      const { lines, firstAt, lastAt, pageviews, events } = sums;
      const source = { visitors: visitors.count() || null, visits: visits.count() || null, pageviews, events };
      return { lines, outcomes, firstAt, lastAt, source };
    },
  };
};

const differenceOf = ({ difference }: Format, { visitors }: ImportTotals): string | null =>
  visitors === null ? null : (difference ?? null);

const counted = async (
  gathered: HitGatherer,
  { site: { id: siteId }, check }: ImportOptions,
  lines: number,
): Promise<Pick<ImportReport, 'days' | 'counted'>> => {
  const totals = { visitors: 0, visits: 0, pageviews: 0, events: 0 };
  const days = gathered.spool.days();
  for (const [done, day] of days.entries()) {
    for (const part of countImport(gathered, siteId, day))
      for (const name of ['visitors', 'visits', 'pageviews', 'events'] as const) totals[name] += part[name];
    check({ lines, part: 1, days: { done: done + 1, of: days.length } });
    await turn();
  }
  return { days: days.map(utcDayName), counted: totals };
};

const write = async (
  options: ImportOptions,
  format: HitFormat,
  gathered: HitGatherer,
  { lines, outcomes, firstAt, lastAt, source }: GatheredFacts,
): Promise<Pick<ImportReport, 'id' | 'days' | 'counted'>> => {
  const { db, now, runSteps, check } = options;
  const of = beginImport(options, format, { lines, outcomes, totals: source, firstAt, lastAt });
  await runSteps(writeImport(db, of, gathered, now), days => check({ lines, part: 1, days }));
  return { id: of.id, days: gathered.spool.days().map(utcDayName), counted: imports(db).byId(of.id).counted };
};
