/**
 * Ships days that were brought here (bring-days.ts) and are others now, as when rules leave hits
 * out of them. They are this machine's own from then on, and no other node's.
 */
import type { Site } from '../model/site.ts';
import type { Database } from '../store/database.ts';
import { broughtDays } from '../store/day/brought-days.ts';
import type { Cluster } from './cluster.ts';
import { type DayChange, dayRowsOf, ruledVersions } from './ship-days.ts';
import { withoutRules } from './shipped.ts';

/** Ships the days of some sites. It throws what the cluster throws; the next call goes on. */
export const dayTaker = (db: Database, cluster: Pick<Cluster, 'shipped' | 'ship'>, node: number) => {
  const [brought, versionsOf, rowsOf] = [broughtDays(db), ruledVersions(db), dayRowsOf(db)];
  return async function* (sites: readonly Site[]): AsyncGenerator<DayChange> {
    for (const site of sites) {
      const days = brought.days(site.id);
      if (days.length === 0) continue;
      const [there, here] = [await cluster.shipped(site.id), versionsOf(site)];
      for (const day of days) {
        const ofDay = there.filter(part => part.day === day);
        const own = ofDay.find(part => part.node === node);
        const version = here.get(day);
        if (version === undefined) continue;
        const { isChanged, sources } = brought.find(site.id, day)!;
        const isAsItCame = !isChanged && version === withoutRules(version) && own?.version === sources[node];
        // What came later counts beside the day, and is not in what was brought.
        const others = ofDay.filter(of => of.node !== node && of.hits > 0 && of.version === sources[of.node]);
        const isBehind = ofDay.some(
          of => of.node !== node && of.taken === 0 && ![undefined, of.version].includes(sources[of.node]),
        );
        // It counts as it is until it is brought once more.
        if (isBehind) continue;
        if (isAsItCame || (others.length === 0 && own?.version === version)) continue;
        const { parts, context } = rowsOf(site, day);
        const hits = await cluster.ship({ siteId: site.id, day, node }, version, parts, context, others);
        yield { site, day, hits };
      }
    }
  };
};
