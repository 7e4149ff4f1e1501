import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bucketsOf } from '../../../src/api/request/buckets.ts';
import { type Comparison, type Period, readableFrom, type Window, windowOf } from '../../../src/api/request/window.ts';
import { zoneOf } from '../../../src/api/request/zone.ts';
import { type RangeKey, rangeKeys } from '../../../src/model/ranges.ts';
import { repeat } from '../../repeat.ts';

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const dates = (from: string, to: string | null = null): Period => ({
  from: day(from),
  to: to === null ? null : day(to),
});
const range = (key: RangeKey): Period => ({ range: key });

const at = (
  zone: string,
  now: string,
  period: Period,
  facts: { firstAt?: string; retentionDays?: number } = {},
  comparison?: Comparison,
): Window => {
  const moment = { zone: zoneOf(zone), now: Date.parse(now) };
  return windowOf(
    period,
    {
      ...moment,
      firstAt: facts.firstAt === undefined ? null : Date.parse(facts.firstAt),
      readableFrom: readableFrom({ ...moment, retentionDays: facts.retentionDays ?? null }),
    },
    comparison,
  );
};

/** `2026-11-20T14:00` or, with seconds that matter, `2026-11-20T14:00:00.001`, in UTC. */
const short = (instant: number): string => new Date(instant).toISOString().replace(/(:00\.000)?Z$/, '');
const span = (of: { from: number; to: number } | null): string =>
  of === null ? 'none' : `${short(of.from)} ${short(of.to)}`;

test('each range spans what its key says, and so does the window before it', () => {
  const now = '2026-11-20T13:30:15.500Z'; // 14:30 in Berlin, a Friday
  const end = '2026-11-20T13:30:15.501';
  const rows: [RangeKey, bucket: string, want: string, previous: string][] = [
    ['today', 'hour', `2026-11-19T23:00 ${end}`, '2026-11-18T23:00 2026-11-19T13:30:15.501'],
    ['yesterday', 'hour', '2026-11-18T23:00 2026-11-19T23:00', '2026-11-17T23:00 2026-11-18T23:00'],
    ['24h', 'hour', `2026-11-19T14:00 ${end}`, '2026-11-18T14:00 2026-11-19T13:30:15.501'],
    ['7d', 'day', `2026-11-13T23:00 ${end}`, '2026-11-06T23:00 2026-11-13T13:30:15.501'],
    // The previous thirty days begin in summer time, one hour earlier in UTC.
    ['30d', 'day', `2026-10-21T22:00 ${end}`, '2026-09-21T22:00 2026-10-21T12:30:15.501'],
    ['90d', 'day', `2026-08-22T22:00 ${end}`, '2026-05-24T22:00 2026-08-22T12:30:15.501'],
    ['month', 'day', `2026-10-31T23:00 ${end}`, '2026-09-30T22:00 2026-10-20T12:30:15.501'],
    ['12m', 'month', `2025-11-30T23:00 ${end}`, '2024-11-30T23:00 2025-11-20T13:30:15.501'],
    ['all', 'month', `2026-03-04T05:06:07.000 ${end}`, 'none'],
    ['week', 'day', `2026-11-15T23:00 ${end}`, '2026-11-08T23:00 2026-11-13T13:30:15.501'],
    ['last-week', 'day', '2026-11-08T23:00 2026-11-15T23:00', '2026-11-01T23:00 2026-11-08T23:00'],
    // October with all of September, though it is a day shorter.
    ['last-month', 'day', '2026-09-30T22:00 2026-10-31T23:00', '2026-08-31T22:00 2026-09-30T22:00'],
    ['quarter', 'day', `2026-09-30T22:00 ${end}`, '2026-06-30T22:00 2026-08-20T12:30:15.501'],
    ['last-quarter', 'day', '2026-06-30T22:00 2026-09-30T22:00', '2026-03-31T22:00 2026-06-30T22:00'],
    ['year', 'month', `2025-12-31T23:00 ${end}`, '2024-12-31T23:00 2025-11-20T13:30:15.501'],
    ['last-year', 'month', '2024-12-31T23:00 2025-12-31T23:00', '2023-12-31T23:00 2024-12-31T23:00'],
  ];
  assert.equal(
    rows.map(([key]) => key),
    rangeKeys,
  );
  for (const [key, bucket, want, previous] of rows) {
    const window = at('Europe/Berlin', now, range(key), { firstAt: '2026-03-04T05:06:07Z' });
    assert.is(span(window), want, key);
    assert.is(span(window.previous), previous, `before ${key}`);
    assert.is(window.bucket, bucket, key);
    assert.is(window.key, key);
  }
});

