/** Tables of Google Analytics 4: which columns are known, and that none is counted as what it is not. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DimensionName } from '../../src/model/dimensions.ts';
import type { AnswerOf } from '../../src/query/query.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { totalsIn } from '../query/totals-in.ts';
import { importing, rowsIn, utc } from './importing.ts';
import { zipOf } from './zip-file.ts';

const [from, to] = [utc('2026-09-01'), utc('2026-09-03')];
const totals = headline;
const by = (dimension: DimensionName) => topValues(dimension, 10);

const days = 'Date,Total users,Sessions,Views\n20260901,9,9,13\n20260902,5,6,7\n';

test('a column that is not known is refused by its name, and counts as no total', async () => {
  for (const column of ['First user source', 'Age', 'Item name', 'customEvent:plan', 'Page location']) {
    const { run, ask } = await importing();
    const table = `Date,${column},Total users,Sessions\n20260901,a,9,9\n20260901,b,9,9\n`;
    for (const content of [table, zipOf({ 'totals.csv': days, 'other.csv': table })]) {
      const ran = await run({ 'ga.zip': content });
      assert.is(ran.code, 1, column);
      assert.match(ran.stderr, `line 1, column ${column}: Daybook cannot read a table that this column divides`);
      assert.match(ran.stderr, 'Nothing is imported.');
    }
    assert.is(totalsIn((await ask(from, to, [], totals))[0]).visitors, 0);
  }
});

test('a table without days says so, and is not called a format that is unknown', async () => {
  const { run } = await importing();
  for (const header of ['Page path and screen class,Views,Total users', 'Session source / medium,Sessions,Views']) {
    const ran = await run({ 'report.csv': `${header}\n/,10,5\n` });
    assert.match(ran.stderr, /line 1, column Date: the table has no days: add the dimension Date to it\. Nothing/);
  }
});

/** By header, rows, and what Daybook then has. */
const tables: [header: string, rows: string[], dimension: DimensionName, want: string[]][] = [
  [
    'Session default channel group',
    ['Organic Search,6,20', 'Direct,3,9', 'Mobile Push Notifications,2,2', 'Cross-network,1,1'],
    'channel',
    ['Organic search 6 20', 'Direct 3 9', 'Push 2 2', 'Cross-network 1 1'],
  ],
  ['Page path and screen class', ['/,6,20', '/a,3,9'], 'path', ['/ 6 20', '/a 3 9']],
  ['Page path + query string', ['/?x=1,6,20', '/?x=2,1,2', '/a,3,9'], 'path', ['/ 7 22', '/a 3 9']],
  ['Landing page + query string', ['/?x=1,6,20', '(not set),3,9'], 'entryPath', ['/ 6 20']],
  [
    'Session source / medium',
    ['google / organic,6,20', 'news.example / referral,2,4', '(direct) / (none),3,9', 'mail / email,1,1'],
    'referrer',
    ['google.com 6 20', 'Direct / none 4 10', 'news.example 2 4'],
  ],
  ['Session source / medium', ['google / organic,6,20', 'mail / email,1,1'], 'utmSource', ['mail 1 1']],
  ['City', ['Berlin,6,20', '(not set),3,9'], 'city', ['Berlin 6 20']],
  ['Region', ['Bavaria,6,20'], 'region', ['Bavaria 6 20']],
  ['Country', ['Germany,6,20', 'France,3,9'], 'country', ['DE 6 20', 'FR 3 9']],
  ['Language code', ['en-us,6,20', 'de,3,9'], 'language', ['en-US 6 20', 'de 3 9']],
  ['Operating system', ['Macintosh,6,20', 'iOS,3,9'], 'os', ['Mac OS 6 20', 'iOS 3 9']],
  [
    'Browser,Operating system',
    ['Safari,iOS,6,20', 'Safari,Macintosh,3,9'],
    'browser',
    ['Mobile Safari 6 20', 'Safari 3 9'],
  ],
  ['Page title and screen class', ['Home,6,20'], 'title', ['Home 6 20']],
];

for (const [header, rows, dimension, want] of tables)
  test(`${header} is ${dimension}`, async () => {
    const { run, ask } = await importing();
    const table = `Date,${header},Total users,Views\n${rows.map(row => `20260901,${row}\n`).join('')}`;
    const ran = await run({ 'ga.zip': zipOf({ 'days.csv': days, 'table.csv': table }) });
    assert.is(ran.stderr, '');
    const [all, found] = await ask(from, to, [], totals, by(dimension));
    assert.is(totalsIn(all).visitors, 14, 'the days are those of the table of days');
    assert.equal(rowsIn(found), want);
  });

