import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import type { Database } from '../../../src/store/database.ts';
import type { Day } from '../../../src/store/day/day.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { dayVersions } from '../../../src/store/day/day-versions.ts';
import { partsOf } from '../../../src/store/day/part.ts';
import { sealAll } from '../../../src/store/day/seal.ts';
import { uniteDays } from '../../../src/store/day/unite-days.ts';
import { type UnitedDays, unitedDays } from '../../../src/store/day/united-days.ts';
import { importDays } from '../../../src/store/imports/import-days.ts';
import { imports } from '../../../src/store/imports/imports.ts';
import { removals } from '../../../src/store/removal/removals.ts';
import { takeOut } from '../../../src/store/removal/take-out.ts';
import { recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';

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
  for (let i = 0; i < count; i++) {
    const totals = { visitors: null, visits: null, pageviews: null, events: null };
    const { id } = imports(db).begin(
      {
        ...{
          siteId: 1,
          kind: 'hits',
          format: 'ndjson',
          source: 'a',
          digest: Buffer.alloc(32, i),
          lines: 1,
          outcomes: {},
        },
        ...{ totals, firstAt: whole.firstAt, lastAt: whole.lastAt },
      },
      0,
    );
    const days = importDays(db);
    const rows = partsOf(parts).map(part => {
      const steps = days.addPart(id, { ...uniteDays([whole], part), part });
      let step = steps.next();
      while (!step.done) step = steps.next();
      return step.value;
    });
    days.addDay(1, day, id, rows, { crawls: [], outcomes: [], vitals: [] });
    imports(db).finish(id, 1);
  }
  return db;
};

/** Takes hits out of the imports: of each part, as many as are given. */
const takeFromParts = (db: Database, hits: readonly number[]): void => {
  const removal = removals(db).begin({ siteId: 1, filters: '', period: '', createdAt: 0, file: null });
  const find = ({ part }: Day): Uint32Array =>
    Uint32Array.from({ length: part.importId === undefined ? 0 : hits[part.number]! }, (_, hit) => hit);
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
    versions.add(dayVersions(db)(1, day, day).get(day)!);
  };
  known();
  const changes = [
    [0, 0, 3, 0],
    [0, 3, 0, 0],
    [0, 0, 0, (2 * visitors) / 4],
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
