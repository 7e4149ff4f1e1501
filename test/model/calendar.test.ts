import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addMonths, localName, startOfMonth, wholeMonths } from '../../src/model/calendar.ts';

const local = (text: string): number => Date.parse(`${text}Z`);

test('months keep the day where they can', () => {
  const rows: [string, number, string][] = [
    ['2026-03-31T14:00:00', -1, '2026-02-28T14:00:00'],
    ['2024-03-31T14:00:00', -1, '2024-02-29T14:00:00'],
    ['2024-02-29T00:00:00', -12, '2023-02-28T00:00:00'],
    ['2026-01-15T23:59:59', -1, '2025-12-15T23:59:59'],
    ['2026-11-01T00:00:00', 2, '2027-01-01T00:00:00'],
  ];
  for (const [from, months, want] of rows) assert.is(localName(addMonths(local(from), months)), want, from);
  assert.is(localName(startOfMonth(local('2026-11-20T14:00:00'))), '2026-11-01T00:00:00');
});

test('whole months go from the first of one to the last of another', () => {
  const rows: [first: string, last: string, want: number][] = [
    ['2026-11-01', '2026-11-30', 1],
    ['2024-02-01', '2024-02-29', 1],
    ['2025-12-01', '2026-11-30', 12],
    ['2026-11-01', '2026-11-29', 0],
    ['2026-11-02', '2026-11-30', 0],
    ['2026-11-30', '2026-11-30', 0],
  ];
  for (const [first, last, want] of rows)
    assert.is(wholeMonths(Date.parse(first), Date.parse(last)), want, `${first} to ${last}`);
});

test.run();
