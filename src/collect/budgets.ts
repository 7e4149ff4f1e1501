/**
 * How many hits one sender may send, and one visitor (docs/collecting.md, "Budgets").
 *
 * A bucket is one number, the time until which its tokens are spent (the generic cell rate
 * algorithm). They stand in tables of a fixed size, in which each has two places that a keyed hash
 * picks. The lower of the two numbers counts. So nothing is ever forgotten to make room, a table
 * takes 1 MiB whoever sends, and those who share a place harm each other only where both places are
 * spent: while 400 senders are at their limit, all that a server of 20,000 hits a second can keep
 * there, that is one sender in 27,000. A visitor's limit takes as much of a sender's budget as 33
 * minutes have, so a network can keep 43 of them there.
 */
import type { KeyedHash } from '../model/keyed-hash.ts';
import { visitorHitsMax } from '../model/limits.ts';
import type { Site } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import { highWord, lowWord, type VisitorKey } from './visitor.ts';

/**
 * Takes one hit from the budget of a network with a site, or so many at once, which is all of them
 * or none; false when there are too few left.
 */
export type TakeFromBudget = (site: Site, network: number, at: number, hits?: number) => boolean;

/** The same for a visitor of a site. */
export type TakeFromVisitor = (visitor: VisitorKey, at: number, hits: number) => boolean;

export interface SenderBudget {
  /** Hits a second, in the long run. */
  senderHits: number;
  /** Hits at once, by somebody who was quiet. */
  senderBurst: number;
}

export const senderBudgets = (usual: SenderBudget, hash: KeyedHash): TakeFromBudget => {
  const take = tokenBuckets();
  return (site, network, at, hits = 1) =>
    take(hash(network / 2 ** 32, network, site.id), {
      at,
      msPerToken: 1000 / (site.senderHits ?? usual.senderHits),
      burst: site.senderBurst ?? usual.senderBurst,
      tokens: hits,
    });
};

export const visitorBudgets = (hash: KeyedHash, burst = visitorHitsMax): TakeFromVisitor => {
  const take = tokenBuckets();
  const msPerToken = dayMs / burst;
  return (visitor, at, hits) =>
    take(hash(highWord(visitor), lowWord(visitor), 0), { at, msPerToken, burst, tokens: hits });
};

interface Taking {
  at: number;
  msPerToken: number;
  burst: number;
  tokens: number;
}

const halfBits = 16;
const half = 2 ** halfBits;

/** Buckets by hash. */
const tokenBuckets = (): ((places: number, taking: Taking) => boolean) => {
  /** UTC milliseconds. */
  const spentUntil = new Float64Array(2 * half);

  return (places, { at, msPerToken, burst, tokens }) => {
    // The furthest that anything can be spent. Beyond it is what the clock showed before it was set
    // back.
    const spent = at + msPerToken * burst;
    const first = places >>> halfBits;
    const second = half + (places & (half - 1));
    const until = Math.min(spentUntil[first]!, spentUntil[second]!);
    // More than the burst take all of it: they would never be taken otherwise. A burst of 0 takes
    // none.
    const next = Math.max(until, at) + msPerToken * Math.min(tokens, Math.max(1, burst));
    // Half a token more, so that rounding takes none away.
    const isTaken = next <= spent + msPerToken / 2;
    const now = isTaken ? next : Math.min(until, spent);
    if (isTaken) {
      spentUntil[first] = Math.max(spentUntil[first]!, now);
      spentUntil[second] = Math.max(spentUntil[second]!, now);
    } else if (now < until) {
      spentUntil[first] = now;
      spentUntil[second] = now;
    }
    return isTaken;
  };
};
