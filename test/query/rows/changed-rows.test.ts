import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnswerOf, Query, QuestionOf } from '../../../src/query/query.ts';
import { withChangedRows } from '../../../src/query/rows/changed-rows.ts';
import { repeat } from '../../repeat.ts';
import { randomFrom } from '../random-site.ts';

const day = (from: number) => ({ from, to: from + 1 });

const queryOf = (
  limit: number,
  metric: 'visits' | 'revenue',
  filters: Query['slices'][number]['filters'][] = [[], []],
) => {
  const asked = { kind: 'table', dimension: 'path', metrics: [metric], sort: metric, descending: true } as const;
  const questionOf = (other: number): QuestionOf<'table'> => ({
    ...{ ...asked, metrics: [metric], limit: 1000, after: null },
    changes: { limit, against: day(other) },
  });
  return {
    ...{ siteId: 1, currency: 'EUR', minorRates: {} },
    slices: [
      { ...day(1), filters: filters[0]!, questions: [questionOf(0)] },
      { ...day(0), filters: filters[1]!, questions: [questionOf(1)] },
    ],
  };
};

/** The first rows of all, in their order. */
const tableOf = (all: ReadonlyMap<string, number>, limit: number): AnswerOf<'table'> => {
  const rows = [...all]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, hits: 1, values: [value], otherRevenue: {} }));
  const last = rows[limit - 1];
  const next = rows.length > limit ? { value: last!.values[0]!, hits: 1, name: last!.name } : null;
  return { kind: 'table', rows: rows.slice(0, limit), total: rows.length, next };
};

const namesOf = (table: unknown): string[] => (table as AnswerOf<'table'>).rows.map(({ name }) => name);

test('what changed most is kept, whatever is behind the last row', () => {
  for (let seed = 1; seed <= 300 * repeat; seed++) {
    const random = randomFrom(seed);
    const metric = random.chance(0.5) ? 'visits' : 'revenue';
    const drawn = (): number => random.below(random.chance(0.1) ? 200 : 12) - (metric === 'revenue' ? 5 : 0);
    const worldOf = () => {
      const names = Array.from({ length: 60 }, (_, i) => `/${i}`).filter(() => random.chance(0.7));
      return new Map(names.map((name): [string, number] => [name, drawn()]));
    };
    const [now, before] = [worldOf(), worldOf()];
    const [limit, rows] = [1 + random.below(4), 10 + random.below(60)];
    const report = [[tableOf(now, rows)], [tableOf(before, rows)]];
    const [[a], [b]] = withChangedRows(queryOf(limit, metric), report) as [[unknown], [unknown]];
    const seen = new Set(report.flatMap(([table]) => namesOf(table)));
    const kept = new Set([...namesOf(a), ...namesOf(b)]);
    const unseenMax = Math.max(0, ...report.map(([table]) => table!.next?.value ?? 0));
    for (const sign of [1, -1]) {
      const sizes = [...seen].map(name => ({ name, size: sign * ((now.get(name) ?? 0) - (before.get(name) ?? 0)) }));
      const nth = sizes.map(({ size }) => size).sort((x, y) => y - x)[limit] ?? 0;
      for (const { name, size } of sizes)
        if (size > 0 && size >= unseenMax && size >= nth) assert.ok(kept.has(name), `seed ${seed}: ${name} ${size}`);
    }
    for (const [i, table] of [a, b].entries()) {
      const all = namesOf(report[i]![0]);
      assert.equal(
        namesOf(table),
        all.filter(name => kept.has(name)),
        `seed ${seed}`,
      );
      assert.is((table as AnswerOf<'table'>).total, [now, before][i]!.size);
    }
  }
});

test('of a thousand rows that all changed a dozen are kept', () => {
  const worldOf = (factor: number) => new Map(Array.from({ length: 1000 }, (_, i) => [`/${i}`, (i * factor) % 1009]));
  const [[a], [b]] = withChangedRows(queryOf(5, 'visits'), [
    [tableOf(worldOf(7), 1000)],
    [tableOf(worldOf(11), 1000)],
  ]) as [[unknown], [unknown]];
  assert.is(namesOf(a).length, 12);
  assert.equal(namesOf(a).sort(), namesOf(b).sort());
});

test('a table that is compared with none, or with other filters, has all rows', () => {
  const report = [[tableOf(new Map([['/', 3]]), 5)], [tableOf(new Map([['/', 3]]), 5)]];
  const germany = [{ field: 'country', operator: 'is', negated: false, values: ['DE'] }] as const;
  assert.equal(withChangedRows(queryOf(1, 'visits', [[], germany as never]), report), report);
  assert.equal(
    withChangedRows(queryOf(1, 'visits'), report).map(([table]) => namesOf(table)),
    [[], []],
  );
});

test.run();
