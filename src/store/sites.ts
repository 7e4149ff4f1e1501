/** Sites: the table, and the directory that the collector and the API look them up in. */
import type { Site } from '../model/site.ts';
import { snakeCase } from '../model/snake-case.ts';
import { changeCounter, type Database } from './database.ts';
import { orUniqueViolation } from './unique-violation.ts';

/** Lists are stored as JSON. */
const listNames = ['excludedIps', 'excludedPaths', 'publicParts', 'leftOut'] as const;

/** As it is stored. */
type SiteRow = Omit<Site, (typeof listNames)[number]> & {
  [N in (typeof listNames)[number]]: string;
} & {
  shareToken: string | null;
};

const settingNames = [
  ...(['domain', 'timezone', 'currency', 'identityMode'] as const),
  ...listNames,
  ...(['senderHits', 'senderBurst'] as const),
] as const;
const fieldNames = [
  ...(['accountId', 'uuid', 'publicKey', 'visitorKey'] as const),
  ...settingNames,
  ...(['shareToken', 'createdAt'] as const),
] as const;
const selected = ['id', ...fieldNames].map(name => `${snakeCase(name)} as ${name}`).join(', ');

const toSite = ({ shareToken: _, ...row }: SiteRow): Site => ({
  ...row,
  excludedIps: JSON.parse(row.excludedIps),
  excludedPaths: JSON.parse(row.excludedPaths),
  publicParts: JSON.parse(row.publicParts),
  leftOut: JSON.parse(row.leftOut),
});

const stored = <S extends SiteSettings>(site: S) => ({
  ...site,
  excludedIps: JSON.stringify(site.excludedIps),
  excludedPaths: JSON.stringify(site.excludedPaths),
  publicParts: JSON.stringify(site.publicParts),
  leftOut: JSON.stringify(site.leftOut),
});

/** What can be changed of a site after it was made. */
export type SiteSettings = Pick<Site, (typeof settingNames)[number]>;

export interface Sites {
  /** By domain. */
  list(accountId?: number): Site[];
  /** Throws UniqueViolation when the account has that domain already, or the id or key is taken. */
  add(site: Omit<Site, 'id'>): Site;
  /** Throws UniqueViolation when another site of the account has that domain. */
  set(siteId: number, settings: SiteSettings): void;
  /**
   * Gives the site a new id, and so an empty past; its settings and definitions stay. The old rows are out of reach and wait for
   * maintenance/drop-sites.ts.
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

export const sites = (db: Database): Sites => {
  const all = db.prepare(`select ${selected} from site order by domain, id`);
  const byId = db.prepare(`select ${selected} from site where id = ?`);
  const insert = db.prepare(
    `insert into site (${fieldNames.map(snakeCase)}) values (${fieldNames.map(name => `@${name}`)}) returning ${selected}`,
  );
  const update = db.prepare(
    `update site set ${settingNames.map(name => `${snakeCase(name)} = @${name}`)} where id = @id`,
  );
  const remove = db.prepare('delete from site where id = ?');
  const shareToken = db.prepare('select share_token from site where id = ?').pluck();
  const setShareToken = db.prepare('update site set share_token = ? where id = ?');
  const shared = db.prepare(`select ${selected} from site where share_token = ?`);
  const keepDefinitions = db.prepare('update definition set site_id = ? where site_id = ?');
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
    add: site =>
      toSite(orUniqueViolation(() => insert.get({ ...stored(site), shareToken: null }), taken(site)) as SiteRow),
    set(id, settings) {
      orUniqueViolation(() => update.run({ ...stored(settings), id }), taken(settings));
    },
    reset(siteId) {
      db.transaction(() => {
        const { id } = insert.get(detach(siteId)) as SiteRow;
        keepDefinitions.run(id, siteId);
      }).immediate();
    },
    remove(siteId) {
      db.transaction(() => detach(siteId)).immediate();
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
  /** By public key, or by uuid: a UUID-shaped value is one, everything else a key. */
  find(idOrKey: string): Site | undefined;
  byId(siteId: number): Site | undefined;
  /** By domain. */
  ofAccount(accountId: number): Site[];
  /**
   * Reads the sites again if another process changed the file. Looking takes about a microsecond.
   */
  refresh(): void;
  /** Reads the sites again after this process changed them. */
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
