/** Old days go by themselves, by what each site says, or else the server. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, utcDayOf } from '../../src/model/time.ts';
import { keepDaysOfSites } from '../../src/roles/keep-days.ts';
import type { Database } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { erasedStages, erasedVisitors } from '../../src/store/erased.ts';
import { sites } from '../../src/store/sites.ts';
import { doubtedLooks, trustedDay } from '../../src/store/trusted-day.ts';
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
  // Of days that are gone, nobody has to be known as erased.
  const erased = [0, 3, 4].flatMap(age => {
    const before = (today - age) * dayMs + 5;
    return [
      { siteId: short!.id, visitor: 1n, day: 0, before },
      { siteId: short!.id, visitor: 2n, day: today - age, before: today * dayMs },
    ].map(of => ({ ...of, visitor: of.visitor + 10n * BigInt(age) }));
  });
  erasedVisitors(db).add(erased);
  const elsewhere: [number, number][] = [];
  const kept = keepDaysOfSites({
    ...{ db, keepDays: 10, trusted: { look: () => utcDayOf(clock.now) }, log: () => {}, everyMs: 60 },
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
  assert.equal(
    erasedVisitors(db)
      .upTo(erasedStages.file)
      .map(({ visitor }) => visitor)
      .sort(),
    [1n, 2n, 31n, 32n],
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
    ...{ db, keepDays: null, dropElsewhere: null, trusted: { look: () => today }, everyMs: 1 },
    log: event => log.push(event),
  });
  await new Promise(resolve => setTimeout(resolve, 50));
  await kept.close();
  assert.equal([log, db.prepare('select count(*) from day_part').pluck().get()], [[], 1]);
  db.close();
});

/** A server by a clock: it keeps ten days, and one site three. */
const startBy = (dataDir: string, db: Database, clock: { now: number }) => {
  const logged: string[] = [];
  const log = (event: string): void => void logged.push(event);
  const trusted = trustedDay({ dataDir, db, now: () => clock.now, log });
  let looks = 0;
  const look = (): number => {
    looks++;
    return trusted.look();
  };
  const kept = keepDaysOfSites({ db, keepDays: 10, dropElsewhere: null, trusted: { look }, log, everyMs: 1 });
  /** Resolves when so many further passes have begun, and those before have ended. */
  const passes = async (count: number): Promise<void> => {
    const end = looks + count + 1;
    await until('it has looked', () => looks >= end);
  };
  return { ...{ logged, trusted, passes }, close: kept.close };
};

test('a clock that leaps by years deletes nothing, whatever comes meanwhile, and no more when it is right again', async () => {
  const { dataDir, db } = temporaryDatabase();
  const [short, usual] = [addSite(db, { keepDays: 3 }), addSite(db)];
  for (const { id } of [short, usual]) addDays(db, id, [0, 1, 3, 10]);
  sealAll(db, today, 0);
  const clock = { now: today * dayMs };
  const countParts = db.prepare('select count(*) from day_part where sealed_at is not null').pluck();
  const server = startBy(dataDir, db, clock);
  await server.passes(2);
  assert.equal([countParts.get(), server.logged.filter(event => event !== 'pruned')], [5, []], 'ten days of one site');
  // Hits that come under the wrong clock say nothing for it.
  clock.now = (today + 3650) * dayMs;
  addDays(db, usual.id, [-3650]);
  await server.passes(20);
  assert.equal(server.trusted.leap(), { clock: today + 3650, day: today });
  await server.close();
  const again = startBy(dataDir, db, clock);
  await again.passes(20);
  await again.close();
  assert.equal([...server.logged, ...again.logged].filter(event => event === 'clock-leapt').length, 2, 'once a start');
  clock.now = (today + 1) * dayMs;
  const right = startBy(dataDir, db, clock);
  await right.passes(2);
  assert.is(right.trusted.leap(), null);
  assert.is(countParts.get(), 3, 'what is a day older by now is gone');
  clock.now = (today - 3650) * dayMs;
  await right.passes(20);
  assert.equal(right.trusted.leap(), { clock: today - 3650, day: today - 3650 });
  clock.now = (today + 1) * dayMs;
  await right.passes(2);
  assert.is(right.trusted.leap(), null, 'back from the past it is believed at once');
  await right.close();
  db.close();
});

test('a server that slept for months goes on deleting after a week, however often it is restarted', async () => {
  const { dataDir, db } = temporaryDatabase();
  const { id } = addSite(db);
  addDays(db, id, [1, 2]);
  sealAll(db, today, 0);
  const clock = { now: (today + 90) * dayMs };
  const countParts = db.prepare('select count(*) from day_part where sealed_at is not null').pluck();
  // The first look of a start does not count.
  for (let i = 0; i < 2; i++) {
    const server = startBy(dataDir, db, clock);
    await server.passes(doubtedLooks / 2 - 10);
    assert.equal([countParts.get(), server.logged], [2, ['clock-leapt']]);
    await server.close();
  }
  const last = startBy(dataDir, db, clock);
  await until('it goes on', () => countParts.get() === 0);
  assert.equal(last.logged.slice(0, 2), ['clock-leapt', 'clock-believed']);
  await last.close();
  const later = startBy(dataDir, db, clock);
  await later.passes(2);
  assert.not.ok(later.logged.includes('clock-leapt'), 'it is believed from then on');
  await later.close();
  db.close();
});

test.run();
