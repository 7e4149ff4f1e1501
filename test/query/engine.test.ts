/**
 * Every question over random sites, ranges and filters, compared with a naive recount of the same hits.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dimensionNames } from '../../src/model/dimensions.ts';
import { dayMs } from '../../src/model/time.ts';
import { createEngine, type Engine, type Peers } from '../../src/query/engine.ts';
import { PeerEnded, QueryTooLarge } from '../../src/query/errors.ts';
import { alone } from '../../src/query/pace.ts';
import type { AnswerOf, Query, Question, Report, Slice, TableCursor, VisitCursor } from '../../src/query/query.ts';
import type { Contributions } from '../../src/query/scanner.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import type { Duplicates } from '../../src/query/visitors/find-duplicates.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import { type DayPart, wholeDay } from '../../src/store/day/part.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { dropSites } from '../../src/store/maintenance/drop-sites.ts';
import { sites } from '../../src/store/sites.ts';
import { type Entry, recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';
import { comparable, type NaiveSite, naiveReport, visitRowsOf } from '../naive.ts';
import { repeat } from '../repeat.ts';
import { fillAll } from './fill-all.ts';
import { restless } from './paces.ts';
import { poisonedScratch } from './poisoned-scratch.ts';
import {
  days,
  firstDay,
  askedKinds as kinds,
  type Random,
  randomFrom,
  randomParts,
  randomQuery,
  randomSite,
  siteWriter,
  storeSite,
} from './random-site.ts';

const noChips = { converted: false, bounced: false, paid: false, returning: false };
const siteCount = 6 * repeat;
const queriesPerSite = 6;

const compare = (query: Query, got: Report, want: Report): void =>
  query.slices.forEach(({ from, to, filters, questions }, slice) => {
    questions.forEach((question, i) => {
      const message = JSON.stringify({ question, from, to, filters }, null, 1);
      assert.equal(comparable(got[slice]![i]!), comparable(want[slice]![i]!), message);
    });
  });

const openFromAny = (random: Random): number => firstDay + random.below(days + 2);

/** A random site, whose days before `openFrom` are sealed. */
const storedSite = (seed: number, openFrom: (random: Random) => number = () => firstDay + 2) => {
  const random = randomFrom(seed);
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(random);
  const sealedAs = randomParts(random);
  const siteId = storeSite(db, site, openFrom(random), 'UTC', sealedAs.partHitsMax);
  return { random, db, dataDir, site, siteId };
};

/** An engine that reads large days in parts, for which a few hits are many. */
const engineOf = (
  dataDir: string,
  random: Random,
  cacheBytesMax = 1e8,
  scratchPool?: ReturnType<typeof poisonedScratch>,
): Engine => createEngine(openReader(dataDir), cacheBytesMax, { scratchPool, openDays: randomParts(random) });

for (let seed = 1; seed <= siteCount; seed++) {
  const isPoisoned = seed % 2 === 0;
  test(`random site ${seed}${isPoisoned ? ', with garbage in memory that is used again' : ''}`, async () => {
    const { random, db, dataDir, site, siteId } = storedSite(seed, openFromAny);
    if (seed % 3 !== 0) await fillAll(db, siteId);
    const scratchPool = isPoisoned ? poisonedScratch() : undefined;
    const engine = engineOf(dataDir, random, random.pick([1e8, 20_000, 0]), scratchPool);
    for (let i = 0; i < queriesPerSite; i++) {
      const query = randomQuery(random, siteId, kinds);
      const want = naiveReport(site, query);
      const pace = i % 2 === 0 ? alone : restless(undefined, () => random.chance(0.2));
      compare(query, await engine.answer(query, pace), want);
      compare(query, await engine.answer(query, pace), want); // again, from what was kept
    }
  });
}

