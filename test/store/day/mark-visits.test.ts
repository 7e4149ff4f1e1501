/** Marks that came another way than the hits of their visit. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { minuteMs } from '../../../src/model/time.ts';
import { createEngine } from '../../../src/query/engine.ts';
import { alone } from '../../../src/query/pace.ts';
import type { Question } from '../../../src/query/query.ts';
import { headline, topValues } from '../../../src/query/usual-questions.ts';
import { openDatabase, openReader } from '../../../src/store/database.ts';
import { sweepTexts } from '../../../src/store/maintenance/unused-texts.ts';
import { comparable, type NaiveHit, naiveReport } from '../../naive.ts';
import { hitsToCome, manyWays } from '../../query/many-ways.ts';
import { firstDay, randomFrom } from '../../query/random-site.ts';
import { totalsIn } from '../../query/totals-in.ts';

const at = firstDay * 86_400_000 + 600 * minuteMs;
const questions: Question[] = [
  headline,
  topValues('utmSource', 9),
  { kind: 'visits', sort: 'started', descending: true, limit: 9, search: '', after: null, form: 'json' } as Question,
];

const pageview = hitsToCome(randomFrom(1), ({ type }) => type === 'pageview')[0]!;
const of = (minute: number, more: Partial<NaiveHit>, source: string): NaiveHit => ({
  ...pageview,
  at: at + minute * minuteMs,
  visit: { ...pageview.visit, day: firstDay, utmSource: source },
  ...more,
});
const said = { type: 'identify', identity: { name: 'Ada', traits: '{"name":"Ada"}' } } as const;
const page = of(1, {}, 'page');
const before = of(0, said, 'mark');
const after = of(21, { type: 'duration' }, 'mark');

for (const [name, live, imported] of [
  ['a live mark and an imported page', [after], [page]],
  ['an imported mark and a live page', [page], [after]],
  ['an imported identify and a live page', [page], [before]],
  ['a live identify, an imported page and a live mark', [before, after], [page]],
] as const)
  test(`${name} are one visit, open and sealed, and keep their texts`, async () => {
    const world = manyWays();
    world.collect(live);
    world.import(imported);
    const query = {
      ...{ siteId: world.siteId, currency: 'EUR', minorRates: {} },
      slices: [{ from: at - 1, to: at + 60 * minuteMs, filters: [], questions }],
    };
    const check = async (): Promise<void> => {
      const [got] = await createEngine(openReader(world.dataDir), 1e6).answer(query, alone);
      const [want] = naiveReport(world.site(), query);
      assert.equal(got!.map(comparable), want!.map(comparable));
      const totals = totalsIn(got![0]);
      assert.equal([totals.visits, totals.pageviews], [1, 1]);
      assert.ok(totals.visitMs! > 0);
    };
    await check();
    world.midnight(firstDay + 1, 1e6);
    await check();
    const db = openDatabase(world.dataDir);
    for (const _ of sweepTexts(db, world.siteId));
    db.close();
    await check();
    world.undo(world.imports()[0]!);
    const [[answer] = []] = await createEngine(openReader(world.dataDir), 1e6).answer(query, alone);
    assert.is(totalsIn(answer).visits, (live as readonly NaiveHit[]).includes(page) ? 1 : 0);
  });

test.run();
