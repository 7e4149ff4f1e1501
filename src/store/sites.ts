/** Sites: the table, and the directory that the collector and the API look them up in. */
import type { IdentityMode, Site } from '../model/site.ts';
import { changeCounter, type Database } from './database.ts';
import { orUniqueViolation } from './unique-violation.ts';

interface SiteRow {
  id: number;
  account_id: number;
  uuid: string;
  public_key: string;
  domain: string;
  timezone: string;
  currency: string;
  identity_mode: IdentityMode;
  excluded_ips: string;
  excluded_paths: string;
  share_token: string | null;
  created_at: number;
}

const toSite = (row: SiteRow): Site => ({
  id: row.id,
  accountId: row.account_id,
  uuid: row.uuid,
  publicKey: row.public_key,
  domain: row.domain,
  timezone: row.timezone,
  currency: row.currency,
  identityMode: row.identity_mode,
  excludedIps: JSON.parse(row.excluded_ips),
  excludedPaths: JSON.parse(row.excluded_paths),
  createdAt: row.created_at,
});

/** What can be changed of a site after it was made. */
export type SiteSettings = Pick<
  Site,
  'domain' | 'timezone' | 'currency' | 'identityMode' | 'excludedIps' | 'excludedPaths'
>;

export interface Sites {
  /** By domain. */
  list(accountId?: number): Site[];
  /** Throws TakenError when the account has that domain already, or the id or key is taken. */
  add(site: Omit<Site, 'id'>): Site;
  /** Throws TakenError when another site of the account has that domain. */
  set(siteId: number, settings: SiteSettings): void;
  /** Gives the site a new id and so an empty past. The rows of the old one can no longer be reached, and wait for maintenance/drop-sites.ts. */
  reset(siteId: number): void;
  /** Its rows wait likewise. */
  remove(siteId: number): void;
  /** Token of the site's public dashboard; null: it has none. */
  shareToken(siteId: number): string | null;
  setShareToken(siteId: number, token: string | null): void;
  /** Id of the site that a token shows; undefined for a token that shows none. */
  shared(token: string): number | undefined;
}

export const sites = (db: Database): Sites => {
  const all = db.prepare('select * from site order by domain, id');
  const byId = db.prepare('select * from site where id = ?');
  const insert = db.prepare(
    `insert into site (account_id, uuid, public_key, domain, timezone, currency, identity_mode, excluded_ips, excluded_paths, share_token, created_at)
     values (@account_id, @uuid, @public_key, @domain, @timezone, @currency, @identity_mode, @excluded_ips, @excluded_paths, @share_token, @created_at)
     returning *`,
  );
  const update = db.prepare(
    `update site set domain = ?, timezone = ?, currency = ?, identity_mode = ?, excluded_ips = ?, excluded_paths = ? where id = ?`,
  );
  const remove = db.prepare('delete from site where id = ?');
  const shareToken = db.prepare('select share_token from site where id = ?').pluck();
  const setShareToken = db.prepare('update site set share_token = ? where id = ?');
  const shared = db.prepare('select id from site where share_token = ?').pluck();
  const leave = db.prepare('insert into dropped_site (id) values (?)');

  /** Takes a site's row away and gives it back. */
  const detach = (siteId: number): SiteRow => {
    const row = byId.get(siteId) as SiteRow;
    remove.run(siteId);
    leave.run(siteId);
    return row;
  };
  const taken = (site: SiteSettings) => (columns: string) =>
    columns.includes('domain')
      ? `There is a site ${site.domain} already.`
      : 'There is a site with this id or key already.';

  return {
    list: accountId =>
      (all.all() as SiteRow[]).map(toSite).filter(site => accountId === undefined || site.accountId === accountId),
    add(site) {
      const row = orUniqueViolation(
        () =>
          insert.get({
            account_id: site.accountId,
            uuid: site.uuid,
            public_key: site.publicKey,
            domain: site.domain,
            timezone: site.timezone,
            currency: site.currency,
            identity_mode: site.identityMode,
            excluded_ips: JSON.stringify(site.excludedIps),
            excluded_paths: JSON.stringify(site.excludedPaths),
            share_token: null,
            created_at: site.createdAt,
          }),
        taken(site),
      );
      return toSite(row as SiteRow);
    },
    set(siteId, settings) {
      orUniqueViolation(
        () =>
          update.run(
            settings.domain,
            settings.timezone,
            settings.currency,
            settings.identityMode,
            JSON.stringify(settings.excludedIps),
            JSON.stringify(settings.excludedPaths),
            siteId,
          ),
        taken(settings),
      );
    },
    reset(siteId) {
      db.transaction(() => insert.get(detach(siteId))).immediate();
    },
    remove(siteId) {
      db.transaction(() => detach(siteId)).immediate();
    },
    shareToken: siteId => (shareToken.get(siteId) as string | null | undefined) ?? null,
    setShareToken(siteId, token) {
      setShareToken.run(token, siteId);
    },
    shared: token => shared.get(token) as number | undefined,
  };
};

export interface SiteDirectory {
  /** By public key, or by uuid: a UUID-shaped value is one, everything else a key. */
  find(idOrKey: string): Site | undefined;
  byId(siteId: number): Site | undefined;
  /** By domain. */
  ofAccount(accountId: number): Site[];
  /** Looks whether another process changed the file, and reads the sites anew if so. Cheap: about a microsecond. */
  refresh(): void;
  /** Reads the sites anew after this process changed them. */
  reload(): void;
}

const idPattern = /^[0-9a-f-]{36}$/i;

export const siteDirectory = (db: Database): SiteDirectory => {
  const table = sites(db);
  const changes = changeCounter(db);
  let seen = Number.NaN;
  let all: Site[] = [];
  let byKey = new Map<string, Site>();
  let byUuid = new Map<string, Site>();
  let byId = new Map<number, Site>();
  const reload = (): void => {
    all = table.list();
    byKey = new Map(all.map(site => [site.publicKey, site]));
    byUuid = new Map(all.map(site => [site.uuid.toLowerCase(), site]));
    byId = new Map(all.map(site => [site.id, site]));
  };
  const refresh = (): void => {
    const now = changes();
    if (now === seen) return;
    reload();
    seen = now;
  };
  refresh();
  return {
    find: idOrKey => byKey.get(idOrKey) ?? (idPattern.test(idOrKey) ? byUuid.get(idOrKey.toLowerCase()) : undefined),
    byId: siteId => byId.get(siteId),
    ofAccount: accountId => all.filter(site => site.accountId === accountId),
    refresh,
    reload,
  };
};
