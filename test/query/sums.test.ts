/**
 * Questions about whole days are answered from sums of the days as a recount answers them, and as a scan does where the sums
 * do not hold any more. Sums that are wrong by one give wrong answers, so these tests would find them.
 */
import { isDeepStrictEqual } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sumsOfDay } from '../../src/api/fill-sums.ts';
import { dimensionNames } from '../../src/model/dimensions.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { AnyFilter, Filter, Query, Question, Slice } from '../../src/query/query.ts';
import type { DayPartial, KeptSums } from '../../src/query/questions/plan.ts';
import { addRule } from '../../src/query/removal-rules/hits-of-rule.ts';
import type { Prepared } from '../../src/query/scanner.ts';
import { partsOfVersion, summedDays, summedVersion } from '../../src/query/summed-days.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import type { DayOutline } from '../../src/store/day/day-reader.ts';
import { createRoom, daySums, packLists, unpackWords } from '../../src/store/day/day-sums.ts';
import { wholeDay } from '../../src/store/day/part.ts';
import { rules } from '../../src/store/removal-rules.ts';
import { record } from '../api/fixture.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { comparable, type NaiveSite, naiveReport } from '../naive.ts';
import { repeat } from '../repeat.ts';
import { fillAll } from './fill-all.ts';
import { restless } from './paces.ts';
import { days, firstDay, paths, type Random, randomFrom, randomParts, randomSite, storeSite } from './random-site.ts';

const goal: AnyFilter = {
  anyOf: [
    [{ field: 'event', operator: 'is', negated: false, values: ['Signup'] }],
    [{ field: 'path', operator: 'is', negated: false, values: [paths[1]!] }],
  ],
  negated: false,
};
const goalVisits: AnyFilter = { ...goal, visit: true };
const notMobile: Filter = { field: 'device', operator: 'is', negated: true, values: ['mobile'] };
const setsOf = (filters: Filter[]) => [
  { filters },
  { filters: [goal, ...filters], isByTime: true as const },
  { filters: [goalVisits, ...filters] },
];

/** What sums can answer. */
const questionsOf = (random: Random, from: number, to: number): Question[] => {
  const edges = (step: number): number[] =>
    Array.from({ length: Math.floor((to - from) / step) - 1 }, (_, i) => from + (i + 1) * step);
  const parts = ['visitors', 'visits', 'pageviews', 'bounceRate', 'avgVisitSeconds', 'events', 'revenue'] as const;
  const ofDay = random.below(24) * hourMs;
  const bounds = random.pick([
    [from, to],
    [from, ...edges(hourMs), to],
    [from, ...edges(dayMs).map(at => at + ofDay), to],
  ]);
  const sort = random.pick(parts);
  const table = (more: Partial<Question> = {}): Question =>
    ({
      ...{
        kind: 'table',
        dimension: random.pick(dimensionNames),
        metrics: parts.filter(() => random.chance(0.5)),
        sort,
      },
      ...{ descending: random.chance(0.7), limit: random.pick([1000, 2]), after: null, ...more },
    }) as Question;
  return [
    { kind: 'metricSeries', metrics: [...parts], bounds },
    table(),
    table({ dimension: 'event', types: ['custom', 'outbound'] } as Partial<Question>),
    table({ conversion: goal, metrics: ['conversions', 'conversionRate'] } as Partial<Question>),
    { kind: 'goals', goals: random.pick([[], [{ conditions: goal.anyOf, ofVisits: false }]]) },
  ];
};

const randomQuery = (random: Random, siteId: number, own: Filter[]): Query => {
  const slice = (): Slice => {
    const from = (firstDay + random.below(2)) * dayMs;
    const to = (firstDay + days - random.below(2)) * dayMs;
    const questions = questionsOf(random, from, to);
    const path: Filter = { field: 'path', operator: 'is', negated: false, values: paths.slice(0, 2) };
    if (random.chance(0.2))
      return { from, to, filters: [path, ...own], questions: [{ ...questions[1]!, dimension: 'path' } as Question] };
    if (random.chance(0.3)) return { from, to, filters: [goalVisits, ...own], questions: questions.slice(0, 3) };
    return { from, to, filters: own, questions };
  };
  return { siteId, currency: 'EUR', minorRates: random.chance(0.2) ? { USD: 0.913 } : {}, slices: [slice(), slice()] };
};

