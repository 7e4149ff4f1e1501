/**
 * The other threads that answer queries, as one of them sees them. Days are divided between the threads once and for all, so that each keeps
 * what it read of its own and none keeps what another has; a question goes to one thread, which asks the others for what their
 * days contribute, and then, once it knows the visitors of all days, for the repeats among a part of them. Days whose thread is
 * missing, since it could not start or died, are scanned by whoever asks.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Engine, Peers } from '../engine.ts';
import { PeerEnded, QueryCanceled } from '../errors.ts';
import type { Query } from '../query.ts';
import type { Contributions } from '../scanner.ts';
import { type DailyVisitors, groupsListed, type Part } from '../visitors/daily-visitors.ts';
import type { Duplicates } from '../visitors/duplicates.ts';
import type { Introduction, ReplyOf } from './messages.ts';
import { replyTo } from './reply.ts';

interface ContributeWork {
  query: Query;
  /** Those to scan, as the one who asks knows them: a day that came since is no part of its answer, nor of what it is kept under. */
  days: number[];
}

interface RepeatsWork {
  visitors: readonly DailyVisitors[];
  part: Part;
}

type Work = ContributeWork | RepeatsWork;
type FoundBy<W extends Work> = W extends ContributeWork ? Contributions : Duplicates;

/** What a thread asks of another: `id` is that of the job it is for, which waits for one thing at a time. */
type Request = Work & { id: number };
type Response = ReplyOf<FoundBy<Work>>;

interface Peer {
  port: MessagePort;
  /** By job, what waits for a response. */
  waiting: Map<number, { resolve: (found: FoundBy<Work>) => void; reject: (error: Error) => void }>;
}

/** What a thread does for others. */
export type Helper = Pick<Engine, 'contribute' | 'findDuplicates'>;

export interface PeerTable {
  /** Makes another thread known, in the place of one that had its number before. */
  meet(introduction: Introduction): void;
  /**
   * The others, for one job. Days are divided when they are shared, and stay so: a thread that comes or goes meanwhile would have days
   * scanned by nobody, or twice.
   */
  forJob(id: number): Peers;
}

/** The number of the thread that a day belongs to, of `count`. */
const ownerOf = (siteId: number, day: number, count: number): number => (siteId + day) % count;

/** Fewer groups are looked through sooner alone: on two cores, sharing 100,000 took a third longer, and 200,000 a quarter less. */
export const sharedGroupsMin = 150_000;

/** Of `count` threads, those that this one does not know are taken for missing, itself among them. */
export const createPeers = (count: number, helper: Helper): PeerTable => {
  const peers = new Map<number, Peer>();

  const respond = (request: Request, isCanceled: () => boolean): Promise<Response> =>
    replyTo<FoundBy<Work>>(request.id, isCanceled, throwIfCanceled =>
      'query' in request
        ? helper.contribute(request.query, throwIfCanceled, request.days)
        : helper.findDuplicates(request.visitors, throwIfCanceled, request.part),
    );

  const ask = <W extends Work>({ port, waiting }: Peer, id: number, work: W): Promise<FoundBy<W>> =>
    new Promise((resolve, reject) => {
      // What is found is of the kind that was asked for, which is more than the type of a map can say.
      waiting.set(id, { resolve: resolve as (found: FoundBy<Work>) => void, reject });
      port.postMessage({ id, ...work } satisfies Request);
    });

  const settle = ({ waiting }: Peer, response: Response): void => {
    const asked = waiting.get(response.id);
    waiting.delete(response.id);
    if (response.ok) asked?.resolve(response.result);
    else asked?.reject(response.canceled ? new QueryCanceled() : new Error(response.message));
  };

  return {
    meet({ number, port, canceled }) {
      const flag = new Int32Array(canceled);
      const peer: Peer = { port, waiting: new Map() };
      const isGone = (): boolean => peers.get(number) !== peer;
      peers.set(number, peer);
      port.on('message', async (message: Request | Response) => {
        if ('ok' in message) settle(peer, message);
        else port.postMessage(await respond(message, () => Atomics.load(flag, 0) === message.id || isGone()));
      });
      port.on('close', () => {
        if (!isGone()) peers.delete(number);
        for (const { reject } of peer.waiting.values()) reject(new PeerEnded());
      });
    },
    forJob: id => ({
      shareDays(query, days) {
        const ofOwner = (owner: number): number[] => days.filter(day => ownerOf(query.siteId, day, count) === owner);
        const asked = [...peers]
          .map(([number, peer]) => ({ peer, days: ofOwner(number) }))
          .filter(({ days }) => days.length > 0);
        return {
          own: days.filter(day => !peers.has(ownerOf(query.siteId, day, count))),
          theirs: asked.map(({ peer, days }) => ask(peer, id, { query, days })),
        };
      },
      shareVisitors(visitors) {
        const groups = visitors.reduce((sum, some) => sum + groupsListed(some), 0);
        const asked = groups < sharedGroupsMin ? [] : [...peers.values()];
        const of = asked.length + 1;
        return {
          own: { number: 0, of },
          theirs: asked.map((peer, i) => ask(peer, id, { visitors, part: { number: i + 1, of } })),
        };
      },
    }),
  };
};
