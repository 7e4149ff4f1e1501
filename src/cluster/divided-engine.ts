/**
 * Answers on a primary. As long as no collector ever followed it, this machine has all hits and
 * answers by itself, which is many times cheaper. Then ClickHouse answers, and this machine only
 * what is asked about days that it holds itself, all of them, as they are there.
 */
import type { Site } from '../model/site.ts';
import { utcDayOf } from '../model/time.ts';
import type { Query, Slice } from '../query/query.ts';
import type { QueryEngine } from '../query/query-engine.ts';
import type { Database } from '../store/database.ts';
import { nodes } from '../store/nodes.ts';
import { isAboutHits } from './clickhouse-engine.ts';
import { shippedVersions } from './ship-days.ts';
import { withoutRules } from './shipped.ts';
import { mayBeOpen, type SiteDays } from './source.ts';

export interface DividedEngineParts {
  db: Database;
  embedded: QueryEngine;
  clickHouse: QueryEngine;
  /** What the cluster has of a site. */
  daysOf(siteId: number): Promise<SiteDays>;
  siteOf(siteId: number): Pick<Site, 'id' | 'uuid'> | undefined;
}

/** The number of the primary. */
const own = 0;

export const dividedEngine = ({ db, embedded, clickHouse, daysOf, siteOf }: DividedEngineParts): QueryEngine => {
  const { any: hasCollectors } = nodes(db);
  const versionsOf = shippedVersions(db);

  /** Whether every hit of a slice is here, and nowhere else. */
  const isHere = (siteId: number, { from, to }: Slice, days: SiteDays): boolean => {
    const site = siteOf(siteId);
    if (site === undefined || from >= to) return true;
    const [first, last] = [utcDayOf(from), utcDayOf(to - 1)];
    if (mayBeOpen(days, last)) return false;
    const here = versionsOf(site, first, last);
    const there = days.shipped.filter(({ day, version }) => day >= first && day <= last && version !== '');
    return (
      there.length === here.size && there.every(of => of.node === own && here.get(of.day) === withoutRules(of.version))
    );
  };

  const isAllHere = async ({ siteId, rollup, slices }: Query): Promise<boolean> => {
    if (rollup !== undefined || !slices.every(({ questions }) => questions.every(isAboutHits))) return false;
    const days = await daysOf(siteId);
    return slices.every(slice => isHere(siteId, slice, days));
  };

  return {
    async run(query, asker, signal, told) {
      // Days that rules leave hits out of are all here.
      if (!hasCollectors() || query.withLeftOut) return embedded.run(query, asker, signal, told);
      // What cannot be told is as good as not here: ClickHouse says what is wrong.
      if (await isAllHere(query).catch(() => false)) return embedded.run(query, asker, signal, told);
      return clickHouse.run(query, asker, signal, told);
    },
  };
};
