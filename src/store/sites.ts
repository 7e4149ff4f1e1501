/** Sites: the table, and the directory that the collector and the API look them up in. */
import type { IdentityMode, Site } from '../model/site.ts';
import { changeCounter, type Database, StoreError } from './database.ts';

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
  created_at: number;
}

const toSite = (row: SiteRow): Site => ({
  rowId: row.id,
  accountId: row.account_id,
  id: row.uuid,
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
  /** Throws StoreError when the account has that domain already, or the id or key is taken. */
  add(site: Omit<Site, 'rowId'>): Site;
  set(rowId: number, settings: SiteSettings): void;
  /** Gives the site a new row id and so an empty past, and drops the data of the old one. */
  reset(rowId: number): void;
  remove(rowId: number): void;
}

/** Rows dropped in one transaction: a few milliseconds, so that a running server's commits slip in between. */
const rowsPerStep = 5000;

export const sites = (db: Database): Sites => {
  const all = db.prepare('select * from site order by domain, id');
  const byId = db.prepare('select * from site where id = ?');
  const insert = db.prepare(
    `insert into site (account_id, uuid, public_key, domain, timezone, currency, identity_mode, excluded_ips, excluded_paths, created_at)
     values (@account_id, @uuid, @public_key, @domain, @timezone, @currency, @identity_mode, @excluded_ips, @excluded_paths, @created_at)
     returning *`,
  );
  const update = db.prepare(
    `update site set domain = ?, timezone = ?, currency = ?, identity_mode = ?, excluded_ips = ?, excluded_paths = ? where id = ?`,
  );
  const remove = db.prepare('delete from site where id = ?');

  const dropData = (rowId: number): void => {
    for (const [table, key] of siteTables) {
      const step = db.prepare(
        `delete from ${table} where site_id = @rowId and (${key}) in (select ${key} from ${table} where site_id = @rowId limit ${rowsPerStep})`,
      );
      while (step.run({ rowId }).changes > 0);
    }
  };

  return {
    list: accountId =>
      (all.all() as SiteRow[]).map(toSite).filter(site => accountId === undefined || site.accountId === accountId),
    add(site) {
      try {
        return toSite(
          insert.get({
            account_id: site.accountId,
            uuid: site.id,
            public_key: site.publicKey,
            domain: site.domain,
            timezone: site.timezone,
            currency: site.currency,
            identity_mode: site.identityMode,
            excluded_ips: JSON.stringify(site.excludedIps),
            excluded_paths: JSON.stringify(site.excludedPaths),
            created_at: site.createdAt,
          }) as SiteRow,
        );
      } catch (error) {
        if ((error as { code?: string }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
        const what = (error as Error).message.includes('domain') ? `site ${site.domain}` : 'site with this id or key';
        throw new StoreError(`There is a ${what} already.`);
      }
    },
    set(rowId, settings) {
      update.run(
        settings.domain,
        settings.timezone,
        settings.currency,
        settings.identityMode,
        JSON.stringify(settings.excludedIps),
        JSON.stringify(settings.excludedPaths),
        rowId,
      );
    },
    reset(rowId) {
      db.transaction(() => {
        const row = byId.get(rowId) as SiteRow;
        remove.run(rowId);
        insert.get(row);
      }).immediate();
      dropData(rowId);
    },
    remove(rowId) {
      remove.run(rowId);
      dropData(rowId);
    },
  };
};

/** Every table that holds rows of a site, with the rest of its primary key. */
const siteTables = [
  ['text', 'id'],
  ['visit', 'day, id'],
  ['hit', 'day, id'],
  ['cookie_visitor', 'visitor'],
  ['sealed_day', 'day'],
  ['sealed_column', 'id'],
  ['vital', 'id'],
  ['crawl', 'quarter, name, path, status'],
  ['outcome', 'hour, outcome'],
] as const;

export interface SiteDirectory {
  /** By public key, or by id: a UUID-shaped value is an id, everything else a key (service.md, "Site"). */
  find(idOrKey: string): Site | undefined;
  byRowId(rowId: number): Site | undefined;
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
  let byId = new Map<string, Site>();
  const reload = (): void => {
    all = table.list();
    byKey = new Map(all.map(site => [site.publicKey, site]));
    byId = new Map(all.map(site => [site.id.toLowerCase(), site]));
  };
  const refresh = (): void => {
    const now = changes();
    if (now === seen) return;
    seen = now;
    reload();
  };
  refresh();
  return {
    find: idOrKey => byKey.get(idOrKey) ?? (idPattern.test(idOrKey) ? byId.get(idOrKey.toLowerCase()) : undefined),
    byRowId: rowId => all.find(site => site.rowId === rowId),
    ofAccount: accountId => all.filter(site => site.accountId === accountId),
    refresh,
    reload,
  };
};
