/** What is selected of days with some hundred hits, wherever its hits lie in the words of masks; compared with the same worked out hit by hit. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ColumnName } from '../../../src/model/columns.ts';
import { indexDay, visitBegins, visitorBegins } from '../../../src/query/scan/day-index.ts';
import { narrow, select } from '../../../src/query/scan/select.ts';
import { hitCodes, hitNumbers, hitTimes, type Selection, visitCodes } from '../../../src/query/scan/selection.ts';
import type { Scratch } from '../../../src/query/scratch.ts';
import { type Column, decodeColumn, encodeColumn } from '../../../src/store/day/column-codec.ts';
import { type Day, dayOver, numberColumn, textColumn } from '../../../src/store/day/day.ts';
import { wholeDay } from '../../../src/store/day/part.ts';
import { poisonedScratch } from '../poisoned-scratch.ts';

interface Hit {
  time: number;
  type: number;
  path: number;
  event: number;
}
interface Visit {
  isNew: boolean;
  started: number;
  country: number;
  hits: Hit[];
}

const hits = fc.record({
  time: fc.constantFrom(0, 0, 5, 300),
  type: fc.constantFrom(1, 1, 2, 3),
  path: fc.nat({ max: 5 }),
  event: fc.constantFrom(0, 0, 0, 0, 0, 7, 8, 300),
});
const visits = fc.record({
  isNew: fc.boolean(),
  started: fc.nat({ max: 900 }),
  country: fc.nat({ max: 3 }),
  hits: fc.array(hits, { minLength: 1, maxLength: 5, size: 'max' }),
});
/** Which values pass; by place, and anew from the first when there are more values. */
const passes = fc.array(fc.boolean(), { minLength: 2, maxLength: 4 });

const dayWith = (all: readonly Visit[]): Day => {
  const flat = all.flatMap(visit => visit.hits);
  const numbers = (values: number[]): Column => numberColumn(Uint32Array.from(values));
  const texts = (values: number[]): Column => textColumn(Uint32Array.from(values));
  const columns: Partial<Record<ColumnName, Column>> = {
    newVisitor: numbers(all.map((visit, i) => (visit.isNew || i === 0 ? 1 : 0))),
    started: numbers(all.map(visit => visit.started)),
    hits: numbers(all.map(visit => visit.hits.length)),
    country: texts(all.map(visit => visit.country)),
    time: numbers(flat.map(hit => hit.time)),
    type: numbers(flat.map(hit => hit.type)),
    path: texts(flat.map(hit => hit.path)),
    event: texts(flat.map(hit => hit.event)),
  };
  const facts = {
    siteId: 1,
    day: 0,
    part: wholeDay,
    sealed: true,
    version: 0,
    visits: all.length,
    hashVisits: Math.floor(all.length / 2),
    hits: flat.length,
    firstAt: Math.min(...all.map(visit => visit.started)),
    lastAt: Math.max(...all.flatMap(visit => visit.hits.map(hit => visit.started + hit.time))),
  };
  // As a sealed day holds them: packed and behind masks.
  return dayOver(facts, name => decodeColumn(encodeColumn(columns[name]!)));
};

/** A hit with whose it is. */
type Row = Hit & { country: number; visit: number; visitor: number; at: number };

const rowsOf = (all: readonly Visit[]): Row[] => {
  let visitor = 0;
  return all.flatMap(({ isNew, started, country, hits }, visit) => {
    visitor += isNew || visit === 0 ? 1 : 0;
    return hits.map(hit => ({ ...hit, country, visit, visitor, at: started + hit.time }));
  });
};

