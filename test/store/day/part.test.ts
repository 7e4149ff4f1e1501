/** Days that are read and sealed in parts, as days of many millions of hits are. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HitType } from '../../../src/model/hit.ts';
import { dayMs } from '../../../src/model/time.ts';
import type { Database } from '../../../src/store/database.ts';
import { columnsOf, type Day, factsOf } from '../../../src/store/day/day.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { encodeColumns } from '../../../src/store/day/derived.ts';
import { openDays } from '../../../src/store/day/open/open-days.ts';
import { marksName, partName, partsFor, partsMax, partsOf } from '../../../src/store/day/part.ts';
import { sealAll, sealDay, sealer } from '../../../src/store/day/seal.ts';
import { flat } from '../../../src/store/day/unpack.ts';
import { checkDatabase } from '../../../src/store/maintenance/check.ts';
import { pruner } from '../../../src/store/maintenance/prune.ts';
import { sweepTexts } from '../../../src/store/maintenance/unused-texts.ts';
import { type Entry, recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';

const day = 20_000;
const siteDay = { siteId: 1, day };

const types: HitType[] = ['pageview', 'custom', 'revenue', 'identify', 'duration', 'pageview'];

/** Hits of `visitors`, one after the other in turn, each with a visit of `hits` hits. */
const entriesOf = (visitors: number, hits: number, firstVisit = 1): Entry[] => {
  const entries: Entry[] = [];
  for (let i = 0; i < hits; i++)
    for (let visitor = 0; visitor < visitors; visitor++) {
      const visitId = firstVisit + visitor;
      const type = types[(i + visitor) % types.length]!;
      const hit = hitRecord({
        ...{ ...siteDay, visitId, at: day * dayMs + 1000 * i + visitor, type, path: `/${i % 7}` },
        event: type === 'custom' ? 'Play' : null,
        revenue: type === 'revenue' ? { amount: i, currency: 'EUR' } : null,
        identity: type === 'identify' ? { name: `n${i % 3}`, traits: '{}' } : null,
        properties: type === 'custom' ? [{ key: `key ${i % 4}`, type: 'number', value: i - 0.5 }] : [],
      });
      const hash = Buffer.alloc(8);
      hash.writeUInt32BE(((visitId * 0x9e3779b1) & 0xffffffff) >>> 0);
      const visit = visitRecord({ ...siteDay, id: visitId, visitor: hash, persistent: visitor % 3 === 0 });
      entries.push(recordedEntry(hit, i === 0 ? visit : undefined));
    }
  return entries;
};

const filled = (entries: readonly Entry[]): Database => {
  const { db } = temporaryDatabase();
  addSite(db);
  recorder(db).write(entries);
  return db;
};

const read = (db: Database, partHitsMax?: number): Day[] => [
  ...dayReader(db, 0, partHitsMax === undefined ? {} : { partHitsMax }).days(1, 0, 4e12),
];

/** The values of all columns, whether they are kept as arrays or packed. */
const plain = (of: Day): unknown[] => [
  partName(of),
  ...columnsOf(of).map(([name, column]) => {
    if (column.kind === 'text') return [name, [...column.dictionary], [...flat(column.codes)]];
    return [name, column.kind === 'hash' ? [...column.values] : [...flat(column.values)]];
  }),
];

test('there are as many parts as the hits need, and a bound to them', () => {
  assert.equal(
    [0, 10, 11, 20, 21, 41, 1e9].map(hits => partsFor(hits, 10)),
    [1, 1, 2, 2, 4, 8, partsMax],
  );
});

test('an open day reads in parts as it does once it is sealed in parts', () => {
  const db = filled(entriesOf(40, 12));
  const open = read(db, 60);
  assert.is(open.length, 16);
  assert.is(sealAll(db, day + 1, 0, 60)[0]!.hits, 320);
  const sealed = read(db);
  assert.equal(sealed.map(plain), open.map(plain));
  assert.equal(
    sealed.map(part => ({ ...factsOf(part), sealed: false })),
    open.map(factsOf),
  );
  const limits = sealed.map(({ part: { number, of } }) => [2n ** 64n * BigInt(number), BigInt(of)] as const);
  sealed.forEach((part, i) => {
    const [begin, of] = limits[i]!;
    for (const hash of part.hashes()) assert.ok(hash * of >= begin && hash * of < begin + 2n ** 64n);
  });
  assert.equal(db.prepare('select sum(visits) as visits, sum(hits) as hits from day_part').all(), [
    { visits: 40, hits: 320 },
  ]);
  db.close();
});

