/** Masks over rows, beside the same looked up bit by bit. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bitsIn, rankBits, rankOfOnes, wordsFor } from '../../../src/store/day/mask.ts';

/** Memory that something else has used before. */
const used = (length: number): Uint32Array => new Uint32Array(length).fill(0xdeadbeef);

test('rows are ranked by the bits up to their own', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 200, size: 'max' }),
      fc.infiniteStream(fc.boolean()),
      (bits, is) => {
        const mask = new Uint32Array(wordsFor(bits.length));
        bits.forEach((bit, row) => {
          if (bit) mask[row >>> 5]! |= 1 << (row & 31);
        });
        const rows = Uint32Array.from(bits.keys()).filter(() => is.next().value);
        const ranks = Array.from(rows, row => bits.slice(0, row + 1).filter(bit => bit).length);
        const [to, before] = [used(rows.length), used(mask.length)];
        assert.equal([...rankBits(mask, rows, to, before)], ranks);
        assert.equal(
          [...rankOfOnes(mask, rows, to, before)],
          ranks.map((some, i) => (bits[rows[i]!] ? some : 0)),
        );
        assert.is(bitsIn(mask, bits.length), bits.filter(bit => bit).length);
        assert.equal([...rankBits(mask, rows, rows, before)], ranks, 'in place of the rows');
      },
    ),
    { seed: 1, numRuns: 1000 },
  );
});

test.run();
