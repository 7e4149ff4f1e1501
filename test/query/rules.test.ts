/** Rules leave hits out of random sites and are undone, and every answer is compared with a recount of what is left. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { createEngine, type Peers } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Answer, Filter, Query, Slice } from '../../src/query/query.ts';
import { addRule, hitsIn, hitsQuestion, leftOutQuery } from '../../src/query/removal-rules/hits-of-rule.ts';
import type { Contributions } from '../../src/query/scanner.ts';
import { openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { rules, rulesMax } from '../../src/store/removal-rules.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, type NaiveSite, naiveReport, naiveSelection, naiveWithout } from '../naive.ts';
import { repeat } from '../repeat.ts';
import { fillAll } from './fill-all.ts';
import { restless } from './paces.ts';
import {
  type AskedKind,
  days,
  firstDay,
  randomFilter,
  randomFrom,
  randomParts,
  randomQuery,
  randomSite,
  siteWriter,
} from './random-site.ts';

const kinds: AskedKind[] = [
  'metricSeries',
  'metricSeries',
  'table',
  'table',
  'table',
  'events',
  'eventSeries',
  'propertyKeys',
  'propertyValues',
  'visits',
  'latestHits',
  'lastHit',
  'firstHit',
];

/** Whether a visitor came on an earlier day came with the visit, and stays. */
const withoutReturning = (answer: Answer): object => {
  const shown = comparable(answer);
  if (!('pieces' in shown)) return shown;
  const rows = shown.pieces as { returning: boolean }[];
  return { ...shown, pieces: rows.map(({ returning: _, ...row }) => row) };
};

const checkNoDamage = (db: Parameters<typeof checkDatabase>[0]): void => {
  const problems = [...checkDatabase(db)].flatMap(step => step.problems);
  assert.equal(problems, []);
};

for (let seed = 1; seed <= 3 * repeat; seed++) {
  test(`rules leave hits out of random site ${seed} and are undone in any order`, async () => {
    const random = randomFrom(1000 + seed);
    const { db, dataDir } = temporaryDatabase();
    const site = randomSite(random);
    const writer = siteWriter(db);
    const { siteId } = writer;
    // The rest comes after the first removals, of visits that they were about too.
    let stored = random.chance(0.5) ? site.length : Math.floor(site.length * 0.9);
    writer.write(site.slice(0, stored));
    let openFrom = firstDay + random.below(days + 2);
    sealAll(db, openFrom, 0, randomParts(random).partHitsMax);
    const engine = createEngine(openReader(dataDir), random.pick([1e8, 20_000, 0]), { openDays: randomParts(random) });
    const table = rules(db);
    const made = new Map<number, Slice>();
    const now = (): NaiveSite => site.slice(0, stored);
    let checks = 0;
    const selectionOf = (rule: Slice): number[] => naiveSelection(now(), rule);
    const left = (): NaiveSite => {
      const gone = [...made.values()].flatMap(rule => selectionOf(rule).flatMap((one, i) => (one === 1 ? [i] : [])));
      return naiveWithout(now(), new Set(gone));
    };
    const check = async (): Promise<void> => {
      const wanted = left();
      if (seed % 2 === 0 && ++checks % 3 !== 0) await fillAll(db, siteId);
      for (let i = 0; i < 2; i++) {
        const query = randomQuery(random, siteId, kinds);
        for (const { questions } of query.slices)
          for (const question of questions) if (question.kind === 'visits') question.returning = false;
        await compare(query, wanted);
      }
      const counted = hitsIn(await engine.answer(leftOutQuery(siteId, table.ofSite(siteId)), alone));
      const expected = table.ofSite(siteId).map(({ id }) => sumOf(selectionOf(made.get(id)!)));
      assert.equal(counted, expected);
    };
    const compare = async (query: Query, wanted: NaiveSite): Promise<void> => {
      const want = naiveReport(wanted, query);
      for (const _ of ['first', 'from what was kept']) {
        const got = await engine.answer(query, alone);
        query.slices.forEach(({ from, to, filters, questions }, slice) => {
          questions.forEach((question, i) => {
            const message = JSON.stringify({ question, from, to, filters }, null, 1);
            assert.equal(withoutReturning(got[slice]![i]!), withoutReturning(want[slice]![i]!), message);
          });
        });
      }
    };
    const goOn = async (): Promise<void> => {
      if (random.chance(0.3)) {
        openFrom += random.below(3);
        sealAll(db, openFrom, 0, randomParts(random).partHitsMax);
        await check();
      }
      if (stored < site.length && site[stored]!.visit.day >= openFrom) {
        writer.write(site.slice(stored));
        stored = site.length;
        await check();
      }
      checkNoDamage(db);
    };

    await check();
    const end = (firstDay + days) * dayMs;
    for (let round = 0; round < 4; round++) {
      const filters = Array.from({ length: 1 + random.below(2) }, () => randomFilter(random));
      const isAll = random.chance(0.5);
      const from = isAll ? 0 : firstDay * dayMs + random.below(days * dayMs);
      const to = isAll ? end : from + random.below(days * dayMs);
      // Some were made while hits of their days were still to come.
      const madeAt = random.chance(0.7) ? end : firstDay * dayMs + random.below(days * dayMs);
      const task = { siteId, from, to, filters, filtersText: `${round}`, period: 'all', madeBy: null, reason: null };
      const { id } = addRule(table, task, madeAt);
      made.set(id, { from, to: Math.min(to, madeAt + 1), filters, questions: [] });
      await check();
      await goOn();
    }
    for (const id of [...made.keys()].sort(() => random.below(3) - 1)) {
      assert.ok(table.drop(siteId, id));
      assert.not(table.drop(siteId, id));
      made.delete(id);
      await check();
      await goOn();
    }
    assert.equal(table.ofSite(siteId), []);
    sealAll(db, firstDay + days, 0, randomParts(random).partHitsMax);
    await check();
    await compare(randomQuery(random, siteId, ['metricSeries', 'firstHit']), now());
  });
}

