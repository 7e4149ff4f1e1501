/**
 * Deletes the rows that removed and reset sites left behind (sites.ts): in one go, or while the
 * server runs.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Log, reasonOf } from '../../log.ts';
import type { WorkDone } from '../../model/work-done.ts';
import type { Database } from '../database.ts';
import { sumsPerStep } from '../day/day-sums.ts';
import { partStore } from '../day/part-store.ts';
import { dropRemovalFiles } from '../moved-hits/removals.ts';
import { deleteSome, siteTables } from '../tables.ts';

/**
 * Texts go last: a question that runs meanwhile notices that days went and begins again
 * (query/engine.ts), but a missing text would be a fault.
 */
const tablesInOrder = (db: Database): string[] =>
  siteTables(db).sort((a, b) => Number(a === 'text') - Number(b === 'text'));

/** Rows that go in one step: about 3 ms. */
const rowsPerStep = 1000;

/**
 * One short transaction at each step, so that a running server's commits slip in between. What a
 * crash interrupts, the next call takes up.
 */
export function* dropSites(db: Database): Generator<WorkDone> {
  const left = db.prepare('select id from dropped_site').pluck();
  const forget = db.prepare('delete from dropped_site where id = ?');
  const unseal = db.prepare(
    `update day_part set sealed_at = null where id in (
       select id from day_part where site_id = @siteId and sealed_at is not null limit ${rowsPerStep})`,
  );
  const partsOf = db.prepare('select id from day_part where site_id = ? and sealed_at is null').pluck();
  const store = partStore(db);
  const deletions = tablesInOrder(db).map(table =>
    db.prepare(deleteSome(db, table, table === 'day_sum' ? sumsPerStep : rowsPerStep)),
  );
  for (const siteId of left.all() as number[]) {
    let rows = 0;
    dropRemovalFiles(db, siteId);
    // Nobody may read a day that has lost some columns.
    while (unseal.run({ siteId }).changes > 0) yield { unit: 'row', verb: 'deleted', count: 0, part: null };
    for (const _ of store.drop(partsOf.all(siteId) as number[]))
      yield { unit: 'row', verb: 'deleted', count: ++rows, part: null };
    for (const deletion of deletions) {
      for (let changes = 1; changes > 0; rows += changes) {
        changes = deletion.run({ siteId }).changes;
        yield { unit: 'row', verb: 'deleted', count: rows + changes, part: null };
      }
    }
    // Hits that were on their way may still have been written: a site is forgotten when a whole
    // pass found nothing of it.
    if (rows === 0) forget.run(siteId);
  }
}

/** Hits that were on their way when the site was removed are written by then. */
const firstRestMs = 1000;
/** Between two steps, for the hits of other sites. */
const restMs = 10;

/** Begins with what a stop or a crash left. */
export const startSiteDropper = (db: Database, log: Log) => {
  const stop = new AbortController();
  let last: Promise<void> = Promise.resolve();

  const rest = (ms: number): Promise<void> => wait(ms, undefined, { signal: stop.signal, ref: false });

  const drop = async (): Promise<void> => {
    await rest(firstRestMs);
    for (const _ of dropSites(db)) await rest(restMs);
  };
  const start = (): void => {
    last = last.then(drop).catch(error => {
      if (!stop.signal.aborted) log('drop-failed', { reason: reasonOf(error) });
    });
  };

  start();
  return {
    /** Drops what there is, after what is being dropped already. */
    start,
    /** Stops after the step at hand; the next start of the server goes on. */
    async close() {
      stop.abort();
      await last;
    },
  };
};
