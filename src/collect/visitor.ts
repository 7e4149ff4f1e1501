/**
 * Who a hit is from: 64 bits that tell one browser of a day from another and lead back to nobody,
 * since the salt they are made with is gone after that day (docs/collecting.md, "Visitors").
 */
import { hash } from 'node:crypto';
import type { Random } from '../model/ids.ts';
import type { Told } from '../model/past-hit.ts';
import type { Site } from '../model/site.ts';
import { visitorProof } from '../model/visitor-proof.ts';
import { makeSalt, type Salts } from '../store/salts.ts';

/** 8 bytes as a latin1 string: what an active visit is found by. */
export type VisitorKey = string;
const visitorBytes = 8;

const visitorKey = (text: string): VisitorKey => hash('sha256', text, 'binary').slice(0, visitorBytes);

export const visitorBuffer = (key: VisitorKey): Buffer => Buffer.from(key, 'latin1');
export const visitorKeyOf = (visitor: Buffer): VisitorKey => visitor.toString('latin1');

/**
 * A visitor of hash mode. The salt comes first and has a fixed length, and no address has a line
 * break, so no two visitors make one text.
 */
export const dailyVisitor = (salt: string, siteId: number, address: string, userAgent: string): VisitorKey =>
  visitorKey(`${salt}\n${siteId}\n${address}\n${userAgent}`);

/**
 * A visitor of cookie mode, the same on every day. Senders choose the id, and the site's secret
 * keeps them from choosing the hash, which days are divided and visitors found by.
 */
export const lastingVisitor = (site: Pick<Site, 'id' | 'visitorKey'>, browserId: string): VisitorKey =>
  visitorKey(`cookie${site.visitorKey}\n${site.id}\n${browserId}`);

/** A visitor of a UTC day whom another product knew by an id. The same in every import. */
export const toldVisitor = (site: Pick<Site, 'id' | 'visitorKey'>, day: number, id: string): VisitorKey =>
  visitorKey(`told${site.visitorKey}\n${site.id}\n${day}\n${id}`);

/**
 * A visitor whom this very site told apart before and exported: who it was then. `lasts` is whether
 * on all days. Undefined where nothing proves it.
 */
export const ownVisitor = (
  site: Pick<Site, 'id' | 'visitorKey'>,
  day: number,
  { visitor, proof }: Told,
): { visitor: VisitorKey; lasts: boolean } | undefined => {
  if (proof === undefined || visitor === undefined || !hexOfVisitor.test(visitor)) return undefined;
  const of = [null, day].find(of => visitorProof(site, of, visitor) === proof);
  return of === undefined ? undefined : { visitor: visitorKeyOf(Buffer.from(visitor, 'hex')), lasts: of === null };
};

const hexOfVisitor = /^[0-9a-f]{16}$/;

/** The first and the last four characters of a visitor's key as unsigned integers. */
export const highWord = (visitor: VisitorKey): number => wordAt(visitor, 0);
export const lowWord = (visitor: VisitorKey): number => wordAt(visitor, 4);

const wordAt = (visitor: VisitorKey, from: number): number =>
  ((visitor.charCodeAt(from) << 24) |
    (visitor.charCodeAt(from + 1) << 16) |
    (visitor.charCodeAt(from + 2) << 8) |
    visitor.charCodeAt(from + 3)) >>>
  0;

export type SaltStore = Pick<Salts, 'newest' | 'of' | 'replace'>;

/**
 * The salt of a UTC day, as hex digits. The store keeps the newest day's, so that a restart changes
 * no visitor. A newer day's replaces it, in memory and in the store at once: the one that was kept
 * for that day, or a new one. A day before it, which only an import asks for, gets one that is
 * never stored.
 */
export const dailySalts = (store: SaltStore, random: Random): ((day: number) => string) => {
  const stored = store.newest();
  let newest =
    stored === undefined
      ? { day: Number.NEGATIVE_INFINITY, salt: '' }
      : { day: stored.day, salt: stored.salt.toString('hex') };
  let passing = newest;
  return day => {
    if (day === newest.day) return newest.salt;
    if (day < newest.day) {
      if (day !== passing.day) passing = { day, salt: makeSalt(random).toString('hex') };
      return passing.salt;
    }
    const salt = store.of(day) ?? makeSalt(random);
    store.replace(day, salt);
    newest = { day, salt: salt.toString('hex') };
    passing = newest;
    return newest.salt;
  };
};
