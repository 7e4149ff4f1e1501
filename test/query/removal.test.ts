/** Hits are taken out of random sites and put back, and every answer is compared with a recount of what is left. */
import { existsSync, statSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Answer, Query, Slice } from '../../src/query/query.ts';
import { countSteps, removeSteps } from '../../src/query/removal/remove-hits.ts';
import { openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { putBack } from '../../src/store/removal/put-back.ts';
import { type Removal, removals } from '../../src/store/removal/removals.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, type NaiveSite, naiveReport, naiveSelection, naiveWithout } from '../naive.ts';
import { repeat } from '../repeat.ts';
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

const last = <T, R>(steps: Generator<T, R>): R => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
};

const checkNoDamage = (db: Parameters<typeof checkDatabase>[0]): void => {
  const problems = [...checkDatabase(db)].flatMap(step => step.problems);
  assert.equal(problems, []);
};

for (let seed = 1; seed <= 6 * repeat; seed++) {
  test(`hits of random site ${seed} are removed and put back in any order`, async () => {
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
    const [parts, ofEngine] = [randomParts(random), randomParts(random)];
    const engine = createEngine(openReader(dataDir), random.pick([1e8, 20_000, 0]), { openDays: ofEngine });
    const gone = new Map<Removal, Set<number>>();

    const left = (): NaiveSite =>
      naiveWithout(site.slice(0, stored), new Set([...gone.values()].flatMap(ids => [...ids])));
    const check = async (): Promise<void> => {
      const now = left();
      for (let i = 0; i < 2; i++) {
        const query = randomQuery(random, siteId, kinds);
        for (const { questions } of query.slices)
          for (const question of questions) if (question.kind === 'visits') question.returning = false;
        await compare(query, now);
      }
    };
    const compare = async (query: Query, now: NaiveSite): Promise<void> => {
      const want = naiveReport(now, query);
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

    await check();
    for (let round = 0; round < 4; round++) {
      const filters = Array.from({ length: 1 + random.below(2) }, () => randomFilter(random));
      const isAll = random.chance(0.5);
      const from = isAll ? 0 : firstDay * dayMs + random.below(days * dayMs);
      const to = isAll ? (firstDay + days) * dayMs : from + random.below(days * dayMs);
      const slice: Slice = { from, to, filters, questions: [] };
      const now = left();
      const selection = naiveSelection(now, slice);
      const expected = selection.reduce((sum, one) => sum + one, 0);
      const task = { siteId, from, to, filters, filtersText: `${round}`, period: 'all', file: null };
      let found = 0;
      for (const { hits } of countSteps(db, task, parts)) found = hits;
      assert.is(found, expected);
      const removal = last(removeSteps(db, task, () => 5, parts));
      assert.is(removal?.hits ?? 0, expected);
      if (removal === undefined) continue;
      // The positions among all hits of what was selected among those that were left.
      const already = new Set([...gone.values()].flatMap(ids => [...ids]));
      const places = positionsIn(site.slice(0, stored), already, now);
      gone.set(removal, new Set(selection.flatMap((one, i) => (one === 1 ? [places[i]!] : []))));
      await check();
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
    }
    for (const removal of [...gone.keys()].sort(() => random.below(3) - 1)) {
      if (existsSync(removal.file)) assert.is(statSync(removal.file).mode & 0o777, 0o600);
      last(putBack(db, removal));
      gone.delete(removal);
      assert.not.ok(existsSync(removal.file));
      await check();
      if (random.chance(0.3)) {
        openFrom += random.below(3);
        sealAll(db, openFrom, 0, randomParts(random).partHitsMax);
      }
      checkNoDamage(db);
    }
    assert.equal(removals(db).ofSite(siteId), []);
    sealAll(db, firstDay + days, 0, randomParts(random).partHitsMax);
    await check();
    await compare(randomQuery(random, siteId, ['metricSeries', 'firstHit']), site.slice(0, stored));
  });
}

/** Where each of the hits that are left stands among all. */
const positionsIn = (site: NaiveSite, gone: ReadonlySet<number>, left: NaiveSite): number[] => {
  const stays = site.flatMap((hit, i) => (gone.has(i) ? [] : [{ hit, i }]));
  const wholeLeft = stays.filter(
    ({ hit }) => isCounting(hit) || stays.some(other => other.hit.visit === hit.visit && isCounting(other.hit)),
  );
  assert.is(wholeLeft.length, left.length);
  return wholeLeft.map(({ i }) => i);
};

const isCounting = ({ type }: NaiveSite[number]): boolean => type !== 'identify' && type !== 'duration';

test.run();
