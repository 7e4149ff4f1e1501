/**
 * The text dictionary: every text of a site's hits stands once, and everything else refers to it by
 * a dense per-site id. 0 is null. Ids are given only inside a write transaction and are forgotten
 * again when it is rolled back.
 */
import { lru } from 'tiny-lru';
import { otherName } from '../model/dimensions.ts';
import type { TextKind } from '../model/text-kinds.ts';
import type { Database } from './database.ts';
import { indexedCharsMax, textDigest } from './text-digest.ts';
import type { TextAllowances } from './write/text-allowances.ts';

/** Texts that a writer or reader remembers. 100,000 of some 60 characters are about 20 MB. */
const cachedTextsMax = 100_000;
/**
 * Longer ones are looked up each time, in some 3 µs, so that nobody can fill the memory with texts
 * of 2000 characters.
 */
const cachedCharsMax = 250;

export type TextWriter = ReturnType<typeof textWriter>;

/** Without allowances every text is taken. */
export const textWriter = (db: Database, allowances?: TextAllowances) => {
  const find = textFinder(db);
  const newest = db.prepare('select max(id) from text where site_id = ?').pluck();
  const insert = db.prepare('insert into text (site_id, id, value, digest) values (?, ?, ?, ?)');
  const cache = new TextCache(cachedTextsMax);
  let given: { siteId: number; text: string }[] = [];

  /** Undefined for a new text of a kind whose allowance has nothing left for it. */
  const idOf = (siteId: number, text: string | null, kind: TextKind | null): number | undefined => {
    if (text === null || text === '') return 0;
    const cached = cache.get(siteId, text);
    if (cached !== undefined) return cached;
    const digest = textDigest(text);
    let id = find(siteId, text, digest);
    if (id === 0) {
      if (kind !== null && allowances?.take(kind, text) === false) return undefined;
      id = ((newest.get(siteId) as number | null) ?? 0) + 1;
      insert.run(siteId, id, text, digest);
      given.push({ siteId, text });
    }
    if (text.length <= cachedCharsMax) cache.set(siteId, text, id);
    return id;
  };

  const id = (siteId: number, text: string | null): number => idOf(siteId, text, null)!;
  return {
    /**
     * Id of a text, giving it one if it has none; 0 for null and for the empty string. Only inside
     * a transaction.
     */
    id,
    /**
     * As `id`, for a text that anybody can make up: the id of `otherwise` for a new one that the
     * allowances have nothing left for.
     */
    untrustedTextId: (siteId: number, kind: TextKind, text: string | null, otherwise: string | null = otherName) =>
      idOf(siteId, text, kind) ?? id(siteId, otherwise),
    /** The transaction was committed: the ids it gave are good. */
    keep() {
      given = [];
      allowances?.keep();
    },
    /** The transaction was rolled back: forget the ids it gave. */
    forget() {
      for (const { siteId, text } of given) cache.delete(siteId, text);
      given = [];
      allowances?.forget();
    },
  };
};

/** The id of a site's text with this digest, or 0. */
const textFinder = (db: Database): ((siteId: number, text: string, digest: Buffer) => number) => {
  const find = db
    .prepare(
      `select id from text where site_id = ? and substr(value, 1, ${indexedCharsMax}) = substr(?, 1, ${indexedCharsMax})
       and digest = ?`,
    )
    .pluck();
  return (siteId, text, digest) => (find.get(siteId, text, digest) as number | undefined) ?? 0;
};

export interface TextReader {
  /** The text of an id; null for 0. Throws when the id is unknown: then the file is damaged. */
  text(siteId: number, id: number): string | null;
  /**
   * The texts of ids between two, both included, in their order: behind each is a line feed, and
   * one before the first. To read them so takes a tenth of the time. A text may hold line feeds,
   * too.
   */
  lines(siteId: number, first: number, last: number): string;
  /** The ids between two, both included, that have a text. */
  ids(siteId: number, first: number, last: number): number[];
  /** Id of a text; 0 when the site does not have it. */
  find(siteId: number, text: string): number;
  /**
   * Ids of the first `count` texts behind `after`, in the order of code points, that `isWanted`
   * accepts, and perhaps some that begin like `after`; undefined when that would take looking at
   * more than `looksMax` texts.
   */
  first(
    siteId: number,
    isWanted: (id: number) => boolean,
    count: number,
    looksMax: number,
    after?: string,
  ): number[] | undefined;
}

export const textReader = (db: Database): TextReader => {
  const select = db.prepare('select value from text where site_id = ? and id = ?').pluck();
  const find = textFinder(db);
  const lines = db
    .prepare(
      `select char(10) || group_concat(value, char(10)) || char(10)
       from (select value from text where site_id = ? and id between ? and ? order by id)`,
    )
    .pluck();
  const ids = db.prepare('select id from text where site_id = ? and id between ? and ? order by id').pluck();
  const inOrder = db
    .prepare(
      `select id, substr(value, 1, ${indexedCharsMax}) from text
       where site_id = ? and substr(value, 1, ${indexedCharsMax}) >= substr(?, 1, ${indexedCharsMax})
       order by substr(value, 1, ${indexedCharsMax})`,
    )
    .raw();
  const cache = lru<string>(cachedTextsMax);
  const reader: TextReader = {
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
    find: (siteId, text) => find(siteId, text, textDigest(text)),
    first(siteId, isWanted, count, looksMax, after = '') {
      // The index knows the order of the beginnings. Texts that begin alike are put in order here.
      const ids: number[] = [];
      let alike: number[] = [];
      let looks = 0;
      let before: string | undefined;
      /** The texts that begin like `after` may all come before it. */
      let isBeginning = after !== '';
      const settle = (): void => {
        for (const id of inOrderOf(alike, id => reader.text(siteId, id)!)) ids.push(id);
        alike = [];
        if (isBeginning) count += ids.length;
        isBeginning = false;
      };
      for (const [id, beginning] of inOrder.iterate(siteId, after) as IterableIterator<[number, string]>) {
        if (beginning !== before) {
          if (alike.length > 0) settle();
          if (ids.length >= count) break;
          before = beginning;
        }
        if (++looks > looksMax) return undefined;
        if (isWanted(id)) alike.push(id);
      }
      settle();
      return ids.slice(0, count);
    },
  };
  return reader;
};

/** Ids in the order of the code points of their texts. */
const inOrderOf = (ids: number[], textOf: (id: number) => string): number[] =>
  ids.length < 2
    ? ids
    : ids
        .map(id => ({ id, bytes: Buffer.from(textOf(id)) }))
        .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
        .map(({ id }) => id);

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