test('windows follow local days in every zone, when clocks change and at the end of a month', () => {
  const rows: [zone: string, now: string, period: Period, want: string, previous: string][] = [
    [
      'Asia/Kathmandu',
      '2026-11-20T00:00Z',
      range('today'),
      '2026-11-19T18:15 2026-11-20T00:00:00.001',
      '2026-11-18T18:15 2026-11-19T00:00:00.001',
    ],
    [
      'Asia/Kolkata',
      '2026-11-20T18:29Z',
      range('yesterday'),
      '2026-11-18T18:30 2026-11-19T18:30',
      '2026-11-17T18:30 2026-11-18T18:30',
    ],
    [
      'Asia/Kathmandu',
      '2026-11-20T00:20Z',
      range('24h'),
      '2026-11-19T01:15 2026-11-20T00:20:00.001',
      '2026-11-18T01:15 2026-11-19T00:20:00.001',
    ],
    [
      'Pacific/Kiritimati',
      '2026-11-20T10:00Z',
      range('today'),
      '2026-11-20T10:00 2026-11-20T10:00:00.001',
      '2026-11-19T10:00 2026-11-19T10:00:00.001',
    ],
    [
      'Pacific/Niue',
      '2026-11-20T10:00Z',
      range('today'),
      '2026-11-19T11:00 2026-11-20T10:00:00.001',
      '2026-11-18T11:00 2026-11-19T10:00:00.001',
    ],
    // Summer time begins (a day of 23 hours) and ends (25).
    [
      'Europe/Berlin',
      '2026-03-30T10:00Z',
      range('yesterday'),
      '2026-03-28T23:00 2026-03-29T22:00',
      '2026-03-27T23:00 2026-03-28T23:00',
    ],
    [
      'Europe/Berlin',
      '2026-10-26T10:00Z',
      range('yesterday'),
      '2026-10-24T22:00 2026-10-25T23:00',
      '2026-10-23T22:00 2026-10-24T22:00',
    ],
    [
      'America/New_York',
      '2026-03-08T18:00Z',
      range('today'),
      '2026-03-08T05:00 2026-03-08T18:00:00.001',
      '2026-03-07T05:00 2026-03-07T19:00:00.001',
    ],
    // 02:30 was skipped the day before: its place is taken by 03:30.
    [
      'Europe/Berlin',
      '2026-03-30T00:30Z',
      range('today'),
      '2026-03-29T22:00 2026-03-30T00:30:00.001',
      '2026-03-28T23:00 2026-03-29T01:30:00.001',
    ],
    // This day has no midnight: it begins at 01:00. The day before is whole.
    [
      'Africa/Cairo',
      '2026-04-24T10:00Z',
      range('today'),
      '2026-04-23T22:00 2026-04-24T10:00:00.001',
      '2026-04-22T22:00 2026-04-23T11:00:00.001',
    ],
    [
      'Africa/Cairo',
      '2026-04-25T10:00Z',
      range('yesterday'),
      '2026-04-23T22:00 2026-04-24T21:00',
      '2026-04-22T22:00 2026-04-23T22:00',
    ],
    [
      'Africa/Cairo',
      '2026-04-30T10:00Z',
      dates('2026-04-24', '2026-04-24'),
      '2026-04-23T22:00 2026-04-24T21:00',
      '2026-04-22T22:00 2026-04-23T22:00',
    ],
    [
      'Africa/Cairo',
      '2026-04-30T10:00Z',
      range('7d'),
      '2026-04-23T22:00 2026-04-30T10:00:00.001',
      '2026-04-16T22:00 2026-04-23T11:00:00.001',
    ],
    [
      'UTC',
      '2026-03-31T14:00Z',
      range('month'),
      '2026-03-01T00:00 2026-03-31T14:00:00.001',
      '2026-02-01T00:00 2026-02-28T14:00:00.001',
    ],
    [
      'UTC',
      '2026-01-31T14:00Z',
      range('12m'),
      '2025-02-01T00:00 2026-01-31T14:00:00.001',
      '2024-02-01T00:00 2025-01-31T14:00:00.001',
    ],
    [
      'UTC',
      '2024-02-29T14:00Z',
      range('12m'),
      '2023-03-01T00:00 2024-02-29T14:00:00.001',
      '2022-03-01T00:00 2023-02-28T14:00:00.001',
    ],
    [
      'Pacific/Apia',
      '2011-12-30T20:00Z',
      range('today'),
      '2011-12-30T10:00 2011-12-30T20:00:00.001',
      // There was no day before.
      'none',
    ],
    [
      'Pacific/Apia',
      '2011-12-31T20:00Z',
      range('7d'),
      '2011-12-26T10:00 2011-12-31T20:00:00.001',
      '2011-12-19T10:00 2011-12-25T20:00:00.001',
    ],
  ];
  for (const [zone, now, period, want, previous] of rows) {
    const window = at(zone, now, period);
    assert.is(span(window), want, `${zone} ${now}`);
    assert.is(span(window.previous), previous, `before ${zone} ${now}`);
  }
});

