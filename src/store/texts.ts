/**
 * The text dictionary: every text of a site's hits stands once, and everything else refers to it by a dense per-site id.
 * 0 is null. Ids are given only inside a write transaction and are forgotten again when it is rolled back.
 */
import { lru } from 'tiny-lru';
import type { Database } from './database.ts';

/** Texts whose ids a writer remembers. 100,000 entries of some 60 characters are about 20 MB. */
const cachedTextsMax = 100_000;

export interface TextWriter {
  /** Id of a text, giving it one if it has none; 0 for null and for the empty string. Only inside a transaction. */
  id(siteId: number, text: string | null): number;
  /** The transaction was committed: the ids it gave are good. */
  keep(): void;
  /** The transaction was rolled back: forget the ids it gave. */
  forget(): void;
}

export const textWriter = (db: Database): TextWriter => {
  const find = db.prepare('select id from text where site_id = ? and value = ?').pluck();
  const newest = db.prepare('select max(id) from text where site_id = ?').pluck();
  const insert = db.prepare('insert into text (site_id, id, value) values (?, ?, ?)');
  const cache = lru<number>(cachedTextsMax);
  let given: string[] = [];

  return {
    id(siteId, text) {
      if (text === null || text === '') return 0;
      const key = `${siteId} ${text}`;
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      let id = find.get(siteId, text) as number | undefined;
      if (id === undefined) {
        id = ((newest.get(siteId) as number | null) ?? 0) + 1;
        insert.run(siteId, id, text);
        given.push(key);
      }
      cache.set(key, id);
      return id;
    },
    keep() {
      given = [];
    },
    forget() {
      for (const key of given) cache.delete(key);
      given = [];
    },
  };
};

export interface TextReader {
  /** The text of an id; null for 0. Throws when the id is unknown: then the file is damaged. */
  text(siteId: number, id: number): string | null;
  /** Id of a text; 0 when the site has none such. */
  find(siteId: number, text: string): number;
}

export const textReader = (db: Database): TextReader => {
  const select = db.prepare('select value from text where site_id = ? and id = ?').pluck();
  const find = db.prepare('select id from text where site_id = ? and value = ?').pluck();
  const cache = lru<string>(cachedTextsMax);
  return {
    text(siteId, id) {
      if (id === 0) return null;
      const key = `${siteId} ${id}`;
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const value = select.get(siteId, id) as string | undefined;
      if (value === undefined) throw new Error(`text ${id} of site ${siteId} is missing`);
      cache.set(key, value);
      return value;
    },
    find: (siteId, text) => (find.get(siteId, text) as number | undefined) ?? 0,
  };
};
