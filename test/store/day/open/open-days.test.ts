/**
 * An open day is read a batch of rows at a time, and whoever no longer waits for it costs the next
 * one nothing.
 */
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../../src/model/time.ts';
import type { Database } from '../../../../src/store/database.ts';
import { columnsOf, type Day } from '../../../../src/store/day/day.ts';
import { openDays } from '../../../../src/store/day/open/open-days.ts';
import { partsOf, wholeDay } from '../../../../src/store/day/part.ts';
import { recorder } from '../../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../../helpers.ts';

const day = 20_000;
const wholeOf = { day, part: wholeDay };

/** Writes visits of three hits each, of visitors who may be in any part. */
const writeVisits = (db: Database, siteId: number, from: number, count: number): void => {
  const visits = Array.from({ length: count }, (_, i) => {
    const of = { siteId, day, visitId: from + i, at: day * dayMs + from + i };
    const visitor = createHash('sha256').update(String(of.visitId)).digest().subarray(0, 8);
    const visit = visitRecord({ ...of, id: of.visitId, visitor });
    return [recordedEntry(hitRecord(of), visit), recordedEntry(hitRecord(of)), recordedEntry(hitRecord(of))];
  });
  recorder(db).write(visits.flat());
};

/** Lets reading go on for some batches. */
const stopAfter = (batches: number) => {
  let left = batches;
  return (): void => {
    if (left-- === 0) throw new Error('stop');
  };
};

const factsOf = ({ visits, hits, firstAt, lastAt }: Day) => ({ visits, hits, firstAt, lastAt });

test('reading resumes where a pause ended it', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  // Some 8,000 rows are a batch, of visits and then of hits.
  writeVisits(db, siteId, 1, 9000);
  let batches = 0;
  const whole = factsOf(openDays(db).read(siteId, wholeOf, () => batches++));
  assert.equal(whole, { visits: 9000, hits: 27_000, firstAt: day * dayMs + 1, lastAt: day * dayMs + 9000 });
  assert.ok(batches >= 4);
  const { read } = openDays(db);
  for (let stops = 0; stops < batches; stops++) assert.throws(() => read(siteId, wholeOf, stopAfter(0)), 'stop');
  assert.equal(factsOf(read(siteId, wholeOf, stopAfter(0))), whole, 'nothing was read twice');
  db.close();
});

test('reading resumes even where there is no room to keep what was read', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  writeVisits(db, siteId, 1, 4500);
  let batches = 0;
  const options = { keptBytesMax: 0 };
  const whole = factsOf(openDays(db, options).read(siteId, wholeOf, () => batches++));
  const { read } = openDays(db, options);
  for (let stops = 0; stops < batches; stops++) assert.throws(() => read(siteId, wholeOf, stopAfter(0)), 'stop');
  assert.equal(factsOf(read(siteId, wholeOf, stopAfter(0))), whole);
  db.close();
});

test('a part is read in as many turns as it takes, and only once where it is at hand', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  writeVisits(db, siteId, 1, 1000);
  const options = { keptBytesMax: 0, partHitsMax: 1000 };
  const anew = openDays(db, options);
  const parts = partsOf(anew.parts({ siteId, day }));
  assert.is(parts.length, 4);
  const { read } = openDays(db, options);
  for (const part of parts) {
    const of = { day, part };
    let turns = 1;
    for (; turns < 1000; turns++) {
      try {
        read(siteId, of, stopAfter(0));
        break;
      } catch (error) {
        assert.is((error as Error).message, 'stop');
      }
    }
    assert.ok(turns > 2 && turns < 1000, `${turns} turns`);
    const found = read(siteId, of);
    assert.equal(columnsOf(found), columnsOf(anew.read(siteId, of)));
    assert.is(read(siteId, of), found, 'it is at hand');
  }
  db.close();
});

test('a large day is the same whenever it is folded', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const inSteps = openDays(db);
  for (let from = 1; from < 12_000; from += 3000) {
    writeVisits(db, siteId, from, 3000);
    inSteps.read(siteId, wholeOf);
  }
  const counting = openDays(db);
  assert.throws(() => counting.parts({ siteId, day }, stopAfter(0)), 'stop');
  assert.is(counting.parts({ siteId, day }, stopAfter(0)), 1, 'it was counted once');
  const atOnce = openDays(db).read(siteId, wholeOf);
  assert.is(atOnce.hits, 36_000);
  assert.equal(columnsOf(inSteps.read(siteId, wholeOf)), columnsOf(atOnce));
  db.close();
});

test('rows that came since the pause are read too', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  writeVisits(db, siteId, 1, 9000);
  const { read } = openDays(db);
  for (const batches of [0, 1]) {
    assert.throws(() => read(siteId, wholeOf, stopAfter(batches)), 'stop');
    writeVisits(db, siteId, 9001 + 10 * batches, 10);
  }
  assert.equal(factsOf(read(siteId, wholeOf)), factsOf(openDays(db).read(siteId, wholeOf)));
  for (let again = 0; again < 2; again++) assert.is(read(siteId, wholeOf).hits, 3 * 9020);
  db.close();
});

test('a day that cannot be resumed is read again', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  writeVisits(db, siteId, 100, 10);
  const { read } = openDays(db);
  assert.is(read(siteId, wholeOf).visits, 10);
  // An id below those that were read, and a hit of it above.
  db.prepare('update visit set id = 1 where site_id = ? and day = ? and id = 100').run(siteId, day);
  writeVisits(db, siteId, 110, 1);
  db.prepare('update hit set visit_id = 1 where site_id = ? and day = ? and visit_id = 110').run(siteId, day);
  db.prepare('delete from visit where site_id = ? and day = ? and id = 110').run(siteId, day);
  db.prepare('update hit set visit_id = 1 where site_id = ? and day = ? and visit_id = 100').run(siteId, day);
  assert.equal(factsOf(read(siteId, wholeOf)), factsOf(openDays(db).read(siteId, wholeOf)));
  db.close();
});

test.run();
