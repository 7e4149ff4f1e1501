/** When records are brought to the cluster: every few seconds, and whole days after they had to wait. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { recordTurns } from '../../src/cluster/record-turns.ts';
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts';

const first = 20_000;

/** Turns of a node whose records begin on the day `first`, and what they sent. */
const start = () => {
  const state = {
    isAway: false,
    turns: 0,
    days: [] as number[],
    asked: [] as number[],
  };
  const reach = (): void => {
    if (state.isAway) throw new Error('away');
  };
  const shipper = {
    async changedDays(from: number, to: number) {
      reach();
      state.asked.push(from);
      return Array.from({ length: to - Math.max(from, first) + 1 }, (_, i) => Math.max(from, first) + i);
    },
    async turn() {
      reach();
      state.turns++;
      return 0;
    },
    async shipDay(day: number) {
      reach();
      state.days.push(day);
      return 0;
    },
    shipSince: async () => 0,
  };
  const records = recordTurns(shipper);
  /** The days that were compared by turns a second apart, for so long. */
  const go = async (from: number, forMs: number): Promise<number[]> => {
    state.days = [];
    for (let now = from; now < from + forMs; now += 1000) await records.turn(now).catch(() => {});
    return state.days;
  };
  return { state, records, go };
};

test('all days are compared at the start, then the last two each hour', async () => {
  const { state, records, go } = start();
  const now = (first + 3) * dayMs + hourMs;
  assert.equal(await go(now, minuteMs), [first, first + 1, first + 2, first + 3]);
  assert.is(state.turns, 12, 'every five seconds');
  assert.is(records.comparedBefore(), first + 4);
  assert.equal(state.asked, [0], 'one look, however many days there are');
  assert.equal(await go(now + minuteMs, hourMs), [first + 2, first + 3]);
});

test('after an outage over two midnights all days are compared again', async () => {
  const { state, records, go } = start();
  const now = (first + 1) * dayMs - 10 * minuteMs;
  await go(now, minuteMs);
  assert.is(records.comparedBefore(), first + 1);
  state.isAway = true;
  await go(now + minuteMs, 15 * minuteMs);
  assert.is.not(records.comparedBefore(), first + 1, 'records of the day wait');
  state.isAway = false;
  assert.equal(await go((first + 2) * dayMs + minuteMs, minuteMs), [first, first + 1, first + 2]);
});

test('records are sent and days are compared again when the clock is set back', async () => {
  const { state, go } = start();
  const now = (first + 3) * dayMs + hourMs;
  await go(now, minuteMs);
  const { turns } = state;
  assert.equal(await go(now - dayMs, minuteMs), [first, first + 1, first + 2]);
  assert.is(state.turns, turns + 12);
});

test.run();
