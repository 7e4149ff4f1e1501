/**
 * What a collector of an earlier version sent of open days is there under its number. Before it
 * sends hits as a set, that goes, and comes again from here. An older copy of its directory has
 * less than what is there, and takes none of it away.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Shards } from '../model/shards.ts';
import { utcDayName } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { someRows } from '../store/day/open/some-rows.ts';
import { earlierHits } from '../store/epochs.ts';
import { forwardedStore } from '../store/forwarded.ts';
import { openCluster } from './cluster.ts';
import { type NodeDay, rowsFrom } from './day-contents.ts';
import { refuseEarlierTables } from './make-tables.ts';
import { collectorsNode } from './schema.ts';
import { readShipped } from './shipped.ts';
import { latestVisits } from './source.ts';
import { all } from './sql.ts';

/** ClickHouse has hits of a number that are not here; the message says what to do. */
class OlderCollectorError extends Error {
  constructor({ day, node }: NodeDay) {
    super(
      `ClickHouse has other hits of ${utcDayName(day)} from collector ${node} than this directory, a copy of its. ` +
        'Hits are kept here until that collector is updated, or has been silent for a day after the end of this one.',
    );
  }
}

/** Between two steps, for the hits that come meanwhile. */
const restMs = 10;

/**
 * Rejects as `send` does, while the primary has not made the tables of this version, and with
 * OlderCollectorError as long as nobody can tell which hits that are there are those that are here;
 * the next call goes on. Of a day that is there whole, hits of the earlier version are part of it,
 * and are forgotten here.
 */
export const handOver = async (db: Database, shards: Shards): Promise<void> => {
  await refuseEarlierTables(shards);
  const store = forwardedStore(db);
  const last = store.last();
  if (last === undefined || last.node === collectorsNode) return;
  const [cluster, here] = [openCluster(shards), earlierHits(db)];
  for (const siteDay of someRows(db).openDays()) {
    const of = { ...siteDay, node: last.node };
    const whole = (await cluster.shipped(of.siteId)).find(({ day, node }) => day === of.day && node === of.node);
    // A day without a version was taken away before. One that was closed for want of the rest is
    // as those that are open.
    const [hits, hitsHere] = [whole?.hits ?? (await openHits(shards, of)), here.count(of)];
    const state = whole === undefined ? undefined : readShipped(whole.version)?.of.state;
    const isOpen = state === undefined || state === 'open';
    if (hits <= hitsHere && (isOpen || state === 'retired')) await cluster.drop(of);
    else if (isOpen || (hits < hitsHere && state !== 'taken')) throw new OlderCollectorError(of);
    else for (const _ of here.forget(of)) await wait(restMs);
  }
  store.set({ ...last, node: collectorsNode, hitId: 0 });
};

const openHits = async (shards: Shards, { siteId, day, node }: NodeDay): Promise<number> => {
  const ofDay = `site = ${siteId} and day = toDate(${day}) and node = ${node}`;
  const sql = `select count() from open_hit where ${all([ofDay, 'type > 0', latestVisits(ofDay)])}`;
  const found = await Promise.all(shards.map(replicas => rowsFrom(replicas, sql)));
  return found.flat(2).reduce<number>((sum, hits) => sum + Number(hits), 0);
};
