/**
 * Answers queries by merging what days contribute. Threads share a query: each scans its own days
 * and looks for duplicate visitors in its own part of all visitors; the thread that was asked
 * merges. An answer about sealed days alone never changes, so the engine keeps it.
 */
import type { Database } from '../store/database.ts';
import { createByteCache } from '../store/day/byte-cache.ts';
import { dayReader } from '../store/day/day-reader.ts';
import type { OpenDaysOptions } from '../store/day/open/open-days.ts';
import type { Part } from '../store/day/part.ts';
import { unitedDays } from '../store/day/united-days.ts';
import { PeerEnded } from './errors.ts';
import { importedDays } from './imported-days.ts';
import { giveWay, type Pace, untilDone } from './pace.ts';
import type { Answer, Query, Report, Slice } from './query.ts';
import { type Answered, isUnfinished, type Merged } from './questions/plan.ts';
import { ruledDays } from './removal-rules/ruled-days.ts';
import { withChangedRows } from './rows/changed-rows.ts';
import {
  type AskedPart,
  type Contributions,
  createScanner,
  cutKey,
  isWithin,
  type Prepared,
  type Scanner,
} from './scanner.ts';
import { createScratchPool, type ScratchPool } from './scratch.ts';
import { type SummedDays, summedDays } from './summed-days.ts';
import { bytesListed, type DailyVisitors, mayHaveDuplicates, subtractDuplicates } from './visitors/daily-visitors.ts';
import { type Duplicates, findDuplicates } from './visitors/find-duplicates.ts';

/** The other threads that live now. What they are asked rejects with PeerEnded if they end. */
export interface Peers {
  /** Asks the others what their days contribute. */
  shareDays(query: Query, days: readonly AskedPart[]): WorkShare<readonly AskedPart[], Contributions>;
  /** If visitors are many, asks each of the others for the duplicates among a part of them. */
  shareVisitors(visitors: readonly DailyVisitors[]): WorkShare<Part, Duplicates>;
}

export interface WorkShare<Work, Found> {
  /** What is left for this thread. */
  own: Work;
  theirs: readonly Promise<Found>[];
}

/** All work in turns. */
export interface Engine {
  /**
   * Begins again if one of its days is deleted meanwhile, so the answer holds for one moment, and
   * if a peer ends.
   */
  answer(query: Query, pace: Pace, peers?: Peers): Promise<Report>;
  /** What some days contribute, for another thread that answers. */
  contribute(query: Query, pace: Pace, days: readonly AskedPart[]): Promise<Contributions>;
  /** The duplicates among a part of some visitors, for another thread that answers. */
  findDuplicates(visitors: readonly DailyVisitors[], pace: Pace, part: Part): Promise<Duplicates>;
}

const noPeers: Peers = {
  shareDays: (_, days) => ({ own: days, theirs: [] }),
  shareVisitors: () => ({ own: { number: 0, of: 1 }, theirs: [] }),
};

/**
 * Shares of the cache: of columns, which every question about a day needs; of what days
 * contributed; and of answers. These are small and most likely to be asked for again, so nothing
 * larger may push them out.
 */
const [columnsShare, contributionsShare, answersShare] = [0.85, 0.12, 0.03];

export interface EngineOptions {
  /** What may be found out for one query before it is merged, in bytes; any size if missing. */
  foundBytesMax?: number;
  /** Gets the bytes of the lists of visitors that were just dropped. */
  onGarbage?: (bytes: number) => void;
  scratchPool?: ScratchPool | undefined;
  openDays?: OpenDaysOptions | undefined;
}

/** For one thread and one connection. `cacheBytesMax` bounds all that it keeps of sealed days. */
export const createEngine = (
  db: Database,
  cacheBytesMax: number,
  {
    foundBytesMax = Number.POSITIVE_INFINITY,
    onGarbage = () => {},
    scratchPool = createScratchPool(),
    openDays,
  }: EngineOptions = {},
): Engine => {
  const answered = createByteCache(cacheBytesMax * answersShare);
  const whole = unitedDays(dayReader(db, cacheBytesMax * columnsShare, openDays));
  const reader = ruledDays(db, whole, scratchPool);
  const bounds = { keptBytesMax: cacheBytesMax * contributionsShare, foundBytesMax };
  const days = importedDays(db, reader.firstAt);
  const scanner = createScanner(db, reader, bounds, scratchPool);
  const { report, findDuplicates } = createReporter(scanner, summedDays(db, foundBytesMax), scratchPool, onGarbage);

  /** Null if a day or a peer went meanwhile. */
  const workOut = async (prepared: Prepared, pace: Pace, peers: Peers): Promise<Report | null> => {
    try {
      const found = await report(prepared, pace, peers);
      return scanner.isOutdated(prepared) ? null : found;
    } catch (error) {
      if (error instanceof PeerEnded || scanner.isOutdated(prepared)) return null;
      throw error;
    }
  };

  /** As `workOut`, but takes the answers that are kept from the cache. */
  const tryToAnswer = async (query: Query, pace: Pace, peers: Peers): Promise<Report | null> => {
    const prepared = await scanner.prepareQuery(query, pace);
    const keys = prepared.slices.map(slice => keysOf(slice, prepared));
    const known = keys.map(ofSlice => ofSlice.map(key => (key === null ? undefined : answered.find<Answer>(key))));
    const missing = withoutKnown(prepared, known);
    const isAllKnown = missing.slices.every(({ plans }) => plans.length === 0);
    const found = isAllKnown ? [] : await workOut(missing, pace, peers);
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
    contribute: async (query, pace, days) => scanner.contribute(await scanner.prepareQuery(query, pace), days, pace),
    findDuplicates,
    async answer(query, pace, peers = noPeers) {
      answered.beginScan();
      // Ids of texts that sites share are a thread's own, so no other can look at these days.
      const helpers = query.rollup === undefined ? peers : { ...peers, shareDays: noPeers.shareDays };
      while (true) {
        const imported = query.withLeftOut ? null : await untilDone(pace, pause => days.widen(query, pause));
        const found = await tryToAnswer(imported?.query ?? query, pace, helpers);
        if (found !== null) return withChangedRows(query, imported?.finish(found) ?? found);
      }
    },
  };
};

