/**
 * Gives the works of one thread their turns, one at a time. The next turn goes to the work with the
 * least time used: by itself, and lately by whoever asks. So a short question overtakes long ones,
 * and whoever asks much stands behind those who ask little.
 */
import { performance } from 'node:perf_hooks';
import { QueryCanceled } from '../errors.ts';
import type { Pace } from '../pace.ts';
import { type Asker, askerKey, shareOf } from './askers.ts';

export type Turns = ReturnType<typeof createTurns>;

/** Shorter turns cost more: work that ends its turn within a day selects the day's hits again. */
const turnMs = 10;
/** Two works with about the same claim should not interrupt each other in every turn. */
const headStartMs = 20;
/** What somebody used counts half after so long. */
const halfLifeMs = 5_000;
/**
 * A work that used more is not put back further: however short others' questions are, whoever asks
 * one long question gets their share.
 */
const ownMsMax = 1_000;

interface Work {
  asker: Asker;
  usedMs: number;
  isCanceled(): boolean;
}

/** A work that waits for its turn. */
interface Waiting {
  work: Work;
  begin(): void;
}

/**
 * `arrivals` counts the messages that were sent to the thread: whoever they are from gets a turn of
 * the event loop. Tests pass a clock.
 */
export const createTurns = (arrivals: () => number, now = (): number => performance.now()) => {
  const waiting: Waiting[] = [];
  const usage = createUsage(now);
  let current: { work: Work; since: number; arrivals: number } | undefined;
  let isScheduled = false;

  /** Who has less goes first. Canceled work only ends, and must be seen to. */
  const claimOf = ({ asker, usedMs, isCanceled }: Work): number =>
    isCanceled() ? Number.NEGATIVE_INFINITY : usage.of(asker) + Math.min(usedMs, ownMsMax);

  const endTurn = (): void => {
    if (current === undefined) return;
    const ms = now() - current.since;
    current.work.usedMs += ms;
    usage.add(current.work.asker, ms);
    current = undefined;
  };

  /** What a turn does before it waits again, it does until the next call of this. */
  const next = (): void => {
    endTurn();
    isScheduled = waiting.length > 0;
    if (!isScheduled) return;
    const first = waiting.reduce((best, one) => (claimOf(one.work) < claimOf(best.work) ? one : best));
    waiting.splice(waiting.indexOf(first), 1);
    current = { work: first.work, since: now(), arrivals: arrivals() };
    first.begin();
    setImmediate(next);
  };

  const turnOf = (work: Work): Promise<void> =>
    new Promise(begin => {
      waiting.push({ work, begin });
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(next);
    });

  const mayGoOn = (work: Work): boolean => {
    if (current?.work !== work) return false;
    const ms = now() - current.since;
    if (ms < turnMs) return true;
    if (arrivals() !== current.arrivals) return false;
    const claim = claimOf({ ...work, usedMs: work.usedMs + ms }) + ms / shareOf(work.asker).weight;
    return waiting.every(other => claimOf(other.work) + headStartMs > claim);
  };

  return {
    /** The pace of a work that somebody asked for. */
    paceOf(asker: Asker, isCanceled: () => boolean): Pace {
      const work: Work = { asker, usedMs: 0, isCanceled };
      const throwIfCanceled = (): void => {
        if (isCanceled()) throw new QueryCanceled();
      };
      return {
        throwIfCanceled,
        mayGoOn() {
          throwIfCanceled();
          return mayGoOn(work);
        },
        async turn() {
          throwIfCanceled();
          await turnOf(work);
          throwIfCanceled();
        },
      };
    },
  };
};

/** How long askers have used the thread lately, in milliseconds that weigh as much for each. */
const createUsage = (now: () => number): { of(asker: Asker): number; add(asker: Asker, ms: number): void } => {
  /** An entry for each account that ever asked, and one for its public pages. */
  const used = new Map<string, { ms: number; at: number }>();
  const of = (asker: Asker): number => {
    const known = used.get(askerKey(asker));
    return known === undefined ? 0 : known.ms * 2 ** ((known.at - now()) / halfLifeMs);
  };
  return {
    of,
    add(asker, ms) {
      used.set(askerKey(asker), { ms: of(asker) + ms / shareOf(asker).weight, at: now() });
    },
  };
};
