/** What is known of the hits that wait to be sent. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpenVisits } from '../../src/cluster/open-visits.ts';
import { dayMs } from '../../src/model/time.ts';
import { someRows } from '../../src/store/day/open/some-rows.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';
import { firstDay } from '../query/random-site.ts';

test('hits that were not read yet wait, too, but for those that were sent before a restart', () => {
  const { db } = temporaryDatabase();
  const of = { siteId: addSite(db).id, day: firstDay };
  const at = firstDay * dayMs + 5000;
  const entries = [0, 1, 2].map(i =>
    recordedEntry(hitRecord({ ...of, visitId: i + 1, at: at + i }), visitRecord({ ...of, id: i + 1 })),
  );
  recorder(db).write(entries);
  const rows = someRows(db);
  const [firstId, secondId, lastId] = rows.hitsAfter(of, 0, 3).map(([id]) => id) as [number, number, number];
  const hurried = (sentTo: number): OpenVisits => {
    // No time to read anything.
    const visits = new OpenVisits(rows, sentTo, -1);
    visits.read();
    return visits;
  };
  assert.equal(hurried(0).waiting(), { hits: 1, since: at });
  assert.equal(hurried(firstId).waiting(), { hits: 1, since: at + 1 });
  assert.equal(hurried(secondId).waiting(), { hits: 1, since: at + 2 });
  assert.equal(hurried(lastId).waiting(), { hits: 0, since: null });
  const patient = new OpenVisits(rows, firstId);
  patient.read();
  assert.equal(patient.waiting(), { hits: 2, since: at + 1 });
  patient.sent(patient.due(100));
  assert.equal(patient.waiting(), { hits: 0, since: null });
});

test.run();
