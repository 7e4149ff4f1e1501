/** What collectors took of some visitors, as a cluster has it. */
import type { ExportedVisit } from '../model/exported-visit.ts';
import type { Shards } from '../model/shards.ts';
import { dayMs } from '../model/time.ts';
import type { Visitors } from '../query/person/find-visitors.ts';
import type { Filter } from '../query/query.ts';
import type { Database } from '../store/database.ts';
import { clocksDifferMs, type ErasedVisitor } from '../store/erased.ts';
import { saidByAll } from './all-replicas.ts';
import { conditionOf } from './conditions.ts';
import { rowsFrom } from './day-contents.ts';
import { exportedVisits } from './export-site.ts';
import { questionDaysReader, type RowSource, sourceOf } from './source.ts';
import { all, any } from './sql.ts';

/** Visitors that one statement names: a replica keeps each of these in a file of its keeper's. */
const visitorsAtOnce = 5000;
/** And moments: each is a condition of its own. */
const momentsAtOnce = 100;
const lastDay = 65_535;

/**
 * A condition on rows: those of some visitors of a site. With a condition for each day, 18.16 would
 * take 6 s for a thousand of them.
 */
export const rowsOf = (siteId: number, some: readonly Omit<ErasedVisitor, 'siteId'>[]): string => {
  const ofMoments = [...Map.groupBy(some, ({ before }) => before)].map(([before, those]) => {
    const visitors = those.filter(({ day }) => day === 0).map(({ visitor }) => `toUInt64(${visitor})`);
    const visitorsOfDays = those
      .filter(({ day }) => day !== 0)
      .map(({ day, visitor }) => `(toDate(${day}), toUInt64(${visitor}))`);
    const isOne = any([
      visitors.length === 0 ? '0' : `visitor in (${visitors})`,
      visitorsOfDays.length === 0 ? '0' : `(day, visitor) in (${visitorsOfDays})`,
    ]);
    return all([`started < ${before} + if(node = 0, 0, ${clocksDifferMs})`, isOne]);
  });
  return all([`site = ${siteId}`, any(ofMoments)]);
};

/** All hits of collectors, also those that rules leave out. */
const collected = async (shards: Shards, siteId: number): Promise<RowSource> =>
  sourceOf(siteId, await questionDaysReader(shards)(siteId), [0, lastDay], true);

/** Adds those of whom collectors took a hit that passes. Rejects as `send` does. */
export const findCollected = async (
  shards: Shards,
  siteId: number,
  filters: readonly Filter[],
  found: Pick<Visitors, 'add'>,
): Promise<void> => {
  const source = await collected(shards, siteId);
  const where = all([source.days, conditionOf(filters, source)]);
  const sql = `select distinct toUInt32(day), persistent, toString(visitor) from ${source.table} where ${where}`;
  for (const replicas of shards)
    for (const [day, persistent, visitor] of await rowsFrom(replicas, sql))
      found.add(Number(day), Number(persistent) === 1, BigInt(String(visitor)));
};

/** What collectors took of visitors. */
export interface CollectedVisits {
  visits: number;
  hits: number;
  days: Set<number>;
}

/** Rejects as `send` does, also where a replica is away, and with ShipError where they differ. */
export const countCollected = async (shards: Shards, some: readonly ErasedVisitor[]): Promise<CollectedVisits> => {
  const found: CollectedVisits = { visits: 0, hits: 0, days: new Set() };
  for (const those of inStatements(some)) {
    const { table, days } = await collected(shards, those[0]!.siteId);
    const where = all([days, rowsOf(those[0]!.siteId, those)]);
    const sql = `select toUInt32(day), uniqExact(visit), count() from ${table} where ${where} group by day`;
    for (const rows of await askAll(shards, sql))
      for (const [day, visits, hits] of rows.map(row => row.map(Number) as [number, number, number])) {
        found.days.add(day);
        found.visits += visits;
        found.hits += hits;
      }
  }
  return found;
};

/** Those of one site at a time, and so many. */
export function* inStatements(some: readonly ErasedVisitor[]): Generator<ErasedVisitor[]> {
  for (const ofSite of Map.groupBy(some, ({ siteId }) => siteId).values()) {
    let moments = new Set<number>();
    let those: ErasedVisitor[] = [];
    for (const of of ofSite) {
      moments.add(of.before);
      if (those.length === visitorsAtOnce || moments.size > momentsAtOnce) {
        yield those;
        [those, moments] = [[], new Set([of.before])];
      }
      those.push(of);
    }
    yield those;
  }
}

/** The rows of each shard, as all of its replicas have them. */
export const askAll = (shards: Shards, sql: string): Promise<unknown[][][]> => {
  const sorted = async (replica: URL): Promise<unknown[][]> =>
    (await rowsFrom([replica], sql)).sort((a, b) => (String(a) < String(b) ? -1 : 1));
  return Promise.all(shards.map(replicas => saidByAll(replicas, sorted, { advice: ' Try again in a minute.' })));
};

/** A visit, and the first UTC day on which collectors had a hit of its visitor. */
export type CollectedVisit = readonly [visit: ExportedVisit, firstDay: number];

/** Day by day. Rejects as `countCollected` does, also where some did not come. */
export async function* collectedVisits(
  db: Database,
  shards: Shards,
  some: readonly ErasedVisitor[],
): AsyncGenerator<CollectedVisit> {
  const { days } = await countCollected(shards, some);
  const firstDays = new Map<string, number>();
  for (const day of [...days].sort((a, b) => a - b))
    for (const those of inStatements(some)) {
      const [{ siteId }, span] = [those[0]!, { from: day * dayMs, to: (day + 1) * dayMs }];
      const asked = {
        db,
        shards,
        cluster: null,
        siteId,
        ...span,
        of: 'collectors',
        who: rowsOf(siteId, those),
      } as const;
      for await (const visit of exportedVisits(asked, day)) {
        if (!firstDays.has(visit.visitor)) firstDays.set(visit.visitor, day);
        yield [visit, firstDays.get(visit.visitor)!];
      }
    }
}
