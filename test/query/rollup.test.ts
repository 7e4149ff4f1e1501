/**
 * Several sites read as one: a random site whose visitors are divided among some, asked as one,
 * answers what it answers whole.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Query } from '../../src/query/query.ts';
import { openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, type NaiveSite, naiveReport } from '../naive.ts';
import { repeat } from '../repeat.ts';
import { restless } from './paces.ts';
import { poisonedScratch } from './poisoned-scratch.ts';
import {
  type AskedKind,
  days,
  firstDay,
  randomFrom,
  randomParts,
  randomQuery,
  randomSite,
  siteWriter,
} from './random-site.ts';

const kinds: AskedKind[] = [
  ...(['metricSeries', 'metricSeries', 'metricSeries', 'table', 'table', 'table', 'goals', 'events'] as const),
  ...(['eventSeries', 'propertyKeys', 'propertySummaries', 'propertyValues', 'visits', 'visits', 'funnel'] as const),
  ...(['journey', 'visitor', 'lastHit', 'firstHit'] as const),
];

for (let seed = 1; seed <= 3 * repeat; seed++) {
  test(`random site ${seed}, divided`, async () => {
    const random = randomFrom(seed);
    const { db, dataDir } = temporaryDatabase();
    const whole = randomSite(random);
    const writers = Array.from({ length: 1 + random.below(4) }, () => siteWriter(db));
    const write = (hits: NaiveSite): void =>
      writers.forEach((writer, i) => {
        writer.write(hits.filter(({ visit }) => Number.parseInt(visit.visitor.slice(-2), 16) % writers.length === i));
      });
    write(whole);
    sealAll(db, firstDay + random.below(days + 2), 0, randomParts(random).partHitsMax);
    const scratchPool = seed % 2 === 0 ? poisonedScratch() : undefined;
    const engine = createEngine(openReader(dataDir), random.pick([1e8, 20_000, 0]), {
      scratchPool,
      openDays: randomParts(random),
    });
    const rollup = writers.map(({ siteId }) => siteId);
    for (let i = 0; i < 12; i++) {
      const query: Query = { ...randomQuery(random, 0, kinds), rollup };
      const want = naiveReport(whole, query);
      const pace = i % 2 === 0 ? alone : restless(undefined, () => random.chance(0.2));
      for (const got of [await engine.answer(query, pace), await engine.answer(query, pace)])
        query.slices.forEach(({ from, to, filters, questions }, slice) => {
          questions.forEach((question, n) => {
            const message = JSON.stringify({ question, from, to, filters }, null, 1);
            assert.equal(comparable(got[slice]![n]!), comparable(want[slice]![n]!), message);
          });
        });
    }
  });
}

test.run();
