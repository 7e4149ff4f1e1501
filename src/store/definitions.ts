/** Goals, segments and funnels of sites, by name (model/definitions.ts). */
import { type DefinitionBodies, type DefinitionKind, definitionsMax } from '../model/definitions.ts';
import type { Database } from './database.ts';
import { rowValues } from './row-values.ts';
import { orUniqueViolation } from './unique-violation.ts';

export interface Definition<K extends DefinitionKind = DefinitionKind> {
  name: string;
  body: DefinitionBodies[K];
  createdAt: number;
}

export interface Definitions {
  /** In the order in which they were made. */
  list<K extends DefinitionKind>(siteId: number, kind: K): Definition<K>[];
  find<K extends DefinitionKind>(siteId: number, kind: K, name: string): Definition<K> | undefined;
  /**
   * Adds one, or changes the one that has this name. Returns false where the site has as many as it
   * may have.
   */
  set<K extends DefinitionKind>(siteId: number, kind: K, name: string, body: DefinitionBodies[K], now: number): boolean;
  /**
   * Renames one, and in the same transaction changes what `rewritten` says of the others, which may
   * name it, and links to public pages of a segment. Returns false where there is none of that
   * name. Throws UniqueViolation where another has the new one.
   */
  rename(siteId: number, kind: DefinitionKind, from: string, to: string, rewritten: Rewrite): boolean;
  /** Returns false where there is none of that name. */
  remove(siteId: number, kind: DefinitionKind, name: string): boolean;
}

/** A definition of some kind after a change. */
type Rewrite = <K extends DefinitionKind>(body: DefinitionBodies[K]) => DefinitionBodies[K];

const rows = rowValues<Definition>({ body: 'json' });

export const definitions = (db: Database): Definitions => {
  const select = 'select name, body, created_at as createdAt from definition where site_id = ? and kind = ?';
  const all = db.prepare(`${select} order by created_at, name`);
  const one = db.prepare(`${select} and name = ?`);
  const count = db.prepare('select count(*) from definition where site_id = ? and kind = ? and name <> ?').pluck();
  const set = db.prepare(
    `insert into definition (site_id, kind, name, body, created_at) values (?, ?, ?, ?, ?)
     on conflict do update set body = excluded.body`,
  );
  const rename = db.prepare('update definition set name = ? where site_id = ? and kind = ? and name = ?');
  const every = db.prepare('select kind, name, body from definition where site_id = ?');
  const setBody = db.prepare('update definition set body = ? where site_id = ? and kind = ? and name = ?');
  const renameInShares = db.prepare('update share set segment = ? where site_id = ? and segment = ?');
  const remove = db.prepare('delete from definition where site_id = ? and kind = ? and name = ?');
  return {
    list: <K extends DefinitionKind>(siteId: number, kind: K) => rows.all(all.all(siteId, kind)) as Definition<K>[],
    find: <K extends DefinitionKind>(siteId: number, kind: K, name: string) =>
      rows.one(one.get(siteId, kind, name)) as Definition<K> | undefined,
    set: db.transaction((siteId, kind, name, body, now) => {
      if ((count.get(siteId, kind, name) as number) >= definitionsMax) return false;
      set.run(siteId, kind, name, JSON.stringify(body), now);
      return true;
    }) as Definitions['set'],
    rename: db.transaction((siteId, kind, from, to, rewritten) => {
      const { changes } = orUniqueViolation(
        () => rename.run(to, siteId, kind, from),
        () => `There is a ${kind} ${to} already.`,
      );
      if (changes === 0) return false;
      if (kind === 'segment') renameInShares.run(to, siteId, from);
      for (const row of every.all(siteId) as { kind: string; name: string; body: string }[]) {
        const body = JSON.stringify(rewritten(JSON.parse(row.body) as DefinitionBodies[DefinitionKind]));
        if (body !== row.body) setBody.run(body, siteId, row.kind, row.name);
      }
      return true;
    }) as Definitions['rename'],
    remove: (siteId, kind, name) => remove.run(siteId, kind, name).changes > 0,
  };
};
