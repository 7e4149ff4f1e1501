import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runSteps, type StepPace } from '../../src/store/run-steps.ts';

/** A clock that only steps move on, and what was rested. */
const paced = (): { pace: StepPace; rests: number[]; work: (...stepsMs: number[]) => Generator<void, string> } => {
  let time = 0;
  const rests: number[] = [];
  return {
    rests,
    pace: {
      now: () => time,
      rest: async ms => {
        rests.push(ms);
        time += ms;
      },
    },
    *work(...stepsMs) {
      for (const ms of stepsMs) {
        time += ms;
        yield;
      }
      return 'done';
    },
  };
};

test('short steps share a rest that is as long as they took', async () => {
  const { pace, rests, work } = paced();
  assert.is(await runSteps(work(...Array<number>(1000).fill(0.5)), undefined, pace), 'done');
  assert.equal(rests, Array<number>(100).fill(5));
});

test('a long step is followed by a rest as long, up to the time in which every writer tries again', async () => {
  const { pace, rests, work } = paced();
  await runSteps(work(60, 1, 1, 1, 1, 7, 3000), undefined, pace);
  assert.equal(rests, [60, 11, 100]);
});

test('work that takes no time never rests', async () => {
  const { pace, rests, work } = paced();
  assert.is(await runSteps(work(0, 0, 0), undefined, pace), 'done');
  assert.equal(rests, []);
  assert.is(await runSteps(work(0, 0, 0)), 'done');
});

test('an error thrown between two steps stops the work', async () => {
  const { pace, work } = paced();
  let steps = 0;
  const stopped = await runSteps(
    work(1, 1, 1, 1),
    () => {
      steps++;
      if (steps === 2) throw new Error('enough');
    },
    pace,
  ).catch((error: Error) => error.message);
  assert.is(stopped, 'enough');
  assert.is(steps, 2);
});

test.run();
