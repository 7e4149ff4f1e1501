/** Old days go by themselves, by what each site says, or else the server. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { keepDaysOfSites } from '../../src/roles/keep-days.ts';
import type { Database } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';
import { until } from '../tools/conditions.ts';

const today = 20_000;

/** Days of a site, with one visit each. */
const addDays = (db: Database, siteId: number, ages: readonly number[]): void => {
  const record = recorder(db);
  for (const age of ages) {
    const [day, id] = [today - age, siteId * 1000 + age];
    const at = day * dayMs;
    record.write([
      {
        ...recordedEntry(hitRecord({ siteId, day, visitId: id, at, path: '/' })),
        visit: visitRecord({ siteId, day, id }),
      },
      { siteId, at, outcome: 'crawler', crawl: { siteId, at, name: 'Bot', path: '/', status: 200 } },
      { siteId: 0, at, outcome: 'unknown-site' },
    ]);
  }
};

test('each site keeps as many days as it says, others as many as the server, and a new number counts', async () => {
  const { db } = temporaryDatabase();
  const [short, usual, all] = [{ keepDays: 3 }, {}, { keepDays: 36_500 }].map(settings => addSite(db, settings));
  for (const { id } of [short!, usual!, all!]) addDays(db, id, [0, 1, 3, 4, 10, 11, 400]);
  sealAll(db, today, 0);
  const clock = { now: today * dayMs + 1000 };
  const elsewhere: [number, number][] = [];
  const kept = keepDaysOfSites({
    ...{ db, keepDays: 10, now: () => clock.now, log: () => {}, everyMs: 60 },
    dropElsewhere: async (siteId, before) => {
      elsewhere.push([siteId, before]);
      return false;
    },
  });
  const days = db
    .prepare('select day from day_part where site_id = ? and sealed_at is not null order by day desc')
    .pluck();
  const agesOf = ({ id }: { id: number }): number[] => (days.all(id) as number[]).map(day => today - day);
  const crawls = db.prepare('select count(*) from crawl where site_id = ?').pluck();
  await until('old days are gone', () => crawls.get(usual!.id) === 5 && elsewhere.length >= 4);
  assert.equal(
    [agesOf(short!), agesOf(usual!), agesOf(all!)],
    [
      [1, 3],
      [1, 3, 4, 10],
      [1, 3, 4, 10, 11, 400],
    ],
  );
  assert.equal([crawls.get(short!.id), crawls.get(all!.id)], [3, 7]);
  assert.is(db.prepare('select count(*) from outcome where site_id = 0').pluck().get(), 5, 'of no site, too');
  assert.equal(elsewhere.slice(0, 4), [
    [0, today - 10],
    [short!.id, today - 3],
    [usual!.id, today - 10],
    [all!.id, today - 36_500],
  ]);
  sites(db).set(all!.id, { ...all!, keepDays: 4 });
  clock.now += dayMs;
  await until('the number that was changed counts, from the new day on', () => agesOf(all!).length === 2);
  assert.equal([agesOf(short!), agesOf(all!)], [[1], [1, 3]]);
  await kept.close();
  db.close();
});

test('without a number nothing goes', async () => {
  const { db } = temporaryDatabase();
  const { id } = addSite(db);
  addDays(db, id, [0, 1000]);
  sealAll(db, today, 0);
  const log: string[] = [];
  const kept = keepDaysOfSites({
    ...{ db, keepDays: null, dropElsewhere: null, now: () => today * dayMs, everyMs: 1 },
    log: event => log.push(event),
  });
  await new Promise(resolve => setTimeout(resolve, 50));
  await kept.close();
  assert.equal([log, db.prepare('select count(*) from day_part').pluck().get()], [[], 1]);
  db.close();
});

test.run();
