import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sitesMax } from '../../src/model/limits.ts';
import { newSite } from '../../src/model/new-site.ts';
import { newShare } from '../../src/model/share.ts';
import type { Rollup, Site } from '../../src/model/site.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { shares } from '../../src/store/shares.ts';
import { siteDirectory, sites, TooManySites } from '../../src/store/sites.ts';
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

test('links to public pages go through a reset, and with the site', () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const [all, links] = [sites(db), shares(db)];
  const own = links.add(site.id, 't1', { ...newShare, name: 'public' }, 0);
  all.reset(site.id);
  const { id: siteId } = siteDirectory(db).find(site.uuid)!;
  assert.is.not(siteId, site.id);
  assert.equal(links.find('t1'), { ...own, siteId });
  all.remove(siteId);
  assert.is(links.find('t1'), undefined);
  db.close();
});

test('an account has a bound of its own on sites', () => {
  const { db } = temporaryDatabase();
  const accountId = accounts(db).add('crowded', 'pro', 0).id;
  const add = (i: number) => sites(db).add(newSite({ accountId, domain: `site${i}.example` }, 0, randomBytes));
  db.transaction(() => {
    for (let i = 0; i < sitesMax; i++) add(i);
  })();
  assert.throws(
    () => add(sitesMax),
    (error: unknown) =>
      error instanceof TooManySites && error.message === 'An account has at most 1,000 sites and rollups.',
  );
  const other = accounts(db).add('other', 'pro', 0);
  assert.is(addSite(db, { accountId: other.id }).accountId, other.id);
  const [first] = sites(db).list(accountId);
  sites(db).remove(first!.id);
  assert.is(add(sitesMax).accountId, accountId);
  db.close();
});

test('a site that is read alone is found as if all were read', () => {
  const { db } = temporaryDatabase();
  const all = sites(db);
  const made = ['b', 'a', 'c'].map(name => addSite(db, { domain: `${name}.example`, aliases: [`${name}.alias`] }));
  const [first, second] = made as [Site, Site, Site];
  const directory = siteDirectory(db);
  const names = ['a', 'b', 'c', 'd', 'e'].flatMap(name => [`${name}.example`, `${name}.alias`]);
  const isAsFresh = (): void => {
    const fresh = siteDirectory(db);
    for (const name of [...names, ...made.map(({ uuid }) => uuid)])
      assert.equal(directory.find(name), fresh.find(name));
    assert.equal(directory.ofAccount(first.accountId), fresh.ofAccount(first.accountId));
    const rollup = { accountId: first.accountId, members: made.map(({ uuid }) => uuid) } as Rollup;
    assert.equal(directory.members(rollup), fresh.members(rollup));
    assert.is(directory.members(rollup).length, made.length);
  };
  all.set(first.id, { ...first, timezone: 'Europe/Paris', aliases: ['d.alias', 'b.alias'] });
  directory.reload(first.id);
  assert.is(directory.find('d.alias')?.timezone, 'Europe/Paris');
  isAsFresh();
  all.set(second.id, { ...second, domain: 'd.example', aliases: [] });
  directory.reload(second.id);
  assert.is(directory.find('a.example') ?? directory.find('a.alias'), undefined);
  isAsFresh();
  made.push(addSite(db, { domain: 'e.example' }));
  directory.reload(made.at(-1)!.id);
  isAsFresh();

  const untold = directory.byId(first.id);
  all.set(first.id, { ...first, currency: 'USD' });
  directory.reload(second.id);
  assert.is(directory.byId(first.id), untold, 'no other site is read');
  db.close();
});

test('a change of one site leaves the others as they were read', () => {
  const { db } = temporaryDatabase();
  const one = addSite(db, { aliases: ['one.example', 'uno.example'] });
  const two = addSite(db, { aliases: ['moves.example'] });
  const all = sites(db);
  const directory = siteDirectory(db);
  const before = directory.byId(one.id);
  assert.equal(before, one);

  all.set(two.id, { ...two, excludedPaths: ['/x'], aliases: [] });
  directory.reload();
  assert.is(directory.byId(one.id), before);
  assert.equal(directory.byId(two.id)?.excludedPaths, ['/x']);
  assert.is(directory.find('moves.example'), undefined);

  all.set(one.id, { ...one, aliases: ['one.example', 'moves.example'] });
  directory.reload();
  const found = (names: string[]) => names.map(name => directory.find(name)?.id);
  assert.equal(found(['moves.example', 'one.example', 'uno.example']), [one.id, one.id, undefined]);

  all.reset(one.id);
  directory.reload();
  const reset = directory.find('moves.example')!;
  assert.ok(reset.id > two.id && reset.uuid === one.uuid);
  assert.is(directory.byId(one.id), undefined);

  all.remove(reset.id);
  const third = { uuid: 'third', publicKey: 'pk_live_third', domain: one.domain, aliases: ['moves.example'] };
  const three = addSite(db, third);
  directory.reload();
  assert.equal(found(['moves.example', one.domain, one.publicKey]), [three.id, three.id, undefined]);
  assert.equal(directory.ofAccount(one.accountId), all.list());
  db.close();
});

test('a site without a digest, as an earlier version’s primary tells it, is always read again', () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const directory = siteDirectory(db);
  const change = (timezone: string) => {
    db.prepare(`update site set digest = '', timezone = ? where id = ?`).run(timezone, site.id);
    directory.reload();
    return directory.byId(site.id)?.timezone;
  };
  assert.is(change('Europe/Paris'), 'Europe/Paris');
  assert.is(change('Asia/Tokyo'), 'Asia/Tokyo');
  db.close();
});

test.run();