test('pages of a table join into the whole table in every order', async () => {
  const { random, dataDir, siteId } = storedSite(9);
  const engine = engineOf(dataDir, random);
  for (const dimension of ['path', 'country', 'event'] as const) {
    for (const sort of ['visitors', 'bounceRate', 'secondsOnPage', 'revenue'] as const) {
      for (const descending of [true, false]) {
        const page = async (limit: number, after: TableCursor | null): Promise<AnswerOf<'table'>> => {
          const metrics = ['visits' as const, sort];
          const questions: Question[] = [{ kind: 'table', dimension, metrics, sort, descending, limit, after }];
          const slices = [{ from: firstDay * dayMs, to: (firstDay + days) * dayMs, filters: [], questions }];
          const answer = await engine.answer({ siteId, currency: 'EUR', minorRates: {}, slices }, alone);
          return answer[0]![0] as AnswerOf<'table'>;
        };
        const whole = await page(1000, null);
        assert.is(whole.next, null);
        assert.is(whole.rows.length, whole.total);
        const joined = [];
        let after: TableCursor | null = null;
        do {
          const { rows, next }: AnswerOf<'table'> = await page(2, after);
          joined.push(...rows);
          after = next;
        } while (after !== null);
        assert.equal(joined, whole.rows);
      }
    }
  }
});

test('pages of visits join into the whole list in every order', async () => {
  const { random, dataDir, siteId } = storedSite(7);
  const engine = engineOf(dataDir, random);
  for (const sort of ['started', 'duration', 'pageviews', 'events', 'revenue'] as const) {
    for (const descending of [true, false]) {
      const page = async (limit: number, after: VisitCursor | null): Promise<AnswerOf<'visits'>> => {
        const query: Query = {
          siteId,
          currency: 'EUR',
          minorRates: {},
          slices: [
            {
              from: firstDay * dayMs,
              to: (firstDay + days) * dayMs,
              filters: [],
              questions: [{ kind: 'visits', sort, descending, limit, search: '', after, form: 'json', ...noChips }],
            },
          ],
        };
        return (await engine.answer(query, alone))[0]![0] as AnswerOf<'visits'>;
      };
      const all = visitRowsOf(await page(1000, null));
      const paged: { id: string }[] = [];
      let next: VisitCursor | null = null;
      do {
        const answer = await page(17, next);
        paged.push(...visitRowsOf(answer));
        next = answer.next;
      } while (next !== null);
      assert.equal(paged, all);
      assert.ok(all.length > 34, 'there are several pages');
    }
  }
});

test('later hits are counted, and sealing changes no answer', async () => {
  for (let seed = 8; seed < 8 + 2 * repeat; seed++) await inSteps(randomFrom(seed));
});

/** Writes a site and seals it in steps, and asks after each. */
const inSteps = async (random: Random): Promise<void> => {
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(random);
  const writer = siteWriter(db);
  const engine = engineOf(dataDir, random);
  const { partHitsMax } = randomParts(random);
  const check = async (so: NaiveSite): Promise<void> => {
    for (let i = 0; i < 4; i++) {
      const query = randomQuery(random, writer.siteId, kinds);
      compare(query, await engine.answer(query, alone), naiveReport(so, query));
    }
  };
  await check([]);
  let written = 0;
  for (const part of [0.4, 0.5, 0.51, 1]) {
    const end = Math.floor(site.length * part);
    writer.write(site.slice(written, end));
    written = end;
    await check(structuredClone(site.slice(0, end)));
  }
  sealAll(db, firstDay + 2, 0, partHitsMax);
  await check(site);
  sealAll(db, firstDay + days, 0, partHitsMax);
  await check(site);
};

/** Answers random queries while something happens at their second check for cancelation. */
const meddled = async (
  happens: (db: Database, siteId: number, random: Random) => void,
  check: (query: Query, site: NaiveSite, got: Report) => void,
): Promise<void> => {
  for (let seed = 10; seed < 10 + 4 * repeat; seed++) {
    const { random, db, dataDir, site, siteId } = storedSite(seed);
    const query = randomQuery(random, siteId, kinds);
    const engine = engineOf(dataDir, random, 0);
    let checks = 0;
    const pace = restless(() => {
      if (++checks === 2) happens(db, siteId, random);
    });
    const got = await engine.answer(query, pace);
    check(query, site, got);
  }
};

test('days sealed during a query are read as they were', () =>
  meddled(
    (db, _, random) => sealAll(db, firstDay + days, 0, randomParts(random).partHitsMax),
    (query, site, got) => compare(query, got, naiveReport(site, query)),
  ));

test('a site removed during a query gives no more answers', () =>
  meddled(
    (db, siteId) => {
      sites(db).remove(siteId);
      for (const _ of dropSites(db));
    },
    (query, _, got) => compare(query, got, naiveReport([], query)),
  ));

