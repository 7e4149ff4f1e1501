/** Links to public pages of sites (model/share.ts). */
import { sharesMax } from '../model/limits.ts';
import type { ShareLink, ShareSettings } from '../model/share.ts';
import { type Database, StoreError } from './database.ts';
import { assigned, insertInto, rowValues, selected } from './row-values.ts';
import { orUniqueViolation } from './unique-violation.ts';

/** The site has as many links as it may have. */
export class TooManyShares extends StoreError {}

export type Shares = ReturnType<typeof shares>;

const settingNames = ['name', 'parts', 'segment', 'password', 'expiresAt'];
const newNames = ['siteId', 'token', ...settingNames, 'createdAt'];
const select = `select ${selected(['id', ...newNames, 'lastUsedAt'])} from share`;

const { read, one, all, stored } = rowValues<ShareLink>({ parts: 'json' });

export const shares = (db: Database) => {
  const ofSite = db.prepare(`${select} where site_id = ? order by id`);
  const count = db.prepare('select count(*) from share where site_id = ?').pluck();
  const insert = db.prepare(`${insertInto('share', newNames)} returning id`);
  const byId = db.prepare(`${select} where id = ?`);
  const update = db.prepare(`update share set ${assigned(settingNames)} where id = @id`);
  const setToken = db.prepare('update share set token = ? where id = ?');
  const remove = db.prepare('delete from share where id = ?');
  const removeAll = db.prepare('delete from share where site_id = ?');
  const find = db.prepare(
    `${select} where token = ? and (segment is null or exists (
       select 1 from definition d where d.site_id = share.site_id and d.kind = 'segment' and d.name = share.segment))`,
  );
  const stamp = db.prepare('update share set last_used_at = ? where id = ?');
  const unlessNamed = <T>(name: string, write: () => T): T =>
    orUniqueViolation(write, () => `There is a link ${name} already.`);
  return {
    /** In the order in which they were made. */
    ofSite: (siteId: number) => all(ofSite.all(siteId)),
    /** Throws TooManyShares, and UniqueViolation where the site has a link of that name. */
    add: (siteId: number, token: string, settings: ShareSettings, now: number) =>
      db
        .transaction(() => {
          if ((count.get(siteId) as number) >= sharesMax)
            throw new TooManyShares(`A site has at most ${sharesMax} links to public pages.`);
          const row = { ...stored(settings), siteId, token, createdAt: now };
          const { id } = unlessNamed(settings.name, () => insert.get(row)) as { id: number };
          return read(byId.get(id));
        })
        .immediate(),
    /** Throws UniqueViolation likewise. */
    set(id: number, settings: ShareSettings) {
      unlessNamed(settings.name, () => update.run({ ...stored(settings), id }));
    },
    /** Gives a link another address. */
    setToken: (id: number, token: string): void => void setToken.run(token, id),
    remove: (id: number): void => void remove.run(id),
    /** Takes all links of a site away. Gives how many there were. */
    removeAll: (siteId: number) => removeAll.run(siteId).changes,
    /**
     * The link of a token. Undefined when there is none, and when its segment has gone: it would
     * show more than it was made for.
     */
    find: (token: string) => one(find.get(token)),
    stampUsed: (id: number, at: number): void => void stamp.run(at, id),
  };
};
