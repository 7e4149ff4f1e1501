import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import type { Database } from '../../../src/store/database.ts';
import { createByteCache } from '../../../src/store/day/byte-cache.ts';
import type { Day } from '../../../src/store/day/day.ts';
import { dayReader, sealedDays } from '../../../src/store/day/day-reader.ts';
import { dayVersions, versionText } from '../../../src/store/day/day-versions.ts';
import { encoded, sealAll } from '../../../src/store/day/seal.ts';
import { withHits } from '../../../src/store/day/some-hits.ts';
import { type UnitedDays, unitedDays } from '../../../src/store/day/united-days.ts';
import { recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';
import { importDay } from './import-day.ts';

const day = 20_000;
const siteDay = { siteId: 1, day };
const visitors = 64;

/** A day of two page views by each of some visitors, whose hashes are evenly spaced. */
const collected = (db: Database): void => {
  const entries = Array.from({ length: visitors }, (_, i) => {
    const visitor = Buffer.alloc(8);
    visitor.writeUInt32BE((i * 2 ** 32) / visitors);
    const begun = visitRecord({ ...siteDay, id: i + 1, visitor });
    return [0, 1].map(hit =>
      recordedEntry(
        hitRecord({ ...siteDay, visitId: i + 1, at: day * dayMs + i * 1000 + hit, path: `/${hit}` }),
        hit === 0 ? begun : undefined,
      ),
    );
  });
  recorder(db).write(entries.flat());
};

/** Imports of what was collected, each in so many parts. */
const withImports = (parts: number, count: number): Database => {
  const { db } = temporaryDatabase();
  addSite(db);
  collected(db);
  const [whole] = [...dayReader(db, 0).days(1, 0, 4e12)] as [Day];
  for (let i = 0; i < count; i++) importDay(db, whole, parts, i);
  return db;
};

/** Writes the parts of imports anew, each without as many of its hits as are given. */
const takeFromParts = (db: Database, hits: readonly number[]): void => {
  const days = sealedDays(db, createByteCache(0));
  const setColumn = db.prepare('update sealed_column set data = ? where part_id = ? and name = ?');
  const setFacts = db.prepare(
    `update day_part set visits = @visits, hash_visits = @hashVisits, hits = @hits, first_at = @firstAt, last_at = @lastAt
     where id = @id`,
  );
  const found = days.between(1, day, day).filter(({ part }) => part.importId !== undefined);
  for (const facts of found) {
    const count = hits[facts.part.number]!;
    if (count === 0) continue;
    const stays = Uint8Array.from({ length: facts.hits }, (_, hit) => (hit < count ? 0 : 1));
    const left = encoded(withHits(days.day(facts), stays));
    for (const { name, data } of left.columns) setColumn.run(data, facts.id, name);
    const { visits, hashVisits, hits: of, firstAt, lastAt } = left.facts;
    setFacts.run({ visits, hashVisits, hits: of, firstAt, lastAt, id: facts.id });
  }
  db.prepare('update day_part set version = version + 1 where import_id > 0').run();
};

/** Of each part of the day that has hits: how many, and its visits' durations. */
const read = (reader: UnitedDays): { hits: number; durations: number[] }[] =>
  reader
    .outline(1, 0, 4e12)
    .flatMap(of => reader.day(1, of).map(each => ({ hits: each.hits, durations: [...each.numbers('duration')] })));

test('what is kept of a day is not taken for the day after a part of an import has changed', () => {
  const db = withImports(4, 1);
  sealAll(db, day + 2, 0);
  const reader = unitedDays(dayReader(db, 1e6));
  const versions = new Set<string>();
  const known = (): void => {
    assert.equal(read(reader), read(unitedDays(dayReader(db, 0))));
    versions.add(versionText(dayVersions(db)(1, day, day).get(day)!));
  };
  known();
  const changes = [
    [0, 0, 3, 0],
    [0, 3, 0, 0],
    [0, 0, 0, visitors / 4],
  ];
  for (const hits of changes) {
    takeFromParts(db, hits);
    known();
  }
  assert.is(versions.size, 1 + changes.length);
  db.close();
});

test('a part of a day that none of its sources has hits of any more has none', () => {
  const db = withImports(2, 2);
  // Nothing but the imports is left.
  db.exec('delete from hit; delete from visit');
  const reader = unitedDays(dayReader(db, 1e6));
  const [, { hits }] = read(reader) as [unknown, { hits: number }];
  const outlined = reader.outline(1, 0, 4e12);
  takeFromParts(db, [0, hits / 2]);
  assert.equal(
    outlined.map(of => reader.day(1, of).length),
    [1, 0],
  );
  assert.is(read(reader).length, 1);
  db.close();
});

test.run();
