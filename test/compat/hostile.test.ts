/** Whatever is asked, the answer is one of those that are documented: nobody gets a failure of the server. */
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { anyCharacter } from '../any-character.ts';
import { repeat } from '../repeat.ts';
import { startProgram } from './fixture.ts';

const program = await startProgram();
const { ask, shop } = program;

const text = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: anyCharacter, maxLength: 6 }));
const names = fc.constantFrom(
  ...['event:page', 'event:goal', 'event:name', 'event:props:plan', 'event:props:__proto__', 'visit:country_name'],
  ...['visit:device', 'visit:source', 'visit:os_version', 'segment', 'time', 'time:day', 'time:hour', 'constructor'],
);
const values = fc.array(fc.oneof(text, fc.constantFrom('/', '^/.*$', '*', 'a|b', 'Signup', 'Visit /*', '(not set)')), {
  minLength: 1,
  maxLength: 3,
});
const operators = fc.constantFrom(
  'is',
  'is_not',
  'contains',
  'contains_not',
  'matches',
  'matches_not',
  'matches_wildcard',
);
const { filter } = fc.letrec(tie => ({
  filter: fc.oneof(
    { depthSize: 'small' },
    { weight: 4, arbitrary: fc.tuple(operators, names, values) },
    fc.tuple(operators, names, values, fc.record({ case_sensitive: fc.boolean() })),
    fc.tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { maxLength: 3 })),
    fc.tuple(fc.constantFrom('not', 'has_done', 'has_not_done'), tie('filter')),
    fc.jsonValue({ maxDepth: 2 }),
  ),
}));
const metric = fc.constantFrom(
  ...['visitors', 'visits', 'pageviews', 'events', 'bounce_rate', 'visit_duration', 'views_per_visit', 'percentage'],
  ...['conversion_rate', 'group_conversion_rate', 'time_on_page', 'scroll_depth', 'total_revenue', 'average_revenue'],
);
const ranges: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom('day', '24h', '7d', '30d', '12mo', 'month', 'year', 'all', '5000d', '100mo'),
  fc.constantFrom(
    ['2026-11-01', '2026-11-20'],
    ['1970-01-01', '9999-12-31'],
    ['2026-11-20T00:00:00Z', '2026-11-20T01:00:00Z'],
  ),
);
/** Mostly what makes sense: a query with one part that does not is refused for it. */
const mostly = <T>(sense: fc.Arbitrary<T>, depth = 1): fc.Arbitrary<T | fc.JsonValue> =>
  fc.oneof({ weight: 15, arbitrary: sense }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: depth }) });
const dimensions = fc.constantFrom(
  'event:page',
  'event:goal',
  'visit:device',
  'event:props:plan',
  'time:day',
  'visit:os',
);
const body = fc.record(
  {
    site_id: fc.constant('shop.example'),
    date_range: mostly(ranges),
    metrics: mostly(fc.uniqueArray(metric, { minLength: 1, maxLength: 2 })),
    dimensions: mostly(fc.uniqueArray(fc.oneof({ weight: 9, arbitrary: dimensions }, names), { maxLength: 2 })),
    filters: mostly(fc.array(filter, { maxLength: 2 })),
    order_by: mostly(
      fc.array(fc.tuple(fc.oneof(metric, dimensions), fc.constantFrom('asc', 'desc')), { maxLength: 1 }),
    ),
    include: mostly(fc.record({ time_labels: fc.boolean(), total_rows: fc.boolean() }, { requiredKeys: [] })),
    pagination: mostly(fc.record({ limit: fc.integer({ min: 1, max: 9000 }), offset: fc.nat(20) })),
  },
  { requiredKeys: ['site_id', 'date_range', 'metrics'] },
);

const settings = { numRuns: 120 * repeat, seed: 7 };

