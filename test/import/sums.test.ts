/** Sums of other products: read, added to answers, left out where they do not tell, and taken back. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TableMetricName } from '../../src/model/table-metrics.ts';
import { dayMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Answer, AnswerOf, FieldFilter, Question, QuestionOf, TableCursor } from '../../src/query/query.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { openDatabase } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';
import { totalsIn } from '../query/totals-in.ts';
import { repeat } from '../repeat.ts';
import { rowsIn } from './importing.ts';
import { zipOf } from './zip-file.ts';

const span = '20260901_20260903';
const plausible = {
  [`imported_visitors_${span}.csv`]: `date,visitors,pageviews,bounces,visits,visit_duration
2026-09-01,10,30,4,12,600
2026-09-02,20,50,5,25,1000
2026-09-03,5,6,5,5,0
`,
  [`imported_sources_${span}.csv`]: `date,source,referrer,utm_source,utm_medium,utm_campaign,utm_content,utm_term,pageviews,visitors,visits,visit_duration,bounces
2026-09-01,Google,google.com,,,,,,20,6,8,400,2
2026-09-01,,,,,,,,10,4,4,200,2
2026-09-02,Google,www.google.com/search,,,,,,50,20,25,1000,5
2026-09-03,news,,news,email,autumn,,,6,5,5,0,5
`,
  [`imported_pages_${span}.csv`]: `date,hostname,page,visits,visitors,pageviews,total_scroll_depth,total_scroll_depth_visits,total_time_on_page,total_time_on_page_visits
2026-09-01,example.com,/,9,8,20,0,0,0,0
2026-09-01,example.com,"/a,b",5,5,10,0,0,0,0
2026-09-02,example.com,/,25,20,50,0,0,0,0
2026-09-03,example.com,/,5,5,6,0,0,0,0
`,
  [`imported_browsers_${span}.csv`]: `date,browser,browser_version,visitors,visits,visit_duration,bounces,pageviews
2026-09-01,Chrome,120,4,5,300,1,12
2026-09-01,Chrome,121,3,4,200,2,10
2026-09-01,Firefox,118,3,3,100,1,8
2026-09-02,Chrome,121,20,25,1000,5,50
2026-09-03,Safari,17,5,5,0,5,6
`,
  [`imported_custom_events_${span}.csv`]: `date,name,link_url,path,visitors,events
2026-09-01,Signup,,/,2,3
2026-09-02,engagement,,/,9,99
2026-09-02,Outbound Link: Click,https://other.example/,/,1,4
`,
};

const at = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const prepared = async (...flags: string[]) => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'example.com', ...flags]);
  let count = 0;
  const run = (name: string, content: string | Buffer, ...more: string[]) => {
    const path = join(dir, `${count++}-${name}`);
    writeFileSync(path, content);
    return runCommand(dir, ['import', path, '--site', 'example.com', '--json', ...more]);
  };
  const ask = async (from: number, to: number, filters: FieldFilter[], ...questions: Question[]): Promise<Answer[]> => {
    const db = openDatabase(dir);
    try {
      const siteId = sites(db).list()[0]!.id;
      const query = { siteId, currency: 'EUR', minorRates: {}, slices: [{ from, to, filters, questions }] };
      return (await createEngine(db, 1e6).answer(query, alone))[0]!;
    } finally {
      db.close();
    }
  };
  return { dir, run, ask };
};

const is = (field: 'path' | 'browser', values: string[], negated = false): FieldFilter => ({
  ...{ field, operator: 'is', negated, values },
});
const totals = headline;
const by = (dimension: 'path' | 'browser' | 'referrer' | 'event' | 'title' | 'utmSource', limit = 10) =>
  topValues(dimension, limit);

const ownHit = (day: string, visitor: string, path: string): string =>
  `${JSON.stringify({ at: `${day}T12:00:00Z`, visitor, browser: 'Firefox', hit: { u: `https://example.com${path}` } })}\n`;

test('Plausible: the totals of a window are the sums of its days', async () => {
  const { run, ask, dir } = await prepared();
  const tried = await run('p.zip', zipOf(plausible), '--dry-run');
  assert.is(tried.stderr, '');
  assert.equal(await ask(at('2026-09-01'), at('2026-09-04'), [], totals), await ask(0, 1, [], totals));
  const ran = (await run('p.zip', zipOf(plausible))).json();
  assert.equal(
    [ran.id, ran.format, ran.lines, ran.days],
    [1, 'plausible', 19, ['2026-09-01', '2026-09-02', '2026-09-03']],
  );
  assert.equal(ran.source, { visitors: 35, visits: 42, pageviews: 86, events: 7 });
  assert.equal(ran.counted, ran.source);
  const [all, pages, browsers, sources, campaigns, events, titles] = await ask(
    ...([at('2026-09-01'), at('2026-09-04'), [], totals] as [number, number, FieldFilter[], Question]),
    ...[by('path'), by('browser'), by('referrer'), by('utmSource'), by('event'), by('title')],
  );
  const empty = { revenue: 0, otherRevenue: {} };
  const sums = { visitors: 35, visits: 42, bounces: 14, visitMs: 1_600_000, pageviews: 86, events: 7 };
  assert.equal([totalsIn(all), all!.imported], [{ ...sums, ...empty }, 'all']);
  assert.equal(rowsIn(pages), ['/ 33 76', '/a,b 5 10']);
  assert.equal(rowsIn(browsers), ['Chrome 27 72', 'Safari 5 6', 'Firefox 3 8']);
  assert.equal(rowsIn(sources), ['google.com 26 70', 'Direct / none 9 16']);
  assert.equal(rowsIn(campaigns), ['news 5 6']);
  assert.equal(rowsIn(events), ['Signup 2 3', 'https://other.example/ 1 4']);
  assert.equal([rowsIn(titles), titles!.imported], [[], 'partly']);
  assert.is((await runCommand(dir, ['check'])).code, 0);
  const again = await run('p.zip', zipOf(plausible));
  assert.match(again.stderr, /is imported already/);
});

test('a filter on the very dimension is answered, another one is not', async () => {
  const { run, ask } = await prepared();
  await run('p.zip', zipOf(plausible));
  const [from, to] = [at('2026-09-01'), at('2026-09-04')];
  const asked = async (filters: FieldFilter[], ...questions: Question[]) => ask(from, to, filters, ...questions);
  const visitors = (answer: Answer | undefined) => totalsIn(answer).visitors;
  for (const [filter, want] of [
    [is('browser', ['Chrome']), 27],
    [is('browser', ['Chrome', 'Safari']), 32],
    [is('browser', ['Chrome'], true), 8],
    [is('browser', ['']), 0],
  ] as const) {
    const [answer, rows] = await asked([filter], totals, by('browser'));
    assert.is(visitors(answer), want);
    assert.equal([totalsIn(answer).events, answer!.imported], want === 0 ? [0, 'all'] : [null, 'partly']);
    assert.is(rows!.imported, 'all');
  }
  const bounds = [from, at('2026-09-02'), at('2026-09-03'), to];
  const [series, pageTotals] = await asked(
    [is('path', ['/'])],
    { kind: 'metricSeries', metrics: ['visitors', 'pageviews', 'visits'], bounds },
    totals,
  );
  const valuesIn = (answer: Answer | undefined) =>
    (answer as AnswerOf<'metricSeries'>).rows.map(({ values }) => values);
  assert.equal(
    [valuesIn(series), series!.imported],
    [
      [
        [8, 20, 9],
        [20, 50, 25],
        [5, 6, 5],
      ],
      'all',
    ],
  );
  assert.equal(totalsIn(pageTotals), {
    ...{ visitors: 33, visits: 39, pageviews: 76, revenue: 0, otherRevenue: {} },
    ...{ bounces: null, visitMs: null, events: null },
  });
  assert.is(pageTotals!.imported, 'partly');
  const [several] = await asked([is('path', ['/', '/a,b'])], {
    kind: 'metricSeries',
    metrics: ['visitors', 'pageviews', 'visits'],
    bounds,
  });
  assert.equal([several!.imported, valuesIn(several).map(([count]) => count)], ['partly', [0, 0, 0]]);
  const [two] = await asked([is('browser', ['Chrome']), is('path', ['/'])], totals);
  assert.equal([visitors(two), two!.imported], [0, 'partly']);
});

test('own days stand behind imported ones, and where a site has them sums are left out', async () => {
  const { run, ask, dir } = await prepared();
  const own = ownHit('2026-09-03', 'a', '/') + ownHit('2026-09-04', 'a', '/') + ownHit('2026-09-04', 'b', '/rare');
  await run('own.ndjson', own);
  const ran = (await run('p.zip', zipOf(plausible))).json();
  assert.equal(ran.leftOut, { own: 1, imported: 0, notOver: 0 });
  assert.equal(ran.counted, { visitors: 30, visits: 37, pageviews: 80, events: 7 });
  const window = [at('2026-09-01'), at('2026-09-05')] as const;
  const metrics: TableMetricName[] = ['visitors', 'bounceRate', 'avgVisitSeconds', 'revenue'];
  const bounds = [at('2026-09-01'), at('2026-09-02'), window[1]];
  const [all, pages, first, series] = await ask(
    ...window,
    [],
    totals,
    by('path', 2),
    { kind: 'firstHit' },
    { kind: 'metricSeries', metrics, bounds },
  );
  assert.equal(totalsIn(all), {
    ...{
      visitors: 33,
      visits: 40,
      bounces: 12,
      visitMs: 1_600_000,
      pageviews: 83,
      events: 7,
      revenue: 0,
      otherRevenue: {},
    },
  });
  assert.equal(rowsIn(pages), ['/ 30 72', '/a,b 5 10']);
  assert.equal(first, { kind: 'firstHit', at: window[0] });
  assert.equal((series as { rows: object[] }).rows, [
    { values: [10, 400 / 12, 50, 0], otherRevenue: {}, imported: true },
    { values: [23, 800 / 28, 1000 / 28, 0], otherRevenue: {}, imported: true },
  ]);
  const cut = await ask(window[0] + 1, window[1], [], totals);
  assert.equal([totalsIn(cut[0]).visitors, cut[0]!.imported], [23, 'partly']);
  assert.is((await ask(at('2026-09-03'), window[1], [], totals))[0]!.imported, undefined);
  await run('earlier.ndjson', ownHit('2026-09-02', 'c', '/'));
  const [later] = await ask(...window, [], totals);
  assert.is(totalsIn(later).visitors, 14, 'what came to be an own day counts once');
  await runCommand(dir, ['import', 'undo', '2']);
  const [undone] = await ask(...window, [], totals);
  assert.equal([totalsIn(undone).visitors, undone!.imported], [4, undefined]);
  const db = openDatabase(dir);
  assert.is(db.prepare('select count(*) from imported_sum').pluck().get(), 0);
  db.close();
});

const tableOf = (of: Partial<QuestionOf<'table'>>): QuestionOf<'table'> => ({
  ...{ kind: 'table', dimension: 'path', metrics: ['visitors', 'pageviews'], sort: 'visitors', descending: true },
  ...{ limit: 10, after: null, ...of },
});

test('a table has rows of imported days, of own ones, and of both', async () => {
  const { run, ask } = await prepared();
  await run('own.ndjson', ownHit('2026-09-04', 'a', '/') + ownHit('2026-09-04', 'b', '/rare'));
  await run('p.zip', zipOf(plausible));
  const window = [at('2026-09-01'), at('2026-09-05')] as const;
  const asked = async (of: Partial<QuestionOf<'table'>>, filters: FieldFilter[] = []) =>
    (await ask(...window, filters, tableOf(of)))[0] as AnswerOf<'table'>;
  const shown = ({ rows }: AnswerOf<'table'>) => rows.map(({ name, values }) => [name, ...values].join(' '));
  const pages = await asked({});
  assert.equal(shown(pages), ['/ 34 77', '/a,b 5 10', '/rare 1 1']);
  assert.equal([pages.total, pages.next, pages.imported], [3, null, 'all']);
  const revenue = await asked({ metrics: ['visitors', 'revenue'], limit: 1 });
  assert.equal([shown(revenue), revenue.imported], [['/ 34 0'], 'all']);
  const bounces = await asked({ metrics: ['visits', 'bounceRate'] });
  assert.equal([shown(bounces), bounces.imported], [['/ 40 100', '/a,b 5 ', '/rare 1 100'], 'partly']);
  const one = await asked({}, [is('path', ['/a,b'])]);
  assert.equal([shown(one), one.total, one.imported], [['/a,b 5 10'], 1, 'all']);
  const other = await asked({}, [is('browser', ['Firefox'])]);
  assert.equal([shown(other), other.imported], [['/ 1 1', '/rare 1 1'], 'partly']);
  const browsers = await asked({ dimension: 'browser', metrics: ['visitors', 'bounceRate', 'avgVisitSeconds'] });
  assert.equal(
    browsers.rows.map(({ name, values }) => [name, ...values]),
    [
      ['Chrome', 27, (100 * 8) / 34, 1500 / 34],
      ['Firefox', 5, (100 * 3) / 5, 20],
      ['Safari', 5, 100, 0],
    ],
  );
  const titles = await asked({ dimension: 'title' });
  assert.equal([titles.rows, titles.imported], [[], 'partly']);
});

test('pages of a table with imported days join into the whole, which is the naive sum of both', async () => {
  const { run, ask } = await prepared();
  const name = fc.integer({ min: 0, max: 9 }).map(n => `/${n}`);
  const [ownRows, importedRows] = fc.sample(
    fc.tuple(fc.array(name, { minLength: 30, maxLength: 30 }), fc.uniqueArray(name, { minLength: 6, maxLength: 6 })),
    { seed: 5, numRuns: 1 },
  )[0]!;
  await run('own.ndjson', ownRows.map((path, i) => ownHit('2026-09-04', `v${i % 7}`, path)).join(''));
  const counted = importedRows.map((path, i) => ({ path, visitors: 1 + (i % 3), pageviews: 2 + (i % 3) }));
  const rows = counted.map(({ path, visitors, pageviews }) => `2026-09-01,${path},1,${visitors},${pageviews}`);
  const ran = await run('p.csv', `date,page,visits,visitors,pageviews\n${rows.join('\n')}\n`);
  assert.is(ran.code, 0, ran.stderr);
  const naive = [...new Set([...ownRows, ...importedRows])].map(path => {
    const own = ownRows.flatMap((one, i) => (one === path ? i % 7 : []));
    const sum = counted.find(one => one.path === path);
    const [visitors, pageviews] = [new Set(own).size + (sum?.visitors ?? 0), own.length + (sum?.pageviews ?? 0)];
    return { path, visitors, pageviews };
  });
  for (const descending of [true, false])
    for (const limit of [1, 3, 100]) {
      const found: string[] = [];
      let after: TableCursor | null = null;
      do {
        const question = tableOf({ descending, limit, after });
        const answer = (await ask(at('2026-09-01'), at('2026-09-05'), [], question))[0] as AnswerOf<'table'>;
        assert.equal([answer.total, answer.imported], [naive.length, 'all']);
        found.push(...answer.rows.map(({ name: path, values }) => [path, ...values].join(' ')));
        after = answer.next;
      } while (after !== null);
      const sign = descending ? 1 : -1;
      const want = naive.toSorted(
        (a, b) => sign * (b.visitors - a.visitors) || b.pageviews - a.pageviews || (a.path < b.path ? -1 : 1),
      );
      assert.equal(
        found,
        want.map(({ path, visitors, pageviews }) => `${path} ${visitors} ${pageviews}`),
      );
    }
});

test('what rules leave out is no own hit, so days before what they leave are imported', async () => {
  const { run, ask, dir } = await prepared();
  await run('own.ndjson', ownHit('2026-09-02', 'a', '/wp-login') + ownHit('2026-09-03', 'b', '/'));
  const pruned = await runCommand(dir, ['prune', '--site', 'example.com', '--where', 'path=/wp-login', '--json']);
  assert.is(pruned.json().hits, 1, pruned.stderr);
  const ran = (await run('p.zip', zipOf(plausible))).json();
  assert.equal([ran.leftOut.own, ran.days], [1, ['2026-09-01', '2026-09-02']]);
  const visitors = async () => totalsIn((await ask(at('2026-09-01'), at('2026-09-04'), [], totals))[0]).visitors;
  assert.is(await visitors(), 31);
  await runCommand(dir, ['prune', '--undo', '1']);
  assert.is(await visitors(), 12, 'a day that has its own hits again counts by these alone');
});

test('a row adds up the days that tell it, and a total is told by all days or not at all', async () => {
  const { run, ask } = await prepared();
  await run('1.csv', 'date,page,visits,visitors,pageviews\n2026-09-01,/,9,8,20\n2026-09-01,/a,5,5,10\n');
  await run('2.csv', 'date,pagePath,screenPageViews,sessions\n20260902,/,50,25\n20260902,/b,7,3\n');
  await run('own.ndjson', ownHit('2026-09-03', 'a', '/') + ownHit('2026-09-03', 'b', '/c'));
  const metrics: TableMetricName[] = ['visitors', 'pageviews', 'viewsPerVisit'];
  const [pages, table, series] = await ask(
    ...([at('2026-09-01'), at('2026-09-04'), []] as [number, number, FieldFilter[]]),
    ...[by('path'), tableOf({ metrics })],
    { kind: 'metricSeries', metrics, bounds: [at('2026-09-01'), at('2026-09-03'), at('2026-09-04')] },
  );
  assert.equal([rowsIn(pages), pages!.imported], [['/ 9 71', '/a 5 10', '/c 1 1', '/b 0 7'], 'partly']);
  assert.equal(
    (table as AnswerOf<'table'>).rows.map(({ name, values }) => [name, ...values]),
    [
      ['/', 9, 71, 71 / 35],
      ['/a', 5, 10, 2],
      ['/c', 1, 1, 1],
      ['/b', null, 7, 7 / 3],
    ],
  );
  assert.equal([table!.imported, series!.imported], ['partly', 'partly']);
  const [both] = await ask(at('2026-09-01'), at('2026-09-03'), [is('path', ['/'])], {
    ...{ kind: 'metricSeries', metrics, bounds: [at('2026-09-01'), at('2026-09-03')] },
  });
  assert.equal((both as AnswerOf<'metricSeries'>).rows[0]!.values, [null, 70, 70 / 34]);
});

test('days are those of the site’s zone', async () => {
  const { run, ask } = await prepared('--timezone', 'America/New_York');
  await run('p.zip', zipOf(plausible));
  const hours4 = 4 * 3_600_000;
  const [day] = await ask(at('2026-09-02') + hours4, at('2026-09-03') + hours4, [], totals);
  assert.equal([totalsIn(day).visitors, day!.imported], [20, 'all']);
});

test('totals over any window are the naive sum of its whole days', async () => {
  const { run, ask } = await prepared();
  const first = at('2026-01-01');
  const counts = Array.from({ length: 60 }, (_, i) => (i % 7 === 3 ? null : (i * 37) % 101));
  const rows = counts.flatMap((n, i) =>
    n === null
      ? []
      : `${new Date(first + i * dayMs).toISOString().slice(0, 10)},${n},${2 * n},${n >> 1},${n + 1},${3 * n}`,
  );
  await run('v.csv', `date,visitors,pageviews,bounces,visits,visit_duration\n${rows.join('\n')}\n`);
  const moment = fc.integer({ min: -48, max: 62 * 24 }).map(hours => first + hours * 3_600_000);
  await fc.assert(
    fc.asyncProperty(moment, moment, async (a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const inside = counts.filter((n, i) => n !== null && first + i * dayMs >= from && first + (i + 1) * dayMs <= to);
      const sum = inside.reduce<number>((all, n) => all + n!, 0);
      const [answer] = await ask(from, to, [], totals);
      const found = totalsIn(answer);
      assert.equal([found.visitors, found.pageviews, found.visits], [sum, 2 * sum, sum + inside.length]);
    }),
    { numRuns: 24 * repeat },
  );
});

const jsonl = (...rows: object[]): string => rows.map(row => `${JSON.stringify(row)}\n`).join('');

const goatcounter = {
  'export/info.json': '{\n  "export_version": "1.0"\n}\n',
  'export/paths.jsonl': jsonl(
    { id: 1, path: '/', title: 'Home' },
    { id: 2, path: '/a', title: '' },
    { id: 3, event: true, path: 'click-banana', title: '' },
  ),
  'export/refs.jsonl': jsonl(
    { id: 1, ref: '', ref_scheme: 'o' },
    { id: 2, ref: 'www.Example.org/page.html', ref_scheme: 'h' },
    { id: 3, ref: 'newsletter', ref_scheme: 'c' },
    { id: 4, ref: 'Email', ref_scheme: 'g' },
  ),
  'export/browsers.jsonl': jsonl({ id: 1, name: 'Firefox', version: '140' }, { id: 2, name: '', version: '' }),
  'export/systems.jsonl': jsonl({ id: 1, name: 'Windows', version: '10' }),
  'export/locations.jsonl': jsonl({ country: 'DE', region: 'BW', country_name: 'Germany', region_name: '' }),
  'export/languages.jsonl': jsonl({ iso_639_3: 'deu', name: 'German' }),
  'export/hit_stats.jsonl': jsonl(
    { hour: '2026-09-01T10:00:00Z', path_id: 1, ref_id: 1, count: 4 },
    { hour: '2026-09-01T23:00:00Z', path_id: 1, ref_id: 2, count: 2 },
    { hour: '2026-09-01T23:00:00Z', path_id: 3, ref_id: 1, count: 3 },
    { hour: '2026-09-02T00:00:00Z', path_id: 2, ref_id: 3, count: 5 },
    { hour: '2026-09-02T00:00:00Z', path_id: 2, ref_id: 4, count: 1 },
  ),
  'export/browser_stats.jsonl': jsonl(
    { day: '2026-09-01', path_id: 1, browser_id: 1, count: 6 },
    { day: '2026-09-01', path_id: 3, browser_id: 1, count: 3 },
    { day: '2026-09-02', path_id: 2, browser_id: 2, count: 6 },
  ),
  'export/system_stats.jsonl': jsonl({ day: '2026-09-01', path_id: 1, system_id: 1, count: 6 }),
  'export/location_stats.jsonl': jsonl({ day: '2026-09-01', path_id: 1, location: 'DE-BW', count: 6 }),
  'export/size_stats.jsonl': jsonl({ day: '2026-09-01', path_id: 1, width: 1280, count: 6 }),
  'export/language_stats.jsonl': jsonl({ day: '2026-09-01', path_id: 1, language: 'deu', count: 6 }),
};

test('GoatCounter: its counts are page views, and visitors of single pages', async () => {
  const { run, ask } = await prepared();
  const ran = await run('g.zip', zipOf(goatcounter));
  assert.is(ran.stderr, '');
  const { format, lines, days, source } = ran.json();
  assert.equal([format, lines, days], ['goatcounter-json', 10, ['2026-09-01', '2026-09-02']]);
  assert.equal(source, { visitors: null, visits: null, pageviews: 12, events: 3 });
  const [from, to] = [at('2026-09-01'), at('2026-09-03')];
  const [pages, referrers, campaigns, events, browsers, series, all] = await ask(
    ...([from, to, [], by('path'), by('referrer'), by('utmSource'), by('event'), by('browser')] as [
      ...[number, number, FieldFilter[]],
      ...Question[],
    ]),
    { kind: 'metricSeries', metrics: ['pageviews', 'visitors'], bounds: [from, at('2026-09-02'), to] },
    totals,
  );
  assert.equal([rowsIn(pages), pages!.imported], [['/ 6 6', '/a 6 6'], 'all']);
  assert.equal(rowsIn(referrers).sort(), ['Direct / none 0 9', 'Email 0 1', 'example.org 0 2']);
  assert.is(referrers!.imported, 'partly', 'GoatCounter does not tell visitors by referrer');
  assert.equal(rowsIn(campaigns), ['newsletter 0 5']);
  assert.equal(rowsIn(events), ['click-banana 3 3']);
  assert.equal(rowsIn(browsers), ['Firefox 0 6']);
  const bars = (series as { rows: { values: (number | null)[] }[] }).rows.map(({ values }) => values);
  assert.equal(
    [bars, series!.imported],
    [
      [
        [6, null],
        [6, null],
      ],
      'partly',
    ],
  );
  assert.equal(totalsIn(all), {
    ...{ pageviews: 12, events: 3, revenue: 0, otherRevenue: {} },
    ...{ visitors: null, visits: null, bounces: null, visitMs: null },
  });
  assert.is(all!.imported, 'partly');
});

test('GoatCounter: a count of what the export lacks, or does not name, is a problem that tells its place', async () => {
  const { run } = await prepared();
  const stats = (path_id: number) => jsonl({ day: '2026-09-01', path_id, browser_id: 1, count: 6 });
  for (const [missing, table, text, problem] of [
    ['path', 'browser_stats', stats(9), 'column path_id: there is no path "9" in the export'],
    ['browser', 'browsers', jsonl({ id: 1 }), 'column browser_id: there is no browser "1" in the export'],
    ['system', 'systems', jsonl({ id: 1 }), 'column system_id: there is no system "1" in the export'],
  ] as const) {
    const { stderr } = await run('g.zip', zipOf({ ...goatcounter, [`export/${table}.jsonl`]: text }));
    assert.match(stderr, `stats.jsonl), line 1, ${problem}. Nothing is imported.`, missing);
  }
});

const ga4 = {
  'days.csv': `# ----------------------------------------
# Days
# 20260901-20260902
# ----------------------------------------

Date,Total users,Views,Sessions,Engaged sessions,User engagement
,30,80,37,30,1600,Grand total
20260901,10,30,12,8,600
20260902,20,50,25,22,1000
`,
  'pages.csv': `date,hostName,pagePath,totalUsers,screenPageViews,sessions
20260901,example.com,/,8,20,9
20260902,example.com,/a,20,50,25
`,
  'sources.csv': `date,sessionSource,sessionMedium,sessionCampaignName,totalUsers,screenPageViews,sessions,engagedSessions,userEngagementDuration
20260901,google,organic,(organic),6,20,8,6,400
20260901,(direct),(none),(direct),4,10,4,2,200
20260902,news,email,autumn,20,50,25,22,1000
`,
  'countries.csv': `date,country,totalUsers,screenPageViews,sessions
20260901,Germany,10,30,12
20260902,(not set),20,50,25
`,
  'events.csv': `date,eventName,totalUsers,eventCount
20260901,page_view,10,30
20260901,sign_up,2,3
20260902,sign_up,1,1
`,
  // Only with a column of its own is this the sum of all rows.
  'more-events.csv': `date,totalUsers,eventCount,eventName
20260902,1,2,Grand total
`,
};

test('Google Analytics 4: tables of days, with names of the API or of the page', async () => {
  const { run, ask } = await prepared();
  const ran = await run('ga4.zip', zipOf(ga4));
  assert.is(ran.stderr, '');
  assert.is(ran.json().format, 'ga4');
  const [from, to] = [at('2026-09-01'), at('2026-09-03')];
  const [all, pages, referrers, campaigns, countries, events] = await ask(
    ...([from, to, [], totals, by('path'), by('referrer')] as [...[number, number, FieldFilter[]], ...Question[]]),
    ...[by('utmSource'), topValues('country', 9), by('event')],
  );
  assert.equal(totalsIn(all), {
    ...{ visitors: 30, visits: 37, bounces: 7, visitMs: 1_600_000, pageviews: 80, events: 6 },
    ...{ revenue: 0, otherRevenue: {} },
  });
  assert.equal(rowsIn(pages), ['/a 20 50', '/ 8 20']);
  assert.equal(rowsIn(referrers), ['Direct / none 24 60', 'google.com 6 20']);
  assert.equal(rowsIn(campaigns), ['news 20 50']);
  assert.equal(rowsIn(countries)[1] ?? rowsIn(countries)[0], 'DE 10 30');
  assert.equal(rowsIn(events), ['sign_up 3 4', 'Grand total 1 2']);
});

/** A file of each product that has its count, day and text once, and what to import with it. */
const samples = {
  plausible: {
    name: `imported_pages_${span}.csv`,
    rest: {},
    text: 'date,page,visits,visitors,pageviews\n2026-09-01,/ünder,1,1,1\n2026-09-02,/b,1,717,9\n2026-09-03,/c,1,1,1\n',
    ...{ day: '2026-09-02', column: 'visitors', time: 'date' },
  },
  'goatcounter-json': {
    name: 'hit_stats.jsonl',
    get rest() {
      return Object.fromEntries(Object.entries(goatcounter).map(([name, text]) => [name.replace('export/', ''), text]));
    },
    text: jsonl(
      { hour: '2026-09-01T10:00:00Z', path_id: 1, ref_id: 1, count: 4, note: 'ü' },
      { hour: '2026-09-02', path_id: 1, ref_id: 2, count: 717, note: 'a' },
      { hour: '2026-09-03T10:00:00Z', path_id: 3, ref_id: 1, count: 3, note: 'a' },
    ),
    ...{ day: '2026-09-02', column: 'count', time: 'hour' },
  },
  ga4: {
    name: 'pages.csv',
    rest: {},
    text: 'date,pagePath,totalUsers,userEngagementDuration\n20260901,/ünder,1,1\n20260902,/b,717,1\n20260903,/c,1,1\n',
    ...{ day: '20260902', column: 'date', time: 'date' },
  },
};
type Sample = (typeof samples)[keyof typeof samples];

