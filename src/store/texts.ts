/**
 * The text dictionary: every text of a site's hits stands once, and everything else refers to it by
 * a dense per-site id. 0 is null. Ids are given only inside a write transaction and are forgotten
 * again when it is rolled back.
 */
import { lru } from 'tiny-lru';
import { otherName } from '../model/dimensions.ts';
import type { Database } from './database.ts';

/** Texts that a writer or reader remembers. 100,000 of some 60 characters are about 20 MB. */
const cachedTextsMax = 100_000;
/**
 * Longer ones are looked up each time, in some 3 µs, so that nobody can fill the memory with texts
 * of 2000 characters.
 */
const cachedCharsMax = 250;

/**
 * New untrusted texts that a site takes on one UTC day: paths, titles, event names, property keys
 * and values … A flood of them would fill the disk and slow every query down. Beyond this they all
 * become `otherName`. Counted since the start of the process.
 */
export const newTextsMaxDefault = 200_000;

export interface TextWriter {
  /**
   * Id of a text, giving it one if it has none; 0 for null and for the empty string. Only inside a
   * transaction.
   */
  id(siteId: number, text: string | null): number;
  /**
   * As `id`, for a text that anybody can make up. Once the site has had its new ones for the day,
   * the id of `otherwise`.
   */
  untrustedTextId(siteId: number, day: number, text: string | null, otherwise?: string | null): number;
  /** The transaction was committed: the ids it gave are good. */
  keep(): void;
  /** The transaction was rolled back: forget the ids it gave. */
  forget(): void;
}

/** How many new untrusted texts a site has taken on its newest day. */
interface Allowance {
  day: number;
  used: number;
}

export const textWriter = (db: Database, newTextsMax = newTextsMaxDefault): TextWriter => {
  const find = db.prepare('select id from text where site_id = ? and value = ?').pluck();
  const newest = db.prepare('select max(id) from text where site_id = ?').pluck();
  const insert = db.prepare('insert into text (site_id, id, value) values (?, ?, ?)');
  const cache = new TextCache(cachedTextsMax);
  const allowances = new Map<number, Allowance>();
  let given: { siteId: number; text: string; allowance: Allowance | null }[] = [];

  const allowanceOf = (siteId: number, day: number): Allowance => {
    let allowance = allowances.get(siteId);
    if (allowance === undefined || allowance.day < day) {
      allowance = { day, used: 0 };
      allowances.set(siteId, allowance);
    }
    return allowance;
  };

  /**
   * `day` is the one whose allowance a new text is taken from, if from any; undefined when that is
   * used up.
   */
  const idOf = (siteId: number, text: string | null, day: number | null): number | undefined => {
    if (text === null || text === '') return 0;
    const cached = cache.get(siteId, text);
    if (cached !== undefined) return cached;
    let id = find.get(siteId, text) as number | undefined;
    if (id === undefined) {
      const allowance = day === null ? null : allowanceOf(siteId, day);
      if (allowance !== null && allowance.used >= newTextsMax) return undefined;
      id = ((newest.get(siteId) as number | null) ?? 0) + 1;
      insert.run(siteId, id, text);
      given.push({ siteId, text, allowance });
      if (allowance !== null) allowance.used++;
    }
    if (text.length <= cachedCharsMax) cache.set(siteId, text, id);
    return id;
  };

  const id = (siteId: number, text: string | null): number => idOf(siteId, text, null)!;
  return {
    id,
    untrustedTextId: (siteId, day, text, otherwise = otherName) => idOf(siteId, text, day) ?? id(siteId, otherwise),
    keep() {
      given = [];
    },
    forget() {
      for (const { siteId, text, allowance } of given) {
        cache.delete(siteId, text);
        if (allowance !== null) allowance.used--;
      }
      given = [];
    },
  };
};

export interface TextReader {
  /** The text of an id; null for 0. Throws when the id is unknown: then the file is damaged. */
  text(siteId: number, id: number): string | null;
  /**
   * The texts of ids between two, both included, in their order: behind each is a line feed, and one
   * before the first. To read them so takes a tenth of the time. A text may hold line feeds, too.
   */
  lines(siteId: number, first: number, last: number): string;
  /** The ids between two, both included, that have a text. */
  ids(siteId: number, first: number, last: number): number[];
  /** Id of a text; 0 when the site does not have it. */
  find(siteId: number, text: string): number;
  /**
   * Ids of the first `count` texts, in the order of code points, that `isWanted` accepts; undefined
   * when that would take looking at more than `looksMax` texts.
   */
  first(siteId: number, isWanted: (id: number) => boolean, count: number, looksMax: number): number[] | undefined;
}

export const textReader = (db: Database): TextReader => {
  const select = db.prepare('select value from text where site_id = ? and id = ?').pluck();
  const find = db.prepare('select id from text where site_id = ? and value = ?').pluck();
  const lines = db
    .prepare(
      `select char(10) || group_concat(value, char(10)) || char(10)
       from (select value from text where site_id = ? and id between ? and ? order by id)`,
    )
    .pluck();
  const ids = db.prepare('select id from text where site_id = ? and id between ? and ? order by id').pluck();
  const inOrder = db.prepare('select id from text where site_id = ? order by value').pluck();
  const cache = lru<string>(cachedTextsMax);
  return {
    text(siteId, id) {
      if (id === 0) return null;
      const key = `${siteId} ${id}`;
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const value = select.get(siteId, id) as string | undefined;
      if (value === undefined) throw new Error(`text ${id} of site ${siteId} is missing`);
      if (value.length <= cachedCharsMax) cache.set(key, value);
      return value;
    },
    lines: (siteId, first, last) => (lines.get(siteId, first, last) as string | null) ?? '\n',
    ids: (siteId, first, last) => ids.all(siteId, first, last) as number[],
    find: (siteId, text) => (find.get(siteId, text) as number | undefined) ?? 0,
    first(siteId, isWanted, count, looksMax) {
      const ids: number[] = [];
      let looks = 0;
      for (const id of inOrder.iterate(siteId) as IterableIterator<number>) {
        if (ids.length === count) break;
        if (++looks > looksMax) return undefined;
        if (isWanted(id)) ids.push(id);
      }
      return ids;
    },
  };
};

type Generation = Map<number, Map<string, number>>;

/**
 * Ids of the texts that were met last, for the dozen that every hit looks up. A map per site, so
 * that no key has to be made of site and text; and two generations in place of a list in order of
 * use, so that a look-up writes nothing. What is found in the old generation moves to the young
 * one; when that is full it becomes the old one, and the old one is dropped.
 */
export class TextCache {
  readonly #generationMax: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngSize = 0;

  /** Keeps at most `max` texts, and at least the half of them that was looked up last. */
  constructor(max: number) {
    this.#generationMax = max / 2;
  }

  get(siteId: number, text: string): number | undefined {
    const id = this.#young.get(siteId)?.get(text);
    if (id !== undefined) return id;
    const old = this.#old.get(siteId)?.get(text);
    if (old !== undefined) this.set(siteId, text, old);
    return old;
  }

  set(siteId: number, text: string, id: number): void {
    if (this.#youngSize >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSize = 0;
    }
    let ofSite = this.#young.get(siteId);
    if (ofSite === undefined) {
      ofSite = new Map();
      this.#young.set(siteId, ofSite);
    }
    ofSite.set(text, id);
    this.#youngSize++;
  }

  delete(siteId: number, text: string): void {
    this.#young.get(siteId)?.delete(text);
    this.#old.get(siteId)?.delete(text);
  }
}
