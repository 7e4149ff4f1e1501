/** Every ask over random sites, ranges and filters, compared with a naive recount of the same hits. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../src/query/engine.ts';
import type { Ask } from '../../src/query/query.ts';
import { openReader } from '../../src/store/database.ts';
import { temporaryDatabase } from '../helpers.ts';
import { naiveReport } from '../naive.ts';
import { days, firstDay, randomFrom, randomQuery, randomSite, storeSite } from './random-site.ts';

const kinds: Ask['kind'][] = ['totals', 'series', 'breakdown', 'breakdown', 'breakdown', 'edges'];
const sites = 25;
const queriesPerSite = 16;

for (let seed = 1; seed <= sites; seed++) {
  test(`random site ${seed}`, () => {
    const random = randomFrom(seed);
    const { db, dataDir } = temporaryDatabase();
    const site = randomSite(random);
    const siteRowId = storeSite(db, site, firstDay + random.below(days + 2));
    const engine = createEngine(openReader(dataDir), random.pick([1e8, 20_000, 0]));
    for (let i = 0; i < queriesPerSite; i++) {
      const query = randomQuery(random, siteRowId, kinds);
      const want = naiveReport(site, query);
      assert.equal(
        engine.answer(query, () => {}),
        want,
        JSON.stringify(query),
      );
      assert.equal(
        engine.answer(query, () => {}),
        want,
        `again, from what was kept: ${JSON.stringify(query)}`,
      );
    }
  });
}

test.run();
