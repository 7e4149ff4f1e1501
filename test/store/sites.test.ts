import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { siteDirectory, sites } from '../../src/store/sites.ts';
import { UniqueViolation } from '../../src/store/unique-violation.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';

test('add and set refuse a taken domain with one sentence', () => {
  const { db } = temporaryDatabase();
  const first = addSite(db, { domain: 'a.example' });
  const second = addSite(db, { domain: 'b.example' });
  const isTaken = (error: unknown) =>
    error instanceof UniqueViolation && error.message === 'There is a site a.example already.';
  assert.throws(() => addSite(db, { domain: 'a.example' }), isTaken);
  assert.throws(() => sites(db).set(second.id, { ...second, domain: 'a.example' }), isTaken);
  sites(db).set(first.id, first);
  assert.throws(() => addSite(db, { publicKey: first.publicKey }), /There is a site with this id or key already\./);
  db.close();
});

test('the token of a public dashboard leads to its site, through a reset too', () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const other = addSite(db);
  const all = sites(db);
  assert.equal([all.shareToken(site.id), all.shared('t1')?.id], [null, undefined]);
  all.setShareToken(site.id, 't1');
  assert.equal([all.shareToken(site.id), all.shareToken(other.id), all.shared('t1')?.id], ['t1', null, site.id]);
  all.setShareToken(site.id, 't2');
  assert.equal([all.shared('t1')?.id, all.shared('t2')?.id], [undefined, site.id]);

  all.reset(site.id);
  const { id: siteId } = siteDirectory(db).find(site.uuid)!;
  assert.is.not(siteId, site.id);
  assert.is(all.shared('t2')?.id, siteId);
  all.setShareToken(siteId, null);
  assert.is(all.shared('t2')?.id, undefined);
  db.close();
});

test.run();