const sumOf = (flags: readonly number[]): number => flags.reduce((sum, one) => sum + one, 0);

test('a rule that comes and goes during a question is in no answer', async () => {
  const { db, dataDir } = temporaryDatabase();
  const random = randomFrom(77);
  const site = randomSite(random);
  const writer = siteWriter(db);
  writer.write(site);
  sealAll(db, firstDay + days, 0);
  const engine = createEngine(openReader(dataDir), 1e8);
  const { siteId } = writer;
  const end = (firstDay + days) * dayMs;
  const query = {
    siteId,
    currency: 'EUR',
    minorRates: {},
    slices: [{ from: 0, to: end, filters: [], questions: [hitsQuestion] }],
  };
  const table = rules(db);
  let asked = 0;
  const peers: Peers = {
    shareDays(_, parts) {
      if (asked++ > 0) return { own: parts, theirs: [] };
      const task = {
        siteId,
        from: 0,
        to: end,
        filters: [],
        filtersText: '',
        period: 'all',
        madeBy: null,
        reason: null,
      };
      const { id } = addRule(table, task, end);
      // The days are read under the rule, and it is gone before the answer is whole.
      const gone = new Promise<Contributions>(resolve => {
        setTimeout(() => {
          table.drop(siteId, id);
          resolve([[[]]]);
        }, 50);
      });
      return { own: parts, theirs: [gone] };
    },
    shareVisitors: () => ({ own: { number: 0, of: 1 }, theirs: [] }),
  };
  const want = naiveReport(site, query);
  for (const _ of ['meanwhile', 'afterwards']) {
    const got = await engine.answer(query, alone, peers);
    assert.equal(comparable(got[0]![0]!), comparable(want[0]![0]!));
  }
  assert.ok(asked > 1, 'the question was asked again');
});

const taskOf = (siteId: number, filters: Filter[], number: number) => ({
  ...{ siteId, from: 0, to: (firstDay + days) * dayMs, filters, filtersText: `${number}` },
  ...{ period: 'all', madeBy: null, reason: null },
});

