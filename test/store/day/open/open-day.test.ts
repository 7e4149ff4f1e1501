import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ColumnName, columnNames, columns, visitAttributes } from '../../../../src/model/columns.ts';
import { brieflyCode, hitTypes } from '../../../../src/model/hit.ts';
import { dayMs } from '../../../../src/model/time.ts';
import type { Day, NumberName, TextName } from '../../../../src/store/day/day.ts';
import { OpenDay } from '../../../../src/store/day/open/open-day.ts';
import { repeat } from '../../../repeat.ts';
import { hitRows, type OpenHitRow, type OpenVisitRow, visitRows } from './rows.ts';

const day = 20_000;

const columnOf = (of: Day, name: ColumnName): unknown => {
  const { kind } = columns[name];
  if (kind === 'number') return of.numbers(name as NumberName);
  return kind === 'text' ? of.texts(name as TextName) : of.hashes();
};

const textId = fc.oneof(fc.nat({ max: 5 }), fc.nat({ max: 70_000 }));
const number = fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(-1, 0.5, 70_000, 2 ** 32));

const visit = fc.record({
  visitor: fc.tuple(fc.nat({ max: 1 }), fc.nat({ max: 6 })),
  persistent: fc.nat({ max: 1 }),
  seenBefore: fc.nat({ max: 1 }),
  attribute: textId,
});
const hit = fc.record({
  visit: fc.nat({ max: 999 }),
  /** Since the hit before. */
  msLater: fc.nat({ max: 100_000 }),
  /** Of a clock that is not always right. */
  msBack: fc.nat({ max: 400_000 }),
  type: fc.oneof(fc.constant(hitTypes.pageview), fc.constantFrom(...Object.values(hitTypes))),
  field: textId,
  duration: fc.nat({ max: 200_000 }),
  scroll: fc.nat({ max: 101 }),
  amount: number,
  properties: fc.array(fc.tuple(fc.nat({ max: 4 }), fc.constantFrom(1, 2), number), { maxLength: 2 }),
});
/** So many hits arrive, and these columns are asked for then. */
const question = fc.record({
  hits: fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 3 }) }, { weight: 1, arbitrary: fc.nat({ max: 60 }) }),
  columns: fc.oneof(fc.subarray(columnNames), fc.subarray(columnNames, { maxLength: 3 })),
});
type Visit = typeof visit extends fc.Arbitrary<infer V> ? V : never;
type Hit = typeof hit extends fc.Arbitrary<infer H> ? H : never;

const visitRow = (id: number, of: Visit): OpenVisitRow => {
  const visitor = (BigInt(of.visitor[0]) << 32n) + BigInt(0xffffffff - of.visitor[1]);
  return [
    id,
    visitor.toString(16).padStart(16, '0'),
    of.persistent,
    of.seenBefore,
    ...visitAttributes.map((_, i) => of.attribute * (i % 3)),
  ];
};

const hitRow = (id: number, visitId: number, at: number, of: Hit): OpenHitRow => {
  const { type, field, duration, scroll, amount, properties } = of;
  const stored = properties.flatMap(([key, kind, value]) => [key + 1, kind, kind === 1 ? field : value]);
  const json = type === hitTypes.identify ? [field, field + 1] : stored;
  const isRevenue = type === hitTypes.revenue;
  return [
    ...([id, visitId, at, type, duration] as const),
    isRevenue ? amount : null,
    isRevenue ? 1 + (field % 3) : 0,
    json.length === 0 ? null : json,
    scroll,
    ...[field, 1, field >>> 1, 0, field % 7],
  ];
};

/** Rows in the order of arrival; a visit comes just before its first hit. */
const rowsOf = (visits: readonly Visit[], hits: readonly Hit[], isSteady: boolean): (OpenVisitRow | OpenHitRow)[] => {
  const ids = new Map<number, number>();
  let clock = 0;
  return hits.flatMap((of, i) => {
    const visitor = of.visit % visits.length;
    clock += of.msLater;
    const isFirst = !ids.has(visitor);
    // Another site's visits have the ids between.
    if (isFirst) ids.set(visitor, 7 + (isSteady ? ids.size : 3 * ids.size));
    const visitId = ids.get(visitor)!;
    const row = hitRow(i + 1, visitId, isSteady ? clock : Math.max(0, clock - of.msBack), of);
    return isFirst ? [visitRow(visitId, visits[visitor]!), row] : [row];
  });
};

const isVisit = (row: OpenVisitRow | OpenHitRow): row is OpenVisitRow => typeof row[1] === 'string';

