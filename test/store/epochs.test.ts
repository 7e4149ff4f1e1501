/** What hits of collectors are called: over starts, copies of a directory, old copies and days that are forgotten. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { type Database, databaseFile, openDatabase } from '../../src/store/database.ts';
import { beginEpoch, epochs } from '../../src/store/epochs.ts';
import { textReader } from '../../src/store/texts.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, temporaryDir, visitRecord } from '../helpers.ts';
import { firstDay, type Random, randomFrom } from '../query/random-site.ts';

const identity = '0123456789abcdef'.repeat(2);
let taken = 0;

/** A hit of a day with a path that no other has. */
const takeHit = (db: Database, day: number): void => {
  const at = day * dayMs + (taken % 1000);
  const record = recorder(db);
  const of = { siteId: 1, day };
  const id = record.nextVisitId();
  const hit = hitRecord({ ...of, visitId: id, at, path: `/${taken++}` });
  record.write([recordedEntry(hit, visitRecord({ ...of, id }))]);
};

/** The paths of all hits by what they are called. */
const named = (db: Database): Map<bigint, string> => {
  const { keyOf } = epochs(db);
  const { text } = textReader(db);
  const rows = db.prepare('select id, path from hit').raw().all() as [number, number][];
  return new Map(rows.map(([id, path]) => [keyOf(id), text(1, path)!]));
};

const copyOf = (db: Database): Database => {
  db.pragma('wal_checkpoint(truncate)');
  const dir = temporaryDir();
  copyFileSync(db.name, join(dir, databaseFile(dir).slice(dir.length + 1)));
  return openDatabase(dir);
};

const tryDirectories = (random: Random): void => {
  const bytes = (count: number): Uint8Array => Uint8Array.from({ length: count }, () => random.below(256));
  const { db } = temporaryDatabase();
  addSite(db);
  for (let hits = random.below(3); hits > 0; hits--) takeHit(db, firstDay);
  let directories = [db];
  const known = new Map<bigint, string>();
  for (let step = 0; step < 40; step++) {
    const one = random.pick(directories);
    const what = random.below(5);
    // A copy, an old one too, is started like any other directory; nobody takes hits before that.
    if (what === 0 && directories.length < 6) directories = [...directories, copyOf(one)];
    if (what <= 1) beginEpoch(directories.at(-1)!, identity, bytes);
    if (what === 2) beginEpoch(one, identity, bytes);
    if (what === 3 && step > 5) {
      const day = firstDay + random.below(3);
      for (const table of ['hit', 'visit']) one.prepare(`delete from ${table} where day = ?`).run(day);
      beginEpoch(one, identity, bytes);
    }
    if (one.prepare('select count(*) from epoch').pluck().get() === 0) beginEpoch(one, identity, bytes);
    for (let hits = random.below(4); hits > 0; hits--) takeHit(one, firstDay + random.below(3));
    for (const [key, path] of named(one)) assert.is(known.get(key) ?? path, path, 'two hits have one name');
    for (const [key, path] of named(one)) known.set(key, path);
  }
  assert.is(new Set(known.values()).size, known.size, 'one hit has two names');
  for (const of of directories) of.close();
};

test('a hit has one name, and no other hit has it, whatever becomes of the directory', () => {
  for (let seed = 1; seed <= 8; seed++) tryDirectories(randomFrom(seed));
});

test('hits that count are told by epoch, with the sum of their keys', () => {
  const { db } = temporaryDatabase();
  addSite(db);
  const first = Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 2]);
  beginEpoch(db, identity, () => first);
  for (let hits = 0; hits < 3; hits++) takeHit(db, firstDay);
  beginEpoch(db, identity, () => first.map(byte => 255 - byte));
  takeHit(db, firstDay + 1);
  takeHit(db, firstDay);
  const [a, b] = [0x80_0000_0000_0001n, 0x7f7f_ffff_ffff_fffen];
  assert.equal(epochs(db).ranges({ siteId: 1, day: firstDay }), [
    { first: a + 1n, last: a + 3n, hits: 3, keySum: 3n * a + 6n },
    { first: b + 5n, last: b + 5n, hits: 1, keySum: b + 5n },
  ]);
  assert.is(epochs(db).newest(), b);
  db.close();
});

test('of epochs without hits none stays but the newest', () => {
  const { db } = temporaryDatabase();
  addSite(db);
  let started = 0;
  for (let start = 0; start < 20; start++) {
    beginEpoch(db, identity, count => new Uint8Array(count).fill(++started));
    takeHit(db, firstDay + start);
    if (start >= 2)
      for (const table of ['hit', 'visit']) db.prepare(`delete from ${table} where day = ?`).run(firstDay + start - 2);
  }
  assert.ok((db.prepare('select count(*) from epoch').pluck().get() as number) <= 4);
  db.close();
});

test.run();
