import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import type { Database } from '../../../src/store/database.ts';
import { columnsOf, type Day } from '../../../src/store/day/day.ts';
import { dayReader } from '../../../src/store/day/day-reader.ts';
import { ColumnError } from '../../../src/store/day/integer-list.ts';
import { sealAll, sealDay, sealer } from '../../../src/store/day/seal.ts';
import { flat } from '../../../src/store/day/unpack.ts';
import { dropSites } from '../../../src/store/maintenance/drop-sites.ts';
import { sites } from '../../../src/store/sites.ts';
import { type Entry, recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';

const day = 20_000;
const at = (minute: number): number => day * dayMs + minute * 60_000;
const a = Buffer.from('ff00000000000001', 'hex');
const b = Buffer.from('0000000000000002', 'hex');
const c = Buffer.from('0000000000000003', 'hex');

/**
 * Three visitors: `a` with two visits, `b` in cookie mode, `c` with nothing but marks. Arriving out
 * of order.
 */
const entries = (siteId: number): Entry[] => {
  const hit = (visitId: number, minute: number, fields = {}) =>
    hitRecord({ siteId, day, visitId, at: at(minute), ...fields });
  const visit = (id: number, visitor: Buffer, fields = {}) => visitRecord({ siteId, day, id, visitor, ...fields });
  return [
    recordedEntry(hit(1, 10, { path: '/late' }), visit(1, a, { country: 'DE', width: 1280, height: 720 })),
    recordedEntry(hit(2, 5, { path: '/b', duration: 90_000 }), visit(2, b, { persistent: true, country: 'FR' })),
    recordedEntry(hit(1, 8, { path: '/early' })),
    recordedEntry(hit(1, 12, { type: 'duration', duration: 120_000, path: null })),
    recordedEntry(hit(1, 13, { type: 'duration', duration: 60_000, path: null })),
    recordedEntry(
      hit(3, 100, {
        type: 'custom',
        event: 'Signup',
        properties: [
          { key: 'plan', type: 'string', value: 'pro' },
          { key: 'seats', type: 'number', value: 2.5 },
        ],
      }),
      visit(3, a, { country: 'DE' }),
    ),
    recordedEntry(hit(3, 101, { type: 'revenue', event: 'Buy', revenue: { amount: 4900, currency: 'EUR' } })),
    recordedEntry(hit(3, 102, { type: 'identify', identity: { name: 'Ada', traits: '{"name":"Ada"}' } })),
    recordedEntry(hit(4, 7, { type: 'duration' }), visit(4, c)),
  ];
};

const read = (db: Database, siteId: number): Day => {
  const [found] = dayReader(db, 1e6).days(siteId, at(0), at(1440));
  assert.ok(found);
  return found;
};

/** Visits and hits of a day as text, for comparison. */
const shown = (db: Database, siteId: number, of: Day): string => {
  const { texts } = dayReader(db, 0);
  const lines: string[] = [];
  let hit = 0;
  for (let visit = 0; visit < of.visits; visit++) {
    const text = (name: Parameters<Day['texts']>[0], row: number): string => {
      const { codes, dictionary } = of.texts(name);
      return texts.text(siteId, dictionary[codes[row]!]!) ?? '-';
    };
    const number = (name: Parameters<Day['numbers']>[0], row: number): number => of.numbers(name)[row]!;
    lines.push(
      `${of.hashes()[visit]!.toString(16)} new=${number('newVisitor', visit)} ${number('started', visit) / 60_000}+${number('duration', visit) / 60_000} ` +
        `pageviews=${number('pageviews', visit)} ${text('entryPath', visit)}..${text('exitPath', visit)} ${text('country', visit)} ${text('identified', visit)}`,
    );
    for (let i = 0; i < number('hits', visit); i++, hit++) {
      lines.push(
        `  +${number('time', hit) / 60_000} type=${number('type', hit)} ${text('path', hit)} ${text('event', hit)} ${number('secondsOnPage', hit)}s`,
      );
    }
  }
  return lines.join('\n');
};

const wanted = `ff00000000000001 new=1 8+5 pageviews=2 /early../late DE -
  +0 type=1 /early - 0s
  +2 type=1 /late - 180s
ff00000000000001 new=0 100+2 pageviews=0 -..- DE Ada
  +0 type=2 / Signup 0s
  +1 type=4 / Buy 0s
2 new=1 5+0 pageviews=1 /b../b FR -
  +0 type=1 /b - 0s`;

test('rows fold into visits by visitor, hash mode first, in time order', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  recorder(db).write(entries(siteId));
  const open = read(db, siteId);
  assert.is(shown(db, siteId, open), wanted);
  assert.is(open.sealed, false);
  assert.equal([open.visits, open.hashVisits, open.hits, open.firstAt, open.lastAt], [3, 2, 5, at(5), at(101)]);
  assert.equal(Array.from(open.numbers('revenueHit')), [3]);
  assert.equal(Array.from(open.numbers('propertyNumber')), [0, 2.5]);
  db.close();
});

test('a reader adds the rows that came since its last read', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const all = entries(siteId);
  const write = recorder(db).write;
  const reader = dayReader(db, 1e6);
  for (const entry of all) {
    write([entry]);
    for (const _ of reader.days(siteId, at(0), at(1440)));
  }
  assert.is(shown(db, siteId, [...reader.days(siteId, at(0), at(1440))][0]!), wanted);
  db.close();
});

/** Each column's values, whether they are kept as arrays or packed. */
const plain = (of: Day): unknown[] =>
  columnsOf(of).map(([name, column]) => {
    if (column.kind === 'text') return [name, [...column.dictionary], [...flat(column.codes)]];
    return [name, column.kind === 'hash' ? [...column.values] : [...flat(column.values)]];
  });

