import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { daysWithRows } from '../../../src/store/day/open/open-days.ts';
import { wholeDays } from '../../../src/store/day/whole-days.ts';
import { type Entry, recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';

const day = 20_000;
const entries = (siteId: number): Entry[] => [
  recordedEntry(hitRecord({ siteId, day, visitId: 1, at: day * dayMs }), visitRecord({ siteId, day, id: 1 })),
  recordedEntry(hitRecord({ siteId, day, visitId: 1, at: day * dayMs + 1000 })),
];

test('what work writes and seals is visible at once to every connection', async () => {
  const { db, dataDir } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const other = openDatabase(dataDir);
  const days = wholeDays(db);
  const seen = (): number => [...dayReader(other, 0).days(siteId, 0, 4e12)][0]?.hits ?? 0;
  await days.write(async () => {
    recorder(db).write(entries(siteId));
    assert.is(seen(), 0);
    assert.is(days.seal({ siteId, day }, 0).hits, 2);
    await Promise.resolve();
    assert.is(seen(), 0);
  });
  assert.is(seen(), 2);
  assert.equal([...days.sealed(siteId)], [day]);
  assert.equal(daysWithRows(db)(siteId), []);
  days.checkpoint();
  other.close();
  db.close();
});

test('failed work leaves nothing', async () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const days = wholeDays(db);
  const failing = days.write(async () => {
    recorder(db).write(entries(siteId));
    days.seal({ siteId, day }, 0);
    throw new Error('stop');
  });
  await failing.then(assert.unreachable, error => assert.is(error.message, 'stop'));
  assert.equal([...days.sealed(siteId)], []);
  assert.equal([...dayReader(db, 0).days(siteId, 0, 4e12)], []);
  assert.is(db.inTransaction, false);
  db.close();
});

test('a day without hits can be sealed and is not read', async () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const days = wholeDays(db);
  await days.write(async () => {
    days.seal({ siteId, day }, 0);
  });
  assert.equal([...days.sealed(siteId)], [day]);
  assert.equal([...dayReader(db, 0).days(siteId, 0, 4e12)], []);
  assert.is(dayReader(db, 0).firstAt(siteId), null);
  db.close();
});

test.run();
