/** A short version of `npm run fuzz -- worlds`: the same worlds in every run, one of them in the gate. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repeat } from '../repeat.ts';
import { runWorld } from './world.ts';

for (const seed of [2, 9].slice(0, repeat))
  test(`world ${seed} answers as a recount of its hits does`, async () => {
    const { questions } = await runWorld({ seed, steps: 15 });
    assert.ok(questions > 100);
  });

test.run();
