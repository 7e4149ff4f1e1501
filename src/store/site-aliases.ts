/** The other names of sites: a name belongs to one site of the file. */
import type { Database } from './database.ts';
import { UniqueViolation } from './unique-violation.ts';

export const siteAliases = (db: Database) => {
  const move = db.prepare('update site_alias set site_id = ? where site_id = ?');
  const add = db.prepare('insert into site_alias (alias, site_id) values (?, ?)');
  const remove = db.prepare('delete from site_alias where alias = ?');
  const stored = db.prepare('select alias from site_alias where site_id = ?').pluck();
  const taken = db
    .prepare(`
      with own as materialized (select domain, uuid from site where id = @siteId)
      select name from (
        select value as name from json_each(@aliases)
        union all select domain from own
        union all select uuid from own
      ) where exists (select 1 from site_alias where alias = name and site_id <> @siteId)
        or name in (
          select domain from site where id <> @siteId and domain not in (select domain from own)
          union all select uuid from site where id <> @siteId
        )`)
    .pluck();
  return {
    /**
     * Gives a site these aliases in place of those before. Throws UniqueViolation when one of them
     * is another site's name, or its own domain or id another site's alias. Belongs into the
     * transaction that changes the site.
     */
    set(siteId: number, aliases: readonly string[]) {
      const before = new Set(stored.all(siteId) as string[]);
      const added = aliases.filter(alias => !before.has(alias));
      const name = taken.get({ siteId, aliases: JSON.stringify(added) });
      if (name !== undefined) throw new UniqueViolation(`${name} is a name of another site already.`);
      for (const alias of before) if (!aliases.includes(alias)) remove.run(alias);
      for (const alias of added) add.run(alias, siteId);
    },
    /** For a site that gets a new id. */
    move: (from: number, to: number): void => void move.run(to, from),
  };
};
