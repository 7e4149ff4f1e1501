/** Brings the days of this machine's sites to a cluster, and takes away what is no longer here. */
import { createHash } from 'node:crypto';
import type { Site } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import type { QueryContext } from '../query/context.ts';
import { type RuledDays, ruledDays } from '../query/removal-rules/ruled-days.ts';
import type { Database } from '../store/database.ts';
import { broughtDays } from '../store/day/brought-days.ts';
import type { Day } from '../store/day/day.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { type DayVersions, dayVersions } from '../store/day/day-versions.ts';
import { unitedDays } from '../store/day/united-days.ts';
import { records } from '../store/read/records.ts';
import { rules } from '../store/removal-rules.ts';
import type { Cluster } from './cluster.ts';
import type { NodeDay } from './day-contents.ts';
import { isTaken, nameOfRule, readShipped, shippedText, withoutRules, withRules } from './shipped.ts';

/** What happened to a day: it came, or it went. */
export interface DayChange {
  site: Site;
  day: number;
  /** Null for a day that went. */
  hits: number | null;
}

/** The cluster holds days of another site under the same number. */
class OtherSiteError extends Error {}

const lastDay = 65_535;

type SiteDays = (site: Pick<Site, 'id' | 'uuid'>, first?: number, last?: number) => Map<number, string>;

/** What a cluster knows a site's days by. Written otherwise, the same hits are shipped again. */
export const shippedVersions = (db: Database): SiteDays => {
  const versions: DayVersions = dayVersions(db);
  return ({ id, uuid }, first = 0, last = lastDay) =>
    new Map([...versions(id, first, last)].map(([day, version]) => [day, shippedText(uuid, version)]));
};

/** The days of a database as its rules leave them. */
const ruledReader = (db: Database): RuledDays => ruledDays(db, unitedDays(dayReader(db, 0)));

/** Days of which is known which rules leave hits out. */
const knownMax = 10_000;

/**
 * The same, with the rules that leave hits out of the day: it is shipped without these. A day is
 * looked at once under the same rules.
 */
export const ruledVersions = (db: Database): SiteDays => {
  const versionsOf = shippedVersions(db);
  const [reader, { ofSite }] = [ruledReader(db), rules(db)];
  const known = new Map<string, string>();
  return (site, ...range) => {
    const all = ofSite(site.id);
    const ruled = (day: number, version: string): string => {
      const some = all.filter(({ from, to }) => from < (day + 1) * dayMs && to > day * dayMs);
      if (some.length === 0) return version;
      const key = `${site.id} ${day} ${version} ${some.map(({ id }) => id)}`;
      const ids = known.get(key) ?? reader.rulesOf(site.id, day);
      if (known.size > knownMax) known.clear();
      known.set(key, ids);
      const touching = all.filter(({ id }) => ids.split(',').includes(`${id}`));
      return withRules(version, touching.map(nameOfRule).join());
    };
    return new Map([...versionsOf(site, ...range)].map(([day, version]) => [day, ruled(day, version)]));
  };
};

export interface ShipOptions {
  /** Days before it are over, sealed or not. Later ones are shipped only once they are sealed. */
  openFrom: number;
  /** Whether days that are no longer here are taken away. */
  takesAway: boolean;
}

type DayShipper = (sites: readonly Site[], options: ShipOptions) => AsyncGenerator<DayChange>;

/**
 * Ships a node's days, each time those that changed since the last. The generator throws
 * OtherSiteError before anything is changed, and what the cluster throws.
 */
export const dayShipper = (db: Database, cluster: Cluster, node: number): DayShipper => {
  const versionsOf = ruledVersions(db);
  const [brought, rowsOf] = [broughtDays(db), dayRowsOf(db)];
  /** By site the versions of days as they were when all were there. */
  const done = new Map<number, string>();

  /** Yields what happened to days of a site; `there` is what the cluster has of it. */
  async function* shipSite(site: Site, here: Versions, there: Versions, { openFrom, takesAway }: ShipOptions) {
    const ofDay = (day: number): NodeDay => ({ siteId: site.id, day, node });
    // What was brought is there already (settle-brought.ts).
    const copies = new Set(brought.list().flatMap(({ siteId, day }) => (siteId === site.id ? [day] : [])));
    for (const [day, version] of there) {
      if (here.has(day) || copies.has(day) || !(takesAway || isOfImports(version))) continue;
      await cluster.drop(ofDay(day));
      yield { site, day, hits: null };
    }
    for (const [day, version] of [...here].sort(([a], [b]) => a - b)) {
      if (there.get(day) === version || copies.has(day) || isTaken(there.get(day) ?? '')) continue;
      if (day >= openFrom && isOpen(version)) {
        // As when an import or a rule was taken back: the hits of its visits count again.
        // Collectors have neither: what is there whole came from another copy of the directory.
        if (there.has(day) && node === 0) await cluster.reopen(ofDay(day));
        continue;
      }
      const { parts, context } = rowsOf(site, day);
      const hits = await cluster.ship(ofDay(day), version, parts, context);
      yield { site, day, hits };
    }
  }

  return async function* (sites, options) {
    const changed = sites.flatMap(site => {
      const here = versionsOf(site);
      const digest = digestOf(here);
      return done.get(site.id) === digest ? [] : [{ site, here, digest }];
    });
    const there = new Map<number, Versions>();
    for (const { site } of changed) there.set(site.id, await daysThere(cluster, site, node));
    for (const { site, here, digest } of changed) {
      yield* shipSite(site, here, there.get(site.id)!, options);
      done.set(site.id, digest);
    }
  };
};

type Versions = ReadonlyMap<number, string>;

const digestOf = (versions: Versions): string =>
  createHash('sha256')
    .update(JSON.stringify([...versions]))
    .digest('base64');

/**
 * Whether hits of the day may still come, one by one. Where an import brought some, they are one
 * day with the others, and rules look at all of the day: so it is shipped whole.
 */
const isOpen = (version: string): boolean => {
  const of = readShipped(version)?.of;
  return of?.state === 'open' && of.imports.length === 0 && version === withoutRules(version);
};

/** Whether all of a day came with imports: when it is no longer here, they were taken back. */
export const isOfImports = (version: string): boolean => readShipped(version)?.of.state === 'imported';

/** Throws OtherSiteError where a day that was shipped in a version is of another site. */
export const checkSite = ({ uuid, domain }: Site, version: string): void => {
  if (readShipped(version)?.uuid !== uuid)
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

/** Gives what a day's rows are made of. */
export const dayRowsOf = (db: Database) => {
  const reader = ruledReader(db);
  const recordsOf = records(db);
  return ({ id, currency }: Pick<Site, 'id' | 'currency'>, day: number) => {
    const query = { siteId: id, currency, minorRates: {}, slices: [] };
    const context: QueryContext = { query, reader, records: recordsOf, text: textId => reader.texts.text(id, textId) };
    return { parts: partsOf(reader, id, day), context };
  };
};

function* partsOf(reader: RuledDays, siteId: number, day: number): Generator<Day> {
  for (const of of reader.outline(siteId, day * dayMs, (day + 1) * dayMs)) yield* reader.day(siteId, of);
}
