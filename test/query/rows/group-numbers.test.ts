/** Medians by group, whether a day counts its numbers or lists them, beside a sorted list of all. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { scrollCode } from '../../../src/model/hit.ts';
import { numbersOfGroups } from '../../../src/query/rows/group-numbers.ts';
import type { Grouped } from '../../../src/query/rows/grouping.ts';
import { mediansOf } from '../../../src/query/rows/medians.ts';
import { poisonedScratch } from '../poisoned-scratch.ts';
import { randomFrom } from '../random-site.ts';

interface LookedAt {
  group: number;
  /** 0 where nothing is known. */
  seconds: number;
}

/** What is asked of a selection of all hits of a day. */
const groupedHits = (hits: readonly LookedAt[], groups: number): Grouped => {
  const columns: Record<string, Uint32Array> = {
    secondsOnPage: Uint32Array.from(hits, ({ seconds }) => seconds),
    scroll: new Uint32Array(hits.length).fill(scrollCode(null)),
  };
  const selection = {
    found: () => ({ rows: null, known: [] }),
    day: { keptNumbers: (name: string) => columns[name] },
    index: { numbers: (name: string) => columns[name] },
  };
  const grouping = { level: 'hit', ids: Uint32Array.from({ length: groups }, (_, group) => group) };
  return { selection, grouping, hitCodes: () => Uint32Array.from(hits, ({ group }) => group) } as unknown as Grouped;
};

const naiveMedian = (numbers: readonly number[]): number | null => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
};

const random = randomFrom(1);
for (const [name, groups, secondsMax, areCounted] of [
  ['few groups of small numbers are counted', 3, 20, true],
  ['many groups of large numbers are listed', 200, 1800, false],
] as const)
  test(name, () => {
    const days = [1, 2, 3].map(() =>
      Array.from({ length: 2000 }, () => ({
        group: random.below(groups),
        seconds: random.chance(0.2) ? 0 : random.below(secondsMax),
      })),
    );
    const pool = poisonedScratch();
    const lists = days.map(hits => {
      const grouped = groupedHits(hits, groups);
      return {
        ids: grouped.grouping.ids,
        lists: pool.within(scratch => numbersOfGroups(grouped, 'secondsOnPage', scratch)),
      };
    });
    assert.ok(lists.every(day => (day.lists.counts !== null) === areCounted));
    const ids = Array.from({ length: groups }, (_, group) => group);
    // Of each number one more.
    assert.equal(
      mediansOf(lists, ids).map(median => median && median - 1),
      ids.map(id =>
        naiveMedian(days.flat().flatMap(({ group, seconds }) => (group === id && seconds > 0 ? [seconds] : []))),
      ),
    );
  });

test.run();
