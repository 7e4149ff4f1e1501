import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstJudged, makeWorld } from '../../../bench/alert-worlds.ts';
import { compare } from '../../../bench/alerts.ts';
import { zoneOf } from '../../../src/api/request/zone.ts';
import { chanceFrom } from '../../../src/cli/demo/random.ts';
import { calmSince, type EpisodeState, nextEpisode } from '../../../src/model/alerts/episodes.ts';
import { expectationOf } from '../../../src/model/alerts/expectation.ts';
import { replay, type SlotRule } from '../../../src/model/alerts/replay.ts';
import { hourOfWeek, type Slots, slotMs, slotsPerHour, slotsPerWeek, sumsOf } from '../../../src/model/alerts/slots.ts';
import { dayMs, hourMs } from '../../../src/model/time.ts';

const band = (direction: 'spike' | 'drop', k = 4.5, windowHours: number | null = null): SlotRule => ({
  ...{ kind: 'band', direction, k, floor: 10, windowHours },
});
const silent: SlotRule = { kind: 'silent', hours: 24 };
const utc = (at: number): number => at;

test('planted events of simulated years are found, and little else', () => {
  for (const [visitsPerDay, found] of [
    [100, 0.8],
    [1000, 0.95],
  ] as const)
    for (const [kind, rule, part] of [
      ['spike', band('spike'), found],
      ['silence', silent, 1],
    ] as const) {
      const worlds = [1].map(seed => makeWorld({ seed, visitsPerDay, events: 4 }));
      const all = worlds.map(world => compare(kind, world, replay(rule, world.slots, firstJudged, world.local)));
      const sum = (of: 'found' | 'planted' | 'wrong'): number => all.reduce((total, one) => total + one[of], 0);
      assert.ok(sum('found') >= part * sum('planted'), `${kind} ${visitsPerDay}: ${sum('found')} of ${sum('planted')}`);
      assert.ok(sum('wrong') <= 4 * worlds.length, `${kind} ${visitsPerDay}: ${sum('wrong')} wrong`);
    }
});

/** Slots from a Monday on, in which so many visits come to each, by chance. */
const steady = (weeks: number, mean: number, from = Date.UTC(2026, 0, 5)): Slots & { values: Float64Array } => {
  const chance = chanceFrom(7);
  return { from, values: Float64Array.from({ length: weeks * slotsPerWeek }, () => chance.count(mean)) };
};

test('what is steady fires nothing, and one great hour fires once and ends', () => {
  const slots = steady(10, 25);
  const first = 7 * slotsPerWeek;
  assert.equal(replay(band('spike'), slots, first, utc), []);
  assert.equal(replay(band('drop'), slots, first, utc), []);
  assert.equal(replay(silent, slots, first, utc), []);
  const at = 8 * slotsPerWeek + 40;
  for (let i = at; i < at + slotsPerHour; i++) slots.values[i] = 80;
  const [firing, ...others] = replay(band('spike'), slots, first, utc);
  assert.equal(others, []);
  assert.ok(firing!.at > slots.from + at * slotMs && firing!.at <= slots.from + (at + 4) * slotMs);
  assert.ok(firing!.to! < firing!.at + 4 * hourMs);
});

test('a site with a hundred visits a day is silent within six hours', () => {
  const slots = steady(10, 100 / 96);
  const from = 9 * slotsPerWeek;
  slots.values.fill(0, from);
  const [firing] = replay(silent, slots, 7 * slotsPerWeek, utc);
  const hours = (firing!.at - (slots.from + from * slotMs)) / hourMs;
  assert.ok(hours > 1 && hours <= 6, `${hours} hours`);
});

test('a new site is silent after so many hours, and has no band', () => {
  const slots = steady(2, 25);
  slots.values.fill(0, slotsPerWeek);
  const [firing] = replay(silent, slots, 0, utc);
  assert.is(firing!.at, slots.from + 7 * dayMs + dayMs);
  slots.values.fill(1000, slotsPerWeek);
  assert.equal(replay(band('spike'), slots, 0, utc), []);
  slots.values.fill(0);
  assert.is(replay({ kind: 'silent', hours: 24 }, slots, 0, utc).length, 1, 'nothing came at all');
});

test('what was not seen is neither silence nor a drop', () => {
  const slots = steady(10, 25);
  slots.values.fill(Number.NaN, 8 * slotsPerWeek, 8 * slotsPerWeek + 3 * 96);
  for (const rule of [silent, band('drop'), band('spike')])
    assert.equal(replay(rule, slots, 7 * slotsPerWeek, utc), []);
});

test('the usual follows the wall clock when clocks change', () => {
  const { local } = zoneOf('Europe/Berlin');
  const from = Date.parse('2026-02-16T00:00:00+01:00');
  const busy = (at: number): number => (hourOfWeek(local(at)) % 24 >= 9 && hourOfWeek(local(at)) % 24 < 17 ? 100 : 1);
  // Six weeks, of which the last two are in summer time.
  const values = Float64Array.from({ length: 8 * slotsPerWeek }, (_, i) => busy(from + i * slotMs));
  const { middles } = expectationOf({ from, values }, slotsPerHour, local);
  assert.equal([middles[9], middles[10], middles[17], middles[18]], [4, 400, 400, 4]);
  assert.equal(replay(band('spike', 2, 1), { from, values }, 4 * slotsPerWeek, local), []);
  assert.equal(replay(band('drop', 2, 1), { from, values }, 4 * slotsPerWeek, local), []);
});

test('sums of slots that were not all seen are not known', () => {
  const sums = sumsOf([1, 2, Number.NaN, 4]);
  assert.equal(
    [sums.between(0, 2), sums.between(1, 3), sums.between(3, 4), sums.between(-1, 2)],
    [3, Number.NaN, 4, Number.NaN],
  );
});

test('an episode is told when it begins and ends, and there are two a day at most', () => {
  let state: EpisodeState = calmSince(0);
  const told: string[] = [];
  const judge = (verdict: 'out' | 'near' | 'in' | 'blind', minutes: number): void => {
    const next = nextEpisode(state, { verdict }, minutes * 60_000, 2);
    state = next.state;
    if (next.event !== null) told.push(`${next.event} ${minutes}`);
  };
  judge('out', 1);
  judge('in', 2);
  judge('out', 3);
  judge('out', 4);
  assert.equal(told, ['fired 4']);
  for (const [i, verdict] of (['in', 'in', 'near', 'in', 'in', 'in'] as const).entries()) judge(verdict, 5 + i);
  assert.equal(told, ['fired 4', 'ended 10'], 'three in a row end it');
  for (const minute of [20, 40]) {
    judge('out', minute);
    judge('out', minute + 1);
    for (const after of [2, 3, 4]) judge('in', minute + after);
  }
  assert.equal(told.slice(2), ['fired 21', 'ended 24'], 'the third of a day is not told');
  judge('blind', 60);
  assert.is(state.state, 'blind');
  const nextDay = 2 * 24 * 60;
  judge('out', nextDay);
  judge('out', nextDay + 1);
  judge('blind', nextDay + 2);
  assert.is(state.state, 'firing', 'who cannot see does not end it');
  judge('out', nextDay + 24 * 60);
  judge('out', nextDay + 24 * 60 + 1);
  judge('out', nextDay + 24 * 60 + 2);
  assert.equal(told.slice(4), [`fired ${nextDay + 1}`, `reminder ${nextDay + 24 * 60 + 1}`]);
});

test.run();
