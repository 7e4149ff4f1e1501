/**
 * Answers queries by adding up what days contribute. Several threads share a question: each scans days of its own, and the one that was asked
 * adds up. Who came on several days they look for together, too. An answer about nothing but sealed days never changes and is kept.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../store/database.ts';
import { createByteCache } from '../store/day/byte-cache.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { PeerEnded } from './errors.ts';
import type { Answer, Query, Report } from './query.ts';
import type { Merged } from './reports/plan.ts';
import type { ScratchPool } from './scan/scratch.ts';
import { type Contributions, createScanner, cutKey, isWithin, type Prepared } from './scanner.ts';
import {
  bytesListed,
  type DailyVisitors,
  mayHaveDuplicates,
  type Part,
  subtractDuplicates,
} from './visitors/daily-visitors.ts';
import { type Duplicates, findDuplicates } from './visitors/duplicates.ts';

/** Other threads that answer with this one: work is shared between it and those that there are now. A thread that ends is a PeerEnded. */
export interface Peers {
  /** Asks the others what their days contribute. */
  shareDays(query: Query, days: readonly number[]): Share<readonly number[], Contributions>;
  /** Asks the others for the repeats among a part of the visitors each, where these are many. */
  shareVisitors(visitors: readonly DailyVisitors[]): Share<Part, Duplicates>;
}

export interface Share<Work, Found> {
  /** What is left for this thread. */
  own: Work;
  theirs: readonly Promise<Found>[];
}

/** Each calls `throwIfCanceled` again and again, which may throw to end the work. */
export interface Engine {
  /**
   * As of one moment as far as sealed days are concerned: where one goes in the middle, the question begins anew. So it does where a peer ends, so
   * that this costs nobody an answer.
   */
  answer(query: Query, throwIfCanceled: () => void, peers?: Peers): Promise<Report>;
  /** What some days contribute, for another thread that answers. */
  contribute(query: Query, throwIfCanceled: () => void, days: readonly number[]): Promise<Contributions>;
  /** The repeats among a part of some visitors, for another thread that answers. */
  findDuplicates(visitors: readonly DailyVisitors[], throwIfCanceled: () => void, part: Part): Promise<Duplicates>;
}

const alone: Peers = {
  shareDays: (_, days) => ({ own: days, theirs: [] }),
  shareVisitors: () => ({ own: { number: 0, of: 1 }, theirs: [] }),
};

/**
 * Shares of what may be kept: of columns, which every question about a day needs; of what days contributed; and of
 * answers, which are small and the first thing to be asked for again, so that nothing larger may push them out.
 */
const [columnsShare, contributionsShare, answersShare] = [0.85, 0.12, 0.03];

