/**
 * Hits that an earlier version took out of an open day, of which it only noted the rows: they go to
 * the file of their removal, as those of sealed days have. Nobody else writes meanwhile.
 */
import { hitTypes, lastHitCode } from '../../model/hit.ts';
import { type Database, openDatabase } from '../database.ts';
import { decodeColumn } from '../day/column-codec.ts';
import type { Day } from '../day/day.ts';
import { openDays, type SiteDay } from '../day/open/open-days.ts';
import type { DayPart } from '../day/part.ts';
import { withHits } from '../day/some-hits.ts';
import { flat } from '../day/unpack.ts';
import { dropFilesPutBack } from './put-back.ts';
import { createRemovalFile, textsIn, usualFile } from './removal-file.ts';
import { removals } from './removals.ts';

type Statement = ReturnType<Database['prepare']>;
/** The first and the last hit of a visit. */
type Ends = [first?: { id: number; at: number }, last?: { id: number; at: number }];

/** All days at once. Cheap where there is nothing to move. */
const moveRemovedHits = (db: Database): void => {
  if (db.prepare('select 1 from removed_hits').get() === undefined) return;
  // `hits` is a column of numbers: rows of `hit` of the day, counted from 0 in the order of ids.
  const noted = db.prepare('select removal_id as removalId, hits from removed_hits where site_id = ? and day = ?');
  const idsOf = db.prepare('select id from hit where site_id = ? and day = ? order by id').pluck();
  const drop = db.prepare('delete from removed_hits');
  // It goes on telling how long the page before it was looked at.
  const dropRow = db.prepare(
    `update hit set type = ${hitTypes.duration}, amount = null, currency = 0, properties = null
     where site_id = ? and day = ? and id = ?`,
  );
  const visitOf = db.prepare('select visit_id from hit where site_id = ? and day = ? and id = ?').pluck();
  const hitsOf = `from hit where site_id = ? and day = ? and visit_id = ? and type <= ${lastHitCode}`;
  const [firstOf, lastOf] = ['asc', 'desc'].map(order =>
    db.prepare(`select id, at ${hitsOf} order by at ${order}, id ${order} limit 1`),
  ) as [Statement, Statement];
  const endsOf = (siteId: number, day: number, visit: unknown) =>
    [firstOf, lastOf].map(end => end.get(siteId, day, visit)) as Ends;
  const clamp = db.prepare(
    `update hit set at = max(?, min(?, at)) where site_id = ? and day = ? and visit_id = ? and type > ${lastHitCode}`,
  );
  const dropMarks = db.prepare('delete from hit where site_id = ? and day = ? and visit_id = ?');
  const move = db.transaction((): void => {
    const days = db.prepare('select distinct site_id as siteId, day from removed_hits').all() as SiteDay[];
    for (const { siteId, day } of days) {
      const ids = idsOf.all(siteId, day);
      const ofDay = noted.all(siteId, day) as { removalId: number; hits: Buffer }[];
      const all = ofDay.map(({ removalId, hits }) => ({ removalId, rows: new Set(rowsIn(hits)) }));
      for (const whole of openDays(db, { keptBytesMax: 0 }).readParts({ siteId, day }))
        for (const { removalId, rows } of all) {
          const isGone = Uint8Array.from(whole.numbers, number => (rows.has(number) ? 1 : 0));
          addToFile(db, siteId, removalId, withHits(whole.day, isGone));
        }
      const before = new Map<unknown, Ends>();
      for (const row of all.flatMap(({ rows }) => [...rows])) {
        const visit = visitOf.get(siteId, day, ids[row]);
        if (!before.has(visit)) before.set(visit, endsOf(siteId, day, visit));
        dropRow.run(siteId, day, ids[row]);
      }
      for (const [visit, [first, last]] of before) {
        const [from, to] = endsOf(siteId, day, visit);
        // A visit whose first or last hit went begins or ends with one that stays, whatever marks
        // came. Without hits it has no marks either: these are in the file.
        if (from === undefined) dropMarks.run(siteId, day, visit);
        else {
          const bounds = [from.id === first!.id ? 0 : from.at, to!.id === last!.id ? Number.MAX_SAFE_INTEGER : to!.at];
          clamp.run(...bounds, siteId, day, visit);
        }
      }
    }
    drop.run();
  });
  move.immediate();
};

const addToFile = (db: Database, siteId: number, removalId: number, day: Day): void => {
  const removal = removals(db)
    .ofSite(siteId)
    .find(({ id }) => id === removalId);
  if (removal === undefined || day.hits === 0) return;
  const file = createRemovalFile(usualFile(db, removalId), removal);
  try {
    // Of a try that was interrupted.
    const isSame = ({ day: other, part }: DayPart): boolean =>
      other === day.day && part.importId === undefined && part.number === day.part.number;
    file.drop(file.parts().flatMap(stored => (isSame(stored) ? [stored.id] : [])));
    file.add(day, textsIn(db, day));
  } finally {
    file.close();
  }
};

const rowsIn = (hits: Buffer): number[] => {
  const column = decodeColumn(hits);
  if (column.kind !== 'number') throw new Error('removed hits are numbers');
  return Array.from(flat(column.values));
};

/** Opens the database for a program that changes or reads what it holds. */
export const openStore = (dataDir: string): Database => {
  const db = openDatabase(dataDir);
  moveRemovedHits(db);
  dropFilesPutBack(db);
  return db;
};
