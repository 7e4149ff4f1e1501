/** Brings the days of this machine's sites to a cluster, and takes away what is no longer here. */

import type { Site } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import type { QueryContext } from '../query/context.ts';
import type { Database } from '../store/database.ts';
import type { Day } from '../store/day/day.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { type DayVersions, dayVersions } from '../store/day/day-versions.ts';
import { type UnitedDays, unitedDays } from '../store/day/united-days.ts';
import { records } from '../store/read/records.ts';
import type { Cluster } from './cluster.ts';
import { rowsVersion } from './schema.ts';

/** What happened to a day: it came, or it went. */
export interface ShippedDay {
  site: Site;
  day: number;
  /** Null for a day that went. */
  hits: number | null;
}

/** The cluster holds days of another site under the same number. */
export class OtherSiteError extends Error {}

const lastDay = 65_535;

type SiteDays = (site: Pick<Site, 'id' | 'uuid'>, first?: number, last?: number) => Map<number, string>;

/** What the days of a site are known by on a cluster. Written otherwise, the same hits are shipped again. */
export const shippedVersions = (db: Database): SiteDays => {
  const versions: DayVersions = dayVersions(db);
  return ({ id, uuid }, first = 0, last = lastDay) =>
    new Map([...versions(id, first, last)].map(([day, version]) => [day, `${rowsVersion} ${uuid} ${version}`]));
};

/** Throws OtherSiteError before anything is changed, and what the cluster throws. */
export async function* shipDays(
  db: Database,
  sites: readonly Site[],
  cluster: Cluster,
  node: number,
): AsyncGenerator<ShippedDay> {
  const versionsOf = shippedVersions(db);
  const reader = unitedDays(dayReader(db, 0));
  const recordsOf = records(db);
  const there = new Map<number, Map<number, string>>();
  for (const site of sites) there.set(site.id, await daysThere(cluster, site, node));
  for (const site of sites) {
    const [here, known] = [versionsOf(site), there.get(site.id)!];
    for (const day of known.keys()) {
      if (here.has(day)) continue;
      await cluster.drop({ siteId: site.id, day, node });
      yield { site, day, hits: null };
    }
    const query = { siteId: site.id, currency: site.currency, minorRates: {}, slices: [] };
    const context: QueryContext = { query, reader, records: recordsOf, text: id => reader.texts.text(site.id, id) };
    for (const [day, version] of [...here].sort(([a], [b]) => a - b)) {
      if (known.get(day) === version) continue;
      const of = { siteId: site.id, day, node };
      const hits = await cluster.ship(of, version, partsOf(reader, site.id, day), context);
      yield { site, day, hits };
    }
  }
}

/** Throws OtherSiteError where a day that was shipped in a version is of another site. */
export const checkSite = ({ uuid, domain }: Site, version: string): void => {
  if (version.split(' ')[1] !== uuid)
    throw new OtherSiteError(
      `ClickHouse has days of another site where those of ${domain} belong: use another database`,
    );
};

/** What there is of a node's days, by day. */
const daysThere = async (cluster: Cluster, site: Site, node: number): Promise<Map<number, string>> => {
  const days = (await cluster.shipped(site.id)).filter(({ version }) => version !== '');
  for (const { version } of days) checkSite(site, version);
  return new Map(days.flatMap(of => (of.node === node ? [[of.day, of.version] as const] : [])));
};

function* partsOf(reader: UnitedDays, siteId: number, day: number): Generator<Day> {
  for (const of of reader.outline(siteId, day * dayMs, (day + 1) * dayMs)) yield* reader.day(siteId, of);
}
