/** Sites: the table, and the directory that the collector and the API look them up in. */

import { sitesMax } from '../model/limits.ts';
import type { Rollup, Site } from '../model/site.ts';
import { snakeCase } from '../model/snake-case.ts';
import { changeCounter, type Database, StoreError } from './database.ts';
import { siteAliases } from './site-aliases.ts';
import { orUniqueViolation } from './unique-violation.ts';

/** Lists are stored as JSON. */
const columnListNames = ['excludedIps', 'excludedPaths', 'publicParts', 'embedHosts', 'leftOut'] as const;

const listNames = ['aliases', ...columnListNames] as const;

/** As it is stored. */
type SiteRow = Omit<Site, (typeof listNames)[number] | 'members'> & {
  [N in (typeof listNames)[number]]: string;
} & {
  members: string | null;
  shareToken: string | null;
};

const settingNames = [
  ...(['domain', 'timezone', 'currency', 'identityMode'] as const),
  ...columnListNames,
  ...(['senderHits', 'senderBurst', 'members'] as const),
] as const;
const fieldNames = [
  ...(['accountId', 'uuid', 'publicKey', 'visitorKey'] as const),
  ...settingNames,
  ...(['shareToken', 'createdAt'] as const),
] as const;
const columns = ['id', ...fieldNames].map(name => `${snakeCase(name)} as ${name}`).join(', ');
const selectOne = `
  select ${columns}, (
    select json_group_array(alias) from (select alias from site_alias where site_id = site.id order by alias)
  ) as aliases
  from site`;
/** The aliases of all sites are gathered once: looking for those of each would read all of them. */
const selectAll = `
  with alias_list as materialized (
    select site_id, json_group_array(alias) as aliases
    from (select site_id, alias from site_alias order by site_id, alias) group by site_id
  )
  select ${columns}, coalesce(aliases, '[]') as aliases
  from site left join alias_list on site_id = id
  order by domain, id`;

const toSite = ({ shareToken: _, ...row }: SiteRow): Site => ({
  ...row,
  aliases: JSON.parse(row.aliases),
  excludedIps: JSON.parse(row.excludedIps),
  excludedPaths: JSON.parse(row.excludedPaths),
  publicParts: JSON.parse(row.publicParts),
  embedHosts: JSON.parse(row.embedHosts),
  leftOut: JSON.parse(row.leftOut),
  members: row.members === null ? null : JSON.parse(row.members),
});

const stored = <S extends SiteSettings>({ aliases: _, ...site }: S) => ({
  ...site,
  excludedIps: JSON.stringify(site.excludedIps),
  excludedPaths: JSON.stringify(site.excludedPaths),
  publicParts: JSON.stringify(site.publicParts),
  embedHosts: JSON.stringify(site.embedHosts),
  leftOut: JSON.stringify(site.leftOut),
  members: site.members === null ? null : JSON.stringify(site.members),
});

/** The account has as many sites as it may have. */
export class TooManySites extends StoreError {}

/** What can be changed of a site after it was made. */
export type SiteSettings = Pick<Site, (typeof settingNames)[number] | 'aliases'>;

export interface Sites {
  /** By domain. A site that did not change is the same object as before. */
  list(accountId?: number): Site[];
  /**
   * Throws TooManySites when the account has as many as it may have, and UniqueViolation when the
   * account has that domain already, the id or key is taken, or an alias is another site's name.
   */
  add(site: Omit<Site, 'id'>): Site;
  /** Throws UniqueViolation when another site of the account has that domain, or any an alias. */
  set(siteId: number, settings: SiteSettings): void;
  /**
   * Gives the site a new id, and so an empty past; its settings, definitions and notes stay. The
   * old rows are out of reach and wait for maintenance/drop-sites.ts.
   */
  reset(siteId: number): void;
  /** Its rows wait likewise. */
  remove(siteId: number): void;
  /** Token of the site's public dashboard; null: it has none. */
  shareToken(siteId: number): string | null;
  setShareToken(siteId: number, token: string | null): void;
  /** The site whose public dashboard a token opens. */
  shared(token: string): Site | undefined;
}

/** Ids of sites that there were and that were removed or reset. */
export const goneSites = (db: Database): number[] => {
  const last = db.prepare(`select seq from sqlite_sequence where name = 'site'`).pluck().get() as number | undefined;
  const ids = new Set(db.prepare('select id from site').pluck().all() as number[]);
  return Array.from({ length: last ?? 0 }, (_, i) => i + 1).filter(id => !ids.has(id));
};

