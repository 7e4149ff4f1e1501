import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../../src/query/engine.ts';
import type { Query, Question } from '../../../src/query/query.ts';
import { uniteKeyOf, uniteQueries } from '../../../src/query/threads/unite-queries.ts';
import { openReader } from '../../../src/store/database.ts';
import { temporaryDatabase } from '../../helpers.ts';
import { days, firstDay, randomFrom, randomQuery, randomSite, storeSite } from '../random-site.ts';

const kinds: Question['kind'][] = ['totals', 'series', 'breakdown', 'events', 'eventSeries', 'propertyKeys', 'visits'];

test('united, every question gets the answers it would have got for itself', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const random = randomFrom(seed);
    const { db, dataDir } = temporaryDatabase();
    const siteId = storeSite(db, randomSite(random), firstDay + random.below(days + 2));
    const engine = createEngine(openReader(dataDir), 0);
    for (let i = 0; i < 8; i++) {
      const first = randomQuery(random, siteId, kinds);
      // Some of them about the very same slices, in another order, with questions of their own.
      const queries = Array.from({ length: 1 + random.below(4) }, (): Query => {
        const other = randomQuery(random, siteId, kinds);
        const slices = [...first.slices, ...other.slices].filter(() => random.below(3) > 0);
        const questions = other.slices[0]!.questions;
        return { ...first, slices: slices.map(slice => (random.below(2) === 0 ? slice : { ...slice, questions })) };
      });
      const { query, split } = uniteQueries(queries);
      const united = split(await engine.answer(query, () => {}));
      const alone = await Promise.all(queries.map(one => engine.answer(one, () => {})));
      assert.equal(JSON.stringify(united), JSON.stringify(alone));
    }
    db.close();
  }
});

test('questions share where site, money and the first slice are the same, and files are made alone', () => {
  const query: Query = {
    siteId: 1,
    currency: 'EUR',
    minorRates: {},
    slices: [{ from: 0, to: 1, filters: [], questions: [{ kind: 'totals' }] }],
  };
  const [slice] = query.slices;
  const shares = (other: Query): boolean => uniteKeyOf(other) === uniteKeyOf(query);
  assert.ok(
    shares({
      ...query,
      slices: [
        { ...slice!, questions: [{ kind: 'edges' }] },
        { ...slice!, from: -1 },
      ],
    }),
  );
  assert.not(shares({ ...query, siteId: 2 }));
  assert.not(shares({ ...query, currency: 'USD' }));
  assert.not(shares({ ...query, minorRates: { USD: 2 } }));
  assert.not(shares({ ...query, slices: [{ ...slice!, to: 2 }] }));
  assert.is(uniteKeyOf({ ...query, slices: [{ ...slice!, questions: new Array(21).fill({ kind: 'totals' }) }] }), null);
  assert.is(uniteKeyOf({ ...query, slices: [] }), null);
});

test.run();
