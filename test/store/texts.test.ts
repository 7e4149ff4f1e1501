import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { otherName } from '../../src/model/dimensions.ts';
import type { Property } from '../../src/model/hit.ts';
import { dayMs } from '../../src/model/time.ts';
import type { Database } from '../../src/store/database.ts';
import type { TextName } from '../../src/store/day/day.ts';
import { openDays } from '../../src/store/day/open/open-days.ts';
import { wholeDay } from '../../src/store/day/part.ts';
import { textReader, textWriter } from '../../src/store/texts.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';

const countOf = (db: Database): number => db.prepare('select count(*) from text').pluck().get() as number;

test('a text has one id, which outlives its writer', () => {
  const { db } = temporaryDatabase();
  const [first, second] = [textWriter(db), textWriter(db)];
  const long = 'x'.repeat(2000);
  const ids = ['/a', '/b', long, '/a', long].map(text => first.id(1, text));
  assert.equal(ids, [1, 2, 3, 1, 3]);
  assert.equal([second.id(1, long), second.id(2, '/a'), second.id(1, null), second.id(1, '')], [3, 1, 0, 0]);
  const reader = textReader(db);
  assert.equal([reader.text(1, 3), reader.text(1, 0), reader.find(1, '/b'), reader.find(2, '/b')], [long, null, 2, 0]);
  assert.throws(() => reader.text(1, 9), /text 9 of site 1 is missing/);
  db.close();
});

test('new texts beyond the limit of a day become one text, and known ones stay', () => {
  const { db } = temporaryDatabase();
  const texts = textWriter(db, 3);
  const named = (day: number, ...given: string[]): (string | null)[] => {
    const reader = textReader(db);
    return given.map(text => reader.text(1, texts.untrustedTextId(1, day, text)));
  };
  assert.equal(named(5, '/a', '/b', '/a', '/c', '/d', '/e', '/b'), [
    '/a',
    '/b',
    '/a',
    '/c',
    otherName,
    otherName,
    '/b',
  ]);
  // Another site and another day have shares of their own; our own words always fit.
  assert.is(textReader(db).text(2, texts.untrustedTextId(2, 5, '/d')), '/d');
  assert.is(textReader(db).text(1, texts.id(1, 'desktop')), 'desktop');
  assert.equal(named(6, '/d', '/a'), ['/d', '/a']);
  assert.is(texts.untrustedTextId(1, 6, '/f') === texts.untrustedTextId(1, 6, '/g'), false);
  assert.is(texts.untrustedTextId(1, 6, '/h', null), 0);
  db.close();
});

test('texts of a batch that was rolled back do not count', () => {
  const { db } = temporaryDatabase();
  const texts = textWriter(db, 2);
  db.exec('begin');
  texts.untrustedTextId(1, 5, '/a');
  texts.untrustedTextId(1, 5, '/b');
  db.exec('rollback');
  texts.forget();
  const ids = ['/c', '/d', '/e'].map(text => texts.untrustedTextId(1, 5, text));
  assert.equal(
    ids.map(id => textReader(db).text(1, id)),
    ['/c', '/d', otherName],
  );
  db.close();
});

test('a flood of paths, titles, event names and properties leaves one row of each', () => {
  const { db } = temporaryDatabase();
  const siteId = addSite(db).id;
  const newTextsMax = 100;
  const record = recorder(db, newTextsMax);
  const day = 20_000;
  const of = { siteId, day, at: day * dayMs };
  const property = (key: string): Property => ({ key, type: 'string', value: `value of ${key}` });
  for (let i = 0; i < 500; i++) {
    const hit = hitRecord({
      ...of,
      visitId: i + 1,
      type: 'custom',
      path: `/${i}`,
      title: `Title ${i}`,
      query: `q=${i}`,
      event: `Event ${i}`,
      properties: [property(`a${i}`), property(`b${i}`), { key: `n${i}`, type: 'number', value: i }],
    });
    const identity = { name: `Somebody ${i}`, traits: `{"name":"Somebody ${i}"}` };
    const identify = hitRecord({ ...of, visitId: i + 1, type: 'identify', identity });
    const visit = visitRecord({ ...of, id: i + 1, referrer: `${i}.example`, country: 'DE', browser: 'Firefox' });
    record.write([
      recordedEntry(hit, visit),
      recordedEntry(identify),
      { ...of, outcome: 'crawler', crawl: { ...of, name: `Bot ${i}`, path: `/crawled/${i}`, status: 200 } },
    ]);
  }
  // Of our own: the country and the device; and the one that stands for all others.
  assert.is(countOf(db), newTextsMax + 3);

  const reader = textReader(db);
  const stored = openDays(db).read(siteId, { day, part: wholeDay });
  const textsOf = (name: TextName): (string | null)[] =>
    Array.from(stored.texts(name).dictionary, id => reader.text(siteId, id));
  for (const name of [
    'path',
    'title',
    'query',
    'event',
    'referrer',
    'identified',
    'propertyKey',
    'propertyText',
  ] as const) {
    assert.ok(textsOf(name).includes(otherName), name);
  }
  assert.equal(textsOf('country'), [null, 'DE']);
  for (const traits of textsOf('traits')) assert.type(JSON.parse(traits ?? '{}'), 'object');
  // Of two keys that are too much the hit keeps one, so that it has each key once.
  const { codes, dictionary } = stored.texts('propertyKey');
  const hits = stored.numbers('propertyHit');
  const pairs = Array.from(codes, (code, row) => `${dictionary[code]} ${hits[row]}`);
  assert.is(new Set(pairs).size, pairs.length);
  assert.ok((db.prepare('select count(*) from crawl').pluck().get() as number) < 20);
  db.close();
});

test('instants in the form that they are shown in need no texts, other dates do', () => {
  const { db } = temporaryDatabase();
  const siteId = addSite(db).id;
  const record = recorder(db);
  const day = 20_000;
  const sendDates = (values: string[]): number => {
    const before = countOf(db);
    for (const value of values) {
      const properties: Property[] = [{ key: 'when', type: 'date', value }];
      record.write([recordedEntry(hitRecord({ siteId, day, at: day * dayMs, visitId: 1, properties }))]);
    }
    return countOf(db) - before;
  };
  record.write([
    recordedEntry(hitRecord({ siteId, day, at: day * dayMs, visitId: 1 }), visitRecord({ siteId, day, id: 1 })),
  ]);
  sendDates(['2026-01-01']);
  assert.is(sendDates(Array.from({ length: 50 }, (_, i) => new Date(i).toISOString())), 0);
  assert.is(sendDates(['2026-01-02', '2026-01-02T00:00:00Z', '2026-01-02T00:00:00.000+00:00']), 3);
  db.close();
});

test.run();
