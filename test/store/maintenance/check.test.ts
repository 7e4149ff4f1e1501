import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import type { Database } from '../../../src/store/database.ts';
import { encodeColumn } from '../../../src/store/day/column-codec.ts';
import { sealAll } from '../../../src/store/day/seal.ts';
import { checkDatabase } from '../../../src/store/maintenance/check.ts';
import { type Entry, recorder } from '../../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../../helpers.ts';

const sealedDay = 20_000;
const openDay = 20_001;

const entriesOf = (siteId: number, day: number, firstId: number): Entry[] => {
  const hit = (visitId: number, second: number, fields = {}) =>
    recordedEntry(hitRecord({ siteId, day, visitId, at: day * dayMs + second * 1000, path: `/${second}`, ...fields }));
  const visit = (id: number, visitor: string, fields = {}) =>
    visitRecord({
      siteId,
      day,
      id,
      visitor: Buffer.from(visitor, 'hex'),
      country: 'DE',
      width: 1280,
      height: 720,
      ...fields,
    });
  const [a, b, c] = [firstId, firstId + 1, firstId + 2];
  return [
    { ...hit(a, 10), visit: visit(a, 'ff00000000000001') },
    { ...hit(b, 20), visit: visit(b, '0000000000000002') },
    hit(a, 30, { type: 'revenue', event: 'Buy', revenue: { amount: 4900, currency: 'EUR' } }),
    hit(a, 40, { type: 'custom', event: 'Signup', properties: [{ key: 'plan', type: 'string', value: 'pro' }] }),
    { ...hit(c, 5000), visit: visit(c, 'ff00000000000001', { persistent: true }) },
    hit(c, 5001, { type: 'identify', path: null, identity: { name: 'Ada', traits: '{"name":"Ada"}' } }),
    {
      siteId,
      at: day * dayMs,
      outcome: 'crawler',
      crawl: { siteId, at: day * dayMs, name: 'Googlebot', path: '/bot', status: 200 },
    },
    {
      siteId,
      at: day * dayMs,
      outcome: 'recorded',
      vital: {
        siteId,
        at: day * dayMs,
        path: '/vital',
        device: 'desktop',
        lcp: 1,
        inp: null,
        cls: null,
        fcp: null,
        ttfb: null,
      },
    },
  ];
};

/** A site with a sealed day and an open one. */
const filled = (): { db: Database; siteId: number } => {
  const { db } = temporaryDatabase();
  const { id: siteId } = addSite(db);
  const record = recorder(db);
  record.write(entriesOf(siteId, sealedDay, 1));
  sealAll(db, openDay, 0);
  record.write(entriesOf(siteId, openDay, 4));
  return { db, siteId };
};

const problemsOf = (db: Database): string[] => [...checkDatabase(db)].flatMap(step => step.problems);

test('a sound database has no problems, and everything in it is checked', () => {
  const { db } = filled();
  const steps = [...checkDatabase(db)];
  assert.equal(
    steps.flatMap(step => step.problems),
    [],
  );
  assert.is(
    steps.reduce((sum, step) => sum + step.days, 0),
    2,
  );
  assert.is(
    steps.reduce((sum, step) => sum + step.hits, 0),
    10,
  );
  for (const [i, { done }] of steps.entries()) {
    const before = steps[i - 1]?.done;
    assert.is(done.count, before?.unit === done.unit ? before.count + 1 : 1);
    if (steps[i + 1]?.done.unit !== done.unit) assert.is(done.count, done.of);
  }
  assert.is(steps.at(-1)!.done.unit, 'day');
});

const numbers = (values: number[]): Buffer => encodeColumn({ kind: 'number', values: Uint8Array.from(values) });
const setColumn = (name: string, data: Buffer) => (db: Database) =>
  db
    .prepare(
      `insert into sealed_column (part_id, name, data) select id, ?, ? from day_part
       where true on conflict do update set data = excluded.data`,
    )
    .run(name, data);
const sql = (text: string) => (db: Database) => db.exec(text);