const add = (to: OpenDay, row: OpenVisitRow | OpenHitRow): void => {
  if (isVisit(row)) to.addVisits(visitRows([row]));
  else to.addHits(hitRows([row]));
};

test('rows that come between questions fold like rows that come at once', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(visit, { minLength: 1, maxLength: 300, size: 'max' }),
      fc.array(hit, { minLength: 300, maxLength: 500, size: 'max' }),
      fc.array(question, { maxLength: 40, size: 'max' }),
      (isSteady, visits, hits, questions) => {
        const rows = rowsOf(visits, hits, isSteady);
        const open = new OpenDay(1, day);
        let arrived = 0;
        // The first finds most of the day, as a thread does that starts.
        const sizes = [rows.length - Math.min(rows.length, 120), ...questions.map(asked => asked.hits)];
        for (const [i, size] of sizes.entries()) {
          for (const row of rows.slice(arrived, arrived + size)) add(open, row);
          arrived = Math.min(rows.length, arrived + size);
          const atOnce = new OpenDay(1, day);
          for (const row of rows.slice(0, arrived)) add(atOnce, row);
          const [found, wanted] = [open.day(), atOnce.day()];
          for (const fact of ['visits', 'hashVisits', 'hits', 'firstAt', 'lastAt'] as const)
            assert.is(found[fact], wanted[fact], fact);
          for (const name of questions[i]?.columns ?? columnNames)
            assert.equal(columnOf(found, name), columnOf(wanted, name), name);
        }
      },
    ),
    { seed: 1, numRuns: 16 * repeat, endOnFailure: true },
  );
});

test('a day equals plain loops over its rows, in whatever order they came', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(visit, { minLength: 1, maxLength: 20 }),
      fc.array(hit, { maxLength: 100 }),
      (isSteady, visits, hits) => {
        const rows = rowsOf(visits, hits, isSteady);
        const open = new OpenDay(1, day);
        for (const row of rows) add(open, row);
        const found = open.day();
        const wanted = plainly(rows);
        const number = (name: NumberName): number[] => [...found.numbers(name)];
        const texts = (name: TextName): number[] =>
          Array.from(found.texts(name).codes, code => found.texts(name).dictionary[code]!);
        const wantedHits = wanted.flatMap(({ rows }) => rows);
        const times = wantedHits.map(row => day * dayMs + row[2]);
        assert.equal(
          [found.visits, found.hashVisits, found.hits, found.firstAt, found.lastAt],
          [
            wanted.length,
            wanted.filter(({ persistent }) => persistent === 0).length,
            wantedHits.length,
            times.length === 0 ? 0 : Math.min(...times),
            Math.max(0, ...times),
          ],
        );
        assert.equal(
          [...found.hashes()],
          wanted.map(({ visitor }) => visitor),
          'visitor',
        );
        for (const name of ['newVisitor', 'started', 'duration', 'hits', 'pageviews'] as const)
          assert.equal(
            number(name),
            wanted.map(of => of[name]),
            name,
          );
        for (const name of ['entryPath', 'exitPath', 'identified', 'traits'] as const)
          assert.equal(
            texts(name),
            wanted.map(of => of[name]),
            name,
          );
        assert.equal(
          number('time'),
          wanted.flatMap(of => of.rows.map(row => row[2] - of.started)),
        );
        assert.equal(
          number('type'),
          wantedHits.map(row => row[3]),
        );
        assert.equal(
          texts('path'),
          wantedHits.map(row => row[9]),
        );
        assert.equal(
          texts('event'),
          wantedHits.map(row => row[13]),
        );
        assert.equal(
          number('secondsOnPage'),
          wanted.flatMap(of => of.rows.map(row => of.secondsOnPage(row))),
        );
        assert.equal(
          number('scroll'),
          wanted.flatMap(of => of.rows.map(row => of.scroll(row))),
        );
        assert.equal(
          number('revenueAmount'),
          wantedHits.flatMap(row => row[5] ?? []),
        );
        assert.equal(
          number('revenueHit'),
          [...wantedHits.keys()].filter(i => wantedHits[i]![5] !== null),
        );
        const wantedProperties = wantedHits
          .flatMap((row, place) => triples(row).map(([key]) => ({ key, place })))
          .sort((a, b) => a.key - b.key || a.place - b.place);
        assert.equal(
          texts('propertyKey'),
          wantedProperties.map(({ key }) => key),
        );
        assert.equal(
          number('propertyHit'),
          wantedProperties.map(({ place }) => place),
        );
      },
    ),
    { seed: 2, numRuns: 200 },
  );
});