test('custom dates are local days, both included', () => {
  const now = '2026-11-20T13:30Z';
  const rows: [Period, key: string, bucket: string, want: string, previous: string][] = [
    [
      dates('2026-10-01', '2026-10-01'),
      '2026-10-01_2026-10-01',
      'hour',
      '2026-09-30T22:00 2026-10-01T22:00',
      '2026-09-29T22:00 2026-09-30T22:00',
    ],
    [
      dates('2026-10-01', '2026-10-02'),
      '2026-10-01_2026-10-02',
      'hour',
      '2026-09-30T22:00 2026-10-02T22:00',
      '2026-09-28T22:00 2026-09-30T22:00',
    ],
    [
      dates('2026-10-01', '2026-10-03'),
      '2026-10-01_2026-10-03',
      'day',
      '2026-09-30T22:00 2026-10-03T22:00',
      '2026-09-27T22:00 2026-09-30T22:00',
    ],
    [
      dates('2026-10-24', '2026-10-26'),
      '2026-10-24_2026-10-26',
      'day',
      '2026-10-23T22:00 2026-10-26T23:00',
      '2026-10-20T22:00 2026-10-23T22:00',
    ],
    [
      dates('2026-08-01', '2026-10-31'),
      '2026-08-01_2026-10-31',
      'day',
      '2026-07-31T22:00 2026-10-31T23:00',
      '2026-04-30T22:00 2026-07-31T22:00',
    ],
    [
      dates('2026-07-31', '2026-10-31'),
      '2026-07-31_2026-10-31',
      'month',
      '2026-07-30T22:00 2026-10-31T23:00',
      '2026-04-28T22:00 2026-07-30T22:00',
    ],
    // Until today means until now, and so does a date to come.
    [
      dates('2026-11-19'),
      '2026-11-19_2026-11-20',
      'hour',
      '2026-11-18T23:00 2026-11-20T13:30:00.001',
      '2026-11-16T23:00 2026-11-18T13:30:00.001',
    ],
    [
      dates('2026-11-19', '2026-12-31'),
      '2026-11-19_2026-12-31',
      'hour',
      '2026-11-18T23:00 2026-11-20T13:30:00.001',
      '2026-11-16T23:00 2026-11-18T13:30:00.001',
    ],
    [dates('2026-11-21'), '2026-11-21_2026-11-21', 'hour', '2026-11-20T23:00 2026-11-20T23:00', 'none'],
    [dates('2027-01-01', '2027-06-30'), '2027-01-01_2027-06-30', 'hour', '2026-12-31T23:00 2026-12-31T23:00', 'none'],
  ];
  for (const [period, key, bucket, want, previous] of rows) {
    const window = at('Europe/Berlin', now, period);
    assert.is(window.key, key);
    assert.is(span(window), want, key);
    assert.is(span(window.previous), previous, `before ${key}`);
    assert.is(window.bucket, bucket, key);
  }
  assert.is(at('UTC', now, dates('2026-10-01', '2026-10-01')).label, '2026-10-01');
  assert.is(at('UTC', now, dates('2026-10-01', '2026-10-07')).label, '2026-10-01 to 2026-10-07');
});

