import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../cli/helpers.ts';
import { startProgram } from '../fixture.ts';

const program = await startProgram();
const week = ['2026-11-14', '2026-11-20'];
const query = (body: object) =>
  program.ask('/api/v2/query', { body: { site_id: 'shop.example', date_range: week, metrics: ['visitors'], ...body } });

/** Dimensions and metrics of each row. */
const rows = async (body: object): Promise<unknown[][]> => {
  const got = await query(body);
  assert.is(got.status, 200, got.text);
  return got.body.results.map(({ dimensions, metrics }: { dimensions: unknown[]; metrics: unknown[] }) => [
    ...dimensions,
    ...metrics,
  ]);
};
const visitors = async (filters: unknown, more: object = {}): Promise<unknown> =>
  (await rows({ filters, ...more }))[0]![0];

test('an answer has results, meta, and the query as it was understood', async () => {
  const { body } = await query({
    metrics: ['visitors', 'bounce_rate'],
    dimensions: ['time'],
    include: { time_labels: true, total_rows: true, imports: true },
    pagination: { limit: 2 },
  });
  assert.equal(body, {
    results: [
      { dimensions: ['2026-11-18'], metrics: [2, 50] },
      { dimensions: ['2026-11-19'], metrics: [1, 0] },
    ],
    meta: {
      imports_included: false,
      time_labels: ['14', '15', '16', '17', '18', '19', '20'].map(day => `2026-11-${day}`),
      total_rows: 3,
    },
    query: {
      site_id: 'shop.example',
      metrics: ['visitors', 'bounce_rate'],
      date_range: ['2026-11-14T00:00:00+01:00', '2026-11-20T23:59:59+01:00'],
      filters: [],
      dimensions: ['time:day'],
      order_by: [
        ['time:day', 'asc'],
        ['visitors', 'desc'],
      ],
      include: { time_labels: true, total_rows: true, imports: true },
      pagination: { limit: 2, offset: 0 },
    },
  });
});

test('ranges by name, by dates and by instants', async () => {
  const asked: [range: unknown, visitors: number][] = [
    ['day', 3],
    ['24h', 3],
    ['7d', 3],
    ['30d', 4],
    ['month', 6],
    ['year', 6],
    ['1mo', 0],
    ['12mo', 0],
    ['all', 6],
    [['2026-11-18', '2026-11-18'], 2],
    [['2026-11-20T13:25:00Z', '2026-11-20T13:30:00Z'], 1],
    [['2026-11-20T14:20:00+01:00', '2026-11-20T14:20:00+01:00'], 1],
  ];
  for (const [range, want] of asked) {
    assert.equal(await rows({ date_range: range }), [[want]], JSON.stringify(range));
  }
});

test('filters as lists, or one by itself', async () => {
  const asked: [filters: unknown, visitors: number][] = [
    [['is', 'visit:country', ['DE']], 3],
    [[['is', 'visit:country', ['DE']]], 3],
    [[['is_not', 'visit:country', ['DE']]], 2],
    [[['contains', 'visit:country_name', ['germ']]], 3],
    [[['is', 'visit:country_name', ['germany'], { case_sensitive: false }]], 3],
    [[['is', 'visit:country_name', ['germany']]], 0],
    [[['contains', 'event:page', ['BLOG']]], 3],
    [[['contains_not', 'event:page', ['blog']]], 3],
    [[['matches', 'event:page', ['^/bl.*$']]], 3],
    [[['matches_not', 'event:page', ['^/$']]], 4],
    [[['is', 'visit:utm_source', ['(not set)']]], 5],
    [
      [
        [
          'and',
          [
            ['is', 'visit:country', ['DE']],
            ['is', 'event:page', ['/blog']],
          ],
        ],
      ],
      2,
    ],
    [
      [
        [
          'or',
          [
            ['is', 'visit:country', ['FR']],
            ['is', 'event:page', ['/pricing']],
          ],
        ],
      ],
      4,
    ],
    [[['not', ['is', 'visit:country', ['FR']]]], 3],
    [[['is', 'event:goal', ['Signup']]], 2],
    [[['contains', 'event:goal', ['Sign', 'Purch']]], 2],
    [[['is', 'event:goal', ['Outbound Link: Click']]], 1],
    [[['contains', 'event:goal', ['Link: Cl']]], 1],
    [[['is', 'event:name', ['Outbound Link: Click']]], 1],
    [[['is', 'event:name', ['Outbound Link: Click', 'Signup']]], 2],
    [[['is_not', 'event:name', ['Outbound Link: Click']]], 5],
    [
      [
        ['has_done', ['is', 'event:goal', ['Signup']]],
        ['is', 'event:page', ['/']],
      ],
      1,
    ],
    [[['has_not_done', ['is', 'event:goal', ['Signup']]]], 4],
    [[['is', 'segment', ['Germany']]], 3],
  ];
  for (const [filters, want] of asked) assert.is(await visitors(filters), want, JSON.stringify(filters));
});

