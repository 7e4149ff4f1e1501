/**
 * Makes one of an open day that was written in pieces, as when an import adds hits to those that a
 * server took. Each piece began its own visits: those of one visitor with gaps of at most 30
 * minutes become one. Only where no server runs, which keeps visits and rows in memory.
 */
import { visitIdleMs } from '../../model/limits.ts';
import type { Database } from '../database.ts';
import { growingIntegers } from '../day/open/growing-column.ts';
import type { SiteDay } from '../day/open/open-days.ts';
import { removedHits } from '../day/open/removed-rows.ts';
import { columnsIn } from '../tables.ts';

/** Call it inside a transaction. It sorts all hits of the day: some seconds per million. */
export const rejoinDay = (db: Database, siteDay: SiteDay): void => {
  joinVisits(db, siteDay);
  followRemoved(db, siteDay);
  sortHits(db, siteDay);
};

/**
 * Marks the visits of an open day whose visitors of cookie mode had a hit on an earlier day, which
 * was imported after them. Call it inside a transaction.
 */
export const markReturning = (db: Database, siteDay: SiteDay): void => {
  db.prepare(
    `update visit set seen_before = 1
     where site_id = @siteId and day = @day and persistent = 1 and seen_before = 0
     and (select c.day from cookie_visitor c where c.site_id = @siteId and c.visitor = visit.visitor) < @day`,
  ).run(siteDay);
};

/**
 * The earliest of the visits that become one stays, since its first hit says what is known of it.
 */
const joinVisits = (db: Database, siteDay: SiteDay): void => {
  // All in SQLite, which needs no memory for it: there may be millions of visits. One begins where
  // all before it of its visitor were over for longer than a visit may be idle.
  db.prepare(
    `create temp table joined as
     select id, into_id from (
       select id, first_value(id) over (partition by visitor, persistent, visit order by first, id) as into_id from (
         select id, visitor, persistent, first, sum(begins) over (
           partition by visitor, persistent order by first, id rows unbounded preceding) as visit
         from (
           select v.id, v.visitor, v.persistent, h.first, coalesce(h.first - max(h.last) over (
             partition by v.visitor, v.persistent order by h.first, v.id
             rows between unbounded preceding and 1 preceding) > ${visitIdleMs}, 1) as begins
           from (select visit_id, min(at) as first, max(at) as last from hit
                 where site_id = @siteId and day = @day group by visit_id) h
           join visit v on v.site_id = @siteId and v.day = @day and v.id = h.visit_id)))
     where id <> into_id`,
  ).run(siteDay);
  db.exec('create unique index temp.joined_id on joined (id)');
  db.prepare(
    `update hit set visit_id = into_id from joined
     where site_id = @siteId and day = @day and visit_id = joined.id`,
  ).run(siteDay);
  db.prepare('delete from visit where site_id = @siteId and day = @day and id in (select id from joined)').run(siteDay);
  db.exec('drop table joined');
};

/** Hits that were taken out of the day are named by their rows, which are about to be sorted. */
const followRemoved = (db: Database, siteDay: SiteDay): void => {
  const table = removedHits(db);
  const removed = table.of(siteDay.siteId, siteDay.day);
  if (removed.length === 0) return;
  const sorted = db
    .prepare(
      `select row_number() over (order by id) - 1 from hit
       where site_id = @siteId and day = @day order by at, id`,
    )
    .pluck()
    .iterate(siteDay) as IterableIterator<number>;
  const after = growingIntegers();
  let place = 0;
  for (const row of sorted) {
    after.lengthen(Math.max(after.length, row + 1), 0);
    after.values()[row] = place++;
  }
  const placeOf = after.values();
  for (const { removalId, rows } of removed)
    table.put(siteDay, { removalId, rows: rows.map(row => placeOf[row]!).sort() });
};

/** Ids ascend with time: a server that starts finds the visits that may go on by that. */
const sortHits = (db: Database, siteDay: SiteDay): void => {
  const others = columnsIn('hit').filter(name => !['site_id', 'day', 'id'].includes(name));
  db.prepare(
    `create temp table sorted as
     select min(id) over () + row_number() over (order by at, id) - 1 as id, ${others.join(', ')}
     from hit where site_id = @siteId and day = @day`,
  ).run(siteDay);
  db.prepare('delete from hit where site_id = @siteId and day = @day').run(siteDay);
  db.prepare(
    `insert into hit (site_id, day, id, ${others.join(', ')})
     select @siteId, @day, id, ${others.join(', ')} from sorted order by id`,
  ).run(siteDay);
  db.exec('drop table sorted');
};
