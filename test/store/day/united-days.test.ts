import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import type { Database } from '../../../src/store/database.ts';
import type { Day } from '../../../src/store/day/day.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { dayVersions, versionText } from '../../../src/store/day/day-versions.ts';
import { sealAll } from '../../../src/store/day/seal.ts';
import { type UnitedDays, unitedDays } from '../../../src/store/day/united-days.ts';
import { removals } from '../../../src/store/removal/removals.ts';
import { takeOut } from '../../../src/store/removal/take-out.ts';
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

/**
 * Takes as many hits out of each part as are given. Where a hit was collected and imported, both have
 * its time, and the one that was collected stands first: `positionOf` tells which hits go.
 */
const takeFromParts = (db: Database, hits: readonly number[], positionOf = (hit: number): number => hit): void => {
  const removal = removals(db).begin({ siteId: 1, filters: '', period: '', createdAt: 0, file: null });
  const find = ({ part }: Day): Uint32Array =>
    Uint32Array.from({ length: hits[part.number]! }, (_, hit) => positionOf(hit));
  for (const _ of takeOut(db, removal, 0, 4e12, find));
  removals(db).finish(removal.id, 1);
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
    [0, 0, 0, (2 * visitors) / 4],
  ];
  for (const hits of changes) {
    takeFromParts(db, hits, hit => 2 * hit + 1);
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
  takeFromParts(db, [0, hits]);
  assert.equal(
    outlined.map(of => reader.day(1, of).length),
    [1, 0],
  );
  assert.is(read(reader).length, 1);
  db.close();
});

test.run();