test('questions asked at once are answered as if alone', async () => {
  const { random, dataDir, site, siteId } = storedSite(11);
  const engine = createEngine(openReader(dataDir), 20_000);
  for (let round = 0; round < 5; round++) {
    const queries = Array.from({ length: 4 }, () => randomQuery(random, siteId, kinds));
    const reports = await Promise.all(queries.map(query => engine.answer(query, alone)));
    queries.forEach((query, i) => {
      compare(query, reports[i]!, naiveReport(site, query));
    });
  }
});

test('engines that each own some days answer together, with plain data', async () => {
  let shared = 0;
  for (let seed = 30; seed < 30 + 3 * repeat; seed++) {
    const { random, dataDir, site, siteId } = storedSite(seed, openFromAny);
    const parts = randomParts(random);
    const [first, ...others] = [0, 1, 2].map(() => createEngine(openReader(dataDir), 1e8, { openDays: parts }));
    const peers: Peers = {
      shareDays(query, days) {
        const ofNumber = (number: number): DayPart[] =>
          days.filter(({ day, part }) => (day + part.number) % 3 === number);
        const contribute = async (engine: Engine, i: number): Promise<Contributions> =>
          structuredClone(await engine.contribute(query, alone, ofNumber(i + 1)));
        return { own: ofNumber(0), theirs: others.map(contribute) };
      },
      shareVisitors(visitors) {
        shared += visitors.length;
        const findDuplicates = async (engine: Engine, i: number): Promise<Duplicates> =>
          structuredClone(await engine.findDuplicates(structuredClone(visitors), alone, { number: i + 1, of: 3 }));
        return { own: { number: 0, of: 3 }, theirs: others.map(findDuplicates) };
      },
    };
    for (let i = 0; i < queriesPerSite; i++) {
      const query = randomQuery(random, siteId, kinds);
      const want = naiveReport(site, query);
      for (const _ of ['first', 'again']) compare(query, await first!.answer(query, alone, peers), want);
    }
  }
  assert.ok(shared > 0, 'visitors may come on several days');
});

test('a question starts again with the peers left when one ends', async () => {
  const { random, dataDir, site, siteId } = storedSite(21);
  const engine = createEngine(openReader(dataDir), 1e8);
  for (let i = 0; i < queriesPerSite; i++) {
    const query = randomQuery(random, siteId, kinds);
    let left = 2;
    let leftForVisitors = 2;
    const peers: Peers = {
      shareDays: (_, days) =>
        left-- > 0 ? { own: days.slice(left), theirs: [Promise.reject(new PeerEnded())] } : { own: days, theirs: [] },
      shareVisitors: () =>
        leftForVisitors-- > 0
          ? { own: { number: 0, of: 2 }, theirs: [Promise.reject(new PeerEnded())] }
          : { own: { number: 0, of: 1 }, theirs: [] },
    };
    compare(query, await engine.answer(query, alone, peers), naiveReport(site, query));
  }
});

test('a kept answer is used for its question alone: the others of a page are worked out', async () => {
  const { dataDir, site, siteId } = storedSite(13, () => firstDay + days);
  const engine = createEngine(openReader(dataDir), 1e8);
  const workedOut: Question['kind'][] = [];
  const peers: Peers = {
    shareDays(query, numbers) {
      workedOut.push(...query.slices.flatMap(({ questions }) => questions.map(({ kind }) => kind)));
      return { own: numbers, theirs: [] };
    },
    shareVisitors: () => ({ own: { number: 0, of: 1 }, theirs: [] }),
  };
  const ask = async (...questions: Question[]): Promise<Question['kind'][]> => {
    const slice = { from: firstDay * dayMs, to: (firstDay + days) * dayMs, filters: [] };
    const halves = [slice, { ...slice, to: (firstDay + 1) * dayMs }].map(one => ({ ...one, questions }));
    const query: Query = { siteId, currency: 'EUR', minorRates: {}, slices: halves };
    compare(query, await engine.answer(query, alone, peers), naiveReport(site, query));
    return workedOut.splice(0);
  };
  const paths: Question = topValues('path', 5);
  assert.equal(await ask(headline, paths), ['metricSeries', 'table', 'metricSeries', 'table']);
  assert.equal(await ask(paths, { kind: 'events', limit: 5, bounds: null }, headline), ['events', 'events']);
  assert.equal(await ask(headline, paths), []);
});