/** Key, type and value of each property of a hit. */
const triples = (row: OpenHitRow): [number, number, number][] => {
  const stored = row[7] ?? [];
  return stored.flatMap((key, i) => (i % 3 === 0 ? [[key, stored[i + 1]!, stored[i + 2]!]] : []));
};

/** Visits in the order of columns, each with its hits: told from the rows by plain loops. */
const plainly = (rows: readonly (OpenVisitRow | OpenHitRow)[]) => {
  const ofVisits = rows.filter(isVisit);
  const ofHits = rows.filter((row): row is OpenHitRow => !isVisit(row));
  const seen = new Set<string>();
  return ofVisits
    .map(row => {
      const all = ofHits.filter(hit => hit[1] === row[0]).sort((a, b) => a[2] - b[2] || a[0] - b[0]);
      const pages = all.filter(hit => hit[3] === hitTypes.pageview);
      const identity = all.findLast(hit => hit[3] === hitTypes.identify)?.[7] ?? [0, 0];
      const started = all[0]![2];
      /** What came after a page, up to the next, told of it. */
      const laterThan = (hit: OpenHitRow): OpenHitRow[] => {
        const place = pages.indexOf(hit);
        if (place === -1) return [];
        const next = pages[place + 1];
        return all.slice(all.indexOf(hit) + 1, next && all.indexOf(next) + 1);
      };
      const msOnPage = (hit: OpenHitRow): number => laterThan(hit).reduce((sum, { 4: duration }) => sum + duration, 0);
      const secondsOnPage = (hit: OpenHitRow): number => Math.round(msOnPage(hit) / 1000);
      const scroll = (hit: OpenHitRow): number => {
        const code = Math.max(0, ...laterThan(hit).map(told => told[8]));
        return code === 0 && msOnPage(hit) > 0 && msOnPage(hit) < 500 ? brieflyCode : code;
      };
      return {
        persistent: row[2],
        visitor: BigInt(`0x${row[1]}`),
        started,
        duration: all.at(-1)![2] - started,
        hits: all.filter(hit => hit[3] <= hitTypes.revenue).length,
        pageviews: pages.length,
        entryPath: pages[0]?.[9] ?? 0,
        exitPath: pages.at(-1)?.[9] ?? 0,
        identified: identity[0]!,
        traits: identity[1]!,
        rows: all.filter(hit => hit[3] <= hitTypes.revenue),
        secondsOnPage,
        scroll,
        arrival: ofVisits.indexOf(row),
      };
    })
    .filter(({ hits }) => hits > 0)
    .sort(
      (a, b) =>
        a.persistent - b.persistent ||
        (a.visitor < b.visitor ? -1 : a.visitor > b.visitor ? 1 : a.started - b.started || a.arrival - b.arrival),
    )
    .map(of => {
      const visitor = `${of.persistent} ${of.visitor}`;
      const newVisitor = seen.has(visitor) ? 0 : 1;
      seen.add(visitor);
      return { ...of, newVisitor };
    });
};

const [someVisit] = fc.sample(visit, { seed: 1, numRuns: 1 });
const [someHit] = fc.sample(hit, { seed: 1, numRuns: 1 });
const pageview = (id: number, at: number): OpenHitRow => hitRow(id, 1, at, { ...someHit!, type: hitTypes.pageview });

test('a day’s earlier view stays as it is when rows come', () => {
  const open = new OpenDay(1, day);
  add(open, visitRow(1, someVisit!));
  add(open, pageview(1, 5));
  const before = open.day();
  const times = before.numbers('time');
  add(open, pageview(2, 7));
  assert.is(before.numbers('hits')[0], 1, 'not folded yet');
  assert.equal([...open.day().numbers('time')], [0, 2]);
  assert.equal([...times], [0]);
  assert.throws(() => before.texts('path'), /rows have come since/);
  const between = open.day();
  add(open, pageview(3, 6));
  assert.equal([...open.day().numbers('time')], [0, 1, 2], 'after the clock was set back');
  assert.throws(() => between.texts('path'), /rows have come since/);
});

test('a hit without its visit is refused', () => {
  for (const ids of [[], [1], [3, 5, 9]]) {
    const open = new OpenDay(1, day);
    open.addVisits(visitRows(ids.map(id => visitRow(id, someVisit!))));
    assert.throws(() => open.addHits(hitRows([hitRow(1, 4, 0, someHit!)])), /hit 1 belongs to no visit/);
  }
});

test.run();