const lineOf = (line: number, column: string, what: string): RegExp =>
  new RegExp(`, line ${line}, column [^:]*\\(?${column}\\)?: ${what}`);

const damages: Record<string, [damage: (of: Sample) => string | Buffer, want: (of: Sample) => RegExp]> = {
  cut: [
    ({ text }) => text.trim().slice(0, -4),
    () => /, line \d+(, column \d+)?: (there are \d+ fields where the header has \d+|it is not JSON)/,
  ],
  'in Latin-1': [({ text }) => Buffer.from(text, 'latin1'), () => /, line \d+.*: it is not written in UTF-8/],
  'with a column renamed': [
    ({ text, column }) => text.replaceAll(column, 'Zahl'),
    () => /, line 1(: this is (no table of|no file that Daybook recognizes)|, column Date: the table has no days)/,
  ],
  'with a day as Americans write it': [
    ({ text, day }) => text.replace(day, '09/02/2026'),
    ({ time, text }) => lineOf(lineIn(text), time, '"09/02/2026" is not a (date|time)'),
  ],
  'with a day as Germans write it': [
    ({ text, day }) => text.replace(day, '02.09.2026'),
    ({ time, text }) => lineOf(lineIn(text), time, '"02.09.2026" is not a (date|time)'),
  ],
  'with a day that is none': [
    ({ text, day }) => text.replace(day, '2026-02-30'),
    ({ time, text }) => lineOf(lineIn(text), time, '"2026-02-30" is not a (date|time)'),
  ],
  'with a count below zero': [
    ({ text }) => text.replace('717', '-717'),
    ({ text }) => lineOf(lineIn(text), '\\w+', '"-717" is not a count'),
  ],
  'with a count that is a word': [
    ({ text }) => text.replace('717', '"many"'),
    ({ text }) => lineOf(lineIn(text), '\\w+', '"many" is not a count'),
  ],
  'with a quote that is not closed': [
    ({ text }) => text.replace(/717/, '"717'),
    () => /, line \d+(, column \d+)?: (a quote is not closed|it is not JSON|more text|there is more text)/,
  ],
};