test('days between the slices of a query are not read', async () => {
  const { dataDir, site, siteId } = storedSite(14);
  const engine = createEngine(openReader(dataDir), 1e8);
  const read: number[] = [];
  const peers: Peers = {
    shareDays(_, numbers) {
      read.push(...numbers.map(({ day }) => day));
      return { own: numbers, theirs: [] };
    },
    shareVisitors: () => ({ own: { number: 0, of: 1 }, theirs: [] }),
  };
  const slices = [firstDay, firstDay + days - 1].map(
    (day): Slice => ({ from: day * dayMs, to: (day + 1) * dayMs, filters: [], questions: [headline] }),
  );
  const withFirstHit: Slice[] = [{ from: 0, to: 0, filters: [], questions: [{ kind: 'firstHit' }] }, ...slices];
  const query: Query = { siteId, currency: 'EUR', minorRates: {}, slices: withFirstHit };
  compare(query, await engine.answer(query, alone, peers), naiveReport(site, query));
  assert.equal([...new Set(read)], [firstDay, firstDay + days - 1]);
});

test('a day that comes after peers were asked is left out of answers about earlier days', async () => {
  const random = randomFrom(22);
  const { db, dataDir } = temporaryDatabase();
  const lastDay = firstDay + days - 1;
  const site = randomSite(random);
  const before = site.filter(({ visit }) => visit.day < lastDay);
  const writer = siteWriter(db);
  writer.write(before);
  sealAll(db, lastDay, 0);
  const [engine, other] = [0, 1].map(() => createEngine(openReader(dataDir), 1e8));
  const peers: Peers = {
    shareDays(query, days) {
      if (!isThere) writer.write(site.filter(hit => !before.includes(hit)));
      isThere = true;
      return { own: [], theirs: [other!.contribute(query, alone, days)] };
    },
    shareVisitors: () => ({ own: { number: 0, of: 1 }, theirs: [] }),
  };
  let isThere = false;
  const about = (to: number): Query => ({
    siteId: writer.siteId,
    currency: 'EUR',
    minorRates: {},
    slices: [{ from: firstDay * dayMs, to: to * dayMs, filters: [], questions: [headline] }],
  });
  for (const [to, so] of [
    [lastDay + 1, before],
    [lastDay, before],
    [lastDay + 1, site],
  ] as const) {
    const query = about(to);
    compare(query, await engine!.answer(query, alone, peers), naiveReport(structuredClone(so), query));
  }
});

test('a day that comes while a table is worked out is left out of all of its columns', async () => {
  const lastDay = firstDay + days - 1;
  for (let seed = 30; seed < 30 + 8 * repeat; seed++) {
    const random = randomFrom(seed);
    const { db, dataDir } = temporaryDatabase();
    const site = randomSite(random);
    const before = site.filter(({ visit }) => visit.day < lastDay);
    const writer = siteWriter(db);
    writer.write(before);
    sealAll(db, lastDay, 0);
    const comesAt = 1 + random.below(2);
    let asked = 0;
    const peers: Peers = {
      shareDays(_, days) {
        if (++asked === comesAt) writer.write(site.filter(hit => !before.includes(hit)));
        return { own: days, theirs: [] };
      },
      shareVisitors: () => ({ own: { number: 0, of: 1 }, theirs: [] }),
    };
    const query = randomQuery(random, writer.siteId, ['table']);
    const got = await createEngine(openReader(dataDir), 1e8).answer(query, alone, peers);
    compare(query, got, naiveReport(before, query));
  }
});

test('contributions of days own exactly their memory, so that they can be sent to threads', async () => {
  const { random, dataDir, siteId } = storedSite(12);
  const engine = createEngine(openReader(dataDir), 1e8);
  const check = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) assert.is(value.buffer.byteLength, value.byteLength);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(check);
  };
  const allDays = Array.from({ length: days }, (_, i) => ({ day: firstDay + i, part: wholeDay }));
  for (let i = 0; i < queriesPerSite; i++)
    check(await engine.contribute(randomQuery(random, siteId, kinds), alone, allDays));
});

