import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hourMs } from '../../../src/model/time.ts';
import { vitalNames, vitals } from '../../../src/model/vitals.ts';
import type { Database } from '../../../src/store/database.ts';
import { records, type TextTest } from '../../../src/store/read/records.ts';
import { recorder, type VitalRecord } from '../../../src/store/write/recorder.ts';
import { addSite, temporaryDatabase } from '../../helpers.ts';

const any: TextTest = () => true;
const pause = (): undefined => undefined;
const start = Date.parse('2026-11-20T00:00:00Z');

const { db } = temporaryDatabase();

const recordVitals = (of: Database, reports: readonly VitalRecord[]): void =>
  recorder(of).write(
    reports.map(vital => ({ siteId: vital.siteId, at: vital.at, outcome: 'recorded' as const, vital })),
  );

const anyMs = fc.option(fc.double({ min: 0, max: 60_000, noNaN: true }));
const anyReport = fc.record({
  path: fc.constantFrom('/', '/a', '/b', null),
  device: fc.constantFrom('mobile', 'desktop'),
  at: fc.integer({ min: -5, max: 105 }),
  lcp: anyMs,
  inp: fc.option(fc.constantFrom(199, 200, 201, 500, 501)),
  cls: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  fcp: anyMs,
  ttfb: anyMs,
});

test('percentiles of any reports equal those of sorting them', () =>
  fc.assert(
    fc.asyncProperty(fc.array(anyReport, { maxLength: 60 }), fc.constantFrom('path', 'device'), async (reports, by) => {
      const { id: siteId } = addSite(db);
      recordVitals(
        db,
        reports.map(report => ({ ...report, siteId, at: start + report.at })),
      );
      const ask = { siteIds: [siteId], from: start, to: start + 100, by, limit: 500, pause } as const;
      const { all, groups } = await records(db).vitals({ ...ask, tests: { path: path => path !== '/b', device: any } });
      const inside = reports.filter(({ at, path }) => at >= 0 && at < 100 && path !== '/b');
      assert.is(all.reports, inside.length);
      const names = [...new Set(inside.map(report => report[by]))].filter(name => name !== null);
      assert.equal(groups.map(group => group.name).sort(), names.sort());
      for (const group of [...groups, all]) {
        const own = group === all ? inside : inside.filter(report => report[by] === group.name);
        for (const name of vitalNames) {
          const values = own.map(report => report[name]).filter(value => value !== null);
          const { good, poor, steps } = vitals[name];
          values.sort((a, b) => a - b);
          assert.equal(
            group.metrics[name],
            values.length === 0
              ? null
              : {
                  reports: values.length,
                  p75: Math.round(values[Math.ceil(0.75 * values.length) - 1]! * steps) / steps,
                  good: values.filter(value => value <= good).length,
                  poor: values.filter(value => value > poor).length,
                },
            name,
          );
        }
      }
    }),
    { seed: 20261120, numRuns: 60 },
  ));

const blank = { lcp: null, inp: null, cls: null, fcp: null, ttfb: 1 };

test('the most reported come first, then by name, up to the limit', async () => {
  const { id: siteId } = addSite(db);
  const paths = ['/b', '/a', '/c', '/c'];
  recordVitals(
    db,
    paths.map(path => ({ siteId, at: start, path, device: 'mobile', ...blank })),
  );
  const ask = {
    siteIds: [siteId],
    from: start,
    to: start + 1,
    by: 'path' as const,
    tests: { path: any, device: any },
    pause,
  };
  const names = async (limit: number) => (await records(db).vitals({ ...ask, limit })).groups.map(group => group.name);
  assert.equal(await names(10), ['/c', '/a', '/b']);
  assert.equal(await names(2), ['/c', '/a']);
});

test('crawls count by the quarters of an hour that the window touches', async () => {
  const { id: siteId } = addSite(db);
  const minutes = [-1, 0, 14, 15, 44, 45];
  recorder(db).write(
    minutes.map(minute => {
      const at = start + minute * 60_000;
      const crawl = { siteId, at, name: 'Googlebot', path: `/${minute}`, status: 200 };
      return { siteId, at, outcome: 'crawler' as const, crawl };
    }),
  );
  const tests = { name: any, path: any, status: any };
  const ask = {
    siteIds: [siteId],
    bounds: [start, start + 15 * 60_000, start + 30 * 60_000 + 1],
    by: 'path' as const,
    tests,
    limit: 10,
    pause,
  };
  const { total, groups, series } = await records(db).crawls(ask);
  assert.equal([total, series], [4, [2, 2]]);
  assert.equal(
    groups.map(group => group.name),
    ['/0', '/14', '/15', '/44'],
  );
  assert.is(groups.at(-1)?.lastAt, start + 30 * 60_000);
});

