/** Sites: the table, and the directory that the collector and the API look them up in. */
import { createHash } from 'node:crypto';
import { sitesMax } from '../model/limits.ts';
import type { Rollup, Site } from '../model/site.ts';
import { changeCounter, type Database, StoreError } from './database.ts';
import { assigned, insertInto, rowValues, selected } from './row-values.ts';
import { siteAliases } from './site-aliases.ts';
import { orUniqueViolation } from './unique-violation.ts';

const rows = rowValues<Site>({
  ...{ aliases: 'json', excludedIps: 'json', excludedPaths: 'json', allowedHosts: 'json' },
  ...{ excludedCountries: 'json', embedHosts: 'json', leftOut: 'json', members: 'json' },
});

const settingNames = [
  ...(['domain', 'timezone', 'currency', 'identityMode', 'excludedIps', 'excludedPaths', 'allowedHosts'] as const),
  ...(['excludedCountries', 'embedHosts', 'leftOut', 'senderHits', 'senderBurst', 'keepDays', 'members'] as const),
] as const;
const fieldNames = [
  ...(['accountId', 'uuid', 'publicKey', 'visitorKey'] as const),
  ...settingNames,
  ...(['createdAt', 'digest'] as const),
] as const;
const selectSites = `
  select ${selected(['id', ...fieldNames])}, (
    select json_group_array(alias) from (select alias from site_alias where site_id = site.id order by alias)
  ) as aliases
  from site`;

const toSite = (row: unknown): Site => {
  const { digest: _, ...site } = rows.read(row) as Site & { digest: string };
  return site;
};

const stored = (settings: SiteSettings) => ({
  ...rows.stored(settings),
  digest: createHash('sha256').update(JSON.stringify(settings)).digest('hex'),
});

/** The account has as many sites as it may have. */
export class TooManySites extends StoreError {}

/** What can be changed of a site after it was made. */
export type SiteSettings = Pick<Site, (typeof settingNames)[number] | 'aliases'>;

export interface Sites {
  /** By domain. */
  list(accountId?: number): Site[];
  /** The site or rollup of an account that has this domain or name. */
  named(accountId: number, domain: string): Site | undefined;
  /** By the id that the API knows it by. */
  withId(uuid: string): Site | undefined;
  /**
   * Throws TooManySites when the account has as many as it may have, and UniqueViolation when the
   * account has that domain already, the id or key is taken, or an alias is another site's name.
   */
  add(site: Omit<Site, 'id'>): Site;
  /** Throws UniqueViolation when another site of the account has that domain, or any an alias. */
  set(siteId: number, settings: SiteSettings): void;
  /**
   * Gives the site a new id, and so an empty past; its settings, definitions, notes and links to
   * public pages stay. The old rows are out of reach and wait for maintenance/drop-sites.ts.
   */
  reset(siteId: number): void;
  /** Its rows wait likewise. */
  remove(siteId: number): void;
}

/** Ids of sites that there were and that were removed or reset. */
export const goneSites = (db: Database): number[] => {
  const last = db.prepare(`select seq from sqlite_sequence where name = 'site'`).pluck().get() as number | undefined;
  const ids = new Set(db.prepare('select id from site').pluck().all() as number[]);
  return Array.from({ length: last ?? 0 }, (_, i) => i + 1).filter(id => !ids.has(id));
};

const taken = (site: SiteSettings) => (columns: string) =>
  columns.includes('domain')
    ? `There is a site ${site.domain} already.`
    : 'There is a site with this id or key already.';

const siteIn = (row: unknown): Site | undefined => (row === undefined ? undefined : toSite(row));

export const sites = (db: Database): Sites => {
  const all = db.prepare(`${selectSites} order by domain, id`);
  const byId = db.prepare(`${selectSites} where id = ?`);
  const byName = db.prepare(`${selectSites} where account_id = ? and domain = ?`);
  const byUuid = db.prepare(`${selectSites} where uuid = ?`);
  const count = db.prepare('select count(*) from site where account_id = ?').pluck();
  const insert = db.prepare(`${insertInto('site', fieldNames)} returning id`);
  const update = db.prepare(`update site set ${assigned([...settingNames, 'digest'])} where id = @id`);
  const remove = db.prepare('delete from site where id = ?');
  const unshare = db.prepare('delete from share where site_id = ?');
  const aliases = siteAliases(db);
  const keep = ['definition', 'note', 'share', 'alert'].map(name =>
    db.prepare(`update ${name} set site_id = ? where site_id = ?`),
  );
  const leave = db.prepare('insert into dropped_site (id) values (?)');

  /** Takes a site's row away and gives it back. */
  const detach = (siteId: number): unknown => {
    const row = byId.get(siteId);
    remove.run(siteId);
    leave.run(siteId);
    return row;
  };
  return {
    list: accountId =>
      (all.all() as Pick<Site, 'accountId'>[])
        .filter(row => accountId === undefined || row.accountId === accountId)
        .map(toSite),
    named: (accountId, domain) => siteIn(byName.get(accountId, domain)),
    withId: uuid => siteIn(byUuid.get(uuid)),
    add: site =>
      db
        .transaction(() => {
          if ((count.get(site.accountId) as number) >= sitesMax)
            throw new TooManySites(`An account has at most ${sitesMax.toLocaleString('en-US')} sites and rollups.`);
          const { id } = orUniqueViolation(() => insert.get(stored(site)), taken(site)) as { id: number };
          aliases.set(id, site.aliases);
          return toSite(byId.get(id));
        })
        .immediate(),
    set(id, settings) {
      db.transaction(() => {
        orUniqueViolation(() => update.run({ ...stored(settings), id }), taken(settings));
        aliases.set(id, settings.aliases);
      }).immediate();
    },
    reset(siteId) {
      db.transaction(() => {
        const { id } = insert.get(detach(siteId)) as { id: number };
        for (const each of keep) each.run(id, siteId);
        aliases.move(siteId, id);
      }).immediate();
    },
    remove(siteId) {
      db.transaction(() => {
        detach(siteId);
        unshare.run(siteId);
        aliases.set(siteId, []);
      }).immediate();
    },
  };
};

