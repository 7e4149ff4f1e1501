/** Where hits are that filters select, and brings those days here. */
import type { Site } from '../model/site.ts';
import { dayMs, utcDayName, utcDayOf } from '../model/time.ts';
import type { HitsOfSite } from '../query/rules/hits-of-rule.ts';
import { type ArrivedDay, BringError, type Bringing, bringDays } from './bring-days.ts';
import { rowsFrom } from './day-contents.ts';
import { daysIn, selectionOf } from './selection.ts';
import { siteDaysReader, sourceOf } from './source.ts';

/**
 * By UTC day, how many hits there are on the cluster that filters select. Rejects with BringError
 * where some are on days that other nodes have not closed, from which nothing can be removed, and
 * as `send` does.
 */
export const daysWithHits = async (
  { shards, cluster, node: own }: Pick<Bringing, 'shards' | 'cluster' | 'node'>,
  { timezone }: Pick<Site, 'timezone'>,
  { siteId, ...of }: HitsOfSite,
): Promise<Map<number, number>> => {
  const slice = { ...of, questions: [] };
  const known = await siteDaysReader(cluster, shards)(siteId);
  const { table, hits } = selectionOf(slice, sourceOf(siteId, known, ...daysIn(slice)));
  const closed = new Set(known.shipped.map(({ day, node }) => `${day} ${node}`));
  const [days, open] = [new Map<number, number>(), new Map<number, number>()];
  const add = (to: Map<number, number>, day: number, count: number) => to.set(day, (to.get(day) ?? 0) + count);
  const sql = `select toUInt32(day) as d, node, count() from ${table} where ${hits} group by d, node`;
  for (const replicas of shards)
    for (const row of await rowsFrom(replicas, sql)) {
      const [day, node, count] = row.map(Number) as [number, number, number];
      add(days, day, count);
      if (node !== own && !closed.has(`${day} ${node}`)) add(open, day, count);
    }
  if (open.size > 0) throw openElsewhere(open, timezone);
  return days;
};

const openElsewhere = (open: ReadonlyMap<number, number>, timezone: string): BringError => {
  const first = Math.min(...open.keys());
  const hits = [...open.values()].reduce((sum, count) => sum + count, 0);
  const localDate = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: timezone });
  // The site's day in which that UTC day begins may hold some of it.
  const lastDate = utcDayName(utcDayOf(Date.parse(localDate.format(first * dayMs))) - 1);
  return new BringError(
    `${hits} of these hits came to collectors on days that are not over, from ${utcDayName(first)} (UTC) on. ` +
      `Choose a period that ends on ${lastDate}, or wait until these days are over and on ClickHouse.`,
  );
};

/** As bringDays, for those with such hits. Rejects as `daysWithHits`, with nothing changed. */
export async function* bringDaysWithHits(bringing: Bringing, site: Site, hits: HitsOfSite): AsyncGenerator<ArrivedDay> {
  const days = await daysWithHits(bringing, site, hits);
  yield* bringDays(bringing, [site], (_, day) => days.has(day));
}
