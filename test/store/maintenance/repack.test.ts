import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { isOfThisFormat } from '../../../src/store/day/column-codec.ts';
import { columnsOf } from '../../../src/store/day/day.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { dayVersions } from '../../../src/store/day/day-versions.ts';
import { flat } from '../../../src/store/day/unpack.ts';
import { checkDatabase } from '../../../src/store/maintenance/check.ts';
import { repack } from '../../../src/store/maintenance/repack.ts';
import { temporaryDir } from '../../helpers.ts';
import { writeOlder } from '../../tools/older.ts';

/** A database of before columns took less: sealed days, parts, imports, and what is unfinished. */
const before = (): { dataDir: string; db: Database } => {
  const dataDir = temporaryDir();
  writeOlder(dataDir);
  return { dataDir, db: openDatabase(dataDir) };
};

const siteIds = (db: Database): number[] =>
  db.prepare('select distinct site_id from day_part order by 1').pluck().all() as number[];

/** All that is read of all days, and their versions. */
const allOf = (db: Database): unknown =>
  siteIds(db).map(siteId => [
    [...dayVersions(db)(siteId, 0, 2 ** 31)],
    [...dayReader(db, 0).days(siteId, 0, Number.MAX_SAFE_INTEGER)].map(day => [
      [day.day, day.part, day.version, day.visits, day.hits, day.firstAt, day.lastAt],
      columnsOf(day).map(([name, column]) => {
        if (column.kind === 'text') return [name, [...column.dictionary], [...flat(column.codes)]];
        return [name, [...(column.kind === 'hash' ? column.values : flat(column.values))]];
      }),
      [...(day.marks?.() ? columnsOf(day.marks()!).map(([name]) => name) : [])],
    ]),
  ]);

const oldColumns = (db: Database): number =>
  (db.prepare(`select data from sealed_column where name <> 'marks'`).pluck().all() as Buffer[]).filter(
    data => !isOfThisFormat(data),
  ).length;

const bytesOf = (db: Database): number =>
  db.prepare('select sum(length(data)) from sealed_column').pluck().get() as number;

test('days become smaller and stay the same, whenever it is stopped', () => {
  const { db } = before();
  const want = allOf(db);
  const bytes = bytesOf(db);
  assert.ok(oldColumns(db) > 100);
  let stops = 0;
  let written = 0;
  for (let isDone = false; !isDone; stops++) {
    isDone = true;
    let steps = 0;
    const work = repack(db);
    for (const step of work) {
      if (steps === 0) written = 0;
      written = Math.max(written, step.parts);
      // At another step each time: some columns of a part are of each format then.
      if (steps++ < 1 + (stops % 5)) continue;
      isDone = false;
      break;
    }
    work.return(undefined);
    assert.equal(allOf(db), want, `stopped ${stops} times`);
  }
  assert.ok(stops > 10);
  assert.ok(bytesOf(db) < 0.9 * bytes, `${bytesOf(db)} of ${bytes} bytes`);
  assert.equal(
    [...checkDatabase(db)].flatMap(({ problems }) => problems),
    [],
  );
  const counted = db
    .prepare(
      `select count(*) from day_part p where sealed_at is not null
       and bytes <> (select sum(length(data)) from sealed_column where part_id = p.id)`,
    )
    .pluck()
    .get();
  assert.is(counted, 0, 'parts know how large they are');
  db.close();
});

test('what is read by a connection that has begun, and by one with kept columns, stays the same', () => {
  const { db, dataDir } = before();
  const other = openDatabase(dataDir);
  const reader = dayReader(other, 1e7);
  const pathsAndEntries = (): unknown =>
    siteIds(other).map(siteId =>
      [...reader.days(siteId, 0, Number.MAX_SAFE_INTEGER)].map(day => [
        [...day.texts('entryPath').codes],
        [...day.numbers('pageviews')],
        [...day.texts('title').codes],
      ]),
    );
  const want = pathsAndEntries();
  for (const _ of repack(db)) assert.equal(pathsAndEntries(), want);
  other.close();
  db.close();
});

test('a part that changes or goes meanwhile is left alone', () => {
  for (const change of [
    'update day_part set version = version + 1',
    'delete from sealed_column; delete from day_part',
  ]) {
    const { db } = before();
    const work = repack(db);
    work.next();
    db.exec(change);
    const old = oldColumns(db);
    work.next();
    assert.is(oldColumns(db), old);
    work.return(undefined);
    db.close();
  }
});

test.run();
