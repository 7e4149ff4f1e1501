import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { zoneOf } from '../../../src/api/request/zone.ts';
import { localName } from '../../../src/model/calendar.ts';
import { repeat } from '../../repeat.ts';

const local = (text: string): number => Date.parse(`${text}Z`);
const utc = (text: string): number => Date.parse(text);

test('a local time is one instant: the first of two, or the one after a gap', () => {
  const rows: [zone: string, reading: string, want: string][] = [
    ['UTC', '2026-11-20T14:00', '2026-11-20T14:00:00.000Z'],
    ['Europe/Berlin', '2026-07-01T00:00', '2026-06-30T22:00:00.000Z'],
    ['America/New_York', '2026-11-20T14:00', '2026-11-20T19:00:00.000Z'],
    ['Asia/Kathmandu', '2026-11-20T00:00', '2026-11-19T18:15:00.000Z'],
    ['Asia/Kolkata', '2026-11-20T00:00', '2026-11-19T18:30:00.000Z'],
    // Skipped: 02:00 to 03:00.
    ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T00:59:00.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
    // Repeated: 02:00 to 03:00.
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00:00.000Z'],
    // Clocks that change at midnight: the day begins at one, or is preceded by a second eleven in the evening.
    ['America/Sao_Paulo', '2018-11-04T00:00', '2018-11-04T03:00:00.000Z'],
    ['America/Sao_Paulo', '2018-02-18T00:00', '2018-02-18T03:00:00.000Z'],
    ['America/Havana', '2026-11-01T00:00', '2026-11-01T04:00:00.000Z'],
    // A day that never was.
    ['Pacific/Apia', '2011-12-29T23:00', '2011-12-30T09:00:00.000Z'],
    ['Pacific/Apia', '2011-12-30T00:00', '2011-12-30T10:00:00.000Z'],
    ['Pacific/Apia', '2011-12-31T00:00', '2011-12-30T10:00:00.000Z'],
    // Offsets that are no whole minutes.
    ['Africa/Monrovia', '1971-06-01T00:00', '1971-06-01T00:44:30.000Z'],
  ];
  for (const [zone, reading, want] of rows) {
    assert.is(new Date(zoneOf(zone).instant(local(reading))).toISOString(), want, `${zone} ${reading}`);
  }
});

test('local time is the zone’s', () => {
  const rows: [zone: string, at: string, want: string][] = [
    ['Europe/Berlin', '2026-10-25T00:59:59Z', '2026-10-25T02:59:59'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00'],
    ['Asia/Kathmandu', '2026-11-20T00:00:00Z', '2026-11-20T05:45:00'],
    ['Pacific/Chatham', '2026-01-01T00:00:00Z', '2026-01-01T13:45:00'],
    ['Pacific/Kiritimati', '2026-01-01T10:00:00Z', '2026-01-02T00:00:00'],
    ['America/St_Johns', '2026-01-01T00:00:00Z', '2025-12-31T20:30:00'],
  ];
  for (const [zone, at, want] of rows) assert.is(localName(zoneOf(zone).local(utc(at))), want, `${zone} ${at}`);
});

test('every instant outside a repeated hour comes back from its local time', () => {
  const names = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia', 'UTC'];
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.integer({ min: utc('1990-01-01T00:00Z'), max: utc('2040-01-01T00:00Z') }),
      (name, at) => {
        const zone = zoneOf(name);
        const reading = zone.local(at);
        const back = zone.instant(reading);
        assert.is(zone.local(back), reading);
        assert.ok(back === at || at - back <= 3_600_000);
      },
    ),
    { seed: 20261120, numRuns: 2000 },
  );
});

test('local time equals that of Intl, in every zone and at any time', () => {
  const parts = (name: string, at: number): string => {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: name, dateStyle: 'short', timeStyle: 'medium' });
    return format.format(at).replace(' ', 'T');
  };
  fc.assert(
    fc.property(
      fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
      fc.integer({ min: utc('1970-01-01T00:00Z'), max: utc('2040-01-01T00:00Z') }),
      (name, at) => assert.is(localName(zoneOf(name).local(at)), parts(name, at), `${name} ${at}`),
    ),
    { seed: 20261120, numRuns: 1200 * repeat },
  );
});

test('an unknown zone is refused', () => {
  assert.throws(
    () => zoneOf('Europe/Nowhere'),
    (error: unknown) => error instanceof RangeError,
  );
});

test.run();
