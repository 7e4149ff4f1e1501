/**
 * A point is the database as of one moment: for each page, in which pack it is. Packs hold pages
 * and never change, so points share what did not change between them. A point needs no other point.
 */
import { StoreError } from '../database.ts';

export interface Point {
  /** UTC milliseconds. */
  at: number;
  /** Version of Daybook that wrote it. */
  version: string;
  pageBytes: number;
  /** Who wrote the packs from a number on, in order. */
  writers: readonly PointWriter[];
  /** The number of each page's pack; the first page stands at 0. */
  packs: Uint32Array;
}

/** Packs of two threads never have the same name, though their numbers may be the same. */
export interface PointWriter {
  firstPack: number;
  id: string;
}

export const pointFolder = 'points/';
export const packFolder = 'packs/';

/**
 * How a point is named. Numbers go up by one, so points are in the order in which they were
 * written. The time, in UTC milliseconds, is what a clock said, which may have been wrong.
 */
export interface PointName {
  number: number;
  at: number;
}

/** Colons are not allowed in names everywhere. */
export const pointName = ({ number, at }: PointName): string =>
  `${pointFolder}${digits(number)}-${new Date(at).toISOString().replaceAll(':', '-')}`;

/** Null for another object's name. */
export const readPointName = (name: string): PointName | null => {
  const found = /^points\/(\d{10})-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/.exec(name);
  if (found === null) return null;
  const at = Date.parse(`${found[2]}T${found[3]}:${found[4]}:${found[5]}`);
  return Number.isNaN(at) ? null : { number: Number(found[1]), at };
};

/** Ten digits, so that names are in the order of their numbers. */
const digits = (number: number): string => String(number).padStart(10, '0');

export const packName = (number: number, writers: readonly PointWriter[]): string => {
  const writer = writers.findLast(({ firstPack }) => firstPack <= number);
  return `${packFolder}${digits(number)}-${writer?.id ?? ''}`;
};

/** Null for another object's name. */
export const packNumber = (name: string): number | null => {
  const found = /^packs\/(\d{10})-[0-9a-f]+$/.exec(name);
  return found === null ? null : Number(found[1]);
};

/** A line of JSON and the numbers behind it. Runs of equal ones, which most are, compress well. */
export const encodePoint = ({ packs, ...head }: Point): Buffer =>
  Buffer.concat([line({ ...head, pages: packs.length }), bytesOf(packs)]);

/** Throws StoreError for what is none. */
export const decodePoint = (content: Buffer): Point => {
  const { head, rest } = split(content);
  const { at, version, pageBytes, writers, pages } = head as unknown as Point & { pages: number };
  if (rest.length !== pages * 4) throw new StoreError('A point of the copies is cut short.');
  return { at, version, pageBytes, writers, packs: wordsOf(rest) };
};

export interface Pack {
  /** Page numbers, and beside each its content. */
  pages: Uint32Array;
  content: Buffer;
}

export const encodePack = ({ pages, content }: Pack): Buffer =>
  Buffer.concat([line({ pages: pages.length }), bytesOf(pages), content]);

/** Throws StoreError for what is none. */
export const decodePack = (object: Buffer, pageBytes: number): Pack => {
  const { head, rest } = split(object);
  const count = head.pages as number;
  if (rest.length !== count * (4 + pageBytes)) throw new StoreError('A pack of the copies is cut short.');
  return { pages: wordsOf(rest.subarray(0, count * 4)), content: rest.subarray(count * 4) };
};

const line = (head: unknown): Buffer => Buffer.from(`${JSON.stringify(head)}\n`);
const bytesOf = (words: Uint32Array): Buffer => Buffer.from(words.buffer, words.byteOffset, words.byteLength);
const wordsOf = (bytes: Buffer): Uint32Array => {
  const words = new Uint32Array(bytes.length / 4);
  bytesOf(words).set(bytes);
  return words;
};
const split = (content: Buffer): { head: Record<string, unknown>; rest: Buffer } => {
  const end = content.indexOf(0x0a);
  if (end < 0) throw new StoreError('An object of the copies has no head.');
  return {
    head: JSON.parse(content.toString('utf8', 0, end)) as Record<string, unknown>,
    rest: content.subarray(end + 1),
  };
};
