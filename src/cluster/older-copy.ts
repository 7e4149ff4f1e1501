/**
 * A primary that was restored from an older copy of its database has less than it brought to
 * ClickHouse itself. It must not take what is missing here away there.
 */
import { utcDayName } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { importsOf } from '../store/day/day-versions.ts';
import { sealedHits } from '../store/day/sealed-hits.ts';
import { sites } from '../store/sites.ts';
import type { Cluster } from './cluster.ts';
import type { NodeDay } from './day-contents.ts';
import { checkSite, isOfImports, shippedVersions } from './ship-days.ts';
import { readShipped, type ShippedDay, withoutRules } from './shipped.ts';

export interface NewerDay extends NodeDay {
  /** Of its site. */
  domain: string;
  /** Whether anything of it is here. */
  isHere: boolean;
}

/** The database is older than what it brought to ClickHouse; the message says what to do. */
export class OlderCopyError extends Error {
  constructor({ domain, day, isHere }: NewerDay) {
    // Of a day that is here in part, the export would bring all hits once more.
    const from = utcDayName(isHere ? day + 1 : day);
    super(
      `ClickHouse has hits of ${utcDayName(day)} from this machine that this database has not: was it restored from an ` +
        `older copy? daybook export FILE --site ${domain} --of primary --from ${from} writes the days that are missing to a ` +
        `file, and daybook import FILE --site ${domain} --all reads it; so with each site. Then daybook cluster import ` +
        '--delete-newer deletes on ClickHouse what is not here.',
    );
  }
}

/**
 * Days of a node that the cluster has whole, and with more hits than this database, ascending by
 * site and day. Days before the newest one here may be missing: they were deleted, as too old.
 * Rejects as `send` does, and with OtherSiteError.
 */
export const newerDays = async (db: Database, cluster: Pick<Cluster, 'shipped'>, node: number): Promise<NewerDay[]> => {
  const versionsOf = shippedVersions(db);
  const hitsOf = sealedHits(db);
  const all = sites(db).list();
  // What is there was here before, so it is looked at first.
  const there: ShippedDay[] = [];
  for (const site of all)
    for (const of of await cluster.shipped(site.id)) {
      if (of.node !== node || of.hits === 0 || isOfImports(of.version)) continue;
      checkSite(site, of.version);
      there.push(of);
    }
  const here = new Map(all.map(site => [site.id, versionsOf(site)]));
  const hits = new Map(all.map(({ id }) => [id, hitsOf(id)]));
  let newest = Number.NEGATIVE_INFINITY;
  for (const days of here.values()) for (const day of days.keys()) newest = Math.max(newest, day);
  const isNewer = ({ siteId, day, version, hits: hitsThere }: ShippedDay): boolean => {
    const versionHere = here.get(siteId)!.get(day);
    if (versionHere === undefined) return day > newest;
    const [ofHere, ofThere] = [readShipped(versionHere)?.of, readShipped(version)?.of];
    if (importsOf(ofHere).length + importsOf(ofThere).length > 0) return false;
    if (ofHere?.state === 'open') return ofThere?.state === 'sealed';
    return withoutRules(version) === versionHere && (hits.get(siteId)!.get(day) ?? 0) < hitsThere;
  };
  const domains = new Map(all.map(({ id, domain }) => [id, domain]));
  return there.filter(isNewer).map(({ siteId, day }) => ({
    ...{ siteId, day, node },
    ...{ domain: domains.get(siteId)!, isHere: here.get(siteId)!.has(day) },
  }));
};
