import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ColumnName, columnNames, columns } from '../../../src/model/columns.ts';
import type { Column } from '../../../src/store/day/column-codec.ts';
import { decodeColumn } from '../../../src/store/day/column-codec.ts';
import { columnsOf, type Day, dayOver, nullColumn, numberColumn, textColumn } from '../../../src/store/day/day.ts';
import { derive, encodeColumns } from '../../../src/store/day/derived.ts';
import { wholeDay } from '../../../src/store/day/part.ts';
import { flat } from '../../../src/store/day/unpack.ts';

interface Visit {
  hits: { type: number; path: number; title: number }[];
}

/** A day of these visits; `change` may say something else of some columns. */
const dayOf = (visits: readonly Visit[], change: Partial<Record<ColumnName, Column>> = {}): Day => {
  const all = visits.flatMap(({ hits }) => hits);
  const views = visits.map(({ hits }) => hits.filter(({ type }) => type === 1));
  const facts = { siteId: 1, day: 20_000, part: wholeDay, sealed: true, version: 0, firstAt: 0, lastAt: 0 };
  const counts = { visits: visits.length, hashVisits: visits.length, hits: all.length };
  const made: Partial<Record<ColumnName, Column>> = {
    visitor: { kind: 'hash', values: BigUint64Array.from(visits, (_, i) => BigInt(i)) },
    hits: numberColumn(visits.map(({ hits }) => hits.length)),
    type: numberColumn(all.map(({ type }) => type)),
    path: textColumn(Uint32Array.from(all, ({ path }) => path)),
    title: textColumn(Uint32Array.from(all, ({ title }) => title)),
    pageviews: numberColumn(views.map(({ length }) => length)),
    entryPath: textColumn(Uint32Array.from(views, of => of[0]?.path ?? 0)),
    exitPath: textColumn(Uint32Array.from(views, of => of.at(-1)?.path ?? 0)),
    ...change,
  };
  return dayOver({ ...facts, ...counts }, name => made[name] ?? nullColumn({ ...facts, ...counts }, name));
};

/** What a reader makes of what is stored. */
const readBack = (day: Day): { read: Day; stored: Set<ColumnName> } => {
  const stored = new Map(encodeColumns(day).map(({ name, data }) => [name, data]));
  const read: Day = dayOver(day, name => {
    const data = stored.get(name);
    return data === undefined ? derive(read, name)! : decodeColumn(data, () => read.column('path'));
  });
  return { read, stored: new Set(stored.keys()) };
};

const plain = (day: Day): unknown[] =>
  columnsOf(day).map(([name, column]) => {
    if (column.kind === 'text') return [name, [...column.dictionary], [...flat(column.codes)]];
    return [name, [...(column.kind === 'hash' ? column.values : flat(column.values))]];
  });

/** Pages and the titles that they mostly have. Some pages, and some hits, have none. */
const visits = fc.array(
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat({ max: 20 }), fc.nat({ max: 40 })), { minLength: 1 })
    .map(hits => ({
      hits: hits.map(([type, path, other]) => ({ type, path: 2 * path, title: other < 3 ? other : 100 + path })),
    })),
  { maxLength: 60, size: 'max' },
);

const derivedNames = ['pageviews', 'entryPath', 'exitPath'] as const;

test('what hits tell is not stored, and every column is read back unchanged', () => {
  fc.assert(
    fc.property(visits, all => {
      const day = dayOf(all);
      const { read, stored } = readBack(day);
      assert.equal(plain(read), plain(day));
      assert.equal(
        columnNames.filter(name => !stored.has(name)),
        [...derivedNames].sort((a, b) => columnNames.indexOf(a) - columnNames.indexOf(b)),
      );
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('what hits do not tell is stored, and read as it was', () => {
  const hits = [1, 2, 1].map((type, i) => ({ type, path: 2 + i, title: 0 }));
  for (const name of derivedNames) {
    const other = columns[name].kind === 'text' ? textColumn(Uint32Array.of(9, 9)) : numberColumn([7, 7]);
    const day = dayOf([{ hits }, { hits }], { [name]: other });
    const { read, stored } = readBack(day);
    assert.equal(
      derivedNames.filter(of => stored.has(of)),
      [name],
    );
    assert.equal(plain(read), plain(day));
  }
});

test('titles that follow paths take next to nothing, and others what they took', () => {
  const bytesOfTitles = (title: (path: number, i: number) => number): number => {
    const hits = Array.from({ length: 4000 }, (_, i) => ({ type: 1, path: 1 + ((i * i) % 60), title: 0 }));
    for (const [i, hit] of hits.entries()) hit.title = title(hit.path, i);
    const day = dayOf([{ hits }]);
    assert.equal(plain(readBack(day).read), plain(day));
    return encodeColumns(day).find(({ name }) => name === 'title')!.data.length;
  };
  const plainBytes = bytesOfTitles((_, i) => 1 + ((i * 7919) % 60));
  assert.ok(plainBytes > (4000 * 6) / 8 && plainBytes < (4000 * 6) / 8 + 100, `${plainBytes}`);
  assert.ok(bytesOfTitles(path => 500 + path) < 150);
  assert.ok(bytesOfTitles((path, i) => (i % 50 === 0 ? 3 : 500 + path)) < 400);
});

test.run();
