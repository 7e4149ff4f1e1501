import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { coalesced, serialQueue } from '../../src/store/serial-queue.ts';

test('work never overlaps, keeps its order, and goes on after a failure', async () => {
  const inTurn = serialQueue();
  const seen: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    seen.push(`${name} begins`);
    await turn();
    seen.push(`${name} ends`);
    if (name === 'b') throw new Error('no');
    return name;
  };
  const ended = await Promise.allSettled(['a', 'b', 'c'].map(name => inTurn(work(name))));
  assert.equal(seen, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  assert.equal(
    ended.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('calls that come while one is waiting share it, and one that comes while it runs does not', async () => {
  let runs = 0;
  const work = coalesced(async () => {
    runs++;
    await turn();
    if (runs === 1) throw new Error('no');
  });
  const first = work().catch(error => error.message);
  await Promise.resolve();
  const [second, third] = [work(), work()];
  assert.is(second, third);
  assert.is(await first, 'no');
  await second;
  assert.is(runs, 2);
});

test.run();