/** For one thread and one connection. `cacheBytesMax` bounds all that is kept of sealed days. */
export const createEngine = (
  db: Database,
  cacheBytesMax: number,
  onGarbage: (bytes: number) => void = () => {},
  scratchPool?: ScratchPool,
): Engine => {
  const answered = createByteCache(cacheBytesMax * answersShare);
  const reader = dayReader(db, cacheBytesMax * columnsShare);
  const scanner = createScanner(db, reader, cacheBytesMax * contributionsShare, scratchPool);

  /** What the days contribute to each question. */
  const contributionsTo = (prepared: Prepared, throwIfCanceled: () => void, peers: Peers): Promise<Contributions[]> => {
    const { context, slices, days } = prepared;
    const query = { ...context.query, slices: slices.map(({ slice }) => slice) };
    const { own, theirs } = peers.shareDays(
      query,
      days.map(({ day }) => day),
    );
    return allOf([...theirs, scanner.contribute(prepared, own, throwIfCanceled)]);
  };

  const addUp = ({ slices }: Prepared, parts: readonly Contributions[], throwIfCanceled: () => void): Merged[][] =>
    slices.map(({ plans }, i) =>
      plans.map((plan, question) => {
        throwIfCanceled();
        return plan.merge(parts.flatMap(part => part[i]![question]!).sort((a, b) => a.day - b.day));
      }),
    );

  const lookForRepeats: Engine['findDuplicates'] = async (visitors, throwIfCanceled, part) => {
    const search = findDuplicates(visitors, part);
    while (true) {
      const { done, value } = search.next();
      throwIfCanceled();
      if (done) return value;
      await nextTurn();
    }
  };

  /** To be called when they are needed no more, however that came. */
  const drop = (visitors: readonly DailyVisitors[]): void => onGarbage(bytesListed(visitors));

  /** Has the sums count each visitor once. */
  const countOnce = async (sums: readonly Merged[][], throwIfCanceled: () => void, peers: Peers): Promise<void> => {
    const visitors = sums.flat().flatMap(sum => sum.visitors.filter(mayHaveDuplicates));
    if (visitors.length === 0) return;
    const { own, theirs } = peers.shareVisitors(visitors);
    const found = allOf([...theirs, lookForRepeats(visitors, throwIfCanceled, own)]);
    for (const repeats of await found.finally(() => drop(visitors)))
      visitors.forEach(({ counts }, i) => {
        subtractDuplicates(counts, repeats[i]!);
      });
  };

  /** As of one moment, since answers still read names and the rows of visits. */
  const reportOf = db.transaction(
    (sums: readonly Merged[][], throwIfCanceled: () => void): Report =>
      sums.map(ofSlice =>
        ofSlice.map(sum => {
          throwIfCanceled();
          return sum.answer(throwIfCanceled);
        }),
      ),
  );

  /** Null where a day or a peer went in the middle. */
  const findOut = async (prepared: Prepared, throwIfCanceled: () => void, peers: Peers): Promise<Report | null> => {
    let report: Report;
    try {
      const parts = await contributionsTo(prepared, throwIfCanceled, peers);
      const sums = addUp(prepared, parts, throwIfCanceled);
      await countOnce(sums, throwIfCanceled, peers);
      report = reportOf(sums, throwIfCanceled);
    } catch (error) {
      if (error instanceof PeerEnded || scanner.isOutdated(prepared)) return null;
      throw error;
    }
    return scanner.isOutdated(prepared) ? null : report;
  };

  /** Null as `findOut`, which is asked for what no answer is kept of. */
  const tryToAnswer = async (query: Query, throwIfCanceled: () => void, peers: Peers): Promise<Report | null> => {
    const prepared = scanner.planFor(query);
    const keys = prepared.slices.map(slice => keysOf(slice, prepared));
    const known = keys.map(ofSlice => ofSlice.map(key => (key === null ? undefined : answered.find<Answer>(key))));
    const missing = withoutKnown(prepared, known);
    const isAllKnown = missing.slices.every(({ plans }) => plans.length === 0);
    const found = isAllKnown ? [] : await findOut(missing, throwIfCanceled, peers);
    if (found === null) return null;
    return keys.map((ofSlice, i) => {
      let next = 0;
      return ofSlice.map((key, question) => {
        const kept = known[i]![question];
        if (kept !== undefined) return kept;
        const answer = found[i]![next++]!;
        return key === null ? answer : answered.put(key, answer);
      });
    });
  };

  return {
    contribute: (query, throwIfCanceled, days) => scanner.contribute(scanner.planFor(query), days, throwIfCanceled),
    findDuplicates: (visitors, throwIfCanceled, part) =>
      lookForRepeats(visitors, throwIfCanceled, part).finally(() => drop(visitors)),
    async answer(query, throwIfCanceled, peers = alone) {
      answered.beginScan();
      while (true) {
        const report = await tryToAnswer(query, throwIfCanceled, peers);
        if (report !== null) return report;
      }
    },
  };
};

/** What is left to find out, given the answers that are kept, by slice and question. */
const withoutKnown = (prepared: Prepared, known: (Answer | undefined)[][]): Prepared => ({
  ...prepared,
  slices: prepared.slices.map((one, i) => {
    const isUnknown = (_: unknown, question: number): boolean => known[i]![question] === undefined;
    return {
      ...one,
      slice: { ...one.slice, questions: one.slice.questions.filter(isUnknown) },
      plans: one.plans.filter(isUnknown),
    };
  }),
});

/** By question, what names its answer for as long as there is one; null for one that may change. */
const keysOf = ({ slice, plans }: Prepared['slices'][number], { context, days }: Prepared): (string | null)[] => {
  const { siteId, currency, minorRates } = context.query;
  const cuts = days.flatMap(day => (isWithin(day, slice) ? (day.sealed ? cutKey(day, slice) : null) : []));
  const where = `${cuts} of site ${siteId} ${JSON.stringify([slice.filters, currency, minorRates])}`;
  return slice.questions.map((question, i) =>
    cuts.includes(null) || plans[i]!.scan === undefined ? null : `${JSON.stringify(question)} on ${where}`,
  );
};

/** Ends when all have ended; rejects with the first error. */
const allOf = async <T>(promises: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(promises);
  return Promise.all(promises);
};