test('whole months, years and weeks are compared with as many before', () => {
  const now = '2026-11-18T13:30Z'; // a Wednesday
  const rows: [Period, want: string, previous: string][] = [
    [dates('2026-03-01', '2026-03-31'), '2026-03-01T00:00 2026-04-01T00:00', '2026-02-01T00:00 2026-03-01T00:00'],
    [dates('2026-02-01', '2026-02-28'), '2026-02-01T00:00 2026-03-01T00:00', '2026-01-01T00:00 2026-02-01T00:00'],
    [dates('2026-04-01', '2026-06-30'), '2026-04-01T00:00 2026-07-01T00:00', '2026-01-01T00:00 2026-04-01T00:00'],
    [dates('2025-01-01', '2025-12-31'), '2025-01-01T00:00 2026-01-01T00:00', '2024-01-01T00:00 2025-01-01T00:00'],
    [dates('2024-01-01', '2025-12-31'), '2024-01-01T00:00 2026-01-01T00:00', '2022-01-01T00:00 2024-01-01T00:00'],
    // Neither the first nor the last day of a month makes a whole one.
    [dates('2026-03-01', '2026-03-30'), '2026-03-01T00:00 2026-03-31T00:00', '2026-01-30T00:00 2026-03-01T00:00'],
    [dates('2026-03-02', '2026-03-31'), '2026-03-02T00:00 2026-04-01T00:00', '2026-01-31T00:00 2026-03-02T00:00'],
    [dates('2026-11-02', '2026-11-15'), '2026-11-02T00:00 2026-11-16T00:00', '2026-10-19T00:00 2026-11-02T00:00'],
    // What is not over is compared until the same time.
    [
      dates('2026-11-01', '2026-11-30'),
      '2026-11-01T00:00 2026-11-18T13:30:00.001',
      '2026-10-01T00:00 2026-10-18T13:30:00.001',
    ],
    [
      dates('2026-11-16', '2026-11-22'),
      '2026-11-16T00:00 2026-11-18T13:30:00.001',
      '2026-11-09T00:00 2026-11-11T13:30:00.001',
    ],
    [
      dates('2026-11-16', '2026-11-21'),
      '2026-11-16T00:00 2026-11-18T13:30:00.001',
      '2026-11-13T00:00 2026-11-15T13:30:00.001',
    ],
  ];
  for (const [period, want, previous] of rows) {
    const window = at('UTC', now, period);
    assert.is(span(window), want, window.key);
    assert.is(span(window.previous), previous, `before ${window.key}`);
  }
  const summer = at('Europe/Berlin', now, dates('2026-10-01', '2026-10-31'));
  assert.is(span(summer.previous), '2026-08-31T22:00 2026-09-30T22:00', 'local months');
});

