/**
 * Erases visits for good: out of the columns of days, and out of the rows of open days. No server
 * may run that still remembers one of them as under way.
 */

import { hitTypes, lastHitCode } from '../model/hit.ts';
import { snakeCase } from '../model/snake-case.ts';
import { visitTextNames } from '../model/visit-fields.ts';
import type { Database } from './database.ts';
import { createByteCache } from './day/byte-cache.ts';
import type { Day } from './day/day.ts';
import { type SealedFacts, sealedDays } from './day/day-reader.ts';
import { daySums } from './day/day-sums.ts';
import { daysWithRows, type SiteDay } from './day/open/open-days.ts';
import { encoded } from './day/seal.ts';
import { countGone, withoutVisits } from './day/some-visits.ts';

/** Whose visits go. */
export interface Erased {
  /** Visits stay that are not over and began at that moment or later, UTC milliseconds. */
  before?: number;
  /** Whether a visitor of a UTC day is meant. */
  has(day: number, isPersistent: boolean, visitor: bigint): boolean;
  /** Who is known for longer than a day. */
  lasting(): bigint[];
}

/** Which visits of a day are somebody's who is meant; null where none is. */
export const theirVisits =
  ({ has }: Pick<Erased, 'has'>) =>
  (day: Day): ((visit: number) => boolean) | null => {
    const hashes = day.hashes();
    const isOf = (visit: number): boolean => has(day.day, visit >= day.hashVisits, hashes[visit]!);
    return hashes.some((_, visit) => isOf(visit)) ? isOf : null;
  };

/** What goes, so far. */
export interface ErasedSoFar {
  done: number;
  of: number;
  visits: number;
  hits: number;
  /** UTC days. */
  days: number;
}

/**
 * A day, or a part of one, at each step. All steps belong into one transaction of the caller's: who
 * is half erased could not be found again. `days` are those on which some go elsewhere.
 */
export function* eraseVisits(
  db: Database,
  siteId: number,
  erased: Erased,
  days: Set<number> = new Set(),
): Generator<ErasedSoFar, ErasedSoFar> {
  const sealed = sealedDays(db, createByteCache(0));
  const [replace, eraseRows] = [partReplacer(db), rowEraser(db)];
  const parts = sealed.between(siteId, 0, lastDay);
  const open = daysWithRows(db)(siteId);
  const soFar = { done: 0, of: parts.length + open.length, visits: 0, hits: 0, days: days.size };
  const add = (day: number, gone: { visits: number; hits: number }): ErasedSoFar => {
    if (gone.visits > 0) days.add(day);
    soFar.done++;
    soFar.visits += gone.visits;
    soFar.hits += gone.hits;
    soFar.days = days.size;
    return { ...soFar };
  };
  for (const facts of parts) {
    const found = withoutVisits(sealed.day(facts), theirVisits(erased));
    if (found !== null) replace(facts, found.day);
    yield add(facts.day, found === null ? nothing : { visits: found.visits, hits: countGone(found.stays.hits) });
  }
  for (const siteDay of open) yield add(siteDay.day, eraseRows(siteDay, erased));
  const forget = db.prepare('delete from cookie_visitor where site_id = ? and visitor = ?');
  for (const visitor of erased.lasting()) forget.run(siteId, bytesOf(visitor));
  return { ...soFar };
}

const lastDay = 2 ** 31;
const nothing = { visits: 0, hits: 0 };

export const bytesOf = (visitor: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(visitor);
  return bytes;
};

/** Writes a part of a day in place of what it was. All parts that came with it get a version. */
const partReplacer = (db: Database): ((facts: SealedFacts, day: Day) => void) => {
  const clear = db.prepare('delete from sealed_column where part_id = ?');
  const write = db.prepare('insert into sealed_column (part_id, name, data) values (?, ?, ?)');
  const writeFacts = db.prepare(
    `update day_part set visits = @visits, hash_visits = @hashVisits, hits = @hits, first_at = @firstAt,
       last_at = @lastAt, bytes = (select sum(length(data)) from sealed_column where part_id = @id)
     where id = @id`,
  );
  const nextVersion = db.prepare(
    `update day_part set version = version + 1
     where site_id = ? and day = ? and import_id = ? and sealed_at is not null`,
  );
  const sums = daySums(db);
  return (facts, day) => {
    const { id, siteId, part } = facts;
    const { columns } = encoded(day);
    clear.run(id);
    for (const { name, data } of columns) write.run(id, name, data);
    const { visits, hashVisits, hits, firstAt, lastAt } = day;
    writeFacts.run({ id, visits, hashVisits, hits, firstAt, lastAt });
    nextVersion.run(siteId, facts.day, part.importId ?? 0);
    sums.dropDay(siteId, facts.day);
  };
};

interface VisitRow {
  id: number;
  visitor: Buffer;
  persistent: number;
}

/**
 * Overwrites rows of an open day, so that visits have no hits, and nobody's: rows are named by
 * their ids and counted, so they stay until the day is sealed.
 */
const rowEraser = (db: Database): ((of: SiteDay, erased: Erased) => { visits: number; hits: number }) => {
  const visits = db.prepare('select id, visitor, persistent from visit where site_id = ? and day = ?');
  const ofVisits = 'site_id = ? and day = ? and visit_id in (select value from json_each(?))';
  const count = db.prepare(`select count(*) from hit where ${ofVisits} and type <= ${lastHitCode}`).pluck();
  const blankHits = db.prepare(
    `update hit set type = ${hitTypes.duration}, path = 0, hostname = 0, title = 0, query = 0, event = 0, duration = 0,
       amount = null, currency = 0, properties = null, scroll = null
     where ${ofVisits}`,
  );
  const texts = visitTextNames.map(name => `${snakeCase(name)} = 0`);
  const blankVisits = db.prepare(
    `update visit set visitor = zeroblob(8), persistent = 0, seen_before = 0, screen = 0, ${texts}
     where site_id = ? and day = ? and id in (select value from json_each(?))`,
  );
  const younger = db
    .prepare(
      `select visit_id from hit where ${ofVisits} and type <= ${lastHitCode} group by visit_id having min(at) >= ?`,
    )
    .pluck();
  return ({ siteId, day }, erased) => {
    const theirs: number[] = [];
    for (const { id, visitor, persistent } of visits.iterate(siteId, day) as IterableIterator<VisitRow>)
      if (erased.has(day, persistent === 1, visitor.readBigUInt64BE())) theirs.push(id);
    const stay = new Set(younger.all(siteId, day, JSON.stringify(theirs), erased.before ?? Number.MAX_SAFE_INTEGER));
    const gone = theirs.filter(id => !stay.has(id));
    if (gone.length === 0) return nothing;
    const ids = JSON.stringify(gone);
    const hits = count.get(siteId, day, ids) as number;
    blankHits.run(siteId, day, ids);
    blankVisits.run(siteId, day, ids);
    return { visits: gone.length, hits };
  };
};
