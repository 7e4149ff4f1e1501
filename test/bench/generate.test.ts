/** The benchmark's traffic is what sealing would have made: the same for a seed, and in the order that the engine relies on. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { generateDays, type TrafficPlan } from '../../bench/generate.ts';
import { hitTypes } from '../../src/model/hit.ts';
import { dayMs } from '../../src/model/time.ts';
import { encodeColumn } from '../../src/store/day/column-codec.ts';
import { columnsOf, type Day } from '../../src/store/day/day.ts';

const plan: TrafficPlan = { seed: 5, hits: 6000, days: 3, firstDay: 20_000, cookies: 0.4, pages: 5000 };

const generate = (seed: number): Day[] => {
  const ids = new Map<string, number>();
  const id = (text: string | null): number => {
    if (text === null) return 0;
    if (!ids.has(text)) ids.set(text, ids.size + 1);
    return ids.get(text)!;
  };
  return [...generateDays({ ...plan, seed }, 1, id)];
};

const bytesOf = (days: Day[]): string[] =>
  days.flatMap(day => columnsOf(day).map(([name, column]) => `${name} ${encodeColumn(column).toString('base64')}`));

test('the same seed makes the same days, another seed makes others', () => {
  assert.equal(bytesOf(generate(5)), bytesOf(generate(5)));
  assert.not.equal(bytesOf(generate(5)), bytesOf(generate(6)));
});

test('visits are sorted by identity mode, visitor and start, and say what their hits say', () => {
  const days = generate(5);
  assert.is(days.length, plan.days);
  for (const day of days) {
    assert.ok(Math.abs(day.hits - plan.hits / plan.days) < 500, `${day.hits} hits`);
    const [hits, pageviews, started, duration, newVisitor] = (
      ['hits', 'pageviews', 'started', 'duration', 'newVisitor'] as const
    ).map(day.numbers);
    const [time, types] = (['time', 'type'] as const).map(day.numbers);
    const [path, entry, exit] = (['path', 'entryPath', 'exitPath'] as const).map(name => {
      const { codes, dictionary } = day.texts(name);
      return Uint32Array.from(codes, code => dictionary[code]!);
    });
    const hashes = day.hashes();
    let hit = 0;
    for (let visit = 0; visit < day.visits; visit++) {
      const isFirst = visit === 0 || visit === day.hashVisits || hashes[visit] !== hashes[visit - 1];
      assert.is(newVisitor![visit], isFirst ? 1 : 0);
      if (!isFirst) assert.ok(started![visit]! > started![visit - 1]! + duration![visit - 1]!);
      if (isFirst && visit > 0 && visit !== day.hashVisits) assert.ok(hashes[visit]! > hashes[visit - 1]!);
      const to = hit + hits![visit]!;
      const pages: number[] = [];
      for (let row = hit; row < to; row++) if (types![row] === hitTypes.pageview) pages.push(path![row]!);
      assert.is(pageviews![visit], pages.length);
      assert.is(entry![visit], pages[0] ?? 0);
      assert.is(exit![visit], pages.at(-1) ?? 0);
      assert.is(time![hit], 0);
      assert.ok(time![to - 1]! <= duration![visit]!, 'time on the last page may go on after the last hit');
      assert.ok(started![visit]! + duration![visit]! < dayMs);
      hit = to;
    }
    assert.is(hit, day.hits);
  }
});

test('property rows are sorted by key and hit', () => {
  for (const day of generate(5)) {
    const { codes } = day.texts('propertyKey');
    const hits = day.numbers('propertyHit');
    assert.ok(codes.length > 50);
    for (let row = 1; row < codes.length; row++) {
      assert.ok(codes[row]! > codes[row - 1]! || (codes[row] === codes[row - 1] && hits[row]! > hits[row - 1]!));
    }
  }
});

test.run();
