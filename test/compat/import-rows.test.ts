import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { timeOf } from '../../src/compat/import-rows.ts';

const at = Date.UTC(2026, 9, 1, 12, 30, 5);
const times: [text: string, want: number | null][] = [
  ['2026-10-01T12:30:05Z', at],
  ['2026-10-01 12:30:05', at],
  ['2026-10-01 12:30:05 UTC', at],
  ['2026-10-01 12:30:05.1', at + 100],
  ['2026-10-01 12:30:05,123456+00', at + 123],
  ['2026-10-01 18:15:05+0545', at],
  ['2026-10-01T09:00:05-03:30', at],
  ['2026-10-01T12:30Z', at - 5000],
  ['2016-12-31T23:59:60Z', Date.UTC(2016, 11, 31, 23, 59, 59)],
  ['2024-02-29 00:00:00', Date.UTC(2024, 1, 29)],
  ['2026-02-29 00:00:00', null],
  ['2026-13-01 00:00:00', null],
  ['2026-00-10 00:00:00', null],
  ['2026-01-00 00:00:00', null],
  ['2026-01-01 24:00:00', null],
  ['2026-01-01 00:60:00', null],
  ['2026-01-01 00:00:61', null],
  ['2026-01-01 00:00:00+24:00', null],
  ['2026-01-01 00:00:00+01:60', null],
  ['1969-12-31 23:59:59', null],
  ['0099-01-01 00:00:00', null],
  ['1970-01-01 00:00:00+01', null],
  ['01/10/2026 12:30', null],
  ['1790857805', null],
  ['2026-10-01', null],
  ['', null],
];
for (const [text, want] of times) test(`time ${JSON.stringify(text)}`, () => assert.is(timeOf(text), want));

test('every instant since 1970 is read as it was written', () => {
  const instants = fc.date({ min: new Date(0), max: new Date('9999-12-30'), noInvalidDate: true });
  const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 });
  const two = (number: number): string => String(Math.floor(number)).padStart(2, '0');
  fc.assert(
    fc.property(
      instants,
      offsets,
      fc.constantFrom('T', ' '),
      fc.constantFrom(':', ''),
      (instant, minutes, t, colon) => {
        const local = new Date(instant.getTime() + minutes * 60_000);
        if (local.getTime() < 0) return;
        const [hours, rest] = [Math.abs(minutes) / 60, Math.abs(minutes) % 60];
        const zone = `${minutes < 0 ? '-' : '+'}${two(hours)}${colon}${two(rest)}`;
        assert.is(timeOf(`${local.toISOString().slice(0, -1).replace('T', t)}${zone}`), instant.getTime());
      },
    ),
    { seed: 3, numRuns: 500 },
  );
});

test.run();
