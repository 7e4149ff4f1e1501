/** Counts the hits on a cluster that filters select, before a rule is made of them. */
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { dayMs, utcDayName, utcDayOf } from '../model/time.ts';
import type { HitsOfSite } from '../query/removal-rules/hits-of-rule.ts';
import type { Database } from '../store/database.ts';
import { siteDirectory } from '../store/sites.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { rowsFrom } from './day-contents.ts';
import { daysIn, selectionOf } from './selection.ts';
import { BroughtDayError, settleBrought } from './settle-brought.ts';
import { siteDaysReader, sourceOf } from './source.ts';

/** Hits are on days that are not over; the message says what to do. */
class OpenElsewhereError extends Error {}

/** What the error of `hitsForRule` says. */
export const refusalOf = (error: unknown): string => {
  const isClear = error instanceof OpenElsewhereError || error instanceof BroughtDayError;
  return `${isClear ? '' : 'ClickHouse: '}${(error as Error).message}`;
};

/** As `daysWithHits`, once days are settled that an earlier version brought here. */
export const hitsForRule = async (db: Database, shards: Shards, hits: HitsOfSite): Promise<Map<number, number>> => {
  const cluster = openCluster(shards);
  await settleBrought(db, cluster, hits.siteId);
  return daysWithHits(shards, cluster, siteDirectory(db).byId(hits.siteId)!, hits);
};

/** Says why no rule can be made of hits; null where one can. */
export const whyNoRule =
  (db: Database, shards: Shards) =>
  (hits: HitsOfSite): Promise<string | null> =>
    hitsForRule(db, shards, hits).then(() => null, refusalOf);

/**
 * By UTC day, how many hits there are on the cluster that filters select. Rejects with
 * OpenElsewhereError where some are on days of collectors that are not closed, of which rules leave
 * nothing out yet, and as `send` does.
 */
const daysWithHits = async (
  shards: Shards,
  cluster: Pick<Cluster, 'shipped'>,
  { timezone }: Pick<Site, 'timezone'>,
  { siteId, ...of }: HitsOfSite,
): Promise<Map<number, number>> => {
  const slice = { ...of, questions: [] };
  const known = await siteDaysReader(cluster, shards)(siteId);
  const { table, hits } = selectionOf(slice, sourceOf(siteId, known, daysIn(slice)));
  const closed = new Set(known.shipped.map(({ day, node }) => `${day} ${node}`));
  const [days, open] = [new Map<number, number>(), new Map<number, number>()];
  const add = (to: Map<number, number>, day: number, count: number) => to.set(day, (to.get(day) ?? 0) + count);
  const sql = `select toUInt32(day) as d, node, count() from ${table} where ${hits} group by d, node`;
  for (const replicas of shards)
    for (const row of await rowsFrom(replicas, sql)) {
      const [day, node, count] = row.map(Number) as [number, number, number];
      add(days, day, count);
      if (node !== 0 && !closed.has(`${day} ${node}`)) add(open, day, count);
    }
  if (open.size > 0) throw openElsewhere(open, timezone);
  return days;
};

const openElsewhere = (open: ReadonlyMap<number, number>, timezone: string): OpenElsewhereError => {
  const first = Math.min(...open.keys());
  const hits = [...open.values()].reduce((sum, count) => sum + count, 0);
  const localDate = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: timezone });
  // The site's day in which that UTC day begins may hold some of it.
  const lastDate = utcDayName(utcDayOf(Date.parse(localDate.format(first * dayMs))) - 1);
  return new OpenElsewhereError(
    `${hits} of these hits came to collectors on days that are not over, from ${utcDayName(first)} (UTC) on. ` +
      `Choose a period that ends on ${lastDate}, or wait until these days are over and on ClickHouse.`,
  );
};
