/**
 * What the place holds of each page: the pack it is in, and a digest of its content there. It
 * outlives a restart in a file beside the database, so that a start compares and does not copy all
 * again.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type PageState = ReturnType<typeof pageState>;

const digestBytes = 8;
const digestOf = (content: Buffer): Buffer => createHash('sha1').update(content).digest().subarray(0, digestBytes);

/** `packs` as of a point that the place has, and digests that belong to it; both may be empty. */
export const pageState = (packs: Uint32Array = new Uint32Array(), digests: Buffer = Buffer.alloc(0)) => {
  let packOf: Uint32Array = packs;
  let known = digests;
  const grow = (page: number): void => {
    if (page <= packOf.length) return;
    const size = Math.max(page, Math.ceil(packOf.length * 1.25), 1024);
    const [morePacks, moreDigests] = [new Uint32Array(size), Buffer.alloc(size * digestBytes)];
    morePacks.set(packOf);
    known.copy(moreDigests);
    [packOf, known] = [morePacks, moreDigests];
  };
  return {
    /** Whether the place holds the page with this content. */
    holds(page: number, content: Buffer) {
      const from = (page - 1) * digestBytes;
      const isThere = (packOf[page - 1] ?? 0) !== 0;
      return isThere && known.compare(digestOf(content), 0, digestBytes, from, from + digestBytes) === 0;
    },
    set(page: number, pack: number, content: Buffer) {
      grow(page);
      packOf[page - 1] = pack;
      digestOf(content).copy(known, (page - 1) * digestBytes);
    },
    /** Forgets the pages that are in some packs, and gives them: they are to be copied again. */
    forget(lost: ReadonlySet<number>) {
      const pages: number[] = [];
      for (const [i, pack] of packOf.entries()) if (pack !== 0 && lost.has(pack)) pages.push(i + 1);
      for (const page of pages) {
        packOf[page - 1] = 0;
        known.fill(0, (page - 1) * digestBytes, page * digestBytes);
      }
      return pages;
    },
    /** Forgets all but the first pages: nobody else needs the packs of the others. */
    shorten(pages: number) {
      packOf.fill(0, pages);
    },
    /** The packs of the first pages; the first page stands at 0. */
    packs(pages: number): Uint32Array {
      grow(pages);
      return packOf.slice(0, pages);
    },
    /** The digests of the first pages. */
    digests(pages: number) {
      grow(pages);
      return known.subarray(0, pages * digestBytes);
    },
  };
};

/** The file beside the database: the name of a point, and the digests of its pages. */
const fileOf = (dataDir: string): string => join(dataDir, 'backup.state');

export const saveDigests = (dataDir: string, point: string, digests: Buffer): void => {
  const file = fileOf(dataDir);
  writeFileSync(`${file}.partial`, Buffer.concat([Buffer.from(`${point}\n`), digests]), { mode: 0o600 });
  renameSync(`${file}.partial`, file);
};

/** Null when there are none. */
export const loadDigests = (dataDir: string): { point: string; digests: Buffer } | null => {
  const file = fileOf(dataDir);
  if (!existsSync(file)) return null;
  const content = readFileSync(file);
  const end = content.indexOf(0x0a);
  return end < 0 ? null : { point: content.toString('utf8', 0, end), digests: content.subarray(end + 1) };
};
