import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { delta, metrics, quotient, ratio, rounded, type Totals } from '../../src/model/metrics.ts';

test('rates have two decimals, and counts stay whole', () => {
  const rows: [part: number, whole: number, want: number][] = [
    [4, 3, 1.33],
    [200, 3, 66.67],
    [1.005, 1, 1.01],
    [0, 0, 0],
    [7, 0, 0],
    [-5, 2, -2.5],
  ];
  for (const [part, whole, want] of rows) assert.is(ratio(part, whole), want, `${part}/${whole}`);
  assert.is(rounded(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
});

test('a change is computed from exact values and rounded to one decimal', () => {
  assert.is(delta(quotient(4, 3), 1), 33.3, 'of 1.33 it would be 33');
  assert.is(delta(quotient(4, 3), quotient(3, 2)), -11.1, 'of 1.33 it would be -11.3');
  assert.is(delta(3, 3), 0);
  assert.is(delta(0, 5), -100);
  assert.is(delta(5, 0), null);
  assert.is(delta(5, null), null);
});

test('metrics are exact', () => {
  const totals: Totals = {
    visitors: 3,
    visits: 3,
    bounces: 1,
    visitMs: 1000,
    pageviews: 4,
    events: 2,
    revenue: 100,
    otherRevenue: {},
  };
  assert.is(metrics.viewsPerVisit.value(totals), 4 / 3);
  assert.is(metrics.avgVisitSeconds.value(totals), 1 / 3);
  assert.is(metrics.bounceRate.value(totals), 100 / 3);
});

test.run();
