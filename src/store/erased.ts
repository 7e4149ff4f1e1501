/**
 * Visitors of a cluster that were erased. The primary writes them down, and collectors have the
 * list with the rest of the control state: so hits go that were not on ClickHouse when the command
 * ran, also those of a server that was off.
 */
import { dayMs } from '../model/time.ts';
import type { Database } from './database.ts';
import { bytesOf, type Erased, eraseVisits } from './erase.ts';
import { overwriteFree } from './maintenance/overwrite-free.ts';
import { sweepTexts } from './maintenance/unused-texts.ts';

export interface ErasedVisitor {
  siteId: number;
  visitor: bigint;
  /** UTC; 0 for all days. */
  day: number;
  /** By the primary's clock. Visits that began earlier go, UTC milliseconds. */
  before: number;
}

/** Clocks of collectors differ by less: what began so long after the moment there goes, too. */
export const clocksDifferMs = 10_000;

/** Whether none of the visits that go may still begin on a collector whose clock says `now`. */
export const isOver =
  (now: number) =>
  ({ before }: ErasedVisitor): boolean =>
    before + clocksDifferMs <= now;

/** How far this server is with somebody. */
export const erasedStages = { noted: 0, rows: 1, file: 2 } as const;
type Stage = (typeof erasedStages)[keyof typeof erasedStages];

export const erasedVisitors = (db: Database) => {
  const select = db.prepare(
    'select site_id as siteId, visitor, day, before from erased_visitor where done <= ? order by site_id, before',
  );
  const put = db.prepare(
    'insert or replace into erased_visitor (site_id, visitor, day, before, done) values (?, ?, ?, ?, ?)',
  );
  const forget = db.prepare(
    `delete from erased_visitor where site_id = ? and iif(day = 0, before / ${dayMs}, day) < ?`,
  );
  const write = (some: readonly ErasedVisitor[], done: Stage): void => {
    for (const { siteId, visitor, day, before } of some) put.run(siteId, bytesOf(visitor), day, before, done);
  };
  return {
    /** Those with whom this server is no further than that. */
    upTo: (stage: Stage): ErasedVisitor[] =>
      (select.all(stage) as (Omit<ErasedVisitor, 'visitor'> & { visitor: Buffer })[]).map(of => ({
        ...of,
        visitor: of.visitor.readBigUInt64BE(),
      })),
    add: (some: readonly ErasedVisitor[]): void => write(some, erasedStages.noted),
    set: db.transaction(write).immediate,
    /** Whose visits at a site are all of before a UTC day, and gone with these days. */
    forget: (siteId: number, day: number): void => void forget.run(siteId, day),
  };
};

/** Of one moment of erasing at one site. */
const erasedBy = (some: readonly ErasedVisitor[]): Erased => {
  const names = new Set(some.map(({ day, visitor }) => `${day} ${visitor}`));
  return {
    before: some[0]!.before + clocksDifferMs,
    has: (day, _, visitor) => names.has(`${day} ${visitor}`) || names.has(`0 ${visitor}`),
    lasting: () => some.flatMap(({ day, visitor }) => (day === 0 ? [visitor] : [])),
  };
};

/** Of a collector: overwrites the rows of some, whose visits nobody remembers any more. */
export const eraseRows = (db: Database, some: readonly ErasedVisitor[]): void => {
  const erase = db.transaction(() => {
    for (const group of Map.groupBy(some, ({ siteId, before }) => `${siteId} ${before}`).values())
      for (const _ of eraseVisits(db, group[0]!.siteId, erasedBy(group)));
    erasedVisitors(db).set(some, erasedStages.rows);
  });
  erase.immediate();
};

/**
 * Before a collector takes hits: what was not erased yet goes, and so do texts that nothing uses.
 * Then the file holds nothing else.
 */
export const eraseAtStart = (db: Database, now: number): void => {
  const list = erasedVisitors(db);
  const some = list.upTo(erasedStages.rows).filter(isOver(now));
  if (some.length === 0) return;
  eraseRows(db, list.upTo(erasedStages.noted).filter(isOver(now)));
  for (const siteId of new Set(some.map(of => of.siteId))) for (const _ of sweepTexts(db, siteId));
  overwriteFree(db);
  list.set(some, erasedStages.file);
};