test('a rate is of those without the goal, of all or of the row’s own', async () => {
  const goal = [['is', 'event:goal', ['Signup']]];
  const metrics = ['visitors', 'conversion_rate', 'group_conversion_rate'];
  assert.equal(await rows({ metrics, filters: goal }), [[2, 40, 40]]);
  assert.equal(await rows({ metrics, filters: goal, dimensions: ['visit:country'] }), [['DE', 2, 40, 66.7]]);
  assert.equal(await rows({ metrics, filters: goal, dimensions: ['time:day'] }), [
    ['2026-11-18', 1, 20, 50],
    ['2026-11-20', 1, 20, 33.3],
  ]);
  const [first] = await rows({ metrics: [...metrics, 'events', 'total_revenue'], dimensions: ['event:goal'] });
  const money = { value: 0, currency: 'EUR', short: '€0.0', long: '€0.00' };
  assert.equal(first, ['Signup', 2, 40, 40, 2, money]);
  const purchase = [['is', 'event:goal', ['Purchase']]];
  const [[total, average]] = (await rows({ metrics: ['total_revenue', 'average_revenue'], filters: purchase })) as {
    value: number;
  }[][] as [[{ value: number }, { value: number }]];
  assert.equal([total.value, average.value], [49, 24.5]);
});

test('all links to other hosts are one goal', async () => {
  const goals = (await rows({ metrics: ['visitors', 'events'], dimensions: ['event:goal'] })).map(([name]) => name);
  assert.ok(goals.includes('Outbound Link: Click'), `${goals}`);
  assert.equal(
    goals.filter(name => /^https?:/.test(String(name))),
    [],
  );
  const links = [['is', 'event:goal', ['Outbound Link: Click']]];
  assert.equal(await rows({ metrics: ['visitors', 'events'], filters: links, dimensions: ['event:name'] }), [
    ['https://partner.example/', 1, 1],
  ]);
  assert.equal(await rows({ metrics: ['events'], filters: links, dimensions: ['event:goal'] }), [
    ['Outbound Link: Click', 1],
  ]);
});

test('two dimensions: time, a goal or the one with few values makes the groups', async () => {
  assert.equal(await rows({ dimensions: ['time:day', 'visit:country_name'] }), [
    ['2026-11-18', 'Germany', 1],
    ['2026-11-18', 'France', 1],
    ['2026-11-19', 'Germany', 1],
    ['2026-11-20', 'Germany', 2],
    ['2026-11-20', 'France', 1],
  ]);
  assert.equal(await rows({ dimensions: ['visit:utm_source', 'visit:utm_medium'] }), [
    ['(not set)', '(not set)', 5],
    ['newsletter', 'email', 1],
  ]);
  assert.equal((await rows({ dimensions: ['event:goal', 'event:page'] })).slice(0, 2), [
    ['Signup', '/pricing', 2],
    ['Purchase', '/pricing', 2],
  ]);
  assert.equal(await rows({ dimensions: ['visit:country', 'time:month'] }), [
    ['DE', '2026-11-01', 3],
    ['FR', '2026-11-01', 2],
  ]);
});

test('orders', async () => {
  const dimensions = ['event:page'];
  const names = async (order_by: unknown, more: object = {}) =>
    (await rows({ dimensions, metrics: ['visitors', 'events'], order_by, ...more })).map(([name]) => name);
  assert.equal(await names([['event:page', 'desc']]), ['/pricing', '/blog', '/']);
  assert.equal(
    await names([
      ['visitors', 'asc'],
      ['event:page', 'asc'],
    ]),
    ['/pricing', '/', '/blog'],
  );
  assert.equal(await names([['events', 'desc']]), ['/pricing', '/', '/blog']);
  assert.equal(await names([['visitors', 'desc']], { pagination: { limit: 1, offset: 2 } }), ['/pricing']);
});