test('a sealed day reads like the open one, and its rows are gone', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  recorder(db).write(entries(siteId));
  const open = read(db, siteId);
  assert.equal(sealAll(db, day, 1), [], 'today stays open');
  assert.is(sealAll(db, day + 1, 1).length, 1);
  const sealed = read(db, siteId);
  assert.is(sealed.sealed, true);
  assert.equal(plain(sealed), plain(open));
  for (const table of ['visit', 'hit']) assert.is(db.prepare(`select count(*) from ${table}`).pluck().get(), 0);
  assert.equal(sealAll(db, day + 1, 2), []);
  db.close();
});

test('stopping sealing at any step loses and doubles nothing, and the next try finishes it', () => {
  for (let stopAfter = 0; ; stopAfter++) {
    const { db } = temporaryDatabase();
    const { id: siteId } = addSite(db);
    recorder(db).write(entries(siteId));
    const seal = sealer(db);
    let steps = 0;
    const run = (generator: Generator<void, unknown>): boolean => {
      for (const _ of generator) if (steps++ === stopAfter) return false;
      return true;
    };
    const done = seal.pending(day + 1).every(siteDay => run(sealDay(db, seal, siteDay, 1))) && run(seal.trim());
    assert.is(shown(db, siteId, read(db, siteId)), wanted, `stopped after step ${stopAfter}`);
    sealAll(db, day + 1, 2);
    assert.is(shown(db, siteId, read(db, siteId)), wanted, `sealed after a stop after step ${stopAfter}`);
    assert.is(db.prepare('select count(*) from hit').pluck().get(), 0);
    db.close();
    if (done) break;
    assert.ok(stopAfter < 200);
  }
});

test('a day of non-counting hits alone is sealed as an empty day', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  recorder(db).write(entries(siteId).slice(-1));
  assert.is(sealAll(db, day + 1, 1)[0]?.hits, 0);
  assert.equal([...dayReader(db, 0).days(siteId, at(0), at(1440))], []);
  assert.is(dayReader(db, 0).firstAt(siteId), null);
  db.close();
});

test('a row that comes late, behind one with a larger id, is read too', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const all = entries(siteId);
  const { write } = recorder(db);
  const reader = dayReader(db, 1e6);
  const ofVisits = (ids: number[]): Entry[] => all.filter(({ hit }) => ids.includes(hit!.visitId));
  write(ofVisits([2, 3, 4]));
  assert.is([...reader.days(siteId, at(0), at(1440))][0]!.visits, 2);
  write(ofVisits([1]));
  assert.is(shown(db, siteId, [...reader.days(siteId, at(0), at(1440))][0]!), wanted);
  db.close();
});

test('properties and revenue stay with their hits, whatever order they came in', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const hits = [5, 1, 4, 2, 3].map(minute =>
    hitRecord({
      siteId,
      day,
      visitId: 1,
      at: at(minute),
      type: 'revenue',
      event: 'Buy',
      revenue: { amount: minute - 3.5, currency: 'EUR' },
      properties: [
        { key: 'minute', type: 'number', value: minute },
        { key: 'negative', type: 'number', value: -minute },
      ],
    }),
  );
  recorder(db).write(
    hits.map((hit, i) => recordedEntry(hit, i === 0 ? visitRecord({ siteId, day, id: 1 }) : undefined)),
  );
  for (const sealed of [false, true]) {
    if (sealed) sealAll(db, day + 1, 1);
    const found = read(db, siteId);
    assert.is(found.sealed, sealed);
    assert.equal([...found.numbers('revenueHit')], [0, 1, 2, 3, 4]);
    assert.equal([...found.numbers('revenueAmount')], [-2.5, -1.5, -0.5, 0.5, 1.5]);
    assert.equal([...found.numbers('propertyHit')], [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    assert.equal([...found.numbers('propertyNumber')], [1, 2, 3, 4, 5, -1, -2, -3, -4, -5]);
  }
  db.close();
});

test('a damaged column is named and not read', () => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  recorder(db).write(entries(siteId));
  sealAll(db, day + 1, 1);
  db.prepare(
    `update sealed_column set data = cast(substr(data, 1, length(data) - 1) || x'55' as blob) where name = 'path'`,
  ).run();
  assert.throws(
    () => read(db, siteId).texts('path'),
    (error: unknown) =>
      error instanceof ColumnError && /column path of site \d+, day 20000: checksum/.test(error.message),
  );
  db.close();
});

test('resetting a site keeps its settings and key, and nothing of its past', () => {
  const { db } = temporaryDatabase();
  const site = addSite(db);
  const other = addSite(db);
  recorder(db).write([
    ...entries(site.id),
    ...entries(other.id).map(entry => ({
      ...entry,
      ...(entry.visit && { visit: { ...entry.visit, id: entry.visit.id + 10 } }),
      hit: { ...entry.hit!, visitId: entry.hit!.visitId + 10 },
    })),
  ]);
  sealAll(db, day + 1, 1);
  sites(db).reset(site.id);
  for (const _ of dropSites(db));
  const [after, kept] = sites(db).list();
  assert.equal({ ...after, id: 0 }, { ...site, id: 0 });
  assert.is.not(after!.id, site.id);
  const columns = 'sealed_column c join day_part p on p.id = c.part_id';
  for (const table of ['text', 'cookie_visitor', 'day_part', columns, 'outcome']) {
    const siteIds = db.prepare(`select distinct site_id from ${table}`).pluck().all();
    assert.equal(siteIds, [other.id], table);
  }
  assert.is(shown(db, kept!.id, read(db, kept!.id)), wanted);
  sites(db).remove(other.id);
  for (const _ of dropSites(db));
  assert.is(db.prepare('select count(*) from text').pluck().get(), 0);
  db.close();
});

test.run();
