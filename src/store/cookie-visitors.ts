/** Visitors of cookie mode, who are known for longer than a day. */
import { dayMs } from '../model/time.ts';
import { type Database, openScratch } from './database.ts';
import { dayReader } from './day/day-reader.ts';

/** Gives the UTC day of a first counting hit; null for a visitor who is not known by a cookie. */
export const firstDayOf = (db: Database, siteId: number): ((visitor: string) => number | null) => {
  const find = db.prepare('select day from cookie_visitor where site_id = ? and visitor = ?').pluck();
  return visitor => (find.get(siteId, Buffer.from(visitor, 'hex')) as number | undefined) ?? null;
};

/** Visitors, or visits, that are looked at in one step. */
const perStep = 1000;

interface VisitorsToForget {
  /** It is about visitors whose first day is from one to another UTC day, both included. */
  first: number;
  last: number;
  /** They are looked for on days from this one on. */
  from: number;
  /** Whether the first day on which one is found is their first day then. */
  isMoved: boolean;
}

/** How many visitors were judged, and their part of all; null while days are read. */
interface ForgottenSoFar {
  count: number;
  part: number | null;
}

/**
 * Forgets visitors that are on no day any more. Each step is one short transaction, or reads some
 * visits. Days are read only if there is anyone, and a scratch database holds the visitors
 * meanwhile: there may be more of them than memory holds.
 */
export function* forgetVisitors(
  db: Database,
  siteId: number,
  { first, last, from, isMoved }: VisitorsToForget,
): Generator<ForgottenSoFar> {
  const select = db
    .prepare(
      `select visitor from cookie_visitor where site_id = ? and day between ? and ? and visitor > ?
       order by visitor limit ${perStep}`,
    )
    .pluck();
  const next = (after: Buffer): Buffer[] => select.all(siteId, first, last, after) as Buffer[];
  let some = next(Buffer.alloc(0));
  if (some.length === 0) return;
  const scratch = openScratch(db);
  try {
    // Never committed: it is deleted with its content.
    scratch.exec('create table seen (visitor blob primary key, day integer) without rowid; begin');
    const add = scratch.prepare('insert into seen (visitor) values (?)');
    for (; some.length > 0; some = next(some.at(-1)!)) {
      for (const visitor of some) add.run(visitor);
      yield { count: 0, part: null };
    }
    for (const _ of seeVisitors(db, siteId, from, scratch)) yield { count: 0, part: null };
    yield* judgeSeen(db, siteId, scratch, isMoved);
  } finally {
    scratch.close();
  }
}

/** Notes the first day of those that are seen from a day on. */
function* seeVisitors(db: Database, siteId: number, from: number, scratch: Database): Generator<void> {
  const see = scratch.prepare('update seen set day = ? where visitor = ? and (day is null or day > ?)');
  const bytes = Buffer.alloc(8);
  for (const day of dayReader(db, 0).days(siteId, from * dayMs, Number.MAX_SAFE_INTEGER)) {
    const hashes = day.hashes();
    for (let visit = day.hashVisits; visit < day.visits; visit++) {
      bytes.writeBigUInt64BE(hashes[visit]!);
      see.run(day.day, bytes, day.day);
      if (visit % perStep === 0) yield;
    }
    yield;
  }
}

function* judgeSeen(db: Database, siteId: number, scratch: Database, isMoved: boolean): Generator<ForgottenSoFar> {
  const seen = scratch.prepare(`select visitor, day from seen where visitor > ? order by visitor limit ${perStep}`);
  const drop = db.prepare('delete from cookie_visitor where site_id = ? and visitor = ?');
  const move = db.prepare('update cookie_visitor set day = ? where site_id = ? and visitor = ?');
  const judge = db.transaction((rows: readonly { visitor: Buffer; day: number | null }[]): void => {
    for (const { visitor, day } of rows)
      if (day === null) drop.run(siteId, visitor);
      else if (isMoved) move.run(day, siteId, visitor);
  });
  let after: Buffer = Buffer.alloc(0);
  for (let count = 0; ; ) {
    const rows = seen.all(after) as { visitor: Buffer; day: number | null }[];
    if (rows.length === 0) return;
    judge.immediate(rows);
    count += rows.length;
    after = rows.at(-1)!.visitor;
    // Visitors are random, and their order is that of their bytes.
    yield { count, part: after[0]! / 256 };
  }
}
