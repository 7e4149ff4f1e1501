import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keyedHash, makeKeyedHash } from '../../src/model/keyed-hash.ts';

test('the same key and words give the same 32 bits, another key others', () => {
  const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  let same = 0;
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      const found = keyedHash(1, 2)(a, b, c);
      assert.is(found, keyedHash(1, 2)(a, b, c));
      assert.ok(Number.isInteger(found) && found >= 0 && found < 2 ** 32);
      if (found === keyedHash(1, 3)(a, b, c)) same++;
    }),
    { numRuns: 1000 },
  );
  assert.ok(same < 3);
  assert.is.not(makeKeyedHash(randomBytes)(1, 2, 3), makeKeyedHash(randomBytes)(1, 2, 3));
});

test('each bit of each word changes half of the bits on average', () => {
  const hash = makeKeyedHash(randomBytes);
  const bitsOf = (value: number): number => value.toString(2).replaceAll('0', '').length;
  for (let word = 0; word < 3; word++) {
    for (let bit = 0; bit < 32; bit++) {
      let changed = 0;
      for (let i = 0; i < 200; i++) {
        const words = [i, i * 7, i * 31] as [number, number, number];
        const before = hash(...words);
        words[word] = words[word]! ^ (1 << bit);
        changed += bitsOf((before ^ hash(...words)) >>> 0);
      }
      assert.ok(Math.abs(changed / 200 - 16) < 2.5, `word ${word} bit ${bit}: ${changed / 200}`);
    }
  }
});

test('words that differ in high bits alone spread over a small table', () => {
  const hash = makeKeyedHash(randomBytes);
  const slots = new Set(Array.from({ length: 1000 }, (_, i) => hash(0, i * 2 ** 20, 7) & 1023));
  assert.ok(slots.size > 550, `${slots.size}`);
});

test.run();
