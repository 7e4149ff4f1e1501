/** What a day says of its visitors, beside a look at every selected hit. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { indexDay, visitOfHit } from '../../../src/query/scan/day-index.ts';
import { select, selectEvents } from '../../../src/query/scan/select.ts';
import { hitCodes, type Selection, visitCodes } from '../../../src/query/scan/selection.ts';
import { tallyHits, tallyVisitors, tallyVisits } from '../../../src/query/scan/tally.ts';
import type { Scratch } from '../../../src/query/scratch.ts';
import { firstOfVisitor, type PersistentVisitors } from '../../../src/query/visitors/daily-visitors.ts';
import { openReader } from '../../../src/store/database.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { wholeDay } from '../../../src/store/day/part.ts';
import { temporaryDatabase } from '../../helpers.ts';
import { poisonedScratch } from '../poisoned-scratch.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../random-site.ts';

const isOwn = (values: Uint32Array): boolean => values.byteLength === values.buffer.byteLength;

/** Each visitor of a list with its groups, as text. */
const listed = (persistent: PersistentVisitors | null): string[] => {
  if (persistent === null) return [];
  const { hashes, groups } = persistent;
  assert.ok(isOwn(hashes) && isOwn(groups));
  const all = new BigUint64Array(hashes.buffer);
  assert.equal(
    Array.from(all),
    Array.from(all).sort((a, b) => (a < b ? -1 : 1)),
  );
  let visitor = -1;
  const pairs = Array.from(groups, group => {
    if (group >= firstOfVisitor) visitor++;
    return `${all[visitor]} ${group & ~firstOfVisitor}`;
  });
  assert.is(visitor, all.length - 1);
  return pairs.sort();
};

/** Distinct pairs of a visitor and what a function says of the visit and the hit, of the visitors of one mode. */
const naive = (selection: Selection, isHash: boolean, groupOf: (visit: number, hit: number) => number): string[] => {
  const { day, index } = selection;
  const hits = selection.found().rows ?? Uint32Array.from({ length: day.hits }, (_, hit) => hit);
  const hitsFrom = index.hitsFrom();
  const pairs = new Set<string>();
  for (const hit of hits) {
    const visit = visitOfHit(hitsFrom, hit);
    if (visit < day.hashVisits === isHash) pairs.add(`${day.hashes()[visit]} ${groupOf(visit, hit)}`);
  }
  return [...pairs].sort();
};

/** By group. */
const countPairs = (pairs: readonly string[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const pair of pairs) {
    const group = Number(pair.split(' ')[1]);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
};

const check = (selection: Selection, scratch: Scratch): void => {
  const { day } = selection;
  const { codes: country, dictionary } = day.texts('country');
  const { codes: path } = day.texts('path');
  // Ids that no code is, so that one is not taken for the other.
  const idsOf = (groups: number): Uint32Array => Uint32Array.from({ length: groups }, (_, group) => 1000 + group);
  const paths = day.dictionary('path').length;
  for (const [tally, groupOf] of [
    [
      tallyVisits(
        selection,
        visitCodes(selection, day.keptCodes('country'), scratch),
        idsOf(dictionary.length),
        scratch,
      ),
      (visit: number) => country[visit]!,
    ],
    [
      tallyHits(selection, hitCodes(selection, day.keptCodes('path'), scratch), idsOf(paths), scratch),
      (_: number, hit: number) => path[hit]!,
    ],
  ] as const) {
    const cookie = naive(selection, false, (visit, hit) => 1000 + groupOf(visit, hit));
    assert.equal(listed(tally.persistent), cookie);
    assert.is(tally.persistent === null, cookie.length === 0);
    const counts = countPairs([...naive(selection, true, groupOf), ...naive(selection, false, groupOf)]);
    assert.equal(
      Array.from(tally.groups, (group, i) => [group, tally.visitors[i]]),
      [...counts].sort(([a], [b]) => a - b),
    );
  }
  const all = tallyVisitors(selection);
  const cookie = naive(selection, false, () => 0);
  assert.equal(listed(all.persistent), cookie);
  assert.is(all.visitors, cookie.length + naive(selection, true, () => 0).length);
};

test('visitors and their groups are counted, for whole days and parts', () => {
  let cookies = 0;
  const pool = poisonedScratch();
  for (let seed = 1; seed <= 25; seed++) {
    const random = randomFrom(seed);
    const { db, dataDir } = temporaryDatabase();
    const siteId = storeSite(db, randomSite(random), firstDay + days);
    const reader = dayReader(openReader(dataDir), 1e8);
    for (let number = firstDay; number < firstDay + days; number++) {
      const [day] = reader.day(siteId, { day: number, part: wholeDay });
      if (day === undefined) continue;
      cookies += day.visits - day.hashVisits;
      const { codes: values, dictionary } = day.texts('device');
      const pass = Uint8Array.from(dictionary, () => random.below(2));
      for (const [from, to] of [
        [0, Number.MAX_SAFE_INTEGER],
        [day.firstAt + 1, day.lastAt],
      ]) {
        for (const conditions of [[], [{ level: 'visit', values, pass } as const]]) {
          pool.within(scratch => {
            const index = indexDay(day, scratch);
            const selection = select(day, index, from!, to!, conditions, scratch);
            if (selection === undefined) return;
            check(selection, scratch);
            const events = selectEvents(selection, scratch);
            if (events !== undefined) check(events, scratch);
          });
        }
      }
    }
  }
  assert.ok(cookies > 100, `${cookies} visits of cookie mode`);
});

test.run();