interface Reporter extends Pick<Engine, 'findDuplicates'> {
  /** Works out the answers to all questions of a query. */
  report(prepared: Prepared, pace: Pace, peers: Peers): Promise<Report>;
}

const createReporter = (
  scanner: Scanner,
  findSummed: SummedDays,
  scratchPool: ScratchPool,
  onGarbage: (bytes: number) => void,
): Reporter => {
  const contributionsTo = async (prepared: Prepared, pace: Pace, peers: Peers): Promise<Contributions[]> => {
    const { context, slices } = prepared;
    const query = { ...context.query, slices: slices.map(({ slice }) => slice) };
    const { found, rest } = await findSummed(prepared, pace);
    const { own, theirs } = peers.shareDays(query, rest);
    return [found, ...(await allOf([...theirs, scanner.contribute(prepared, own, pace)]))];
  };

  const lookForDuplicates: Engine['findDuplicates'] = async (visitors, pace, part) => {
    const search = findDuplicates(visitors, part, scratchPool);
    while (true) {
      const { done, value } = search.next();
      if (done) return value;
      await pace.turn();
    }
  };

  const drop = (visitors: readonly DailyVisitors[]): void => onGarbage(bytesListed(visitors));

  /** Takes visitors who came on several days from the counts until each counts once. */
  const countOnce = async (merged: readonly Merged[][], pace: Pace, peers: Peers): Promise<void> => {
    const visitors = merged.flat().flatMap(one => one.visitors.filter(mayHaveDuplicates));
    if (visitors.length === 0) return;
    const { own, theirs } = peers.shareVisitors(visitors);
    const found = allOf([...theirs, lookForDuplicates(visitors, pace, own)]);
    for (const duplicates of await found.finally(() => drop(visitors)))
      visitors.forEach(({ counts }, i) => {
        subtractDuplicates(counts, duplicates[i]!);
      });
  };

  const answersTo = async (prepared: Prepared, pace: Pace, peers: Peers): Promise<Answered[][]> => {
    const parts = await contributionsTo(prepared, pace, peers);
    const merged = await merge(prepared, parts, pace);
    await countOnce(merged, pace, peers);
    return inTurns(merged, pace, one => one.answer(pace));
  };

  return {
    async report(prepared, pace, peers) {
      const found = await answersTo(prepared, pace, peers);
      const more = unfinishedSlices(prepared, found);
      if (more.every(({ questions }) => questions.length === 0)) return found as Report;
      const query = { ...prepared.context.query, slices: more };
      const next = await scanner.prepareQuery(query, pace, prepared);
      const rest = (await answersTo(next, pace, peers)) as Report;
      return found.map((ofSlice, i) => {
        let next = 0;
        return ofSlice.map(one => (isUnfinished(one) ? one.finish(rest[i]![next++]!) : one));
      });
    },
    findDuplicates: (visitors, pace, part) => lookForDuplicates(visitors, pace, part).finally(() => drop(visitors)),
  };
};

/** The slices of a query with what its answers ask more. */
const unfinishedSlices = ({ slices }: Prepared, answers: readonly Answered[][]): Slice[] =>
  slices.map(({ slice }, i) => ({
    ...slice,
    questions: answers[i]!.flatMap(one => (isUnfinished(one) ? [one.question] : [])),
  }));

const merge = ({ slices }: Prepared, parts: readonly Contributions[], pace: Pace): Promise<Merged[][]> => {
  const ofSlices = slices.map(({ plans }, i) =>
    plans.map((plan, question) => ({ plan, days: parts.map(part => part[i]![question]!) })),
  );
  return inTurns(ofSlices, pace, ({ plan, days }) =>
    plan.merge(
      days.flat().sort((a, b) => a.day - b.day),
      pace,
    ),
  );
};

/** Does something for each question of each slice. */
const inTurns = async <One, Done>(
  of: readonly (readonly One[])[],
  pace: Pace,
  work: (one: One) => Done | Promise<Done>,
): Promise<Done[][]> => {
  const done: Done[][] = [];
  for (const ofSlice of of) {
    const doneOfSlice: Done[] = [];
    for (const one of ofSlice) {
      await giveWay(pace);
      doneOfSlice.push(await work(one));
    }
    done.push(doneOfSlice);
  }
  return done;
};

/** The questions without a kept answer. */
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

/** By question, the key that its answer is kept under; null for an answer that may change. */
const keysOf = ({ slice, plans }: Prepared['slices'][number], { context, days }: Prepared): (string | null)[] => {
  const { siteId, currency, minorRates } = context.query;
  const cuts = days.flatMap(day => (isWithin(day, slice) ? (day.sealed ? cutKey(day, slice) : null) : []));
  const where = `${cuts} of site ${siteId} ${JSON.stringify([slice.filters, slice.imports, currency, minorRates])}`;
  return slice.questions.map((question, i) =>
    cuts.includes(null) || plans[i]!.scan === undefined || question.kind === 'daySum'
      ? null
      : `${JSON.stringify(question)} on ${where}`,
  );
};

/**
 * Settles when all have settled: nothing goes on working for a query that has failed. Rejects with
 * the first error.
 */
const allOf = async <T>(promises: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(promises);
  return Promise.all(promises);
};
