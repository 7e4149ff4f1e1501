/** A short version of `npm run fuzz`, so that what fuzzes is itself known to work. Its own cases are the same in every run. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repeat } from '../repeat.ts';
import { fuzz, targets } from './fuzz.ts';
import type { Target } from './target.ts';

const cases: Record<string, number> = {
  hits: 1500,
  families: 500,
  agents: 200,
  lines: 1000,
  files: 70,
  columns: 700,
  questions: 150,
  requests: 40,
  answers: 10,
};

for (const target of targets) {
  test(`${target.name}: nothing breaks`, () => fuzz(target, { seed: 20_261_120, cases: cases[target.name]! * repeat }));
}

test('shares add up, and a failing case is named', async () => {
  assert.is(Math.round(100 * targets.reduce((sum, { share }) => sum + share, 0)), 100);
  let closed = false;
  const picky: Target = {
    name: 'picky',
    what: 'numbers',
    share: 0,
    lanes: 2,
    open: () => ({
      async one(chance) {
        if (chance.number() > 0.9) throw new Error('too much');
      },
      close() {
        closed = true;
      },
    }),
  };
  try {
    await fuzz(picky, { seed: 3, cases: 1000 });
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /^picky, seed 3, case \d+: Error: too much/);
  }
  assert.ok(closed);
});

test.run();
