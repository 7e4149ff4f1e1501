/** What is on record of imports. */
import type { Outcome } from '../../model/outcomes.ts';
import { utcDayName, utcDayOf } from '../../model/time.ts';
import { type Database, StoreError } from '../database.ts';
import { insertInto, rowValues, selected } from '../row-values.ts';

/** Numbers that both the source and Daybook have; null where one cannot tell. */
export interface ImportTotals {
  visitors: number | null;
  visits: number | null;
  pageviews: number | null;
  events: number | null;
}

/** The first and the last UTC day of an import, `2026-10-01`; null where it has no hits. */
export const daysOfImport = ({
  firstAt,
  lastAt,
}: Pick<ImportFacts, 'firstAt' | 'lastAt'>): { first: string; last: string } | null =>
  lastAt === 0 ? null : { first: utcDayName(utcDayOf(firstAt)), last: utcDayName(utcDayOf(lastAt)) };

/** What of an import is known when all of its lines are read. */
export interface ImportFacts {
  siteId: number;
  /** Single hits, or the sums of another product. */
  kind: 'hits' | 'sums';
  format: string;
  /** Name of the file. */
  source: string;
  /** SHA-256 of what was read. */
  digest: Buffer;
  lines: number;
  /** They add up to the lines. */
  outcomes: Partial<Record<Outcome, number>>;
  /** What the source counts. */
  totals: ImportTotals;
  /** UTC milliseconds of the first and the last hit; both 0 where there is none. */
  firstAt: number;
  lastAt: number;
}

export interface Import extends ImportFacts {
  id: number;
  createdAt: number;
  /** Null while it is under way, and where it was interrupted: then nothing of it is there. */
  finishedAt: number | null;
  /** What Daybook counts of it, as it was imported. */
  counted: ImportTotals;
}

export type Imports = ReturnType<typeof imports>;

const newNames = [
  ...['siteId', 'kind', 'format', 'source', 'digest', 'lines', 'outcomes', 'totals'],
  ...['firstAt', 'lastAt', 'createdAt'],
];
const counted = ['visitors', 'visits', 'pageviews', 'events'];
const select = `select ${selected(['id', ...newNames, 'finishedAt', ...counted])} from import`;

const rows = rowValues<Omit<Import, 'counted'> & ImportTotals>({ outcomes: 'json', totals: 'json' });
const importOf = (row: unknown): Import => {
  const { visitors, visits, pageviews, events, ...others } = rows.read(row);
  return { ...others, counted: { visitors, visits, pageviews, events } };
};

export const imports = (db: Database) => {
  const all = db.prepare(`${select} order by id desc`);
  const ofSite = db.prepare(`${select} where site_id = ? order by id desc`);
  const byId = db.prepare(`${select} where id = ?`);
  const ofContent = db.prepare(`${select} where site_id = ? and digest = ? order by id desc limit 1`);
  const insert = db.prepare(`${insertInto('import', newNames)} returning id`).pluck();
  const finish = db.prepare('update import set finished_at = ? where id = ?');
  const find = (id: number): Import => {
    const row = byId.get(id);
    if (row === undefined) throw new StoreError(`There is no import ${id}: daybook import list shows those there are.`);
    return importOf(row);
  };
  return {
    /** Newest first. */
    ofSite: (siteId: number) => ofSite.all(siteId).map(importOf),
    /** Newest first, of all sites. */
    list: () => all.all().map(importOf),
    /** Throws StoreError when there is none. */
    byId: find,
    /** An import of the same content. */
    ofContent: (siteId: number, digest: Buffer): Import | undefined => ofContent.all(siteId, digest).map(importOf)[0],
    begin: (facts: ImportFacts, createdAt: number) => find(insert.get({ ...rows.stored(facts), createdAt }) as number),
    /** All that it brought is there from now on. */
    finish: (id: number, finishedAt: number): void => void finish.run(finishedAt, id),
  };
};

/** The imports of sums that belong to a site: from when to when they tell. */
export const sumImports = (db: Database): ((siteId: number) => Pick<Import, 'firstAt' | 'lastAt'>[]) => {
  const all = db.prepare(
    `select first_at as firstAt, last_at as lastAt from import
     where site_id = ? and kind = 'sums' and finished_at is not null`,
  );
  return siteId => all.all(siteId) as Pick<Import, 'firstAt' | 'lastAt'>[];
};
