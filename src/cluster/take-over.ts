/**
 * Ships days that were brought here (bring-days.ts) and changed since, as when hits were taken out
 * of them. They are this machine's own from then on, and no other node's.
 */
import type { Site } from '../model/site.ts';
import type { Database } from '../store/database.ts';
import { broughtDays } from '../store/day/brought-days.ts';
import type { Cluster } from './cluster.ts';
import { dayRowsOf, type ShippedDay, shippedVersions } from './ship-days.ts';

/** Throws what the cluster throws; the next call goes on. */
export async function* takeOverDays(
  db: Database,
  sites: readonly Site[],
  cluster: Pick<Cluster, 'shipped' | 'ship'>,
  node: number,
): AsyncGenerator<ShippedDay> {
  const [brought, versionsOf, rowsOf] = [broughtDays(db), shippedVersions(db), dayRowsOf(db)];
  for (const site of sites) {
    const days = brought.days(site.id).filter(day => brought.find(site.id, day)!.isChanged);
    if (days.length === 0) continue;
    const there = await cluster.shipped(site.id);
    for (const day of days) {
      const ofDay = there.filter(part => part.day === day);
      const version = versionsOf(site, day, day).get(day);
      if (version === undefined) continue;
      const others = ofDay.filter(part => part.node !== node && part.hits > 0);
      if (others.length === 0 && ofDay.some(part => part.node === node && part.version === version)) continue;
      const { parts, context } = rowsOf(site, day);
      const hits = await cluster.ship({ siteId: site.id, day, node }, version, parts, context, others);
      yield { site, day, hits };
    }
  }
}