test('what cannot be answered is refused with a sentence', async () => {
  const nested = (depth: number): unknown => (depth === 0 ? ['is', 'event:page', ['/']] : ['not', nested(depth - 1)]);
  const asked: [body: object, error: RegExp][] = [
    [{ site_id: undefined }, /^Missing site ID/],
    [{ metrics: [] }, /needs one metric/],
    [{ metrics: 'visitors' }, /list of texts/],
    [{ metrics: ['visitor'] }, /is not known/],
    [{ metrics: ['percentage'] }, /with a dimension/],
    [{ metrics: ['scroll_depth'] }, /event:page/],
    [{ date_range: undefined }, /^#: Required property date_range was not present\.$/],
    [{ metrics: undefined, date_range: undefined }, /^#: Required properties metrics, date_range were not present\.$/],
    [{ date_range: null }, /^#\/date_range: Invalid date range null$/],
    [{ date_range: '0d' }, /^#\/date_range: Invalid date range "0d"$/],
    [{ date_range: ['2026-01-01'] }, /Invalid date range/],
    [{ date_range: ['2026-02-31', '2026-03-01'] }, /Invalid date range/],
    [{ date_range: ['2026-01-02', '2026-01-01'] }, /ends before/],
    [{ dimensions: ['time', 'time:day'] }, /only in one way/],
    [{ dimensions: ['visit:os_version'] }, /does not store/],
    [{ dimensions: ['visit:nothing'] }, /Invalid dimension/],
    [{ dimensions: ['visit:os', 'visit:city', 'visit:country'] }, /two dimensions at most/],
    [{ date_range: '30d', dimensions: ['time:hour', 'visit:os'] }, /100 values at most/],
    [{ date_range: ['1970-01-01', '2026-01-01'], dimensions: ['time:hour'] }, /too many steps/],
    [{ filters: 'x' }, /must be a list/],
    [{ filters: [['is', 'event:page']] }, /^Invalid filter/],
    [{ filters: [['equals', 'event:page', ['/']]] }, /Unknown operator/],
    [{ filters: [['is', 'event:page', [1]]] }, /^Invalid filter/],
    [{ filters: [['is', 'event:page', Array.from({ length: 300 }, () => '/')]] }, /more than 200 values/],
    [{ filters: [['matches', 'event:page', [`^${'a'.repeat(900)}.*${'a'.repeat(900)}$`]]] }, /more than 200 values/],
    [{ filters: [['matches', 'visit:device', ['a|'.repeat(300)]]] }, /more than 200 values/],
    [{ filters: [['is', 'event:goal', [`Visit /${'a'.repeat(900)}*${'a'.repeat(900)}`]]] }, /more than 200 values/],
    [{ filters: [['is', 'event:page', ['/'], { case_sensitive: false }]] }, /cannot ignore case/],
    [{ filters: [['is_not', 'event:goal', ['Signup']]] }, /only be filtered with is and contains/],
    [{ filters: [['matches', 'event:page', ['^/\\d+$']]] }, /more than can be asked/],
    [{ filters: [nested(20)] }, /levels deep/],
    [{ filters: [['has_done', ['has_done', ['is', 'event:page', ['/']]]]] }, /cannot be nested/],
    [{ filters: [['is', 'segment', ['None']]] }, /unknown segment/],
    [{ order_by: [['events', 'desc']] }, /Invalid order_by/],
    [{ include: { everything: true } }, /Invalid include key/],
    [{ include: { time_labels: true } }, /needs a time dimension/],
    [{ pagination: { limit: 0 } }, /pagination.limit/],
    [{ pagination: { limit: 10_000, offset: 1 } }, /Pages reach/],
    [{ date: 'x' }, /Invalid key/],
  ];
  for (const [body, error] of asked) {
    const got = await query(body);
    assert.is(got.status, 400, `${JSON.stringify(body).slice(0, 200)} ${got.text}`);
    assert.match(got.body.error, error, JSON.stringify(body).slice(0, 200));
  }
  assert.is((await program.ask('/api/v2/query', { body: [] })).status, 400);
  assert.is((await program.ask('/api/v2/query')).status, 405);
});

test('an answer says whether imported days are in it', async () => {
  const csv = 'date,visitors,pageviews,bounces,visits,visit_duration\n2026-01-05,10,30,4,12,600\n';
  const imported = await runCommand(program.dataDir, ['import', '-', '--site', 'shop.example'], { stdin: csv });
  assert.is(imported.code, 0, imported.stderr);
  const january = { date_range: ['2026-01-01', '2026-01-31'], include: { imports: true } };
  const whole = (await query(january)).body;
  assert.equal([whole.results[0].metrics, whole.meta], [[10], { imports_included: true }]);
  const pages = (await query({ ...january, dimensions: ['event:page'] })).body;
  assert.equal([pages.results, pages.meta.imports_included], [[], false]);
  assert.is(pages.meta.imports_skip_reason, 'unsupported_query');
});

test.after(() => program.close());
test.run();