test('whatever is nested too deep is refused, wherever it stands', async () => {
  const deep = JSON.parse('['.repeat(1000) + ']'.repeat(1000));
  const sound = { site_id: 'shop.example', date_range: '7d', metrics: ['visitors'] };
  for (const more of [
    { filters: deep },
    { filters: [['is', 'event:page', ['/'], deep]] },
    ...['order_by', 'date_range', 'dimensions', 'include', 'pagination', 'else'].map(name => ({ [name]: deep })),
  ]) {
    const { status, body } = await ask('/api/v2/query', { body: { ...sound, ...more } });
    assert.equal([status, body.error], [400, 'the JSON is nested more than 100 levels deep']);
  }
});

test('queries of Plausible’s second API', async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(body, async asked => {
      const { status, body: answer, text: got } = await ask('/api/v2/query', { body: asked });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      assert.ok(status === 200 || status === 400, `${JSON.stringify(asked)} ${got}`);
      assert.ok(status === 200 ? Array.isArray(answer.results) : typeof answer.error === 'string', got);
    }),
    settings,
  );
  assert.ok((statuses.get(200) ?? 0) > 10, JSON.stringify([...statuses]));
});

const parameters = (known: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> =>
  fc
    .record(known, { requiredKeys: [] })
    .map(given => new URLSearchParams(given as Record<string, string>).toString().replaceAll('%00', ''));

test('parameters of Plausible’s first API', async () => {
  const asked = parameters({
    period: fc.oneof(fc.constantFrom('day', '7d', '30d', 'month', '6mo', '12mo', 'custom'), text),
    date: fc.oneof(fc.constantFrom('2026-11-18', '2026-11-01,2026-11-18', '9999-12-31', '0000-01-01', 'today'), text),
    metrics: fc.oneof(metric, text),
    filters: fc.oneof(
      fc.tuple(names, fc.constantFrom('==', '!=', '~'), text).map(parts => parts.join('')),
      text,
    ),
    property: fc.oneof(names, text),
    interval: fc.constantFrom('date', 'day', 'month', 'hour', 'x'),
    compare: fc.constantFrom('previous_period', 'x'),
    limit: fc.constantFrom('1', '1000', '0', '1e3'),
    page: fc.constantFrom('1', '2', '-1'),
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('aggregate', 'timeseries', 'breakdown'), asked, async (name, query) => {
      const { status, text: got } = await ask(`/api/v1/stats/${name}?site_id=shop.example&${query}`);
      assert.ok(status === 200 || status === 400, `${name} ${query} ${got}`);
    }),
    settings,
  );
});

test('parameters of Umami’s questions', async () => {
  const time = fc.oneof(fc.constantFrom('0', '1794610800000', '1795215599000', '8640000000000000'), text);
  const asked = parameters({
    startAt: time,
    endAt: time,
    unit: fc.constantFrom('minute', 'hour', 'day', 'month', 'year', 'x'),
    timezone: fc.oneof(fc.constantFrom('UTC', 'Asia/Kathmandu', '+01:00'), text),
    type: fc.oneof(fc.constantFrom('path', 'event', 'channel', 'tag', '__proto__'), text),
    compare: fc.constantFrom('prev', 'yoy', 'x'),
    path: fc.oneof(
      fc.tuple(fc.constantFrom('eq.', 'neq.', 'c.', 're.', 's.', 'gt.'), text).map(parts => parts.join('')),
      text,
    ),
    match: fc.constantFrom('any', 'all', 'x'),
    limit: fc.constantFrom('1', '10000', '-1'),
    pageSize: fc.constantFrom('1', '50', '9999'),
  });
  const paths = ['stats', 'pageviews', 'metrics', 'active', 'events', 'events/series', 'sessions', 'daterange'];
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), asked, async (name, query) => {
      const { status, text: got } = await ask(`/api/websites/${shop.uuid}/${name}?${query}`);
      assert.ok(status === 200 || status === 400, `${name} ${query} ${got}`);
    }),
    settings,
  );
});

test.after(() => program.close());
test.run();
