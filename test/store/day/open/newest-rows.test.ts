import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, hourMs, minuteMs } from '../../../../src/model/time.ts';
import { newestId, visitsSince } from '../../../../src/store/day/open/newest-rows.ts';
import { sealAll } from '../../../../src/store/day/seal.ts';
import { recorder } from '../../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../../helpers.ts';

const day = 20_000;

test('the highest ids are found over sites and days, open ones alone', () => {
  const { db } = temporaryDatabase();
  const [first, second] = [addSite(db).id, addSite(db).id];
  assert.equal([newestId(db, 'visit'), newestId(db, 'hit')], [0, 0]);
  const { write } = recorder(db);
  const visit = (siteId: number, onDay: number, id: number) => {
    const of = { siteId, day: onDay, at: onDay * dayMs, visitId: id };
    write([recordedEntry(hitRecord(of), visitRecord({ ...of, id })), recordedEntry(hitRecord(of))]);
  };
  visit(first, day - 1, 1);
  visit(second, day - 1, 5);
  visit(first, day, 2);
  assert.equal([newestId(db, 'visit'), newestId(db, 'hit')], [5, 6]);
  sealAll(db, day, 0);
  assert.equal([newestId(db, 'visit'), newestId(db, 'hit')], [2, 6]);
  db.close();
});

test('visits that may go on are those with a hit since then, also when the clock was set back', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const { write } = recorder(db);
  const noon = day * dayMs + 12 * hourMs;
  const minutes: [visitId: number, minute: number][] = [
    [1, -200],
    [2, -40],
    [3, -31],
    [2, -10],
    [3, -29],
    // The clock goes back by half an hour; visit 4 is seen before and after.
    [4, -5],
    [5, -35],
    [4, -35],
    [6, -33],
  ];
  const begun = new Set<number>();
  for (const [visitId, minute] of minutes) {
    const of = { siteId, day, visitId, at: noon + minute * minuteMs };
    const visit = begun.has(visitId)
      ? undefined
      : visitRecord({ ...of, id: visitId, visitor: Buffer.alloc(8, visitId) });
    begun.add(visitId);
    write([recordedEntry(hitRecord(of), visit)]);
  }
  const active = visitsSince(db, noon - 30 * minuteMs).sort((a, b) => a.id - b.id);
  assert.equal(
    active.map(({ id, lastAt, visitor }) => [id, (lastAt - noon) / minuteMs, visitor[0]]),
    [
      [2, -10, 2],
      [3, -29, 3],
      [4, -5, 4],
    ],
  );
  assert.equal(visitsSince(db, noon + dayMs), []);
  db.close();
});

test.run();
