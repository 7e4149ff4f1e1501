/** What a collector holds that may be at the cluster already, under a number that it had before. */
import { lastHitCode } from '../model/hit.ts';
import type { Database } from './database.ts';
import type { SiteDay } from './day/open/open-days.ts';
import { partStore } from './day/part-store.ts';
import { sealer } from './day/seal.ts';
import { type RecordTable, slotMs } from './read/record-slots.ts';
import { crawlSlotMs } from './write/recorder.ts';

/** A visit of an open day. */
export interface OutboxVisit {
  id: number;
  /** Unsigned, in decimal digits. */
  visitor: string;
  /** That count. */
  hits: number;
}

export interface Outbox {
  /** Days that are not sealed. */
  openDays(): SiteDay[];
  sealedDays(): SiteDay[];
  /** By sealed day of a site, its hits without those of imports. */
  sealedHits(siteId: number): Map<number, number>;
  /** The latest time among the last hits that came on an open day, UTC milliseconds. */
  newestAt(of: SiteDay): number;
  /** Whose an open day's visit is, as OutboxVisit has it; undefined where no visit has this id. */
  visitorOf(of: SiteDay, visitId: number): string | undefined;
  visits(of: SiteDay): OutboxVisit[];
  /** Deletes visits of an open day and their hits. Only while no collector runs. */
  dropVisits(of: SiteDay, ids: readonly number[]): void;
  /** Deletes a day, open or sealed. Only while no collector runs. */
  dropDay(of: SiteDay): void;
  /** Deletes what was recorded besides hits in a slot (read/record-slots.ts). */
  dropSlot(table: RecordTable, siteId: number, slot: number): void;
}

/** Servers may tell hits of up to half an hour ago, so the last is not always the latest. */
const lastHits = 1000;

const slotColumns = {
  vital: ['at', 1],
  crawl: ['quarter', crawlSlotMs],
  outcome: ['hour', slotMs.outcome],
  other_text: ['hour', slotMs.other_text],
} as const satisfies Record<RecordTable, readonly [column: string, unitMs: number]>;

const dayTables = ['hit', 'visit', 'brought_day'];

const isSealed = 'import_id = 0 and sealed_at is not null';

export const outbox = (db: Database): Outbox => {
  const [seal, store] = [sealer(db), partStore(db)];
  const sealed = db.prepare(
    `select distinct site_id as siteId, day from day_part where ${isSealed} order by site_id, day`,
  );
  const sealedHits = db
    .prepare(`select day, sum(hits) from day_part where site_id = ? and ${isSealed} group by day`)
    .raw();
  const newest = db
    .prepare(
      `select max(at) from (select at from hit where site_id = @siteId and day = @day order by id desc limit ${lastHits})`,
    )
    .pluck();
  const visitor = db
    .prepare('select hex(visitor) from visit where site_id = @siteId and day = @day and id = @id')
    .pluck();
  const visits = db.prepare(
    `select v.id, hex(v.visitor) as visitor, coalesce(h.hits, 0) as hits from visit v left join (
       select visit_id, count(*) as hits from hit where site_id = @siteId and day = @day and type <= ${lastHitCode}
       group by visit_id
     ) h on h.visit_id = v.id where v.site_id = @siteId and v.day = @day`,
  );
  const dropDay = dayTables.map(table => db.prepare(`delete from ${table} where site_id = @siteId and day = @day`));
  const inList = 'in (select value from json_each(@ids))';
  const dropVisits = ['hit where visit_id', 'visit where id'].map(rows =>
    db.prepare(`delete from ${rows} ${inList} and site_id = @siteId and day = @day`),
  );
  const dropSlot = new Map(
    Object.entries(slotColumns).map(([table, [column]]) => [
      table,
      db.prepare(`delete from ${table} where site_id = ? and ${column} >= ? and ${column} < ?`),
    ]),
  );
  return {
    openDays: () => seal.pending(Number.MAX_SAFE_INTEGER),
    sealedDays: () => sealed.all() as SiteDay[],
    sealedHits: siteId => new Map(sealedHits.all(siteId) as [number, number][]),
    newestAt: of => Number(newest.get(of)),
    visitorOf(of, id) {
      const found = visitor.get({ ...of, id }) as string | undefined;
      return found === undefined ? undefined : decimal(found);
    },
    visits: of => (visits.all(of) as OutboxVisit[]).map(row => ({ ...row, visitor: decimal(row.visitor) })),
    dropVisits: db.transaction((of: SiteDay, ids: readonly number[]) => {
      for (const drop of dropVisits) drop.run({ ...of, ids: JSON.stringify(ids) });
    }).immediate,
    dropDay: db.transaction((of: SiteDay) => {
      for (const drop of dropDay) drop.run(of);
      store.deleteSealed({ ...of, importId: 0 });
    }).immediate,
    dropSlot(table, siteId, slot) {
      const units = slotMs[table] / slotColumns[table][1];
      dropSlot.get(table)!.run(siteId, slot * units, (slot + 1) * units);
    },
  };
};

const decimal = (hex: string): string => BigInt(`0x${hex}`).toString();
