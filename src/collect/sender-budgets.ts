/**
 * How many hits one sender may send: a token bucket for each network together with a site
 * (docs/collecting.md, "Budgets").
 *
 * A bucket is one number, the time until which its tokens are spent (the generic cell rate
 * algorithm). They stand in a table of a fixed size, in which each sender has two places that a
 * keyed hash picks. The lower of the two numbers counts. So nothing is ever forgotten to make room,
 * memory is 1 MiB whoever sends, and senders who share a place harm each other only where both
 * places are spent: while 400 senders are at their limit, all that a server of 20,000 hits a second
 * can keep there, that is one sender in 27,000.
 */
import type { KeyedHash } from '../model/keyed-hash.ts';
import type { Site } from '../model/site.ts';

/**
 * Takes one hit from the budget of a network with a site, or so many at once, which is all of them
 * or none; false when there are too few left.
 */
export type TakeFromBudget = (site: Site, network: number, at: number, hits?: number) => boolean;

export interface SenderBudget {
  /** Hits a second, in the long run. */
  senderHits: number;
  /** Hits at once, by somebody who was quiet. */
  senderBurst: number;
}

const halfBits = 16;
const half = 2 ** halfBits;

export const senderBudgets = (usual: SenderBudget, hash: KeyedHash): TakeFromBudget => {
  /** UTC milliseconds. */
  const spentUntil = new Float64Array(2 * half);

  return (site, network, at, hits = 1) => {
    const msPerHit = 1000 / (site.senderHits ?? usual.senderHits);
    const burst = site.senderBurst ?? usual.senderBurst;
    // The furthest that anything can be spent. Beyond it is what the clock showed before it was set
    // back.
    const spent = at + msPerHit * burst;
    const places = hash(network / 2 ** 32, network, site.id);
    const first = places >>> halfBits;
    const second = half + (places & (half - 1));
    const until = Math.min(spentUntil[first]!, spentUntil[second]!);
    // More than the burst take all of it: they would never be taken otherwise. A burst of 0 takes none.
    const next = Math.max(until, at) + msPerHit * Math.min(hits, Math.max(1, burst));
    // Half a hit more, so that rounding takes none away.
    const isTaken = next <= spent + msPerHit / 2;
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