/** Reads all sites. A row is a third of the work, and most stay as they are between two reads. */
const siteReader = (db: Database): (() => Site[]) => {
  const all = db.prepare(selectAll);
  let known = new Map<number, { text: string; site: Site }>();
  return () => {
    const rows = (all.all() as SiteRow[]).map(row => {
      const text = Object.values(row).join('\0');
      const before = known.get(row.id);
      return before?.text === text ? before : { text, site: toSite(row) };
    });
    known = new Map(rows.map(row => [row.site.id, row]));
    return rows.map(({ site }) => site);
  };
};

const taken = (site: SiteSettings) => (columns: string) =>
  columns.includes('domain')
    ? `There is a site ${site.domain} already.`
    : 'There is a site with this id or key already.';

export const sites = (db: Database): Sites => {
  const byId = db.prepare(`${selectOne} where id = ?`);
  const count = db.prepare('select count(*) from site where account_id = ?').pluck();
  const insert = db.prepare(
    `insert into site (${fieldNames.map(snakeCase)}) values (${fieldNames.map(name => `@${name}`)}) returning id`,
  );
  const update = db.prepare(
    `update site set ${settingNames.map(name => `${snakeCase(name)} = @${name}`)} where id = @id`,
  );
  const remove = db.prepare('delete from site where id = ?');
  const shareToken = db.prepare('select share_token from site where id = ?').pluck();
  const setShareToken = db.prepare('update site set share_token = ? where id = ?');
  const shared = db.prepare(`${selectOne} where share_token = ?`);
  const aliases = siteAliases(db);
  const keep = ['definition', 'note'].map(name => db.prepare(`update ${name} set site_id = ? where site_id = ?`));
  const leave = db.prepare('insert into dropped_site (id) values (?)');

  /** Takes a site's row away and gives it back. */
  const detach = (siteId: number): SiteRow => {
    const row = byId.get(siteId) as SiteRow;
    remove.run(siteId);
    leave.run(siteId);
    return row;
  };
  const readAll = siteReader(db);

  return {
    list: accountId => readAll().filter(site => accountId === undefined || site.accountId === accountId),
    add: site =>
      db
        .transaction(() => {
          if ((count.get(site.accountId) as number) >= sitesMax)
            throw new TooManySites(`An account has at most ${sitesMax.toLocaleString('en-US')} sites and rollups.`);
          const row = { ...stored(site), shareToken: null };
          const { id } = orUniqueViolation(() => insert.get(row), taken(site)) as SiteRow;
          aliases.set(id, site.aliases);
          return toSite(byId.get(id) as SiteRow);
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
        const { id } = insert.get(detach(siteId)) as SiteRow;
        for (const each of keep) each.run(id, siteId);
        aliases.move(siteId, id);
      }).immediate();
    },
    remove(siteId) {
      db.transaction(() => {
        detach(siteId);
        aliases.set(siteId, []);
      }).immediate();
    },
    shareToken: siteId => (shareToken.get(siteId) as string | null | undefined) ?? null,
    setShareToken(siteId, token) {
      setShareToken.run(token, siteId);
    },
    shared(token) {
      const row = shared.get(token) as SiteRow | undefined;
      return row && toSite(row);
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
  /** Reads the sites again after this process changed them. */
  reload(): void;
}

/** As long as a domain can be. No other name is longer. */
const nameCharsMax = 253;

export const siteDirectory = (db: Database): SiteDirectory => {
  const table = sites(db);
  const changes = changeCounter(db);
  let seen = Number.NaN;
  let all: Site[] = [];
  let byKey = new Map<string, Site>();
  let byName = new Map<string, Site>();
  let byId = new Map<number, Site>();
  const reload = (): void => {
    all = table.list();
    byKey = new Map(all.map(site => [site.publicKey, site]));
    // Of one name, a site is found and no rollup, and of sites the oldest: a later one sets it
    // again.
    const isSite = ({ members }: Site): number => (members === null ? 1 : 0);
    const newestFirst = all.toSorted((a, b) => isSite(a) - isSite(b) || b.createdAt - a.createdAt);
    byName = new Map(
      newestFirst.flatMap(site =>
        [site.domain.toLowerCase(), ...site.aliases, site.uuid.toLowerCase()].map(name => [name, site] as const),
      ),
    );
    byId = new Map(all.map(site => [site.id, site]));
  };
  const refresh = (): void => {
    const now = changes();
    if (now === seen) return;
    reload();
    seen = now;
  };
  const named = (name: string, accountId: number | undefined): Site | undefined => {
    const site = byName.get(name);
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
      all.filter(site => site.accountId === accountId && site.members === null && members.includes(site.uuid)),
    refresh,
    reload,
  };
};