const differencesIn = async (dataDir: string, site: NaiveSite, query: Query): Promise<string[]> => {
  const want = naiveReport(site, query);
  const got = await createEngine(openReader(dataDir), 0).answer(
    query,
    restless(undefined, () => false),
  );
  return query.slices.flatMap(({ filters, questions }, i) =>
    questions.flatMap((question, n) => {
      const [one, other] = [got, want].map(report => comparable(report[i]![n]!));
      return isDeepStrictEqual(one, other) ? [] : [JSON.stringify({ question, filters, one, other }, null, 1)];
    }),
  );
};

const world = async (seed: number, keepsCookies: boolean) => {
  const random = randomFrom(seed);
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(random).filter(({ visit }) => keepsCookies || !visit.persistent);
  const siteId = storeSite(db, site, firstDay + days, 'UTC', randomParts(random).partHitsMax);
  const filters = random.pick([[], [notMobile]]);
  await fillAll(db, siteId, setsOf(filters));
  return { random, db, dataDir, site, siteId, filters };
};

/** How many parts of days are read for a query. */
const nothingIsLeft = (db: Database): void => {
  db.exec(`delete from sealed_column where name not in ('')`);
};

for (let seed = 1; seed <= 4 * repeat; seed++) {
  test(`sums of random site ${seed}`, async () => {
    const { random, dataDir, db, site, siteId, filters } = await world(seed, seed % 4 === 0);
    const queries = Array.from({ length: 6 }, () => randomQuery(random, siteId, filters));
    // Without columns, only sums can answer.
    const mustSum = seed % 4 !== 0;
    if (mustSum) nothingIsLeft(db);
    for (const query of queries) {
      if (mustSum) query.minorRates = {};
      assert.equal(await differencesIn(dataDir, site, query), []);
    }
  });
}

test('a rule has only those days summed again that it touches, when it is made and when it is undone', async () => {
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(randomFrom(3)).filter(({ visit }) => !visit.persistent);
  const siteId = storeSite(db, site, firstDay + days);
  const versionsOf = (): Map<number, string> =>
    new Map(
      daySums(db)
        .between(siteId, '', 0, Number.MAX_SAFE_INTEGER)
        .map(({ day, version }) => [day, version]),
    );
  const [from, to] = [firstDay * dayMs, (firstDay + days) * dayMs];
  const ofDays = { kind: 'metricSeries', metrics: ['pageviews'], bounds: [from, to] } as Question;
  const count = async (read: Database): Promise<unknown> =>
    createEngine(read, 0).answer(
      { siteId, currency: 'EUR', minorRates: {}, slices: [{ from, to, filters: [], questions: [ofDays] }] },
      alone,
    );
  await fillAll(db, siteId);
  const all = await count(openReader(dataDir));
  const { at, path } = site.find(hit => hit.path !== null)!;
  const touched = Math.floor(at / dayMs);
  const ofPath = (negated: boolean): Filter => ({ field: 'path', operator: 'is', negated, values: [path!] });
  const task = { siteId, filtersText: 'path', period: 'all', madeBy: null, reason: null };
  const cut = { from: touched * dayMs, to: (touched + 1) * dayMs };
  const rule = addRule(rules(db), { ...task, ...cut, filters: [ofPath(false)] }, to);
  const nothing = addRule(rules(db), { ...task, from, to, filters: [ofPath(false), ofPath(true)] }, to);
  const scanned = await count(openReader(dataDir));
  const asked: number[] = [];
  const fill = () =>
    fillAll(db, siteId, undefined, query => {
      const [slice] = query.slices;
      if (slice!.questions[0]!.kind === 'daySum') asked.push(slice!.from / dayMs);
    });
  await fill();
  assert.equal(asked, [touched]);
  assert.equal(await count(openReader(dataDir)), scanned);
  const known = versionsOf();
  assert.ok([...known.values()].every(version => partsOfVersion(version).rules.includes(nothing.id)));
  rules(db).drop(siteId, nothing.id);
  rules(db).drop(siteId, rule.id);
  asked.length = 0;
  await fill();
  assert.equal(asked, [touched]);
  assert.equal(await count(openReader(dataDir)), all);
  nothingIsLeft(db);
  assert.equal(await count(openReader(dataDir)), all, 'told by the sums alone');
});

