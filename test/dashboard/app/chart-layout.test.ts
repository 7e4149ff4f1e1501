import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Layout, layoutOf, type Plotted } from '../../../src/dashboard/app/chart/layout.ts';
import { metricSteps, wholeSteps } from '../../../src/dashboard/app/metric-text.ts';
import { dayMs } from '../../../src/model/time.ts';

const datesOf = (length: number): string[] =>
  Array.from({ length }, (_, i) => new Date(Date.UTC(2026, 0, 1) + i * dayMs).toISOString().slice(0, 19));

const layout = (values: readonly (number | null)[], changes: Partial<Plotted> = {}, widthPx = 800): Layout =>
  layoutOf(
    {
      dates: datesOf(values.length),
      bucket: 'day',
      values,
      earlier: null,
      isOpen: false,
      scale: { text: String, steps: wholeSteps },
      ...changes,
    },
    { widthPx, heightPx: 260 },
  );

const pointsOf = (path: string): [number, number][] =>
  [...path.matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

test('a line goes through all that is known, and its end is apart while that is not over', () => {
  const { line, open, left, right, y } = layout([3, null, 10, 4], { isOpen: true });
  const third = left + (2 * (right - left)) / 3;
  assert.equal(pointsOf(line).length, 2);
  assert.equal(pointsOf(open).length, 2);
  assert.ok(Math.abs(pointsOf(line)[1]![0] - third) < 0.1 && Math.abs(pointsOf(open)[0]![0] - third) < 0.1);
  assert.ok(Math.abs(pointsOf(open)[1]![1] - y(4)) < 0.1);
  assert.is(layout([3, 10, 4]).open, '');
  assert.is(layout([3, 10, null], { isOpen: true }).open, '');
});

test('a single value is a dot, and no value is nothing', () => {
  const { dot, line, area } = layout([7]);
  assert.ok(dot !== undefined);
  assert.equal([line, area], ['', '']);
  assert.equal([layout([null, null]).dot, layout([]).line], [undefined, '']);
});

test('the grid reaches below zero where values do', () => {
  assert.equal(
    layout([-40, 100]).rows.map(({ text }) => text),
    ['0', '50', '100'],
  );
  assert.equal(
    layout([-60, 100]).rows.map(({ text }) => text),
    ['-50', '0', '50', '100'],
  );
  assert.equal(
    layout([0, 0]).rows.map(({ text }) => text),
    ['0', '1', '2', '3', '4'],
  );
});

test('all that is drawn lies in the plot, in order, and apart', () => {
  const value = fc.option(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }));
  const steps = fc.constantFrom(metricSteps('visitors'), metricSteps('avgVisitSeconds'), metricSteps('viewsPerVisit'));
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 400 }),
      steps,
      fc.boolean(),
      fc.integer({ min: 320, max: 2600 }),
      (values, steps, isOpen, widthPx) => {
        const drawn = layout(values, { scale: { text: String, steps }, isOpen }, widthPx);
        for (const [x, y] of [...pointsOf(drawn.line), ...pointsOf(drawn.open)]) {
          assert.ok(x >= drawn.left - 0.1 && x <= drawn.right + 0.1, `x ${x}`);
          assert.ok(y >= drawn.top - 0.1 && y <= drawn.bottom + 0.1, `y ${y}`);
        }
        const rows = drawn.rows.map(({ at }) => at);
        assert.ok(rows.length > 0 && rows.every((at, i) => i === 0 || rows[i - 1]! - at >= 36 - 1e-6));
        assert.ok(rows.every(at => at >= drawn.top - 1e-6 && at <= drawn.bottom + 1e-6));
        const columns = drawn.columns.map(({ at }) => at);
        assert.ok(columns.every(at => at < drawn.right || values.length === 1));
      },
    ),
  );
});

test.run();
