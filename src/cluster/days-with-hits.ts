/** Where hits are that filters select, and brings those days here. */
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import type { HitsOfSite } from '../query/removal/remove-hits.ts';
import { type ArrivedDay, type Bringing, bringDays } from './bring-days.ts';
import type { Cluster } from './cluster.ts';
import { rowsFrom } from './day-contents.ts';
import { daysIn, selectionOf } from './selection.ts';
import { siteDaysReader, sourceOf } from './source.ts';

/** By UTC day, how many hits there are on the cluster that filters select. Rejects as `send` does. */
export const daysWithHits = async (
  shards: Shards,
  cluster: Pick<Cluster, 'shipped'>,
  { siteId, ...of }: HitsOfSite,
): Promise<Map<number, number>> => {
  const slice = { ...of, questions: [] };
  const source = sourceOf(siteId, await siteDaysReader(cluster, shards)(siteId), ...daysIn(slice));
  const { table, hits } = selectionOf(slice, source);
  const days = new Map<number, number>();
  for (const replicas of shards)
    for (const row of await rowsFrom(
      replicas,
      `select toUInt32(day) as d, count() from ${table} where ${hits} group by d`,
    )) {
      const [day, count] = row.map(Number) as [number, number];
      days.set(day, (days.get(day) ?? 0) + count);
    }
  return days;
};

/** As bringDays, those that have such hits. */
export async function* bringDaysWithHits(bringing: Bringing, site: Site, hits: HitsOfSite): AsyncGenerator<ArrivedDay> {
  const days = await daysWithHits(bringing.shards, bringing.cluster, hits);
  yield* bringDays(bringing, [site], (_, day) => days.has(day));
}
