/** Imports another product's counts by day. They add up in a temporary file first. */
import { setImmediate as turn } from 'node:timers/promises';
import type { SumFormat } from '../compat/import-format.ts';
import { RowProblem, type SideTables } from '../compat/import-rows.ts';
import type { ImportedDay, ImportedSum } from '../model/imported-sums.ts';
import type { Site } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import { ruledDays } from '../query/removal-rules/ruled-days.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { unitedDays } from '../store/day/united-days.ts';
import { imports } from '../store/imports/imports.ts';
import { gatherSums, importedSums, type SumGatherer, writeSums } from '../store/imports/sums.ts';
import { always } from './between.ts';
import { beginImport, contentOf } from './content.ts';
import type { ImportOptions, ImportReport, LeftOutDays } from './import-report.ts';
import { ImportProblem, problemAt } from './problem.ts';
import { readSides, type SideTable } from './side-tables.ts';
import { type FileTable, readRows } from './tables.ts';

/** Days, dimensions and values: some fifty years of a thousand pages and sources each day. */
const sumsMax = 20_000_000;

export const importSums = async (
  options: ImportOptions,
  format: SumFormat,
  tables: readonly FileTable[],
  sideTables: readonly SideTable[],
): Promise<Omit<ImportReport, 'ignored'>> => {
  const { db, site, inputs, dryRun, check, now, runSteps } = options;
  const gathered = gatherSums(db);
  const sides = await readSides(db, sideTables);
  try {
    const lines = await readTables(options, format, tables, sides, gathered);
    const known = imports(db).ofContent(site.id, contentOf(options));
    if (known?.finishedAt != null && !dryRun)
      throw new ImportProblem(`${inputs.source} is imported already: it is import ${known.id}.`);
    const all = gathered.days();
    const { days, leftOut } = chooseDays(options, all);
    const nothing = { visitors: null, visits: null, pageviews: null, events: null };
    const [source, counted] = [all, days].map(of => ({ ...nothing, ...totalsOf(gathered, of) }));
    const report = {
      ...{
        id: null,
        format: format.name,
        lines,
        outcomes: {},
        days: days.map(named),
        source: source!,
        counted: counted!,
      },
      ...{ difference: null, leftOut, known: [] },
    };
    if (dryRun || days.length === 0) return report;
    const [firstAt, lastAt] = [days[0]!.fromAt, days.at(-1)!.toAt - 1];
    const of = beginImport(options, format, { lines, outcomes: {}, totals: source!, firstAt, lastAt });
    await runSteps(writeSums(db, of, gathered, days, now), done => check({ lines, part: 1, days: done }));
    return { ...report, id: of.id };
  } finally {
    sides.close();
    gathered.close();
  }
};

const readTables = async (
  { site, inputs, check, between = always }: ImportOptions,
  format: SumFormat,
  tables: readonly FileTable[],
  sides: SideTables,
  gathered: SumGatherer,
): Promise<number> => {
  let lines = 0;
  for (const [file, table] of tables.entries()) {
    const read = readerOf(format, site, table, sides);
    for await (const chunk of table.chunks()) {
      readRows(chunk, table.writing, table.name, row => {
        for (const sum of read(row))
          if (sum.fromAt >= between.from && sum.toAt <= between.to) addOnce(gathered, sum, file, tables);
        lines++;
      });
      if (gathered.count() > sumsMax) throw new ImportProblem(`${table.name} holds more than ${sumsMax} sums.`);
      check({ lines, part: inputs.part(), days: null });
      await turn();
    }
  }
  return lines;
};

/** A column that the format refuses is told with its file. Throws ImportProblem. */
const readerOf = (
  format: SumFormat,
  site: Site,
  { name, names }: FileTable,
  sides: SideTables,
): ReturnType<SumFormat['sums']> => {
  try {
    return format.sums(site, names, sides);
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
    throw problemAt({ file: name, line: 1, column: error.column }, error.message);
  }
};

/** Two files that tell the same of a day would count it twice. Throws RowProblem. */
const addOnce = (gathered: SumGatherer, sum: ImportedSum, file: number, tables: readonly FileTable[]): void => {
  const other = gathered.add(sum, file);
  if (other === null) return;
  const what = sum.dimension === null ? 'this day' : `${JSON.stringify(sum.value)} on this day`;
  throw new RowProblem(1, `${tables[other]!.name} has the numbers of ${what}, too: import only one of the two`);
};

const chooseDays = (
  { db, site, now }: ImportOptions,
  all: readonly ImportedDay[],
): { days: ImportedDay[]; leftOut: LeftOutDays } => {
  const leftOut: LeftOutDays = { own: 0, imported: 0, notOver: 0 };
  // As questions know it: what rules leave out is no hit.
  const ownFrom = ruledDays(db, unitedDays(dayReader(db, 0))).firstAt(site.id) ?? Number.POSITIVE_INFINITY;
  const known = importedSums(db);
  const days = all.filter(({ fromAt, toAt }) => {
    const why =
      toAt > ownFrom
        ? 'own'
        : toAt > now()
          ? 'notOver'
          : known.days(site.id, fromAt, toAt, toAt + dayMs).length > 0
            ? 'imported'
            : null;
    if (why !== null) leftOut[why]++;
    return why === null;
  });
  return { days, leftOut };
};

/** Noon of a day has its date in its own zone, as far as one is within twelve hours of UTC. */
const named = ({ fromAt, toAt }: ImportedDay): string => new Date((fromAt + toAt) / 2).toISOString().slice(0, 10);

const totalsOf = (gathered: SumGatherer, days: readonly ImportedDay[]): Partial<ImportReport['source']> => {
  const { visitors, visits, pageviews, events } = gathered.totals(days);
  return { visitors, visits, pageviews, events };
};
