import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { recorder } from '../../src/store/recorder.ts';
import { siteDirectory, sites } from '../../src/store/sites.ts';
import { TakenError } from '../../src/store/taken.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';

const day = 20_000;
const at = day * 86_400_000;

const hitOf = (siteId: number, visitId: number) =>
  recordedEntry(hitRecord({ siteId, day, visitId, at }), visitRecord({ siteId, day, id: visitId }));

test('a domain that is taken is refused by add and by set, in one sentence', () => {
  const { db } = temporaryDatabase();
  const first = addSite(db, { domain: 'a.example' });
  const second = addSite(db, { domain: 'b.example' });
  const isTaken = (error: unknown) =>
    error instanceof TakenError && error.message === 'There is a site a.example already.';
  assert.throws(() => addSite(db, { domain: 'a.example' }), isTaken);
  assert.throws(() => sites(db).set(second.id, { ...second, domain: 'a.example' }), isTaken);
  sites(db).set(first.id, first);
  assert.throws(() => addSite(db, { publicKey: first.publicKey }), /There is a site with this id or key already\./);
  db.close();
});

test('rows of a site that is gone are deleted step by step, and an interrupted deletion is taken up again', () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const other = addSite(db);
  const rows = recorder(db);
  rows.write([hitOf(other.id, 1), ...Array.from({ length: 6000 }, (_, i) => hitOf(site.id, i + 2))]);
  const hits = (siteId: number) => db.prepare('select count(*) from hit where site_id = ?').pluck().get(siteId);

  sites(db).remove(site.id);
  assert.is(hits(site.id), 6000);
  const steps = sites(db).drop();
  while (hits(site.id) === 6000) steps.next();
  assert.is(hits(site.id), 5000);

  for (const _ of sites(db).drop());
  assert.equal([hits(site.id), hits(other.id)], [0, 1]);

  // A hit that was on its way when the site was removed comes after its rows were dropped.
  rows.write([hitOf(site.id, 7000)]);
  for (const _ of sites(db).drop());
  assert.is(hits(site.id), 0);
  for (const _ of sites(db).drop());
  assert.ok(sites(db).drop().next().done, 'nothing is left to look at');
  db.close();
});

test('the token of a public dashboard leads to its site, through a reset too', () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const other = addSite(db);
  const all = sites(db);
  assert.equal([all.shareToken(site.id), all.shared('t1')], [null, undefined]);
  all.setShareToken(site.id, 't1');
  assert.equal([all.shareToken(site.id), all.shareToken(other.id), all.shared('t1')], ['t1', null, site.id]);
  all.setShareToken(site.id, 't2');
  assert.equal([all.shared('t1'), all.shared('t2')], [undefined, site.id]);

  all.reset(site.id);
  const { id: siteId } = siteDirectory(db).find(site.uuid)!;
  assert.is.not(siteId, site.id);
  assert.is(all.shared('t2'), siteId);
  all.setShareToken(siteId, null);
  assert.is(all.shared('t2'), undefined);
  db.close();
});

test.run();
