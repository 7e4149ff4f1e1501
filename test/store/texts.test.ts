import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { otherName } from '../../src/model/dimensions.ts';
import type { Property } from '../../src/model/hit.ts';
import { makeKeyedHash } from '../../src/model/keyed-hash.ts';
import { type TextKind, textKinds } from '../../src/model/text-kinds.ts';
import { dayMs } from '../../src/model/time.ts';
import type { Database } from '../../src/store/database.ts';
import type { TextName } from '../../src/store/day/day.ts';
import { openDays } from '../../src/store/day/open/open-days.ts';
import { wholeDay } from '../../src/store/day/part.ts';
import { textReader, textWriter } from '../../src/store/texts.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { type TextAllowances, textAllowances } from '../../src/store/write/text-allowances.ts';
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

/** Allowances of so many units for the largest kinds, and what was told of them. */
const allowancesOf = (newTextsMax: number): { allowances: TextAllowances; told: string[] } => {
  const told: string[] = [];
  const hash = makeKeyedHash(randomBytes);
  const onUsedUp = (siteId: number, kind: TextKind) => told.push(`${siteId} ${kind}`);
  return { allowances: textAllowances({ newTextsMax, hash, onUsedUp }), told };
};
const noonOf = (day: number): number => day * dayMs + dayMs / 2;

test('new texts beyond the allowance of a day become one text, and known ones stay', () => {
  const { db } = temporaryDatabase();
  const { allowances, told } = allowancesOf(3);
  const texts = textWriter(db, allowances);
  const named = (day: number, ...given: string[]): (string | null)[] => {
    const reader = textReader(db);
    allowances.from(1, noonOf(day), undefined);
    return given.map(text => reader.text(1, texts.untrustedTextId(1, 'page', text)));
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
  assert.equal(told, ['1 page'], 'once');
  assert.equal([...allowances.refused()], [{ siteId: 1, hour: 5 * 24 + 12, kind: 'page', bound: 'site', texts: 2 }]);
  // Another kind, another site and another day have allowances of their own; our own words always fit.
  assert.is(textReader(db).text(1, texts.untrustedTextId(1, 'title', 'A title')), 'A title');
  allowances.from(2, noonOf(5), undefined);
  assert.is(textReader(db).text(2, texts.untrustedTextId(2, 'page', '/d')), '/d');
  assert.is(textReader(db).text(1, texts.id(1, 'desktop')), 'desktop');
  assert.equal(named(6, '/d', '/a'), ['/d', '/a']);
  assert.is(texts.untrustedTextId(1, 'page', '/f') === texts.untrustedTextId(1, 'page', '/g'), false);
  assert.is(texts.untrustedTextId(1, 'page', '/h', null), 0);
  db.close();
});

test('one sender takes at most a twentieth of an allowance, and a server with a key all of it', () => {
  const { db } = temporaryDatabase();
  const { allowances, told } = allowancesOf(200);
  const texts = textWriter(db, allowances);
  let made = 0;
  const kept = (network: number | undefined, count: number, siteId = 1): number => {
    allowances.from(siteId, noonOf(5), network);
    const other = texts.id(siteId, otherName);
    const ids = Array.from({ length: count }, () => texts.untrustedTextId(siteId, 'page', `/${++made}`));
    return ids.filter(id => id !== other).length;
  };
  assert.equal([kept(7, 20), kept(7, 20), kept(8, 20), kept(7, 20, 2)], [10, 0, 10, 10]);
  assert.equal(told, []);
  const bySender = { siteId: 1, hour: 132, kind: 'page', bound: 'sender' };
  assert.equal(
    [...allowances.refused()],
    [
      { ...bySender, texts: 40 },
      { ...bySender, siteId: 2, texts: 10 },
    ],
  );
  assert.is(kept(undefined, 1000), 180);
  assert.equal(told, ['1 page']);
  allowances.keep();
  assert.equal(
    [...allowances.totals()],
    [
      { kind: 'page', bound: 'sender', texts: 50 },
      { kind: 'page', bound: 'site', texts: 820 },
    ],
  );
  // The next day begins anew, for senders too.
  allowances.from(1, noonOf(6), 7);
  assert.is.not(texts.untrustedTextId(1, 'page', '/next'), texts.id(1, otherName));
  db.close();
});

test('pages of very many senders leave the small allowances of others', () => {
  const { allowances } = allowancesOf(200_000);
  const text = 'x'.repeat(40_000);
  for (let network = 1; network <= 130_000; network++) {
    allowances.from(network >> 8, noonOf(5), network);
    assert.is(allowances.take('page', text), true);
    allowances.keep();
  }
  let kept = 0;
  for (let network = 200_001; network <= 201_000; network++) {
    allowances.from(1, noonOf(5), network);
    if (allowances.take('property-key', 'plan')) kept++;
  }
  assert.is(kept, 1000);
});

test('a long text takes as much as many short ones', () => {
  const { db } = temporaryDatabase();
  const { allowances } = allowancesOf(30);
  const texts = textWriter(db, allowances);
  allowances.from(1, noonOf(5), undefined);
  const isKept = (text: string) => texts.untrustedTextId(1, 'title', text, null) > 0;
  assert.equal(
    [isKept('x'.repeat(2000)), isKept('y'.repeat(1001)), isKept('ä'.repeat(500)), isKept('z')],
    [true, false, true, false],
  );
  db.close();
});

test('texts of a batch that was rolled back do not count', () => {
  const { db } = temporaryDatabase();
  const { allowances } = allowancesOf(40);
  const texts = textWriter(db, allowances);
  const taken = (...given: string[]) => {
    allowances.from(1, noonOf(5), 7);
    const ids = given.map(text => texts.untrustedTextId(1, 'page', text));
    return ids.map(id => textReader(db).text(1, id));
  };
  db.exec('begin');
  assert.equal(taken('/a', '/b', '/x'), ['/a', '/b', otherName]);
  db.exec('rollback');
  texts.forget();
  assert.equal(taken('/c', '/d', '/e'), ['/c', '/d', otherName]);
  db.close();
});

test('texts that begin alike, or hold what SQLite takes for an end, stay apart and in order', () => {
  const start = fc.constantFrom('', 'x'.repeat(63), 'x'.repeat(64), '😀'.repeat(32), '\uffff'.repeat(64));
  const end = fc.string({ unit: fc.constantFrom('a', 'b', '\0', '😀', '\uffff', 'é'), maxLength: 3 });
  const given = fc.uniqueArray(
    fc.tuple(start, end).map(parts => parts.join('')),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(given, fc.nat(10), (made, count) => {
      const { db } = temporaryDatabase();
      const [texts, again, reader] = [textWriter(db), textWriter(db), textReader(db)];
      const known = made.filter(text => text !== '');
      const ids = known.map(text => texts.id(1, text));
      assert.equal(new Set(ids).size, known.length);
      assert.equal(
        known.map(text => again.id(1, text)),
        ids,
      );
      assert.equal(
        known.map(text => [reader.find(1, text), reader.text(1, reader.find(1, text))]),
        known.map((text, i) => [ids[i], text]),
      );
      const ordered = known.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).slice(0, count);
      assert.equal(
        reader.first(1, () => true, count, 1000)!.map(id => reader.text(1, id)),
        ordered,
      );
      db.close();
    }),
    { numRuns: 40 },
  );
});