const check = (
  selection: Selection | undefined,
  rows: readonly Row[],
  ofDay: readonly Row[],
  day: Day,
  scratch: Scratch,
): void => {
  assert.is(selection?.hits ?? 0, rows.length);
  if (selection === undefined) return;
  const first = rows.map((row, i) => row.visit !== rows[i - 1]?.visit);
  const firsts = rows.filter((_, i) => first[i]);
  const from = [...rows.keys()].filter(i => first[i]);
  const ends = [...from.slice(1), rows.length];
  assert.equal(
    [...(selection.found().rows ?? ofDay.keys())],
    rows.map(row => ofDay.indexOf(row)),
  );
  assert.equal(
    [...selection.visits()],
    firsts.map(row => row.visit),
  );
  assert.equal(
    [...selection.visitors()],
    firsts.map(row => row.visitor),
  );
  assert.equal([...selection.positionsFrom()], [...from, rows.length]);
  assert.equal(
    [...selection.hitsOf()],
    ends.map((end, i) => end - from[i]!),
  );
  assert.is(selection.hashVisits(), firsts.filter(row => row.visit < day.hashVisits).length);
  assert.equal(
    [...selection.begins()],
    rows.map((row, i) => (first[i] ? visitBegins : 0) | (row.visitor === rows[i - 1]?.visitor ? 0 : visitorBegins)),
  );
  assert.equal(
    [...hitTimes(selection, scratch)],
    rows.map(row => row.at),
  );
  assert.equal(
    [...hitNumbers(selection, 'type', scratch)],
    rows.map(row => row.type),
  );
  for (const name of ['event', 'path'] as const) {
    const ids = Array.from(hitCodes(selection, day.keptCodes(name), scratch), code => day.dictionary(name)[code]);
    assert.equal(
      ids,
      rows.map(row => row[name]),
    );
  }
  const countries = Array.from(
    visitCodes(selection, day.keptCodes('country'), scratch),
    code => day.dictionary('country')[code]!,
  );
  assert.equal(
    countries,
    firsts.map(row => row.country),
  );
};

test('any conditions in any order select the same hits', () => {
  const pool = poisonedScratch();
  let narrowed = 0;
  fc.assert(
    fc.property(
      fc.array(visits, { minLength: 1, maxLength: 80, size: 'max' }),
      fc.record({ country: fc.option(passes), event: fc.option(passes), path: fc.option(passes) }),
      fc.tuple(fc.nat({ max: 400 }), fc.integer({ min: 400, max: 1300 })),
      passes,
      (all, wanted, [from, to], types) => {
        const day = dayWith(all);
        const ofDay = rowsOf(all);
        const passing = (pass: readonly boolean[], code: number): boolean => pass[code % pass.length]!;
        const codeOf = (name: 'event' | 'path' | 'country', id: number): number => day.dictionary(name).indexOf(id);
        const conditions = (['path', 'event', 'country'] as const).flatMap(name => {
          const pass = wanted[name];
          if (pass === null) return [];
          return {
            level: name === 'country' ? ('visit' as const) : ('hit' as const),
            values: day.keptCodes(name),
            pass: Uint8Array.from(day.dictionary(name), (_, code) => (passing(pass, code) ? 1 : 0)),
          };
        });
        const selected = ofDay.filter(
          row =>
            row.at >= from &&
            row.at < to &&
            (wanted.country === null || passing(wanted.country, codeOf('country', row.country))) &&
            (wanted.event === null || passing(wanted.event, codeOf('event', row.event))) &&
            (wanted.path === null || passing(wanted.path, codeOf('path', row.path))),
        );
        pool.within(scratch => {
          const index = indexDay(day, scratch);
          const selection = select(day, index, from, to, conditions, scratch);
          check(selection, selected, ofDay, day, scratch);
          if (selection === undefined) return;
          const ofTypes = Uint8Array.from({ length: 5 }, (_, type) => (passing(types, type) ? 1 : 0));
          scratch.within(inner => {
            const narrower = narrow(selection, [{ values: day.keptNumbers('type'), pass: ofTypes }], inner);
            if (narrower !== undefined && narrower !== selection) narrowed++;
            const left = selected.filter(row => ofTypes[row.type] === 1);
            check(narrower, left, ofDay, day, inner);
            check(selection, selected, ofDay, day, inner);
          });
          check(selection, selected, ofDay, day, scratch);
        });
        pool.trim(0);
      },
    ),
    { seed: 1, numRuns: 500 },
  );
  assert.ok(narrowed > 100, `${narrowed} were narrowed`);
});

test.run();
