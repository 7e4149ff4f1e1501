/**
 * The other query threads, as one of them sees them. Each day belongs to one thread, so no two keep
 * the same. A question goes to one thread, which asks the others what their days contribute, and to
 * look for duplicates among a part of the visitors. It scans the days of a missing thread, which
 * could not start or died, itself.
 */
import type { DayPart } from '../../store/day/part.ts';
import type { Engine, Peers } from '../engine.ts';
import { PeerEnded } from '../errors.ts';
import type { Pace } from '../pace.ts';
import type { AskedPart } from '../scanner.ts';
import { groupsListed } from '../visitors/daily-visitors.ts';
import {
  type Connect,
  type Ended,
  type Errand,
  errorOf,
  type FoundBy,
  isCanceled,
  type PeerMessage,
  type PeerRequest,
  replyTo,
  send,
} from './messages.ts';
import type { Turns } from './turns.ts';

type Found = FoundBy<PeerRequest>;

interface Peer extends Pick<Connect, 'port' | 'arrivals'> {
  /** By errand, what waits for a reply. */
  waiting: Map<number, { resolve: (found: Found) => void; reject: (error: Error) => void }>;
}

/** What a thread does for others. */
export type Helper = Pick<Engine, 'contribute' | 'findDuplicates'>;

export interface PeerTable {
  /** Makes another thread known, in the place of one that had its number before. */
  connect(order: Connect): void;
  /**
   * The others, for one errand. Days are divided when they are shared, and stay so: a thread that
   * comes or goes later would have days scanned twice or not at all.
   */
  forErrand(errand: Errand): Peers;
}

/** The number of the thread that a part of a day belongs to, of `count`. */
const ownerOf = (siteId: number, { day, part }: DayPart, count: number): number => (siteId + day + part.number) % count;

/**
 * One thread alone is faster with fewer groups: on two cores, sharing 100,000 took a third longer,
 * and 200,000 a quarter less.
 */
export const sharedGroupsMin = 150_000;

/** Of `count` threads, those that are not connected count as missing, this one among them. */
export const createPeers = (count: number, helper: Helper, turns: Turns): PeerTable => {
  const peers = new Map<number, Peer>();

  const connect = ({ number, port, arrivals }: Connect): void => {
    const peer: Peer = { port, arrivals, waiting: new Map() };
    const isGone = (): boolean => peers.get(number) !== peer;
    peers.set(number, peer);
    port.on('message', async (message: PeerMessage) => {
      if (message.kind === 'done' || message.kind === 'failed') return settle(peer, message);
      const { errand } = message;
      const pace = turns.paceOf(errand.asker, () => isCanceled(errand) || isGone());
      send(port, arrivals, await replyTo(errand.id, pace, pace => help(helper, message, pace)));
    });
    port.on('close', () => {
      if (!isGone()) peers.delete(number);
      for (const { reject } of peer.waiting.values()) reject(new PeerEnded());
    });
  };

  const forErrand = (errand: Errand): Peers => ({
    shareDays(query, days) {
      const ofOwner = (owner: number): AskedPart[] => days.filter(day => ownerOf(query.siteId, day, count) === owner);
      const asked = [...peers]
        .map(([number, peer]) => ({ peer, days: ofOwner(number) }))
        .filter(({ days }) => days.length > 0);
      return {
        own: days.filter(day => !peers.has(ownerOf(query.siteId, day, count))),
        theirs: asked.map(({ peer, days }) => ask(peer, { kind: 'contribute', errand, query, days })),
      };
    },
    shareVisitors(visitors) {
      const groups = visitors.reduce((sum, some) => sum + groupsListed(some), 0);
      const asked = groups < sharedGroupsMin ? [] : [...peers.values()];
      const of = asked.length + 1;
      return {
        own: { number: 0, of },
        theirs: asked.map((peer, i) =>
          ask(peer, { kind: 'findDuplicates', errand, visitors, part: { number: i + 1, of } }),
        ),
      };
    },
  });

  return { connect, forErrand };
};

const help = (helper: Helper, request: PeerRequest, pace: Pace): Promise<Found> =>
  request.kind === 'contribute'
    ? helper.contribute(request.query, pace, request.days)
    : helper.findDuplicates(request.visitors, pace, request.part);

const ask = <R extends PeerRequest>({ port, arrivals, waiting }: Peer, request: R): Promise<FoundBy<R>> =>
  new Promise((resolve, reject) => {
    // What is found is of the kind that was asked for, which is more than the type of a map can
    // say.
    waiting.set(request.errand.id, { resolve: resolve as (found: Found) => void, reject });
    send(port, arrivals, request);
  });

const settle = ({ waiting }: Peer, reply: Ended<Found>): void => {
  const asked = waiting.get(reply.id);
  waiting.delete(reply.id);
  if (reply.kind === 'done') asked?.resolve(reply.result);
  else asked?.reject(errorOf(reply));
};