test('numbers that follow from others are passed over, and active users stand in for all', async () => {
  const { run, ask } = await importing();
  const header = 'Date,Active users,New users,Average engagement time,Engagement rate,Sessions,User engagement';
  const ran = await run({ 'days.csv': `${header}\n20260901,9,3,12.5,0.5,9,0:02:30\n20260902,5,1,2,0.25,6,1:00\n` });
  assert.is(ran.stderr, '');
  assert.equal(ran.json().source, { visitors: 14, visits: 15, pageviews: null, events: null });
  const [series] = await ask(from, to, [], {
    ...{ kind: 'metricSeries', metrics: ['avgVisitSeconds'], bounds: [from, utc('2026-09-02'), to] },
  });
  assert.equal(
    (series as AnswerOf<'metricSeries'>).rows.map(({ values }) => values),
    [[150 / 9], [10]],
  );
});

test('two files that tell the same of one day are refused, and not two of different days, pages or numbers', async () => {
  const { run, ask } = await importing();
  const pages = 'Date,Page path,Total users\n20260901,/,9\n';
  const titles = 'Date,Page path,Page title,Total users\n20260901,/,Home,9\n';
  const twice = await run({ 'ga.zip': zipOf({ 'pages.csv': pages, 'titles.csv': titles }) });
  assert.match(
    twice.stderr,
    /titles\.csv\), line 2, column 1: \S+ga\.zip \(pages\.csv\) has the numbers of "\/" on this day, too: import only one of the two\. /,
  );
  const both = await run({ 'a.csv': days, 'b.csv': `${days}20260903,1,1,1\n` });
  assert.match(
    both.stderr,
    /b\.csv, line 2, column 1: \S+a\.csv has the numbers of this day, too: import only one of the two\. /,
  );
  const ran = await run({
    'a.csv': pages,
    'b.csv': titles.replace('20260901', '20260902'),
    'c.csv': pages.replace('/', '/c'),
    'd.csv': pages.replace('Total users', 'Views'),
  });
  assert.is(ran.stderr, '');
  assert.equal(rowsIn((await ask(from, to, [], by('path')))[0]), ['/ 18 9', '/c 9 0']);
});

const report = (dimensions: string[], metrics: string[], rows: string[][]) => ({
  dimensionHeaders: dimensions.map(name => ({ name })),
  metricHeaders: metrics.map(name => ({ name, type: 'TYPE_INTEGER' })),
  ...(rows.length > 0 && {
    rows: rows.map(row => ({
      dimensionValues: row.slice(0, dimensions.length).map(value => ({ value })),
      metricValues: row.slice(dimensions.length).map(value => ({ value })),
    })),
  }),
  rowCount: rows.length,
  metadata: { currencyCode: 'EUR', timeZone: 'Europe/Berlin' },
  kind: 'analyticsData#runReport',
});
const ofDays = report(
  ['date'],
  ['totalUsers', 'newUsers', 'sessions'],
  [
    ['20260901', '9', '3', '10'],
    ['20260902', '5', '1', '6'],
  ],
);
const ofPages = report(
  ['date', 'pagePath'],
  ['screenPageViews'],
  [
    ['20260901', '/', '7'],
    ['20260902', '/a', '8'],
  ],
);
const answers: [name: string, file: string][] = [
  ['runReport, as the API writes it', JSON.stringify(ofDays, null, 2)],
  ['runReport on one line', JSON.stringify(ofDays)],
  [
    'batchRunReports',
    JSON.stringify(
      {
        reports: [ofDays, ofPages, report(['date', 'city'], ['totalUsers'], [])],
        kind: 'analyticsData#batchRunReports',
      },
      null,
      2,
    ),
  ],
];

for (const [name, file] of answers)
  test(`${name} is read as it is, from a file, a zip and stdin`, async () => {
    for (const files of [{ 'answer.json': file }, { 'a.zip': zipOf({ 'answer.json': file }) }, { '-': file }]) {
      const { run, ask } = await importing();
      const ran = await run(files);
      assert.is(ran.stderr, '');
      assert.equal([ran.json().format, ran.json().source.visitors, ran.json().source.visits], ['ga4', 14, 16]);
      const [pages] = await ask(from, to, [], by('path'));
      assert.equal(rowsIn(pages), name === 'batchRunReports' ? ['/a 0 8', '/ 0 7'] : []);
    }
  });

test('an answer with a dimension that is not known, cut, or of another API is told by what is wrong', async () => {
  const { run } = await importing();
  const unknown = report(['date', 'firstUserSource'], ['totalUsers'], [['20260901', 'x', '9']]);
  const batch = { reports: [ofDays, unknown] };
  assert.match(
    (await run({ 'a.json': JSON.stringify(batch, null, 2) })).stderr,
    /a\.json \(report 2\), line 1, column firstUserSource: Daybook cannot read a table/,
  );
  const whole = JSON.stringify(ofDays, null, 2);
  for (const name of ['a.json', '-'])
    assert.match((await run({ [name]: whole.slice(0, -20) })).stderr, /: it is not complete JSON \(.*\)\. Nothing/);
  const other = JSON.stringify({ rows: [], kind: 'other' }, null, 2);
  assert.match((await run({ 'b.json': other })).stderr, /line 1, column 2: it is not JSON/);
});

test.run();