test('a sum by entry or exit page may be as large as one by page, since a scan reads the pages of all hits', async () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const visits = Array.from({ length: 300 }, (_, by) => ({
    began: new Date(firstDay * dayMs).toISOString(),
    by,
    hits: Array.from({ length: 10 }, (_, after) => ({ path: `/${(7 * by + after) % 300}`, after })),
  }));
  record(db, site, visits, (firstDay + 1) * dayMs);
  const engine = createEngine(db, 0);
  const summed = { id: site.id, currency: 'EUR', sets: [{ filters: [] }] };
  const found = await sumsOfDay(query => engine.answer(query, alone), summed, firstDay, []);
  const names = found.map(({ name }) => name);
  for (const dimension of ['path', 'entryPath', 'exitPath']) assert.ok(names.includes(`by ${dimension}`), `${names}`);
});

test('where sums take more memory than a query may, the other days are scanned', async () => {
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(randomFrom(1)).filter(({ visit }) => !visit.persistent);
  const siteId = storeSite(db, site, firstDay + days);
  const [from, to] = [firstDay * dayMs, (firstDay + days) * dayMs];
  const questions = questionsOf(randomFrom(1), from, to);
  const query: Query = {
    siteId,
    currency: 'EUR',
    minorRates: {},
    slices: [{ from, to, filters: [], questions }],
  };
  const answer = (foundBytesMax: number) =>
    createEngine(openReader(dataDir), 0, { foundBytesMax })
      .answer(query, alone)
      .catch(error => `${error}`);
  const bounds = Array.from({ length: 40 }, (_, i) => 1000 * 1.2 ** i);
  const scanned = await Promise.all(bounds.map(answer));
  await fillAll(db, siteId);
  const enough = scanned.findIndex(one => typeof one !== 'string');
  assert.ok(enough > 0);
  for (const [i, bound] of bounds.entries()) if (i >= enough) assert.equal(await answer(bound), scanned[i]);
});

test('large sums are added up a few days at a time, so that they take little memory', async () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const query = { siteId: site.id, currency: 'EUR', minorRates: {} };
  const outlines = Array.from({ length: 40 }, (_, i): DayOutline => {
    const day = firstDay + i;
    const [firstAt, lastAt] = [day * dayMs, day * dayMs];
    return { day, part: wholeDay, sealed: true, version: 1, hits: 1, firstAt, lastAt };
  });
  for (const of of outlines) {
    const sum = { name: 'large', data: packLists([[1], [of.day]]) };
    for (const _ of daySums(db).put(site.id, of.day, summedVersion([of], query)!, [sum]));
  }
  const bytesOfDay = 8_000;
  const addedAtOnce: number[] = [];
  const sums: KeptSums<DayPartial & { days: number[] }> = {
    names: () => ['large'],
    read: (_, day, room) => ({ day, days: [day], list: room.doubles(bytesOfDay / 8) }),
    async addUp(some) {
      addedAtOnce.push(some.length);
      return { day: some[0]!.day, days: some.flatMap(of => of.days) };
    },
  };
  const slice = { from: firstDay * dayMs, to: (firstDay + 40) * dayMs, filters: [], questions: [] };
  const prepared = { context: { query }, slices: [{ slice, plans: [{ sums, scan: () => null }] }], days: outlines };
  const foundBytesMax = 64_000;
  const { found, rest } = await summedDays(db, foundBytesMax)(prepared as unknown as Prepared, alone);
  assert.equal(
    found[0]![0]!.flatMap(of => (of as DayPartial & { days: number[] }).days),
    outlines.map(({ day }) => day),
  );
  assert.equal(rest, []);
  // What was added up before is one more.
  assert.ok(Math.max(...addedAtOnce) * bytesOfDay < foundBytesMax / 2, `${addedAtOnce}`);
});

test('sums that are wrong by one are found', async () => {
  const { random, dataDir, db, site, siteId, filters } = await world(1, false);
  const queries = Array.from({ length: 40 }, () => randomQuery(random, siteId, filters));
  const rows = db.prepare(`select name, day, data from day_sum where name like 'by %' and name <> 'by time'`).all() as {
    name: string;
    day: number;
    data: Buffer;
  }[];
  let found = 0;
  for (const { name, day, data } of rows.slice(0, 12)) {
    const lists = unpackWords(data, 3, createRoom());
    if (lists[0]!.length === 0) continue;
    const put = db.prepare('update day_sum set data = ? where name = ? and day = ?');
    lists[1]![0]!++;
    put.run(packLists(lists), name, day);
  }
  for (const query of queries) found += (await differencesIn(dataDir, site, query)).length;
  assert.ok(found > 0);
});

test.run();
