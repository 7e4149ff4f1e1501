/** Every ask over random sites, ranges and filters, compared with a naive recount of the same hits. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import type { Answer, AnswerOf, Ask, Query, Report, VisitCursor, VisitRow } from '../../src/query/query.ts';
import { openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { sites } from '../../src/store/sites.ts';
import { dropSites } from '../../src/store/upkeep/drop-sites.ts';
import { temporaryDatabase } from '../helpers.ts';
import { type NaiveSite, naiveReport } from '../naive.ts';
import { days, firstDay, randomFrom, randomQuery, randomSite, siteWriter, storeSite } from './random-site.ts';

const kinds: Ask['kind'][] = [
  'totals',
  'series',
  'breakdown',
  'breakdown',
  'breakdown',
  'events',
  'eventSeries',
  'propertyKeys',
  'propertyValues',
  'propertyValues',
  'visits',
  'visits',
  'edges',
];
const noChips = { converted: false, bounced: false, paid: false, returning: false };
const siteCount = 40;
const queriesPerSite = 16;

/** Sums of fractions depend on the order of adding in their last digits. */
const rounded = (answer: Answer): Answer => {
  if (answer.kind !== 'propertyKeys') return answer;
  const round = (value: number): number => Number(value.toPrecision(12));
  const rows = answer.rows.map(row => ({
    ...row,
    numeric: row.numeric && { ...row.numeric, sum: round(row.numeric.sum), avg: round(row.numeric.avg) },
  }));
  return { ...answer, rows };
};

const compare = (query: Query, got: Report, want: Report): void =>
  query.slices.forEach(({ from, to, filters, asks }, slice) => {
    asks.forEach((ask, i) => {
      const message = JSON.stringify({ ask, from, to, filters }, null, 1);
      assert.equal(rounded(got[slice]![i]!), rounded(want[slice]![i]!), message);
    });
  });

for (let seed = 1; seed <= siteCount; seed++) {
  test(`random site ${seed}`, () => {
    const random = randomFrom(seed);
    const { db, dataDir } = temporaryDatabase();
    const site = randomSite(random);
    const siteId = storeSite(db, site, firstDay + random.below(days + 2));
    const engine = createEngine(openReader(dataDir), random.pick([1e8, 20_000, 0]));
    for (let i = 0; i < queriesPerSite; i++) {
      const query = randomQuery(random, siteId, kinds);
      const want = naiveReport(site, query);
      compare(
        query,
        engine.answer(query, () => {}),
        want,
      );
      compare(
        query,
        engine.answer(query, () => {}),
        want,
      ); // again, from what was kept
    }
  });
}

test('pages of visits join into the whole list, in every order', () => {
  const random = randomFrom(7);
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(random);
  const siteId = storeSite(db, site, firstDay + 2);
  const engine = createEngine(openReader(dataDir), 1e8);
  for (const sort of ['started', 'duration', 'pageviews', 'events', 'revenue'] as const) {
    for (const descending of [true, false]) {
      const page = (limit: number, after: VisitCursor | null): AnswerOf<'visits'> => {
        const query: Query = {
          siteId,
          currency: 'EUR',
          minorRates: {},
          slices: [
            {
              from: firstDay * dayMs,
              to: (firstDay + days) * dayMs,
              filters: [],
              asks: [{ kind: 'visits', sort, descending, limit, search: '', after, ...noChips }],
            },
          ],
        };
        return engine.answer(query, () => {})[0]![0] as AnswerOf<'visits'>;
      };
      const all = [...page(1000, null).rows];
      const paged: VisitRow[] = [];
      for (let more = true; more; ) {
        const last = paged.at(-1);
        const value = last && (sort === 'duration' ? last.ended - last.started : last[sort]);
        const next = page(17, last === undefined ? null : { value: value!, id: last.id });
        paged.push(...next.rows);
        more = next.more;
      }
      assert.equal(paged, all);
      assert.ok(all.length > 34, 'there are several pages');
    }
  }
});

test('hits that arrive later are seen, and sealing changes no answer', () => {
  const random = randomFrom(8);
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(random);
  const writer = siteWriter(db);
  const engine = createEngine(openReader(dataDir), 1e8);
  const check = (so: NaiveSite): void => {
    for (let i = 0; i < 10; i++) {
      const query = randomQuery(random, writer.siteId, kinds);
      compare(
        query,
        engine.answer(query, () => {}),
        naiveReport(so, query),
      );
    }
  };
  const half = Math.floor(site.length / 2);
  check([]);
  writer.write(site.slice(0, half));
  check(structuredClone(site.slice(0, half)));
  writer.write(site.slice(half));
  check(structuredClone(site));
  sealAll(db, firstDay + 2, 0);
  check(site);
  sealAll(db, firstDay + days, 0);
  check(site);
});

test('days that are sealed, and days that go, in the middle of a query are read as they were', () => {
  const random = randomFrom(10);
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(random);
  const siteId = storeSite(db, site, firstDay + 2);
  const query = randomQuery(random, siteId, kinds);
  const engine = createEngine(openReader(dataDir), 0);
  let checkpoints = 0;
  const meddle = (): void => {
    if (++checkpoints !== 2) return;
    sealAll(db, firstDay + days, 0);
    sites(db).remove(siteId);
    for (const _ of dropSites(db));
  };
  compare(query, engine.answer(query, meddle), naiveReport(site, query));
  assert.ok(checkpoints > 2);
  compare(
    query,
    engine.answer(query, () => {}),
    naiveReport([], query),
  );
});

test('a checkpoint that throws ends the query, and the next one is whole', () => {
  const random = randomFrom(9);
  const { db, dataDir } = temporaryDatabase();
  const site = randomSite(random);
  const siteId = storeSite(db, site, firstDay + 2);
  const engine = createEngine(openReader(dataDir), 1e8);
  const query = randomQuery(random, siteId, kinds);
  for (let end = 1; end < 8; end++) {
    let checkpoints = 0;
    const stop = (): void => {
      if (++checkpoints === end) throw new Error('stop');
    };
    assert.throws(() => engine.answer(query, stop), 'stop');
  }
  compare(
    query,
    engine.answer(query, () => {}),
    naiveReport(site, query),
  );
});

test.run();
