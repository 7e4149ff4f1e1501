/**
 * Closes days that collectors of earlier versions have left open, each under a number of its own:
 * the rows that are there become whole days, as if the collector had shipped them itself.
 */
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { dayMs, utcDayOf } from '../model/time.ts';
import { close, contentOf, type Rows } from './close-days.ts';
import { rowsFrom } from './day-contents.ts';
import { openDays } from './open-partitions.ts';
import { shippedTable } from './shipped.ts';
import { latestVisits } from './source.ts';
import { all } from './sql.ts';

/**
 * Closes those that ended a day ago. A collector that comes back ships the day over it, or takes it
 * away and sends its hits as a set (hand-over.ts). Rejects as `send` does, and with ShipError.
 */
export const closeEarlierDays = async (
  shards: Shards,
  sites: readonly Pick<Site, 'id' | 'uuid'>[],
  now: number,
): Promise<void> => {
  const { days } = shippedTable(shards[0]!);
  for (const day of (await openDays(shards)).open_hit.filter(one => one < utcDayOf(now - dayMs))) {
    const sql = `select distinct site, node from open_hit where day = toDate(${day}) and node != 0`;
    const found = (await Promise.all(shards.map(replicas => rowsFrom(replicas, sql)))).flat();
    const open = new Map(found.map(row => [row.join(' '), row.map(Number) as [site: number, node: number]]));
    for (const [siteId, node] of open.values()) {
      // A site that is unknown here may come back.
      const site = sites.find(({ id }) => id === siteId);
      if (site === undefined || (await days(siteId)).some(of => of.day === day && of.node === node)) continue;
      const ofDay = `site = ${siteId} and day = toDate(${day}) and node = ${node}`;
      const rows: Rows = columns =>
        `select ${columns} from open_hit where ${all([ofDay, 'type > 0', latestVisits(ofDay)])}`;
      const least = (await Promise.all(shards.map(replicas => contentOf(replicas, rows)))).map(([hits]) =>
        Number(hits),
      );
      await close(shards, { siteId, day, node }, { uuid: site.uuid, rows, now, least, isEarlier: true });
    }
  }
};
