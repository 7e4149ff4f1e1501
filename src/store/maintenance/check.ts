/**
 * Looks for damage: in the file, between its tables, and inside every day. Reads everything,
 * changes nothing.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { columnNames, columns } from '../../model/columns.ts';
import { hitTypes, lastHitCode } from '../../model/hit.ts';
import { dayMs, utcDayName } from '../../model/time.ts';
import type { WorkDone } from '../../model/work-done.ts';
import { type Database, openCopy } from '../database.ts';
import { areCodesInDictionary, type Column } from '../day/column-codec.ts';
import { columnsOf, type Day } from '../day/day.ts';
import { dayReader } from '../day/day-reader.ts';
import { ColumnError } from '../day/integer-list.ts';
import { daysWithRows, type SiteDay } from '../day/open/open-days.ts';
import { siteTables, type TableWithTexts, textColumns } from '../tables.ts';

export interface CheckStep {
  /** What is wrong, a sentence each. */
  problems: string[];
  /** Days and hits that were looked at. */
  days: number;
  hits: number;
  /** How far the check is after this step: tables come first, then days. */
  done: WorkDone;
}

/** Problems that are listed of one table; a torn page makes thousands. */
const problemsPerTable = 20;

/** One step for each table and each day: in between, the caller may stop. */
export function* checkDatabase(db: Database): Generator<CheckStep> {
  const tables = db.prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`).pluck();
  const names = tables.all() as string[];
  const ofSites = siteTables(db);
  const days = allDays(db);
  const tableSteps = names.length + ofSites.length + textReferences.length;
  let [tablesDone, daysDone] = [0, 0];
  const step = (problems: string[], hits?: number): CheckStep =>
    hits === undefined
      ? { problems, days: 0, hits: 0, done: { unit: 'step', verb: 'taken', count: ++tablesDone, of: tableSteps } }
      : { problems, days: 1, hits, done: { unit: 'day', verb: 'checked', count: ++daysDone, of: days.length } };
  for (const name of names) yield step(attempt(() => checkPages(db, name)));
  for (const table of ofSites) yield step(attempt(() => checkSites(db, table)));
  for (const [table, column] of textReferences) yield step(attempt(() => checkTexts(db, table, column)));
  const findText = db.prepare('select 1 from text where site_id = ? and id = ?').pluck();
  const reader = dayReader(db, 0);
  for (const { siteId, day } of days) {
    let hits = 0;
    const problems = attempt(() => {
      // A day without hits is on record and nobody reads it.
      const found: string[] = [];
      for (const part of reader.days(siteId, day * dayMs, (day + 1) * dayMs)) {
        hits += part.hits;
        found.push(...checkDay(part, id => id === 0 || findText.get(siteId, id) !== undefined));
      }
      return [...new Set(found)];
    });
    const named = problems.map(problem => `Site ${siteId}, ${utcDayName(day)}: ${problem}`);
    yield step(named, hits);
  }
}

/** What is wrong with a copy, a sentence each; nothing mostly. `onStep` may throw to stop. */
export const damageIn = async (file: string, onStep: (step: CheckStep) => void = () => {}): Promise<string[]> => {
  const db = openCopy(file);
  const found: string[] = [];
  try {
    for (const step of checkDatabase(db)) {
      found.push(...step.problems);
      onStep(step);
      await turn();
    }
    return found;
  } finally {
    db.close();
  }
};

/** What cannot be read is a problem, and the check goes on. */
const attempt = (work: () => string[]): string[] => {
  try {
    return work();
  } catch (error) {
    return [`${(error as Error).message}.`];
  }
};

const allDays = (db: Database): SiteDay[] => {
  const sealed = db
    .prepare('select distinct site_id as siteId, day from day_part where sealed_at is not null order by site_id, day')
    .all() as SiteDay[];
  const known = new Set(sealed.map(({ siteId, day }) => `${siteId} ${day}`));
  return [...sealed, ...daysWithRows(db)().filter(({ siteId, day }) => !known.has(`${siteId} ${day}`))];
};

const checkPages = (db: Database, table: string): string[] =>
  (db.pragma(`integrity_check('${table}')`) as { integrity_check: string }[])
    .map(row => row.integrity_check)
    .filter(result => result !== 'ok')
    .slice(0, problemsPerTable)
    .map(result => `Table ${table}: ${result}.`);

/** Rows must belong to a site that there is, or that was dropped and whose rows are going to be. */
const checkSites = (db: Database, table: string): string[] => {
  const next = db.prepare(`select min(site_id) from ${table} where site_id > ?`).pluck();
  const known = db
    .prepare('select 1 from (select id from site union all select id from dropped_site) where id = ?')
    .pluck();
  const problems: string[] = [];
  // 0 stands for no site where outcomes are counted, and nowhere else.
  let siteId = table === 'outcome' ? 0 : -1;
  while (true) {
    const found = next.get(siteId) as number | null;
    if (found === null) return problems;
    siteId = found;
    if (known.get(siteId) === undefined)
      problems.push(`Table ${table} has rows of site ${siteId}, which does not exist.`);
  }
};

/** Columns outside of days that refer to texts. */
const textReferences = (['vital', 'crawl'] as const).flatMap(table =>
  textColumns[table].map(column => [table, column] as const),
);

const checkTexts = (db: Database, table: TableWithTexts, column: string): string[] => {
  const lost = db
    .prepare(
      `select count(*) from ${table} r where r.${column} <> 0
       and not exists (select 1 from text t where t.site_id = r.site_id and t.id = r.${column})
       and r.site_id in (select id from site)`,
    )
    .pluck()
    .get() as number;
  return lost === 0 ? [] : [`Table ${table} refers to ${lost} texts in ${column} that do not exist.`];
};

/** What must hold between the columns of a day, sealed or open (model/columns.ts). */
const checkDay = (day: Day, isText: (id: number) => boolean): string[] => {
  const problems: string[] = [];
  const demand = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  let all: Map<string, Column>;
  try {
    all = new Map(columnsOf(day));
  } catch (error) {
    if (error instanceof ColumnError) return [`${error.message}.`];
    throw error;
  }
  const lengths = {
    visit: day.visits,
    hit: day.hits,
    revenue: lengthOf(all.get('revenueHit')!),
    property: lengthOf(all.get('propertyKey')!),
  };
  for (const name of columnNames) {
    const column = all.get(name)!;
    const [length, want] = [lengthOf(column), lengths[columns[name].table]];
    demand(length === want, `column ${name} has ${length} values and not ${want}.`);
    const { kind } = columns[name];
    demand(column.kind === kind, `column ${name} is of kind ${column.kind}, not ${kind}.`);
    demand(areCodesInDictionary(column), `a code of column ${name} lies beyond its dictionary.`);
    if (column.kind === 'text' && name !== 'screen') {
      const missing = column.dictionary.find(id => !isText(id));
      demand(missing === undefined, `column ${name} refers to text ${missing}, which does not exist.`);
    }
  }
  return problems.length > 0 ? problems : [...checkVisits(day), ...checkSparse(day)];
};

const lengthOf = (column: Column): number => (column.kind === 'text' ? column.codes.length : column.values.length);

/** Order of the visitors, and what a visit's own columns say about its hits. */
const checkVisits = (day: Day): string[] => {
  const wrong = new Set<string>();
  const demand = (holds: boolean, problem: string): void => {
    if (!holds) wrong.add(problem);
  };
  const visitor = day.hashes();
  const [started, duration, hits] = [day.numbers('started'), day.numbers('duration'), day.numbers('hits')];
  const [pageviews, newVisitor] = [day.numbers('pageviews'), day.numbers('newVisitor')];
  const [time, type] = [day.numbers('time'), day.numbers('type')];
  let hit = 0;
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (let visit = 0; visit < day.visits; visit++) {
    const begins = visit === 0 || visit === day.hashVisits || visitor[visit] !== visitor[visit - 1];
    demand(newVisitor[visit] === (begins ? 1 : 0), 'its new visitors are not the first of their visitor.');
    demand(begins ? isFirstOrAfter(visitor, visit, day.hashVisits) : true, 'the visitors are out of order.');
    demand(started[visit]! + duration[visit]! < dayMs, 'a visit goes on after the day.');
    let views = 0;
    for (const end = hit + hits[visit]!; hit < end && hit < day.hits; hit++) {
      if (type[hit] === hitTypes.pageview) views++;
      demand(type[hit]! >= hitTypes.pageview && type[hit]! <= lastHitCode, 'a hit is of no type.');
      demand(time[hit]! <= duration[visit]!, 'a hit is after the end of its visit.');
      first = Math.min(first, started[visit]! + time[hit]!);
      last = Math.max(last, started[visit]! + time[hit]!);
    }
    demand(views === pageviews[visit], 'the pageviews of a visit are not those of its hits.');
  }
  let counted = 0;
  for (const count of hits) counted += count;
  demand(counted === day.hits, `its visits have ${counted} hits and not ${day.hits}.`);
  const start = day.day * dayMs;
  demand(
    start + first === day.firstAt && start + last === day.lastAt,
    'its first or last hit is at another time than on record.',
  );
  return [...wrong];
};

const isFirstOrAfter = (visitor: BigUint64Array, visit: number, hashVisits: number): boolean =>
  visit === 0 || visit === hashVisits || visitor[visit]! > visitor[visit - 1]!;

/** Revenue and property rows name hits of the day. */
const checkSparse = (day: Day): string[] => {
  const wrong = new Set<string>();
  const type = day.numbers('type');
  let before = -1;
  for (const hit of day.numbers('revenueHit')) {
    if (type[hit] !== hitTypes.revenue) wrong.add('an amount belongs to no revenue hit.');
    if (hit <= before) wrong.add('the amounts are out of order.');
    before = hit;
  }
  for (const hit of day.numbers('propertyHit')) if (hit >= day.hits) wrong.add('a property belongs to no hit.');
  return [...wrong];
};