/** The line of the damage. */
const lineIn = (text: string): number => text.slice(0, text.indexOf('717')).split('\n').length;

test('wrong files of every product end with file, line and column, and leave the site as it was', async () => {
  const { dir, run, ask } = await prepared();
  const before = await ask(at('2026-09-01'), at('2026-09-04'), [], totals, by('path'));
  const refused = async (what: string, content: Buffer, want: RegExp) => {
    const ran = await run('wrong.zip', content);
    assert.is(ran.code, 1, `${what}: ${ran.stderr}${ran.stdout}`);
    assert.match(ran.stderr, want, what);
    assert.match(ran.stderr, /^daybook: \S*wrong\.zip.*\. Nothing is imported\.\n$/s, what);
    assert.equal(await ask(at('2026-09-01'), at('2026-09-04'), [], totals, by('path')), before, what);
  };
  for (const [format, sample] of Object.entries(samples)) {
    const whole = await run('right.zip', zipOf({ ...sample.rest, [sample.name]: sample.text }), '--dry-run');
    assert.equal([whole.stderr, whole.json().format], ['', format]);
    for (const [name, [damage, want]] of Object.entries(damages)) {
      const content = zipOf({ ...sample.rest, [sample.name]: damage(sample) });
      await refused(`${format} ${name}`, content, want(sample));
    }
    const packed = zipOf({ ...sample.rest, [sample.name]: sample.text });
    await refused(`${format}, a cut zip`, packed.subarray(0, packed.length - 30), /it is not a complete zip file/);
  }
  const bomb = samples.ga4.text + `20260903,/${'a'.repeat(50_000)},1,1\n`.repeat(1600);
  await refused('a bomb', zipOf({ 'pages.csv': bomb }), /it unpacks to more than/);
  const seconds = samples.ga4.text.replace('717,1', '717,long');
  await refused('seconds', zipOf({ 'pages.csv': seconds }), /line 3, column .*: "long" is not a number of seconds/);
  assert.equal((await runCommand(dir, ['import', 'list', '--json'])).json(), []);
});

test.run();
