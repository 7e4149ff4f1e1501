import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sealAll } from '../../../src/store/day/seal.ts';
import { checkDatabase } from '../../../src/store/maintenance/check.ts';
import { dropSites, startSiteDropper } from '../../../src/store/maintenance/drop-sites.ts';
import { sites } from '../../../src/store/sites.ts';
import { recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';
import { until } from '../../tools/conditions.ts';

const day = 20_000;
const at = day * 86_400_000;

const hitOf = (siteId: number, visitId: number) =>
  recordedEntry(hitRecord({ siteId, day, visitId, at }), visitRecord({ siteId, day, id: visitId }));

test('rows of a removed site are deleted step by step, also after an interruption', () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const other = addSite(db);
  const rows = recorder(db);
  rows.write([hitOf(other.id, 1), ...Array.from({ length: 6000 }, (_, i) => hitOf(site.id, i + 2))]);
  const hits = (siteId: number) => db.prepare('select count(*) from hit where site_id = ?').pluck().get(siteId);

  sites(db).remove(site.id);
  assert.is(hits(site.id), 6000);
  const steps = dropSites(db);
  while (hits(site.id) === 6000) steps.next();
  assert.is(hits(site.id), 5000);

  for (const _ of dropSites(db));
  assert.equal([hits(site.id), hits(other.id)], [0, 1]);

  // A hit that was on its way when the site was removed comes after its rows were dropped.
  rows.write([hitOf(site.id, 7000)]);
  for (const _ of dropSites(db));
  assert.is(hits(site.id), 0);
  for (const _ of dropSites(db));
  assert.ok(dropSites(db).next().done, 'nothing is left to look at');
  db.close();
});

test('nobody reads half of a sealed day of a removed site, wherever the deletion is interrupted', () => {
  const { db } = temporaryDatabase();
  const [site, other] = [addSite(db), addSite(db)];
  const visits = Array.from({ length: 40 }, (_, i) => hitOf(site.id, i + 2));
  recorder(db).write([hitOf(other.id, 1), ...visits]);
  sealAll(db, day + 1, 0, 10);
  sites(db).remove(site.id);
  for (const _ of dropSites(db))
    assert.equal(
      [...checkDatabase(db)].flatMap(({ problems }) => problems),
      [],
    );
  assert.equal(db.prepare('select distinct site_id from day_part').pluck().all(), [other.id]);
  db.close();
});

test('a running server deletes what a stop left, and then what is removed', async () => {
  const { db } = temporaryDatabase();
  const [left, removed] = [addSite(db), addSite(db)];
  recorder(db).write([hitOf(left.id, 1), hitOf(removed.id, 2)]);
  const hits = db.prepare('select count(*) from hit').pluck();
  sites(db).remove(left.id);

  await startSiteDropper(db, () => {}).close();
  assert.is(hits.get(), 2, 'it stopped before its first step');

  const dropper = startSiteDropper(db, () => {});
  await until('what was left is deleted', () => hits.get() === 1);
  sites(db).remove(removed.id);
  dropper.start();
  await until('the removed site is deleted', () => hits.get() === 0);
  await dropper.close();
  db.close();
});

test.run();
