/**
 * Erases visitors on a cluster: all of their rows in each table of hits, of whatever node and
 * revision, so that what rules leave of a day goes as well. Whole visits go, so no other row
 * changes, and a day keeps its revision; `shipped` is told how many hits it has left.
 */
import type { Shards } from '../model/shards.ts';
import { utcDayName } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { type ErasedVisitor, erasedStages, erasedVisitors } from '../store/erased.ts';
import { ShipError } from './day-contents.ts';
import { deleteRows } from './delete-rows.ts';
import { openDays } from './open-partitions.ts';
import { askAll, inStatements, rowsOf } from './person-hits.ts';
import { dayStates } from './schema.ts';
import { shippedTable } from './shipped.ts';
import { all } from './sql.ts';

/** Those of open days last: as long as a day is there, it is looked at again (`eraseNoted`). */
const tables = ['hit', 'open_hit', 'collected_hit'] as const;

/**
 * Erases them on all replicas, or `on` some days alone; resolves with whether there was anything.
 * What is interrupted, the next call goes on with. Rejects as `countCollected` does, and then has
 * not erased all.
 */
export const eraseHits = async (
  shards: Shards,
  some: readonly ErasedVisitor[],
  on?: readonly number[],
): Promise<boolean> => {
  let wasAny = false;
  const onDays = on === undefined ? '1' : `day in (${on.map(day => `toDate(${day})`)})`;
  for (const those of inStatements(some)) {
    const where = all([rowsOf(those[0]!.siteId, those), onDays]);
    for (const table of tables) {
      const before = async (): Promise<void> => {
        if (table === 'hit') await noteLeft(shards, those[0]!.siteId, where);
      };
      wasAny = (await deleteRows(shards, table, where, { before })) || wasAny;
    }
  }
  return wasAny;
};

/** Notes of whole days how many hits they will have. Of those that came, none may be missing. */
const noteLeft = async (shards: Shards, siteId: number, where: string): Promise<void> => {
  const shipped = shippedTable(shards[0]!);
  const names = 'toUInt32(day), node, revision';
  const theirs = await askAll(shards, `select ${names}, count() from hit where ${where} group by ${names}`);
  const days = [...new Set(theirs.flat().map(([day]) => `toDate(${day})`))];
  if (days.length === 0) return;
  const ofDays = all([`site = ${siteId}`, `day in (${days})`]);
  const whole = await askAll(shards, `select ${names}, count() from hit where ${ofDays} group by ${names}`);
  const [goes, there] = [theirs, whole].map(sumByName) as [Map<string, number>, Map<string, number>];
  for (const { revision, hits, version, ...of } of await shipped.days(siteId)) {
    const name = `${of.day} ${of.node} ${revision}`;
    const [has, less] = [there.get(name) ?? 0, goes.get(name) ?? 0];
    if (less === 0) continue;
    // There are more of those whose erasing was interrupted after this.
    if (has < hits || has - less > hits)
      throw new ShipError(`ClickHouse has ${has} of the ${hits} hits that came of ${utcDayName(of.day)}.`);
    await shipped.note(of, { revision, state: dayStates.whole, version, hits: has - less });
  }
};

const sumByName = (ofShards: readonly unknown[][][]): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const row of ofShards.flat()) {
    const name = row.slice(0, 3).join(' ');
    sums.set(name, (sums.get(name) ?? 0) + Number(row[3]));
  }
  return sums;
};

/**
 * Of a primary: erases those whom a command noted, and what came of others since, from collectors
 * that did not know yet. `db` may be written to.
 */
export const eraseNoted = async (db: Database, shards: Shards): Promise<void> => {
  const list = erasedVisitors(db);
  const noted = list.upTo(erasedStages.noted);
  if (noted.length > 0) {
    await eraseHits(shards, noted);
    list.set(noted, erasedStages.rows);
  }
  const days = Object.values(await openDays(shards)).flat();
  const late = list.upTo(erasedStages.file).filter(({ day }) => day === 0 || days.includes(day));
  if (days.length > 0 && late.length > 0) await eraseHits(shards, late, days);
};