export interface SiteDirectory {
  /**
   * By public key, id, domain or alias. Several accounts may have a site of one domain: then it is
   * that of the account, or without one the first that was added.
   */
  find(name: string, accountId?: number): Site | undefined;
  byId(siteId: number): Site | undefined;
  /** Rollups among them, by domain. */
  ofAccount(accountId: number): Site[];
  /** The sites that a rollup reads as one, and that are still there. */
  members(rollup: Rollup): Site[];
  /**
   * Reads the sites again if another process changed the file. Looking takes about a microsecond.
   */
  refresh(): void;
  /** Reads the sites again after this process changed them, or the only one that it changed. */
  reload(siteId?: number): void;
}

/** As long as a domain can be. No other name is longer. */
const nameCharsMax = 253;

/**
 * What changed since it was last asked: the sites as they were, and as they are. Only those that
 * changed are read: a digest of each tells which, from an index that has nothing else in it.
 */
const siteChanges = (db: Database): ((only?: number) => { gone: Site[]; come: Site[] }) => {
  const digests = db.prepare('select id, digest from site').raw();
  const digest = db.prepare('select id, digest from site where id = ?').raw();
  const one = db.prepare(`${selectSites} where id = ?`);
  const known = new Map<number, { digest: string; site: Site }>();
  return db.transaction((only?: number) => {
    const rows = only === undefined ? digests.all() : digest.all(only);
    const now = new Map(rows as [id: number, digest: string][]);
    const before = only === undefined ? [...known] : [...known].filter(([id]) => id === only);
    // A primary of an earlier version tells no digests.
    const isSame = (id: number): boolean => now.get(id) !== '' && now.get(id) === known.get(id)?.digest;
    const gone = before.filter(([id]) => !isSame(id)).map(([, { site }]) => site);
    const come = [...now].filter(([id]) => !isSame(id)).map(([id]) => toSite(one.get(id)));
    for (const { id } of gone) known.delete(id);
    for (const site of come) known.set(site.id, { digest: now.get(site.id)!, site });
    return { gone, come };
  });
};

const byDomain = (a: Site, b: Site): number => +(a.domain > b.domain) - +(a.domain < b.domain) || a.id - b.id;

const namesOf = ({ domain, uuid }: Site): string[] => [domain.toLowerCase(), uuid.toLowerCase()];

/** Whether one site changed, and the order of sites and who has which name stay as they are. */
const keepsNames = (gone: readonly Site[], come: readonly Site[]): boolean => {
  const [[before], [site]] = [gone, come];
  return gone.length === 1 && come.length === 1 && before!.id === site!.id && before!.domain === site!.domain;
};

/** A site that did not change stays the same object. */
export const siteDirectory = (db: Database): SiteDirectory => {
  const changes = changeCounter(db);
  const readChanges = siteChanges(db);
  let seen = Number.NaN;
  const byId = new Map<number, Site>();
  const byKey = new Map<string, Site>();
  const byAlias = new Map<string, Site>();
  let byName = new Map<string, Site>();
  let all: Site[] = [];
  const reload = (only?: number): void => {
    const { gone, come } = readChanges(only);
    if (gone.length + come.length === 0) return;
    for (const { id, publicKey, aliases } of gone) {
      byId.delete(id);
      byKey.delete(publicKey);
      for (const alias of aliases) byAlias.delete(alias);
    }
    for (const site of come) {
      byId.set(site.id, site);
      byKey.set(site.publicKey, site);
      for (const alias of site.aliases) byAlias.set(alias, site);
    }
    if (keepsNames(gone, come)) {
      const [[before], [site]] = [gone, come] as [[Site], [Site]];
      all[all.indexOf(before)] = site;
      for (const name of namesOf(site)) if (byName.get(name) === before) byName.set(name, site);
      return;
    }
    all = [...byId.values()].toSorted(byDomain);
    // Of one name, a site is found and no rollup, and of sites the oldest: a later one sets it
    // again.
    const isSite = ({ members }: Site): number => (members === null ? 1 : 0);
    const newestFirst = all.toSorted((a, b) => isSite(a) - isSite(b) || b.createdAt - a.createdAt);
    byName = new Map(newestFirst.flatMap(site => namesOf(site).map(name => [name, site] as const)));
  };
  const refresh = (): void => {
    const now = changes();
    if (now === seen) return;
    reload();
    seen = now;
  };
  const named = (name: string, accountId: number | undefined): Site | undefined => {
    const site = byName.get(name) ?? byAlias.get(name);
    if (site === undefined || accountId === undefined || site.accountId === accountId) return site;
    return all.find(other => other.accountId === accountId && other.domain.toLowerCase() === name);
  };
  refresh();
  return {
    find: (name, accountId) =>
      byKey.get(name) ?? (name.length > nameCharsMax ? undefined : named(name.toLowerCase(), accountId)),
    byId: siteId => byId.get(siteId),
    ofAccount: accountId => all.filter(site => site.accountId === accountId),
    members: ({ members, accountId }) =>
      members
        .map(uuid => byName.get(uuid))
        .filter((site): site is Site => site?.accountId === accountId && site.members === null)
        .toSorted(byDomain),
    refresh,
    reload,
  };
};