test('a plan limits how far back a window reaches, to the day', () => {
  const now = '2026-11-20T13:30Z';
  const rows: [Period, want: string, previous: string][] = [
    [range('30d'), '2026-10-22T00:00 2026-11-20T13:30:00.001', 'none'],
    [range('90d'), '2026-10-22T00:00 2026-11-20T13:30:00.001', 'none'],
    [range('all'), '2026-10-22T00:00 2026-11-20T13:30:00.001', 'none'],
    [range('7d'), '2026-11-14T00:00 2026-11-20T13:30:00.001', '2026-11-07T00:00 2026-11-13T13:30:00.001'],
    [dates('2026-10-01', '2026-10-22'), '2026-10-22T00:00 2026-10-23T00:00', 'none'],
    [dates('2026-10-01', '2026-10-21'), '2026-10-22T00:00 2026-10-22T00:00', 'none'],
    [dates('2026-10-01', '2026-10-20'), '2026-10-21T00:00 2026-10-21T00:00', 'none'],
  ];
  for (const [period, want, previous] of rows) {
    const window = at('UTC', now, period, { firstAt: '2024-01-01T00:00Z', retentionDays: 30 });
    assert.is(span(window), want, window.key);
    assert.is(span(window.previous), previous, `before ${window.key}`);
  }
});

test('all begins with the first hit, in days up to 92 and in months beyond', () => {
  const now = '2026-11-20T13:30Z';
  const rows: [firstAt: string | undefined, bucket: string, from: string, buckets: number][] = [
    [undefined, 'day', '2026-11-20T00:00', 1],
    ['2026-11-20T13:30Z', 'day', '2026-11-20T13:30', 1],
    ['2026-08-21T23:59Z', 'day', '2026-08-21T23:59', 92],
    ['2026-08-20T23:59Z', 'month', '2026-08-20T23:59', 4],
    ['2015-05-17T10:05Z', 'month', '2015-05-17T10:05', 139],
  ];
  for (const [firstAt, bucket, from, buckets] of rows) {
    const window = at('UTC', now, range('all'), firstAt === undefined ? {} : { firstAt });
    assert.is(window.bucket, bucket, from);
    assert.is(short(window.from), from);
    assert.is(bucketsOf(window, zoneOf('UTC')).dates.length, buckets, from);
  }
});

test('buckets are named in local time', () => {
  const names = (zone: string, now: string, period: Period, firstAt?: string): string[] =>
    bucketsOf(at(zone, now, period, firstAt === undefined ? {} : { firstAt }), zoneOf(zone)).dates;
  assert.equal(names('Asia/Kathmandu', '2026-11-19T20:00Z', range('today')), [
    '2026-11-20T00:00:00',
    '2026-11-20T01:00:00',
  ]);
  assert.equal(names('Europe/Berlin', '2026-11-20T13:30Z', range('all'), '2026-08-15T10:00Z'), [
    '2026-08-01T00:00:00',
    '2026-09-01T00:00:00',
    '2026-10-01T00:00:00',
    '2026-11-01T00:00:00',
  ]);
  assert.equal(names('America/Sao_Paulo', '2018-11-05T12:00Z', dates('2018-11-03', '2018-11-05')), [
    '2018-11-03T00:00:00',
    '2018-11-04T00:00:00',
    '2018-11-05T00:00:00',
  ]);
  assert.equal(names('Pacific/Apia', '2012-01-01T20:00Z', dates('2011-12-28', '2012-01-01')), [
    '2011-12-28T00:00:00',
    '2011-12-29T00:00:00',
    '2011-12-31T00:00:00',
    '2012-01-01T00:00:00',
  ]);
});

