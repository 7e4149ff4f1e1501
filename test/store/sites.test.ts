import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accounts } from '../../src/store/accounts/accounts.ts';
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

test('a name belongs to one site, and finds it', () => {
  const { db } = temporaryDatabase();
  const all = sites(db);
  const aliases = ['old.example', '11111111-2222-4333-8444-555555555555', 'matomo:1', 'goatcounter:shop'];
  const site = addSite(db, { domain: 'a.example', aliases });
  const other = addSite(db, { domain: 'b.example' });
  const directory = siteDirectory(db);
  assert.equal(site.aliases, aliases.toSorted());
  for (const name of [...aliases, 'A.example', 'OLD.example', site.publicKey, site.uuid])
    assert.is(directory.find(name)?.id, site.id, name);
  for (const name of ['c.example', 'matomo:2', '', 'x'.repeat(300)]) assert.is(directory.find(name), undefined, name);

  const refused = (name: string, change: () => unknown): void =>
    assert.throws(
      change,
      (error: unknown) =>
        error instanceof UniqueViolation && error.message === `${name} is a name of another site already.`,
    );
  for (const name of ['matomo:1', 'a.example', site.uuid])
    refused(name, () => all.set(other.id, { ...other, timezone: 'Europe/Paris', aliases: ['free.example', name] }));
  refused('old.example', () => addSite(db, { domain: 'old.example' }));
  refused('old.example', () => all.set(other.id, { ...other, domain: 'old.example' }));
  refused(aliases[1]!, () => addSite(db, { uuid: aliases[1]! }));
  assert.equal(all.list(), [site, other], 'nothing of a refused change is kept');

  all.set(site.id, { ...site, aliases: ['matomo:1', 'a.example'] });
  all.set(other.id, { ...other, aliases: ['old.example'] });
  all.reset(site.id);
  directory.reload();
  assert.is(directory.find('matomo:1')?.uuid, site.uuid);
  assert.is(directory.find('old.example')?.id, other.id);
  all.remove(other.id);
  addSite(db, { domain: 'old.example' });
  db.close();
});

test('one domain in two accounts is the first site’s, or that of the account that asks', () => {
  const { db } = temporaryDatabase();
  const acme = accounts(db).add('acme', 'pro', 0);
  const later = addSite(db, { domain: 'a.example', createdAt: 2 });
  const first = addSite(db, { domain: 'a.example', accountId: acme.id, createdAt: 1 });
  const directory = siteDirectory(db);
  assert.equal(
    [undefined, acme.id, later.accountId].map(account => directory.find('a.example', account)?.id),
    [first.id, first.id, later.id],
  );
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
