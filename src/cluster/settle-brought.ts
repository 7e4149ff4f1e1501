/**
 * Earlier versions brought days of collectors into the primary's database, for rules. Where one was
 * shipped as the primary's own, it stays that. Else the copy goes: the cluster has all of it.
 */
import { utcDayName } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { type BroughtDay, broughtDays } from '../store/day/brought-days.ts';
import { siteDirectory } from '../store/sites.ts';
import type { Cluster } from './cluster.ts';
import { isTaken, type ShippedDay } from './shipped.ts';

/** A day holds hits of collectors and others, and only the earlier version can go on. */
export class BroughtDayError extends Error {
  constructor(domain: string, day: number) {
    super(
      `${utcDayName(day)} of ${domain} has hits of collectors in this database beside its own, brought by an earlier version. ` +
        'It stays on ClickHouse as it is: until daybook prune of that version is run once more for this day, no rule can be made.',
    );
  }
}

/**
 * Rejects as `send` does, and with BroughtDayError once all other days are settled. `siteId`: days
 * of that site alone. `db` may be written to.
 */
export const settleBrought = async (
  db: Database,
  cluster: Pick<Cluster, 'shippedOnAll'>,
  siteId?: number,
): Promise<void> => {
  const brought = broughtDays(db);
  let failure: BroughtDayError | undefined;
  for (const note of brought.list()) {
    const site = siteDirectory(db).byId(note.siteId);
    if (site === undefined || (siteId !== undefined && siteId !== site.id)) continue;
    const parts = (await cluster.shippedOnAll(site.id)).filter(({ day }) => day === note.day);
    if (isOwn(note, parts)) brought.forget(note);
    else if (isCopy(note, parts)) brought.drop(note);
    else failure ??= new BroughtDayError(site.domain, note.day);
  }
  if (failure !== undefined) throw failure;
};

/** Whether it is this machine's day: shipped as that, or of a cluster that has none of it. */
const isOwn = ({ sources }: BroughtDay, parts: readonly ShippedDay[]): boolean => {
  const own = parts.find(({ node }) => node === 0);
  const ofSources = parts.filter(of => sources[of.node] !== undefined && (of.hits > 0 || isTaken(of.version)));
  const wasTaken = ofSources.some(({ node, version }) => node !== 0 && isTaken(version));
  return ofSources.length === 0 || wasTaken || (sources[0] !== undefined && own?.version !== sources[0]);
};

/** Whether all of it is there. A day of a node that came again has all that it had before. */
const isCopy = ({ sources, withOwn, isChanged }: BroughtDay, parts: readonly ShippedDay[]): boolean =>
  !withOwn &&
  !isChanged &&
  Object.keys(sources).every(source => parts.some(({ node, hits }) => node === Number(source) && hits > 0));