test('a day of 23 or 25 hours has as many hourly buckets', () => {
  const rows: [zone: string, date: string, hours: number][] = [
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['Europe/Berlin', '2026-11-19', 24],
    ['America/New_York', '2026-03-08', 23],
    ['America/New_York', '2026-11-01', 25],
    ['America/Sao_Paulo', '2018-11-04', 23],
    ['Asia/Kathmandu', '2026-11-19', 24],
    // Half an hour is skipped and repeated here: the day has one hour bucket that lasts half as long.
    ['Australia/Lord_Howe', '2026-10-04', 24],
    ['Australia/Lord_Howe', '2026-04-05', 25],
  ];
  for (const [zone, date, hours] of rows) {
    const { dates: names } = bucketsOf(at(zone, '2026-11-20T13:30Z', dates(date, date)), zoneOf(zone));
    assert.is(names.length, hours, `${zone} ${date}`);
  }
  const repeated = bucketsOf(
    at('Europe/Berlin', '2026-11-20T13:30Z', dates('2026-10-25', '2026-10-25')),
    zoneOf('Europe/Berlin'),
  );
  assert.equal(repeated.dates.slice(1, 5), [
    '2026-10-25T01:00:00',
    '2026-10-25T02:00:00',
    '2026-10-25T02:00:00',
    '2026-10-25T03:00:00',
  ]);
});

test('a window is compared with the year before, with the same weekdays of it, or with given days', () => {
  const now = '2026-11-20T13:30:15.500Z'; // 14:30 in Berlin, a Friday
  const end = '13:30:15.501';
  const rows: [Period, Comparison, string][] = [
    [range('7d'), 'none', 'none'],
    [range('7d'), 'year', `2025-11-13T23:00 2025-11-20T${end}`],
    [range('7d'), 'year-weekday', `2025-11-14T23:00 2025-11-21T${end}`],
    [range('7d'), 'previous-weekday', `2026-11-06T23:00 2026-11-13T${end}`],
    [range('30d'), 'previous-weekday', `2026-09-16T22:00 2026-10-16T12:30:15.501`],
    [range('last-month'), 'previous-weekday', '2026-08-26T22:00 2026-09-26T22:00'],
    [range('24h'), 'year-weekday', `2025-11-20T14:00 2025-11-21T${end}`],
    // The year before, it was summer time until the 26th of October.
    [dates('2026-10-26', '2026-10-26'), 'year', '2025-10-25T22:00 2025-10-26T23:00'],
    [dates('2024-02-29', '2024-02-29'), 'year', '2023-02-27T23:00 2023-02-28T23:00'],
    [dates('2024-02-28', '2024-02-28'), 'year', '2023-02-27T23:00 2023-02-28T23:00'],
    [dates('2025-02-28', '2025-02-28'), 'year', '2024-02-27T23:00 2024-02-28T23:00'],
    [dates('2025-02-01', '2025-02-28'), 'year', '2024-01-31T23:00 2024-02-29T23:00'],
    [dates('2024-02-01', '2024-02-29'), 'year', '2023-01-31T23:00 2023-02-28T23:00'],
    [dates('2026-03-01', '2026-03-31'), 'year', '2025-02-28T23:00 2025-03-31T22:00'],
    [range('all'), 'year', 'none'],
    [range('7d'), { from: day('2026-11-01'), to: day('2026-11-02') }, '2026-10-31T23:00 2026-11-02T23:00'],
    [range('all'), { from: day('2026-11-20'), to: day('2026-12-31') }, `2026-11-19T23:00 2026-11-20T${end}`],
    [range('7d'), { from: day('2027-01-01'), to: day('2027-01-02') }, 'none'],
  ];
  for (const [period, comparison, want] of rows) {
    const { previous } = at('Europe/Berlin', now, period, { firstAt: '2026-03-04T05:06:07Z' }, comparison);
    assert.is(span(previous), want, JSON.stringify([period, comparison]));
  }
  const leapDay = at('UTC', '2024-02-29T13:30:00Z', range('24h'), {}, 'year');
  assert.is(leapDay.previous, null, 'no other year has such a day');
  const short = at('Europe/Berlin', now, range('7d'), { retentionDays: 30 }, 'year');
  assert.is(short.previous, null, 'the plan does not reach that far');
});

