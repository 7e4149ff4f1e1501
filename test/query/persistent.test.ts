/** Visitors that come back on other days are counted once, however many there are. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countPersistent, regroup } from '../../src/query/persistent.ts';
import { randomFrom } from './random-site.ts';

test('distinct visitors per group over days, in many pieces', () => {
  const random = randomFrom(1);
  const visitors = Array.from(
    { length: 9000 },
    () => BigInt(random.below(2 ** 32)) * 2n ** 32n + BigInt(random.below(4)),
  );
  const seen = new Set<string>();
  const days = Array.from({ length: 4 }, () => {
    const listed = visitors
      .filter(() => random.chance(0.6))
      .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      .map(visitor => ({ visitor, groups: [0, 1, 2, 3, 4].filter(() => random.chance(0.5)) }));
    for (const { visitor, groups } of listed) for (const group of groups) seen.add(`${visitor} ${group + 1}`);
    return {
      visitors: {
        hashes: new Uint32Array(BigUint64Array.from(listed, ({ visitor }) => visitor).buffer),
        groupsFrom: Uint32Array.from([0, ...listed.keys()], (_, i) =>
          listed.slice(0, i).reduce((sum, { groups }) => sum + groups.length, 0),
        ),
        groups: Uint32Array.from(listed.flatMap(({ groups }) => groups)),
      },
      placeOf: Uint32Array.of(1, 2, 3, 4, 5),
    };
  });
  const counts = new Uint32Array(6).fill(100);
  countPersistent([...days, { visitors: null, placeOf: Uint32Array.of() }], counts);
  const want = [100];
  for (let group = 1; group <= 5; group++) want.push(100 + [...seen].filter(key => key.endsWith(` ${group}`)).length);
  assert.equal(Array.from(counts), want);
});

test('groups are renumbered, and dropped where they are to be', () => {
  const visitors = {
    hashes: Uint32Array.of(1, 1, 2, 2, 3, 3),
    groupsFrom: Uint32Array.of(0, 2, 3, 5),
    groups: Uint32Array.of(0, 2, 0, 1, 2),
  };
  const table = Uint32Array.of(0, 70, 80);
  const renumbered = (dropZero: boolean): number[][] => {
    const { groups, groupsFrom } = regroup(visitors, table, dropZero)!;
    return [0, 1, 2].map(visitor => Array.from(groups.slice(groupsFrom[visitor], groupsFrom[visitor + 1])));
  };
  assert.equal(renumbered(false), [[0, 80], [0], [70, 80]]);
  assert.equal(renumbered(true), [[80], [], [70, 80]]);
  assert.is(regroup(null, table, true), null);
});

test.run();