test('rows come while a day is read in parts, and in a temporary file', () => {
  const db = filled([]);
  const { write } = recorder(db);
  const entries = entriesOf(3, 3000);
  const { read: readPart } = openDays(db, { partHitsMax: 1, keptBytesMax: 1e9 });
  const { read: readAnew } = openDays(db, { partHitsMax: 1, keptBytesMax: 0 });
  const ofTwo = partsOf(2).map(part => ({ day, part }));
  let written = 0;
  for (const end of [30, 31, 5000, 8000, 9000]) {
    write(entries.slice(written, end));
    written = end;
    for (const of of ofTwo) {
      const fresh = plain(openDays(db, { partHitsMax: 1 }).read(1, of));
      assert.equal(plain(readPart(1, of)), fresh);
      assert.equal(plain(readAnew(1, of)), fresh);
    }
  }
  const [whole] = read(db);
  const parts = ofTwo.map(of => readPart(1, of));
  assert.is(parts[0]!.hits + parts[1]!.hits, whole!.hits);
  db.close();
});

test('reading in parts goes on where nobody waited any more', () => {
  const db = filled(entriesOf(2500, 3));
  const of = { day, part: { number: 1, of: 4 } };
  let batches = 0;
  const want = plain(openDays(db).read(1, of, () => batches++));
  const { read: readPart } = openDays(db);
  for (let stops = 0; stops < batches; stops++)
    assert.throws(
      () =>
        readPart(1, of, () => {
          throw new Error('stop');
        }),
      'stop',
    );
  assert.equal(
    plain(
      readPart(1, of, () => {
        throw new Error('nothing is read twice');
      }),
    ),
    want,
  );
  db.close();
});

test('what was read of an open day is forgotten once it is sealed, whatever is asked for then', () => {
  const entries = entriesOf(2500, 3);
  const db = filled(entries);
  const reader = dayReader(db, 0, { partHitsMax: 5000 });
  let batches = 0;
  const readPart = () => reader.day(1, { day, part: { number: 0, of: 2 } }, () => batches++);
  readPart();
  const inAll = batches;
  assert.ok(inAll > 0);
  readPart();
  assert.is(batches, inAll, 'nothing is read twice');
  sealAll(db, day + 1, 0);
  assert.equal(reader.outline(1, (day + 1) * dayMs, (day + 2) * dayMs), []);
  // Come again, the day is read from its first row on.
  for (const table of ['sealed_column', 'day_part']) db.exec(`delete from ${table}`);
  recorder(db).write(entries);
  readPart();
  assert.is(batches, 2 * inAll);
  db.close();
});

test('many properties make a day large', () => {
  const properties = Array.from({ length: 50 }, (_, i) => ({ key: `k${i}`, type: 'number', value: i / 7 }) as const);
  const of = { ...siteDay, visitId: 1, at: day * dayMs };
  const visit = visitRecord({ ...siteDay, id: 1 });
  const plainHits = filled([recordedEntry(hitRecord(of), visit), recordedEntry(hitRecord(of))]);
  const laden = filled([recordedEntry(hitRecord({ ...of, type: 'custom', event: 'x', properties }), visit)]);
  assert.equal(
    [plainHits, laden].map(db => openDays(db, { partHitsMax: 4 }).parts(siteDay)),
    [1, 8],
  );
  for (const db of [plainHits, laden]) db.close();
});

test('stopping at any step of sealing in parts loses nothing, whatever parts the next try has', () => {
  const want = read(filled(entriesOf(6, 2)))[0]!.hits;
  for (let stopAfter = 0; ; stopAfter += 7) {
    const db = filled(entriesOf(6, 2));
    let steps = 0;
    let isDone = true;
    for (const _ of sealDay(db, sealer(db), siteDay, 0, 3)) {
      if (steps++ !== stopAfter) continue;
      isDone = false;
      break;
    }
    const hitsOf = (): number => read(db).reduce((sum, { hits }) => sum + hits, 0);
    assert.is(hitsOf(), want, `stopped after step ${stopAfter}`);
    sealAll(db, day + 1, 0, [1e6, 6, 3, 1][stopAfter % 4]);
    assert.is(hitsOf(), want, `sealed after a stop after step ${stopAfter}`);
    const parts = db.prepare('select count(*) from day_part').pluck().get() as number;
    assert.is(
      db.prepare('select count(*) from sealed_column where name <> ?').pluck().get(marksName),
      parts * encodeColumns(read(db)[0]!).length,
      'no column of another try is left',
    );
    db.close();
    if (isDone) break;
  }
});

test('a day in parts is checked, keeps its texts, and is pruned with all of its parts', () => {
  const db = filled(entriesOf(12, 6));
  sealAll(db, day + 1, 0, 10);
  const textsBefore = db.prepare('select count(*) from text').pluck().get();
  for (const _ of sweepTexts(db, 1));
  assert.is(db.prepare('select count(*) from text').pluck().get(), textsBefore);
  const problemsNow = (): string[] => [...checkDatabase(db)].flatMap(({ problems }) => problems);
  assert.equal(problemsNow(), []);
  assert.is(
    [...checkDatabase(db)].reduce((sum, { hits }) => sum + hits, 0),
    48,
  );
  db.exec(`update day_part set hits = hits + 1 where number = 1`);
  assert.ok(problemsNow().length > 0);
  for (const _ of pruner(db).drop(day + 1));
  for (const table of ['day_part', 'sealed_column'])
    assert.is(db.prepare(`select count(*) from ${table}`).pluck().get(), 0, table);
  db.close();
});

test.run();