test('a long text stands in the file once', () => {
  const { db } = temporaryDatabase();
  const texts = textWriter(db);
  const pages = () => db.pragma('page_count', { simple: true }) as number;
  const before = pages();
  db.exec('begin');
  for (let i = 0; i < 500; i++) texts.id(1, `${'x'.repeat(4000)}${i}`);
  db.exec('commit');
  const bytes = (pages() - before) * (db.pragma('page_size', { simple: true }) as number);
  assert.ok(bytes < 500 * 4000 * 1.3, `${bytes}`);
  const plan = db
    .prepare(`explain query plan select id from text where site_id = 1
    and substr(value, 1, 64) = substr('a', 1, 64) and digest = x''`)
    .all() as { detail: string }[];
  assert.match(plan[0]!.detail, /USING INDEX text_start \(site_id=\? AND <expr>=\? AND digest=\?\)/);
  db.close();
});

test('a flood of paths, titles, event names and properties leaves no more than its allowances', () => {
  const { db } = temporaryDatabase();
  const siteId = addSite(db).id;
  const { allowances } = allowancesOf(100);
  const record = recorder(db, allowances);
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
  // Of our own: the country and the device; and the one that stands for all others. A crawler takes
  // a name and a path, a person who identifies a name and traits.
  const parts = Object.values(textKinds).map(({ part }) => 100 * part);
  const all = parts.reduce((sum, part) => sum + part);
  assert.ok(countOf(db) <= all + 3, `${countOf(db)} of ${all}`);
  assert.ok(countOf(db) > 0.9 * all, `${countOf(db)} of ${all}`);

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