test('a query that finds out more than it may is too large, and a smaller one is answered', async () => {
  const { random, dataDir, site, siteId } = storedSite(14);
  const whole = { from: firstDay * dayMs, to: (firstDay + days) * dayMs, filters: [] };
  const about = (questions: Question[]): Query => ({
    ...randomQuery(random, siteId, kinds),
    slices: [{ ...whole, questions }],
  });
  const large = about(dimensionNames.map(dimension => topValues(dimension, 10)));
  const small = about([headline]);
  const engine = createEngine(openReader(dataDir), 1e8, { foundBytesMax: 40_000 });
  for (const _ of ['first', 'again']) {
    assert.instance(await engine.answer(large, alone).catch((error: Error) => error), QueryTooLarge);
    compare(small, await engine.answer(small, alone), naiveReport(site, small));
  }
});

test('a check for cancelation that throws ends the query, and the next one is whole', async () => {
  const { random, dataDir, site, siteId } = storedSite(9);
  const engine = createEngine(openReader(dataDir), 1e8);
  const query = randomQuery(random, siteId, kinds);
  for (let end = 1; end < 8; end++) {
    let checks = 0;
    const stop = (): void => {
      if (++checks === end) throw new Error('stop');
    };
    const error = await engine.answer(query, restless(stop)).catch((error: Error) => error);
    assert.is((error as Error).message, 'stop');
  }
  compare(query, await engine.answer(query, alone), naiveReport(site, query));
});

/**
 * A site with as many visits on each day, of the same visitors, none of it sealed; asked about by
 * an engine that keeps nothing.
 */
const openSite = (visits: number, dayCount: number, persistent: boolean) => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const entries: Entry[] = [];
  for (let day = firstDay; day < firstDay + dayCount; day++)
    for (let i = 1; i <= visits; i++) {
      const of = { siteId, day, visitId: day * visits + i, at: day * dayMs + i };
      const visitor = Buffer.alloc(8);
      visitor.writeUInt32BE(i);
      const visit = { ...visitRecord({ ...of, id: of.visitId }), visitor, persistent };
      entries.push(recordedEntry(hitRecord(of), visit));
    }
  recorder(db).write(entries);
  const query: Query = {
    siteId,
    currency: 'EUR',
    minorRates: {},
    slices: [
      {
        from: firstDay * dayMs,
        to: (firstDay + dayCount) * dayMs,
        filters: [],
        questions: [headline, topValues('path', 5)],
      },
    ],
  };
  return { dataDir, query };
};

test('reading an open day stops when nobody waits', async () => {
  // Some 8,000 rows are a turn, of visits and then of hits.
  const { dataDir, query } = openSite(17_000, 1, false);
  const engine = createEngine(openReader(dataDir), 0);
  const checksOf = async (): Promise<number> => {
    let checks = 0;
    await engine.answer(query, { ...alone, mayGoOn: () => checks++ >= 0 });
    return checks;
  };
  const whileRead = await checksOf();
  assert.ok(whileRead >= (await checksOf()) + 4);
});

test('hash mode needs no search for visitors, and lists of others become garbage however the work ends', async () => {
  const visits = 100;
  const workOn = async (persistent: boolean, peerEnds: () => Promise<Duplicates>) => {
    const { dataDir, query } = openSite(visits, 2, persistent);
    let [looks, garbage] = [0, 0];
    const engine = createEngine(openReader(dataDir), 0, {
      onGarbage: bytes => {
        garbage += bytes;
      },
    });
    const peers: Peers = {
      shareDays: (_, days) => ({ own: days, theirs: [] }),
      shareVisitors: () => {
        looks++;
        return { own: { number: 0, of: 1 }, theirs: [peerEnds()] };
      },
    };
    const isAnswered = await engine.answer(query, alone, peers).then(
      () => true,
      () => false,
    );
    return { isAnswered, looks, garbage };
  };
  const well = async (): Promise<Duplicates> => [new Uint32Array(2), new Uint32Array(2)];
  const badly = async (): Promise<Duplicates> => {
    throw new Error('no');
  };
  assert.equal(await workOn(false, badly), { isAnswered: true, looks: 0, garbage: 0 });
  // Of each day the hashes, eight bytes each, which both questions are about, and for each question
  // a group, four bytes.
  const garbage = 2 * visits * (8 + 2 * 4);
  assert.equal(await workOn(true, well), { isAnswered: true, looks: 1, garbage });
  assert.equal(await workOn(true, badly), { isAnswered: false, looks: 1, garbage });
});

test.run();
