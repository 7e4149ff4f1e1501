/** Rules leave out hits of visits that came several ways, and every answer is compared with a recount. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Filter, Question } from '../../src/query/query.ts';
import { addRule, hitsIn, leftOutQuery } from '../../src/query/removal-rules/hits-of-rule.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import { openDays } from '../../src/store/day/open/open-days.ts';
import { wholeDay } from '../../src/store/day/part.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { withHits } from '../../src/store/day/some-hits.ts';
import { rules } from '../../src/store/removal-rules.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, type NaiveHit, type NaiveSite, naiveReport, naiveSelection, naiveWithout } from '../naive.ts';
import { repeat } from '../repeat.ts';
import { importDay } from '../store/day/import-day.ts';
import { fillAll } from './fill-all.ts';
import { firstDay, type Random, randomFilter, randomFrom, randomParts, randomSite, siteWriter } from './random-site.ts';

const questions: Question[] = [
  headline,
  topValues('path', 10),
  topValues('entryPath', 10),
  topValues('country', 10),
  { kind: 'events', limit: 10, bounds: null },
];
const whole = { from: firstDay * dayMs, to: (firstDay + 1) * dayMs, questions };

/**
 * Hits of one day, with short breaks within a visit and long ones between visits: those of a visit are one visit,
 * whichever of them came the same way.
 */
const shortVisits = (random: Random): NaiveSite => {
  const hits = randomSite(random).filter(({ type, visit }) => isCounting(type) && !visit.persistent);
  const known = new Map<NaiveHit['visit'], { visit: NaiveHit['visit']; hits: number }>();
  const ofDay = hits.map((hit): NaiveHit => {
    const number = known.size;
    const of = known.get(hit.visit) ?? {
      visit: { ...hit.visit, day: firstDay, visitor: `${number}`.padStart(2, '0').repeat(8) },
      hits: 0,
    };
    known.set(hit.visit, of);
    const at = firstDay * dayMs + (hit.visit.id % 100) * 600_000 + of.hits++ * 1000 + (hit.visit.id % 1000);
    return { ...hit, visit: of.visit, at, duration: 0, scroll: null };
  });
  return ofDay.sort((a, b) => a.at - b.at);
};

const isCounting = (type: NaiveHit['type']): boolean => type !== 'identify' && type !== 'duration';

/** Has some hits of an open day come by an import. */
const importSome = (db: Database, siteId: number, random: Random): void => {
  const day = openDays(db).read(siteId, { day: firstDay, part: wholeDay });
  const isImported = Uint8Array.from({ length: day.hits }, () => random.below(2));
  importDay(db, withHits(day, isImported), random.pick([1, 4]), 1);
  const ids = db.prepare('select id from hit order by id').pluck().all();
  const drop = db.prepare('delete from hit where id = ?');
  isImported.forEach((one, hit) => {
    if (one === 1) drop.run(ids[day.changes!.rows[hit]!]);
  });
  db.exec('delete from visit where id not in (select visit_id from hit)');
};

const ofVisits = (random: Random): Filter => ({ ...randomFilter(random), visit: true });

for (let seed = 1; seed <= 10 * repeat; seed++) {
  test(`hits of visits of random site ${seed} that came several ways are left out and come back`, async () => {
    const random = randomFrom(2000 + seed);
    const { db, dataDir } = temporaryDatabase();
    const site = shortVisits(random);
    const { siteId, write } = siteWriter(db);
    write(site);
    importSome(db, siteId, random);
    if (random.chance(0.5)) sealAll(db, firstDay + 1, 0, randomParts(random).partHitsMax);
    const engine = createEngine(openReader(dataDir), 1e6, { openDays: randomParts(random) });
    const [table, made] = [rules(db), new Map<number, Filter[]>()];
    const selectionOf = (filters: Filter[]): number[] => naiveSelection(site, { ...whole, filters });

    const check = async (): Promise<void> => {
      if (seed % 2 === 0) await fillAll(db, siteId);
      const query = { siteId, currency: 'EUR', minorRates: {}, slices: [{ ...whole, filters: [] }] };
      const gone = [...made.values()].flatMap(of => selectionOf(of).flatMap((one, i) => (one === 1 ? i : [])));
      const left = naiveWithout(site, new Set(gone));
      const [[got], [want]] = [await engine.answer(query, alone), naiveReport(left, query)];
      assert.equal(got!.map(comparable), want!.map(comparable), JSON.stringify([...made.values()]));
      const counted = hitsIn(await engine.answer(leftOutQuery(siteId, table.ofSite(siteId)), alone));
      const expected = table.ofSite(siteId).map(({ id }) => selectionOf(made.get(id)!).filter(one => one === 1).length);
      assert.equal(counted, expected);
    };
    await check();
    for (let round = 0; round < 4; round++) {
      const filters = [random.chance(0.7) ? ofVisits(random) : randomFilter(random)];
      const { from, to } = whole;
      const task = { siteId, from, to, filters, filtersText: '', period: `${round}`, madeBy: null, reason: null };
      const { id } = addRule(table, task, to);
      made.set(id, filters);
      await check();
      if (random.chance(0.2)) sealAll(db, firstDay + 1, 0, randomParts(random).partHitsMax);
    }
    for (const id of [...made.keys()].sort(() => random.below(3) - 1)) {
      table.drop(siteId, id);
      made.delete(id);
      await check();
    }
  });
}

test.run();
