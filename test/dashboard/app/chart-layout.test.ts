import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bucketName, endsOpen, pairsOf } from '../../../src/dashboard/app/chart/buckets.ts';
import { type Layout, layoutOf, type Plotted } from '../../../src/dashboard/app/chart/layout.ts';
import { fittingText, metricSteps, metricTick, wholeSteps } from '../../../src/dashboard/app/metric-text.ts';
import { en } from '../../../src/dashboard/app/texts/en.ts';
import { setTexts } from '../../../src/dashboard/app/texts/text.ts';
import { dayMs } from '../../../src/model/time.ts';

setTexts('en', en);

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

/** The points that a path goes through: the last two numbers of each command. */
const pointsOf = (path: string): [number, number][] =>
  [...path.matchAll(/([-\d.]+) ([-\d.]+)(?=[CL]|$)/g)].map(([, x, y]) => [Number(x), Number(y)]);

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
    ['-50', '0', '50', '100', '150'],
  );
  assert.equal(
    layout([-60, 100]).rows.map(({ text }) => text),
    ['-100', '-50', '0', '50', '100', '150'],
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
        assert.ok(
          columns.every((at, i) => i === 0 || at - columns[i - 1]! >= 36),
          String(columns),
        );
        assert.ok(Math.abs(columns.at(-1)! - drawn.right) < 1 || values.length === 1);
        const highest = Math.max(...values.map(value => value ?? 0));
        assert.ok(drawn.y(highest) >= drawn.rows.at(-1)!.at - 1e-6);
      },
    ),
  );
});

test('a curve overshoots no point', () => {
  const { line, y } = layout([0, 0, 10, 10, 4, 4]);
  const heights = [...line.matchAll(/[-\d.]+ ([-\d.]+)/g)].map(([, height]) => Number(height));
  assert.ok(
    heights.every(height => height >= y(10) - 0.1 && height <= y(0) + 0.1),
    String(heights),
  );
});

test('weekends of days are shaded as one, and where clocks change hours keep their times on the axis', () => {
  // 1 January 2026 is a Thursday.
  const { weekends, x } = layout([1, 2, 3, 4, 5, 6]);
  assert.equal(weekends, [[(x(1) + x(2)) / 2, (x(3) + x(4)) / 2]]);
  const hours = [0, 1, 2, 2, ...Array.from({ length: 21 }, (_, i) => i + 3)];
  const dates = hours.map(hour => `2026-10-25T${String(hour).padStart(2, '0')}:00:00`);
  const { columns } = layout(hours, { dates, bucket: 'hour' });
  assert.equal(
    columns.slice(1).map(({ text }) => text),
    ['03:00', '06:00', '09:00', '12:00', '15:00', '18:00', '23:00'],
  );
});

test('on a day on which clocks change, each hour is compared with the same hour', () => {
  const hoursOf = (day: string, hours: readonly number[]): string[] =>
    hours.map(hour => `${day}T${String(hour).padStart(2, '0')}:00:00`);
  const all = Array.from({ length: 24 }, (_, i) => i);
  const before = hoursOf('2026-10-24', all);
  const long = hoursOf('2026-10-25', [0, 1, 2, ...all.slice(2)]);
  assert.equal(pairsOf(long, before, 'hour'), [0, 1, 2, ...all.slice(2)]);
  const short = hoursOf('2026-03-29', [0, 1, ...all.slice(3)]);
  assert.equal(pairsOf(short, hoursOf('2026-03-28', all), 'hour'), [0, 1, ...all.slice(3)]);
  assert.ok(bucketName(long, 3, 'hour').endsWith('02:00, second time'));
  assert.ok(bucketName(long, 2, 'hour').endsWith('02:00'));
});

test('a week or a month that goes on is not over, and money on an axis is short', () => {
  assert.ok(endsOpen(['2026-10-01', '2026-11-01'], 'month', '2026-11-20'));
  assert.ok(endsOpen(['2026-11-16'], 'week', '2026-11-20'));
  assert.is(endsOpen(['2026-10-01'], 'month', '2026-11-20'), false);
  assert.is(metricTick('revenue', 1_500_000_000_000, 'EUR'), '€15B');
  assert.is(fittingText('revenue', 39_506_172_919_800, 'EUR', 12), '€395.1B');
});

test.run();
