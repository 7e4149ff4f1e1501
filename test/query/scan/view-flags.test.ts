/** Which page views are the first or the last of their visit, beside a look at each hit. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hitTypes } from '../../../src/model/hit.ts';
import type { DayIndex } from '../../../src/query/scan/day-index.ts';
import { isFirstView, isLastView, isView, viewFlags } from '../../../src/query/scan/view-flags.ts';
import { poisonedScratch } from '../poisoned-scratch.ts';

const naive = (visits: readonly (readonly boolean[])[]): number[] =>
  visits.flatMap(views =>
    views.map((view, hit) => {
      if (!view) return 0;
      return (
        isView | (hit === views.indexOf(true) ? isFirstView : 0) | (hit === views.lastIndexOf(true) ? isLastView : 0)
      );
    }),
  );

test('page views are flagged across words of 32 hits', () => {
  const pool = poisonedScratch();
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.array(fc.boolean(), { minLength: 1, maxLength: 90 }), fc.constant([true])), {
        minLength: 1,
        maxLength: 60,
      }),
      visits => {
        const types = visits.flat().map(view => (view ? hitTypes.pageview : hitTypes.custom));
        const ofVisits = new Uint32Array(Math.ceil(types.length / 32));
        let begin = 0;
        for (const { length } of visits) {
          ofVisits[begin >>> 5]! |= 1 << begin;
          begin += length;
        }
        const index = {
          numbers: () => Uint32Array.from(types),
          firstHits: () => ({ ofVisits, ofVisitors: ofVisits }),
        } as unknown as DayIndex;
        assert.equal(
          pool.within(scratch => Array.from(viewFlags(index, scratch))),
          naive(visits),
        );
      },
    ),
    { seed: 1, numRuns: 500 },
  );
});

test.run();