for (let seed = 1; seed <= 2 * repeat; seed++) {
  test(`rules look at hits of open days as they come, random site ${seed}`, async () => {
    const random = randomFrom(3000 + seed);
    const { db, dataDir } = temporaryDatabase();
    const site = randomSite(random);
    const writer = siteWriter(db);
    const { siteId } = writer;
    const table = rules(db);
    const engine = createEngine(openReader(dataDir), random.pick([1e8, 0]), { openDays: randomParts(random) });
    const made = Array.from({ length: 5 }, (_, i) => {
      const filters = Array.from({ length: 1 + random.below(2) }, () => randomFilter(random));
      const { from, to } = addRule(table, taskOf(siteId, filters, i), (firstDay + days) * dayMs);
      return { from, to, filters, questions: [] };
    });
    for (let stored = 0; stored < site.length; ) {
      const next = Math.min(site.length, stored + 1 + random.below(random.pick([3, 40, 200])));
      writer.write(site.slice(stored, next));
      stored = next;
      const now = site.slice(0, stored);
      const gone = made.flatMap(rule => naiveSelection(now, rule).flatMap((one, i) => (one === 1 ? [i] : [])));
      const query = randomQuery(random, siteId, ['metricSeries', 'table', 'events']);
      const want = naiveReport(naiveWithout(now, new Set(gone)), query);
      const got = await engine.answer(
        query,
        restless(
          () => {},
          () => random.chance(0.7),
        ),
      );
      assert.equal(
        got.map(ofSlice => ofSlice.map(comparable)),
        want.map(ofSlice => ofSlice.map(comparable)),
      );
    }
  });
}

/** Hits that come last. */
const held = 30;

/** A site with rules that leave nothing out, and how often a question about it could have paused. */
const siteWithRules = (count: number, openFrom: number) => {
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(randomFrom(5));
  const writer = siteWriter(db);
  const { siteId } = writer;
  writer.write(site.slice(0, -held));
  sealAll(db, openFrom, 0);
  const engine = createEngine(openReader(dataDir), 1e8);
  const [from, to] = [0, (firstDay + days) * dayMs];
  const query: Query = {
    ...{ siteId, currency: 'EUR', minorRates: {} },
    slices: [{ from, to, filters: [], questions: [hitsQuestion] }],
  };
  const pauses = async (): Promise<number> => {
    let asked = 0;
    const mayGoOn = (): boolean => asked++ >= 0;
    await engine.answer(query, { ...alone, mayGoOn });
    return asked;
  };
  const add = (number: number): void => {
    const filters: Filter[] = [{ field: 'path', operator: 'is', negated: false, values: [`/nowhere/${number}`] }];
    addRule(rules(db), taskOf(siteId, filters, number), to);
  };
  const addAll = (): void => {
    for (let i = 0; i < count; i++) add(i);
  };
  return { site, writer, engine, query, pauses, add, addAll };
};

for (const [what, openFrom] of [
  ['sealed', firstDay + days],
  ['open', firstDay],
] as const)
  test(`questions about ${what} days pause between rules, and a new rule is looked for alone`, async () => {
    const { pauses, add, addAll, site, writer } = siteWithRules(20, openFrom);
    const before = await pauses();
    addAll();
    assert.ok((await pauses()) - before >= 19);
    add(20);
    assert.ok((await pauses()) - before < 19);
    if (what === 'sealed') return;
    writer.write(site.slice(-held));
    assert.ok((await pauses()) - before < 19);
  });

test('a question under many rules ends while hits come in each of its turns', async () => {
  const { engine, query, addAll, site, writer } = siteWithRules(20, firstDay);
  addAll();
  let next = site.length - held;
  let turns = 0;
  const pace = restless();
  const from = site.at(-held - 1)!.visit.day * dayMs;
  const ofOneDay = { ...query, slices: query.slices.map(slice => ({ ...slice, from, to: from + dayMs })) };
  await engine.answer(ofOneDay, {
    ...pace,
    turn() {
      turns++;
      if (next < site.length) writer.write(site.slice(next, ++next));
      else throw new Error('it waited for the last hit');
      return pace.turn();
    },
  });
  assert.ok(turns >= 19 && turns < held, `${turns} turns`);
});

test('the same rule again takes the place of the first, and there are not too many', () => {
  const { db } = temporaryDatabase();
  const table = rules(db);
  const of = { siteId: 1, from: 0, to: 4e12, filters: [], filtersText: '', period: 'all', madeBy: 'a', reason: null };
  const first = addRule(table, of, 1000);
  const second = addRule(table, of, 2000);
  assert.equal([first.to, second.to, first.id === second.id], [1001, 2001, false]);
  assert.equal(table.ofSite(1), [second]);
  for (let i = 1; i < rulesMax; i++) addRule(table, { ...of, from: i }, 3000);
  assert.throws(() => addRule(table, { ...of, from: rulesMax }, 3000), /50 rules already/);
  assert.is(addRule(table, of, 4000).to, 4001);
  assert.is(addRule(table, { ...of, siteId: 2 }, 3000).siteId, 2);
});

test.run();