test('a clock that changes in the middle of an hour ends it', () => {
  const day = { from: Date.parse('2016-09-24T11:15Z'), to: Date.parse('2016-09-24T16:15Z'), bucket: 'hour' as const };
  const { bounds, dates } = bucketsOf(day, zoneOf('Pacific/Chatham'));
  assert.equal(
    dates.map(date => date.slice(11, 16)),
    ['00:00', '01:00', '02:00', '03:00', '04:00', '05:00'],
  );
  assert.equal(bounds.slice(2, 5).map(short), ['2016-09-24T13:15', '2016-09-24T14:00', '2016-09-24T14:15']);
});

test('weeks begin on Mondays', () => {
  const window = { from: Date.parse('2026-11-04T10:00Z'), to: Date.parse('2026-11-20T13:30Z') };
  const { bounds, dates } = bucketsOf({ ...window, bucket: 'week' }, zoneOf('Europe/Berlin'));
  assert.equal(dates, ['2026-11-02T00:00:00', '2026-11-09T00:00:00', '2026-11-16T00:00:00']);
  assert.equal(bounds.map(short), ['2026-11-04T10:00', '2026-11-08T23:00', '2026-11-15T23:00', '2026-11-20T13:30']);
});

const anyZone = fc.constantFrom(
  'UTC',
  'Africa/Cairo',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'America/St_Johns',
  'America/Havana',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
  'Pacific/Kiritimati',
);
const anyInstant = fc.integer({ min: Date.parse('1996-01-01T00:00Z'), max: Date.parse('2030-01-01T00:00Z') });
const anyDay = anyInstant.map(instant => instant - (instant % 86_400_000));
const anyPeriod = fc.oneof(
  fc.constantFrom(...rangeKeys).map(range),
  fc.tuple(anyDay, fc.integer({ min: 0, max: 500 })).map(([from, days]) => ({ from, to: from + days * 86_400_000 })),
);

test('buckets tile their window, begin where their names say, and the previous window ends before it', () => {
  fc.assert(
    fc.property(
      anyZone,
      anyInstant,
      anyPeriod,
      fc.option(anyInstant),
      fc.option(fc.constantFrom(30, 730, 1826)),
      (name, now, period, first, retentionDays) => {
        const zone = zoneOf(name);
        const firstAt = first === null ? null : Math.min(first, now);
        const window = windowOf(period, {
          zone,
          now,
          firstAt,
          readableFrom: readableFrom({ zone, now, retentionDays }),
        });
        assert.ok(window.from <= window.to);
        const { bounds, dates: names } = bucketsOf(window, zone);
        assert.is(bounds.length, names.length + 1);
        assert.is(bounds[0], window.from);
        assert.is(bounds.at(-1), window.to);
        for (let i = 0; i < names.length; i++) {
          assert.ok(bounds[i]! < bounds[i + 1]!, 'ascending');
          const begin = Date.parse(`${names[i]}Z`);
          const local = zone.local(bounds[i]!);
          assert.ok(begin <= local && (i === 0 || local - begin <= 3_600_000), `${names[i]} at ${short(bounds[i]!)}`);
          const last = zone.local(bounds[i + 1]! - 1);
          assert.is(
            new Date(last).toISOString().slice(0, lengthOf[window.bucket]),
            names[i]!.slice(0, lengthOf[window.bucket]),
          );
        }
        if (window.previous !== null) {
          assert.ok(window.previous.from < window.previous.to);
          assert.ok(window.previous.to <= window.from);
        }
        if (window.bucket !== 'month') assert.ok(names.length <= 93);
      },
    ),
    { seed: 20261120, numRuns: 1200 * repeat },
  );
});

/** Characters of a date that tell its bucket. */
const lengthOf = { hour: 13, day: 10, week: 10, month: 7 };

test.run();
