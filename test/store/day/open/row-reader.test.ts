/** Rows of open days are read as SQLite has them, whatever their numbers are. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageFields, visitAttributes } from '../../../../src/model/columns.ts';
import { snakeCase } from '../../../../src/model/snake-case.ts';
import { dayMs } from '../../../../src/model/time.ts';
import type { HitRows, VisitRows } from '../../../../src/store/day/open/day-rows.ts';
import { rowReader } from '../../../../src/store/day/open/row-reader.ts';
import { someRows } from '../../../../src/store/day/open/some-rows.ts';
import { temporaryDatabase } from '../../../helpers.ts';

const [siteId, day] = [3, 20_000];

/** Around where characters take another byte, and where numbers are none. */
const edges = [0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xfffd, 0xffff, 0x10000, 0xfffff];
const below = (end: number) =>
  fc.oneof(fc.nat({ max: end - 1 }), fc.constantFrom(0, end - 1, ...edges.filter(edge => edge < end)));

const rowsOf = (textsEnd: number) =>
  fc.record({
    firstId: fc.constantFrom(1, 2 ** 20 - 3, 2 ** 33),
    gap: fc.constantFrom(1, 3, 9000),
    visits: fc.array(
      fc.record({
        visitor: fc.uint8Array({ minLength: 8, maxLength: 8 }),
        flags: fc.tuple(fc.nat(1), fc.nat(1)),
        text: below(textsEnd),
        screen: below(2 ** 32),
      }),
      { maxLength: 30 },
    ),
    hits: fc.array(
      fc.record({
        visitId: below(2 ** 40),
        time: below(dayMs),
        type: fc.constantFrom(1, 2, 3, 5, 6),
        text: below(textsEnd),
        duration: below(1_800_001),
        amount: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { freq: 3 }),
        properties: fc.option(fc.array(fc.nat(), { minLength: 1, maxLength: 6 })),
        scroll: fc.option(fc.nat(100)),
      }),
      { maxLength: 30 },
    ),
  });

for (const [texts, textsEnd] of [
  ['few', 2 ** 20],
  ['many', 2 ** 32],
] as const)
  test(`rows of a site with ${texts} texts`, () => {
    const { db } = temporaryDatabase();
    db.prepare('insert into text (site_id, id, value) values (?, ?, ?)').run(siteId, textsEnd - 1, 'last');
    const places = (count: number): string => new Array(count).fill('?').join();
    const putVisit = db.prepare(`insert into visit (site_id, day, id, visitor, persistent, seen_before,
      ${visitAttributes.map(snakeCase)}) values (${places(6 + visitAttributes.length)})`);
    const putHit = db.prepare(`insert into hit (site_id, day, id, visit_id, at, type, duration, amount, currency,
      properties, scroll, ${pageFields}) values (${places(11 + pageFields.length)})`);
    fc.assert(
      fc.property(rowsOf(textsEnd), ({ firstId, gap, visits, hits }) => {
        db.exec('delete from visit; delete from hit');
        const want = { visits: [] as unknown[], hits: [] as unknown[], extras: [] as unknown[] };
        visits.forEach(({ visitor, flags, text, screen }, i) => {
          const attributes = visitAttributes.map((name, n) => (name === 'screen' ? screen : n % 2 === 0 ? text : n));
          const id = firstId + i * gap;
          putVisit.run(siteId, day, id, Buffer.from(visitor), ...flags, ...attributes);
          const words = [0, 4].map(at => Buffer.from(visitor).readUInt32BE(at));
          want.visits.push([id, ...words, ...flags, ...attributes]);
        });
        hits.forEach(({ visitId, time, type, text, duration, amount, properties, scroll }, i) => {
          const id = firstId + i * gap;
          const fields = pageFields.map((_, n) => (n % 2 === 0 ? text : n));
          const [of, revenue] = amount === null ? [type, null] : [4, amount];
          const json = properties && JSON.stringify(properties);
          putHit.run(
            ...[siteId, day, id, visitId, day * dayMs + time, of, duration, revenue, i, json, scroll],
            ...fields,
          );
          want.hits.push([id, visitId, time, of, duration, scroll === null ? 0 : scroll + 1, ...fields]);
          if (revenue !== null || properties !== null) want.extras.push([i, revenue, i, properties]);
        });
        const found: typeof want = { visits: [], hits: [], extras: [] };
        const addVisits = ({ ids, columns }: VisitRows): void => {
          ids.forEach((id, row) => {
            found.visits.push([id, ...columns.map(values => values[row])]);
          });
        };
        const addHits = ({ ids, visitIds, columns, extras }: HitRows): void => {
          for (const [row, ...others] of extras) found.extras.push([found.hits.length + row, ...others]);
          ids.forEach((id, row) => {
            found.hits.push([id, visitIds[row], ...columns.map(values => values[row])]);
          });
        };
        const [read, readTo] = [rowReader(db), { visitId: 0, hitId: 0 }];
        while (read(siteId, day, readTo, { addVisits, addHits }));
        assert.equal(found, want);
        // The same, by their ids in any order.
        const ids = (rows: readonly unknown[]): number[] => rows.map(row => (row as number[])[0]!).reverse();
        const some = someRows(db);
        for (const rows of Object.values(found)) rows.length = 0;
        addVisits(some.visits({ siteId, day }, ids(want.visits)));
        addHits(some.hits({ siteId, day }, ids(want.hits)));
        assert.equal(found, want);
      }),
      { seed: 1, numRuns: 150, endOnFailure: true },
    );
    db.close();
  });

test.run();
