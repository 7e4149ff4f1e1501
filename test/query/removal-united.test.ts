/**
 * Hits that came several ways, of the same visits, are taken out and put back, and every answer is compared with a
 * recount.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Filter, Question } from '../../src/query/query.ts';
import { countSteps, removeSteps } from '../../src/query/removal/remove-hits.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { type Database, openReader } from '../../src/store/database.ts';
import { openDays } from '../../src/store/day/open/open-days.ts';
import { wholeDay } from '../../src/store/day/part.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { withHits } from '../../src/store/day/some-hits.ts';
import { putBack } from '../../src/store/removal/put-back.ts';
import { temporaryDatabase } from '../helpers.ts';
import { comparable, type NaiveHit, type NaiveSite, naiveReport, naiveSelection, naiveWithout } from '../naive.ts';
import { importDay } from '../store/day/import-day.ts';
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
  const read = db.transaction(() => openDays(db).readWhole(siteId, { day: firstDay, part: wholeDay }));
  const { day, numbers } = read();
  const isImported = Uint8Array.from({ length: day.hits }, () => random.below(2));
  importDay(db, withHits(day, isImported), random.pick([1, 4]), 1);
  const ids = db.prepare('select id from hit order by id').pluck().all();
  const drop = db.prepare('delete from hit where id = ?');
  isImported.forEach((one, hit) => {
    if (one === 1) drop.run(ids[numbers[hit]!]);
  });
  db.exec('delete from visit where id not in (select visit_id from hit)');
};

const last = <T, R>(steps: Generator<T, R>): R => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
};

const ofVisits = (random: Random): Filter => ({ ...randomFilter(random), visit: true });

for (let seed = 1; seed <= 20; seed++) {
  test(`hits of visits of random site ${seed} that came several ways are removed and put back`, async () => {
    const random = randomFrom(2000 + seed);
    const { db, dataDir } = temporaryDatabase();
    let site = shortVisits(random);
    const { siteId, write } = siteWriter(db);
    write(site);
    importSome(db, siteId, random);
    if (random.chance(0.5)) sealAll(db, firstDay + 1, 0, randomParts(random).partHitsMax);
    const [parts, openOfEngine] = [randomParts(random), randomParts(random)];
    const engine = createEngine(openReader(dataDir), 1e6, { openDays: openOfEngine });

    const check = async (): Promise<void> => {
      const query = { siteId, currency: 'EUR', minorRates: {}, slices: [{ ...whole, filters: [] }] };
      const [[got], [want]] = [await engine.answer(query, alone), naiveReport(site, query)];
      assert.equal(got!.map(comparable), want!.map(comparable));
    };
    await check();
    const removals = [];
    for (let round = 0; round < 4; round++) {
      const filters = [random.chance(0.7) ? ofVisits(random) : randomFilter(random)];
      const { from, to } = whole;
      const selection = naiveSelection(site, { ...whole, filters });
      const expected = selection.filter(one => one === 1).length;
      const task = { siteId, from, to, filters, filtersText: `${round}`, period: 'all', file: null };
      const counted = [...countSteps(db, task, parts)].at(-1)?.hits ?? 0;
      assert.is(counted, expected, JSON.stringify(filters));
      const removal = last(removeSteps(db, task, () => 5, parts));
      assert.is(removal?.hits ?? 0, expected, JSON.stringify(filters));
      if (removal === undefined) continue;
      removals.push({ removal, before: site });
      site = naiveWithout(site, new Set(selection.flatMap((one, i) => (one === 1 ? i : []))));
      await check();
      if (random.chance(0.2)) sealAll(db, firstDay + 1, 0, parts.partHitsMax);
    }
    for (const { removal, before } of removals.reverse()) {
      last(putBack(db, removal));
      site = before;
      await check();
    }
  });
}

test.run();
