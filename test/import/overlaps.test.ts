/**
 * Exports that overlap: files with random rows of one list, in any order, beside hits that are collected, give what all of
 * their rows once give.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import { openReader } from '../../src/store/database.ts';
import { comparable, type NaiveHit, naiveReport } from '../naive.ts';
import { hitsToCome, manyWays } from '../query/many-ways.ts';
import { askedKinds, days, firstDay, type Random, randomFrom, randomQuery } from '../query/random-site.ts';
import { repeat } from '../repeat.ts';

const isCounting = ({ type }: NaiveHit): boolean => type !== 'identify' && type !== 'duration';

/** Rows as an export has them: of a time, of some visitors, or any. */
const someRows = (all: readonly NaiveHit[], random: Random): NaiveHit[] => {
  const [a, b] = [random.below(all.length), random.below(all.length)];
  const rest = random.below(3);
  return random.pick([
    () => all.slice(Math.min(a, b), Math.max(a, b) + 1),
    () => all.filter(() => random.chance(0.5)),
    () => all.filter(({ visit }) => Number.parseInt(visit.visitor.slice(-2), 16) % 3 === rest),
  ])();
};

for (let seed = 1; seed <= 6 * repeat; seed++) {
  test(`random exports ${seed} that overlap count each row once`, async () => {
    const random = randomFrom(9000 + seed);
    const world = manyWays();
    const rows = hitsToCome(random, isCounting);
    // What the site collects comes from other browsers, so it is never the same row.
    const live = hitsToCome(randomFrom(500 + seed), isCounting).filter(
      hit => hit.visit.day >= firstDay + 2 && rows.every(({ at }) => at !== hit.at),
    );
    const queries = [0, 1].map(() => randomQuery(random, world.siteId, askedKinds));
    const engine = createEngine(openReader(world.dataDir), 1e8);
    let today = firstDay + 2;
    for (let i = 0; i < 12; i++) {
      const what = random.pick(['import', 'collect', 'import', 'undo', 'midnight'] as const);
      if (what === 'collect') world.collect(live.splice(0, random.below(40)).filter(({ visit }) => visit.day >= today));
      if (what === 'midnight') {
        today = Math.min(today + 1, firstDay + days);
        world.midnight(today, random.pick([1e6, 30]));
      }
      if (what === 'undo' && world.imports().length > 0) world.undo(random.pick(world.imports()));
      if (what === 'import') {
        const file = someRows(rows, random);
        const there = new Set(world.site().map(({ at }) => at));
        const spans = world.collectedSpans();
        const wanted = file.filter(({ at }) => !there.has(at) && !spans.some(([from, to]) => at >= from && at <= to));
        const imported = world.import(
          [...file].sort(() => random.below(3) - 1),
          true,
        );
        assert.is(imported.length, wanted.length);
      }
      for (const query of queries) {
        const [got, want] = [await engine.answer(query, alone), naiveReport(world.site(), query)];
        query.slices.forEach(({ questions }, slice) => {
          questions.forEach((question, n) => {
            assert.equal(
              comparable(got[slice]![n]!),
              comparable(want[slice]![n]!),
              `${what} ${JSON.stringify(question)}`,
            );
          });
        });
      }
    }
  });
}

test.run();
