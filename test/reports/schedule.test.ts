import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { zoneOf } from '../../src/api/request/zone.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { newestPeriod, nextSending, sendingsBetween } from '../../src/reports/schedule.ts';

const clockIn = (zone: string, at: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(at);

for (const [zone, year] of [
  ['Europe/Berlin', 2026],
  ['Asia/Kathmandu', 2026],
  ['Pacific/Apia', 2021],
  ['America/Santiago', 2026],
  ['Australia/Lord_Howe', 2026],
] as const)
  for (const hour of [0, 2, 8, 23])
    test(`each day and Monday of ${year} in ${zone} has one sending at ${hour} o’clock`, () => {
      for (const [cadence, expected] of [
        ['day', 366],
        ['week', 53],
      ] as const) {
        const schedule = { cadence, weekday: 1, hour };
        const periods: string[] = [];
        let at = Date.UTC(year, 0, 1) - dayMs;
        for (
          at = nextSending(schedule, zoneOf(zone), at);
          at < Date.UTC(year + 1, 0, 1);
          at = nextSending(schedule, zoneOf(zone), at)
        ) {
          const shown = clockIn(zone, at);
          // In spring an hour is missing: then it is the moment at which the clock goes on.
          const before = clockIn(zone, at - 1);
          const isGap =
            shown.slice(11, 13) !== before.slice(11, 13) && shown.slice(11) > `${String(hour).padStart(2, '0')}:00:00`;
          assert.ok(shown.endsWith(`${String(hour).padStart(2, '0')}:00:00`) || isGap, `${shown} after ${before}`);
          const { from, to } = newestPeriod(schedule, zoneOf(zone), at);
          assert.equal(newestPeriod(schedule, zoneOf(zone), at + hourMs - 1), { from, to });
          assert.is.not(newestPeriod(schedule, zoneOf(zone), at - 1).to, to);
          assert.is(Date.parse(shown.slice(0, 10)) - Date.parse(to), dayMs);
          assert.is(Date.parse(to) - Date.parse(from), (cadence === 'day' ? 0 : 6) * dayMs);
          if (periods.length > 0) assert.is(Date.parse(from) - Date.parse(periods.at(-1)!), dayMs);
          periods.push(to);
        }
        assert.ok(Math.abs(periods.length - expected) <= 1, `${cadence}: ${periods.length}`);
      }
    });

test('months, quarters and weeks that begin on another day', () => {
  const zone = zoneOf('Europe/Berlin');
  const at = Date.parse('2026-11-20T12:00:00Z');
  const of = (cadence: 'day' | 'week' | 'month' | 'quarter', weekday = 1) => ({ cadence, weekday, hour: 8 });
  assert.equal(newestPeriod(of('month'), zone, at), { from: '2026-10-01', to: '2026-10-31' });
  assert.equal(newestPeriod(of('quarter'), zone, at), { from: '2026-07-01', to: '2026-09-30' });
  assert.equal(newestPeriod(of('week', 7), zone, at), { from: '2026-11-08', to: '2026-11-14' });
  assert.equal(newestPeriod(of('week', 3), zone, at), { from: '2026-11-11', to: '2026-11-17' });
  assert.is(new Date(nextSending(of('month'), zone, at)).toISOString(), '2026-12-01T07:00:00.000Z');
  assert.is(sendingsBetween(of('day'), zone, nextSending(of('day'), zone, at), at + 3 * dayMs), 3);
});

test.run();
