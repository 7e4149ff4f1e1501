/** A short version of what `npm run faults` does: DAYBOOK_INTERRUPTS says how often each command is stopped. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chanceFrom } from '../../src/cli/demo/random.ts';
import { temporaryDir } from '../helpers.ts';
import { interruptRounds } from './interrupts.ts';

test('a long command that is stopped says one sentence and leaves nothing half', async () => {
  const tries = Number(process.env.DAYBOOK_INTERRUPTS ?? 1);
  const { stopped } = await interruptRounds(temporaryDir(), tries, chanceFrom(20_261_123).number);
  assert.ok([...stopped.values()].reduce((sum, count) => sum + count, 0) > 0);
});

test.run();
