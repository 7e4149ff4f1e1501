/** Visitors that come back on other days are counted once, however many there are. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countPersistent } from '../../src/query/persistent.ts';
import { randomFrom } from './random-site.ts';

test('distinct visitors per group over days, in many pieces', () => {
  const random = randomFrom(1);
  const visitors = Array.from(
    { length: 9000 },
    () => BigInt(random.below(2 ** 32)) * 2n ** 32n + BigInt(random.below(4)),
  );
  const groups = 5;
  const seen = new Set<string>();
  const partials = Array.from({ length: 4 }, () => {
    const pairs = visitors
      .filter(() => random.chance(0.6))
      .toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      .flatMap(visitor => Array.from({ length: groups }, (_, group) => ({ visitor, group })))
      .filter(() => random.chance(0.5));
    for (const { visitor, group } of pairs) seen.add(`${visitor} ${group}`);
    return {
      persistent: {
        hashes: new Uint32Array(BigUint64Array.from(pairs, ({ visitor }) => visitor).buffer),
        groups: Uint32Array.from(pairs, ({ group }) => group),
      },
    };
  });
  const counts = new Uint32Array(groups).fill(100);
  countPersistent([...partials, { persistent: null }], counts);
  const want = Array.from(
    { length: groups },
    (_, group) => 100 + [...seen].filter(key => key.endsWith(` ${group}`)).length,
  );
  assert.equal(Array.from(counts), want);
});

test.run();