const damages: [name: string, damage: (db: Database) => unknown, problem: RegExp][] = [
  [
    'a flipped bit',
    (db: Database) => {
      const data = db.prepare(`select data from sealed_column where name = 'path'`).pluck().get() as Buffer;
      data[data.length - 1]! ^= 1;
      setColumn('path', data)(db);
    },
    /2024-10-04: column path of site 1, day 20000: /,
  ],
  [
    'a missing column',
    sql(`delete from sealed_column where name = 'title'`),
    /column title of site 1, day 20000: missing\./,
  ],
  ['a column of another length', setColumn('type', numbers([1, 1, 1])), /column type has 3 values and not 5\./],
  [
    'a column of another kind',
    setColumn('path', numbers([1, 1, 1, 1, 1])),
    /column path is of kind number, not text\./,
  ],
  [
    'a code beyond the dictionary',
    setColumn(
      'path',
      encodeColumn({ kind: 'text', codes: Uint8Array.of(0, 1, 2, 1, 0), dictionary: Uint32Array.of(0, 1) }),
    ),
    /a code of column path lies beyond its dictionary\./,
  ],
  ['a wrong number of hits', setColumn('hits', numbers([1, 3, 2])), /its visits have 6 hits and not 5\./],
  [
    'a wrong number of pageviews',
    setColumn('pageviews', numbers([1, 2, 1])),
    /the pageviews of a visit are not those of its hits\./,
  ],
  ['a hit of no type', setColumn('type', numbers([1, 1, 4, 9, 1])), /a hit is of no type\./],
  ['a hit after its visit', setColumn('duration', numbers([0, 10, 0])), /a hit is after the end of its visit\./],
  [
    'a visit that begins at another time',
    setColumn('started', numbers([1, 1, 1])),
    /its first or last hit is at another time/,
  ],
  [
    'visitors out of order',
    setColumn('visitor', encodeColumn({ kind: 'hash', values: BigUint64Array.from([9n, 3n, 1n]) })),
    /the visitors are out of order\./,
  ],
  [
    'a visitor marked twice',
    setColumn('visitor', encodeColumn({ kind: 'hash', values: BigUint64Array.from([9n, 9n, 1n]) })),
    /its new visitors are not the first of their visitor\./,
  ],
  ['an amount of no revenue hit', setColumn('revenueHit', numbers([0])), /an amount belongs to no revenue hit\./],
  ['a property of no hit', setColumn('propertyHit', numbers([7])), /a property belongs to no hit\./],
  [
    'a text that is gone, of a sealed day',
    sql(`delete from text where value = 'DE'`),
    /2024-10-04: column country refers to text \d+, which does not exist\./,
  ],
  [
    'a text that is gone, of an open day',
    sql(`delete from text where value = 'DE'`),
    /2024-10-05: column country refers to text/,
  ],
  [
    'a text that is gone, of a crawl',
    sql(`delete from text where value = '/bot'`),
    /Table crawl refers to 2 texts in path/,
  ],
  [
    'a text that is gone, of a vital',
    sql(`delete from text where value = '/vital'`),
    /Table vital refers to 2 texts in path/,
  ],
  ['a visit that is gone', sql('delete from visit where id = 4'), /2024-10-05: hit \d+ belongs to no visit\./],
  [
    'a site that is gone',
    sql('pragma foreign_keys = off; delete from site'),
    /Table hit has rows of site 1, which does not exist\./,
  ],
  [
    'rows of no site',
    sql(`insert into text (site_id, id, value) values (0, 1, 'x')`),
    /Table text has rows of site 0, which does not exist\./,
  ],
];
for (const [name, damage, problem] of damages) {
  test(`found: ${name}`, () => {
    const { db } = filled();
    damage(db);
    assert.match(problemsOf(db).join('\n'), problem);
  });
}

test('rows of a removed site may wait, and outcomes may belong to no site', () => {
  const { db } = filled();
  db.exec('insert into dropped_site select id from site; delete from site');
  recorder(db).write([{ siteId: 0, at: 0, outcome: 'unknown-site' }]);
  assert.equal(
    problemsOf(db).filter(problem => problem.startsWith('Table')),
    [],
  );
});

test('a damaged page is found', () => {
  const { db } = filled();
  db.unsafeMode();
  db.exec(
    "pragma writable_schema = on; update sqlite_schema set rootpage = 3 where name = 'vital_at'; pragma writable_schema = reset",
  );
  assert.match(problemsOf(db).join('\n'), /Table vital: /);
});

test.run();
