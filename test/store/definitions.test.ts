import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { definitionsMax } from '../../src/model/definitions.ts';
import { definitions } from '../../src/store/definitions.ts';
import { sites } from '../../src/store/sites.ts';
import { UniqueViolation } from '../../src/store/unique-violation.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';

test('definitions are added, changed, renamed and removed, by kind and site', () => {
  const { db } = temporaryDatabase();
  const [one, other] = ['a.example', 'b.example'].map(domain => addSite(db, { domain }).id) as [number, number];
  const { list, set, rename, remove } = definitions(db);
  set(one, 'segment', 'Late', { filters: 'path=/late' }, 2);
  set(one, 'segment', 'Early', { filters: 'path=/' }, 1);
  set(one, 'goal', 'Early', { conditions: 'event=A|event=B', value: 300 }, 1);
  set(other, 'segment', 'Early', { filters: 'path=/other' }, 1);
  set(one, 'segment', 'Early', { filters: 'path=/early' }, 3);
  assert.equal(list(one, 'segment'), [
    { name: 'Early', body: { filters: 'path=/early' }, createdAt: 1 },
    { name: 'Late', body: { filters: 'path=/late' }, createdAt: 2 },
  ]);
  assert.equal(list(one, 'goal'), [
    { name: 'Early', body: { conditions: 'event=A|event=B', value: 300 }, createdAt: 1 },
  ]);

  assert.throws(
    () => rename(one, 'segment', 'Early', 'Late', body => body),
    (error: unknown) => error instanceof UniqueViolation,
  );
  assert.ok(rename(one, 'segment', 'Early', 'First', body => body));
  assert.not(rename(one, 'segment', 'Early', 'Second', body => body));
  assert.ok(remove(one, 'segment', 'Late'));
  assert.not(remove(one, 'segment', 'Late'));
  assert.equal(
    list(one, 'segment').map(({ name }) => name),
    ['First'],
  );
  assert.equal(list(other, 'segment').length, 1);
  db.close();
});

test('a site has so many of each kind and no more', () => {
  const { db } = temporaryDatabase();
  const { id } = addSite(db);
  const { list, set } = definitions(db);
  for (let i = 0; i < definitionsMax; i++) assert.ok(set(id, 'segment', `s${i}`, { filters: 'path=/' }, i));
  assert.not(set(id, 'segment', 'one more', { filters: 'path=/' }, 1));
  assert.ok(set(id, 'segment', 's7', { filters: 'path=/seven' }, 1), 'a change is not one more');
  assert.ok(set(id, 'goal', 'one', { conditions: 'path=/', value: null }, 1));
  assert.is(list(id, 'segment').length, definitionsMax);
  db.close();
});

test('a reset keeps them, and they go with their site', () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const { list, set } = definitions(db);
  set(site.id, 'goal', 'Signup', { conditions: 'event=Signup', value: null }, 1);
  sites(db).reset(site.id);
  const [after] = sites(db).list();
  assert.is.not(after!.id, site.id);
  assert.is(list(after!.id, 'goal').length, 1);
  assert.is(list(site.id, 'goal').length, 0);
  db.close();
});

test.run();