test('an hour counts in the bucket in which it begins', async () => {
  const { id: siteId } = addSite(db);
  recorder(db).write(
    [-1, 0, 1, 2, 3].map(hour => ({ siteId, at: start + hour * hourMs + 1, outcome: 'recorded' as const })),
  );
  const count = async (...bounds: number[]): Promise<string[]> =>
    (await records(db).outcomes({ siteIds: [siteId], bounds: bounds.map(hour => start + hour * hourMs), pause })).map(
      ({ bucket, hits }) => `${bucket}: ${hits}`,
    );
  assert.equal(await count(0, 1, 2), ['0: 1', '1: 1']);
  assert.equal(await count(-0.25, 0.75, 1.75), ['0: 1', '1: 1']);
  assert.equal(await count(-1.25, -0.25, 0.75), ['0: 1', '1: 1'], 'and not again in the window before');
  assert.equal(await count(0.5, 1.5, 2.5), ['0: 1', '1: 1']);
  assert.equal(await count(0, 4), ['0: 4']);
  assert.equal(await count(10, 11), []);
  assert.equal(await count(5), []);
});

test('what is recorded of several sites adds up, by name', async () => {
  const siteIds = [addSite(db).id, addSite(db).id];
  // The texts of each site have ids of their own.
  recordVitals(
    db,
    [
      { siteId: siteIds[0]!, path: '/a' },
      { siteId: siteIds[0]!, path: '/b' },
      { siteId: siteIds[1]!, path: '/b' },
    ].map(report => ({ ...report, at: start, device: 'mobile', ...blank })),
  );
  const record = recorder(db);
  const crawl = { at: start, name: 'Googlebot', path: '/', status: 404 };
  for (const siteId of siteIds) record.write([{ siteId, at: start, outcome: 'crawler', crawl: { ...crawl, siteId } }]);
  const read = records(db);
  const window = { siteIds, from: start, to: start + 1, limit: 10, pause };
  const { all, groups } = await read.vitals({ ...window, by: 'path', tests: { path: any, device: any } });
  assert.is(all.reports, 3);
  assert.equal(
    groups.map(({ name, reports }) => [name, reports]),
    [
      ['/b', 2],
      ['/a', 1],
    ],
  );
  const crawls = await read.crawls({
    ...window,
    bounds: [start, start + 1],
    by: 'status',
    tests: { name: any, path: any, status: any },
  });
  assert.equal(
    crawls.groups.map(group => [group.name, group.crawls]),
    [['404', 2]],
  );
  const outcomes = await read.outcomes({ siteIds, bounds: [start, start + hourMs], pause });
  assert.equal(outcomes.map(({ outcome, hits }) => [outcome, hits]).sort(), [
    ['crawler', 2],
    ['recorded', 3],
  ]);
});

test('reading ends when nobody waits for it', async () => {
  const stop = (): undefined => {
    throw new Error('stop');
  };
  const read = records(db);
  const window = { siteIds: [1], from: 0, to: start, limit: 1, pause: stop };
  const tests = { path: any, device: any };
  const failure = (of: Promise<unknown>): Promise<string> =>
    of.then(
      () => '',
      (error: Error) => error.message,
    );
  assert.is(
    await failure(
      read.crawls({ ...window, bounds: [0, start], by: 'name', tests: { name: any, path: any, status: any } }),
    ),
    'stop',
  );
  assert.is(await failure(read.outcomes({ siteIds: [1], bounds: [0, start], pause: stop })), 'stop');
  assert.is(await failure(read.vitals({ ...window, by: 'path', tests })), 'stop');
});

test('a long window is read in pieces, and others go on between them', async () => {
  const { id: siteId } = addSite(db);
  const reports = [0, 1, 40, 99].map(hour => start + hour * hourMs);
  recordVitals(
    db,
    reports.map(at => ({ siteId, at, path: '/', device: 'mobile', lcp: 1, inp: 1, cls: 1, fcp: 1, ttfb: 1 })),
  );
  let paused = 0;
  const wait = async (): Promise<void> => {
    paused++;
    // The connection is free for others.
    db.prepare('select 1').get();
  };
  const window = {
    siteIds: [siteId],
    from: start,
    to: start + 100 * hourMs,
    limit: 1,
    by: 'path' as const,
    pause: wait,
  };
  const { all } = await records(db).vitals({ ...window, tests: { path: any, device: any } });
  assert.equal([all.reports, paused], [4, 100]);
});

test.run();
