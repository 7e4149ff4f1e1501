import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answersTo } from '../../src/api/answers.ts';
import type { Endpoint, QueryStep, ReadableSite } from '../../src/api/endpoint.ts';
import { apiRoutes } from '../../src/api/routes.ts';
import { json } from '../../src/http/reply.ts';
import { QueryFailed } from '../../src/query/errors.ts';
import type { Answer, Slice } from '../../src/query/query.ts';
import { addShop, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const path = `/api/ext/sites/${shop.uuid}/answers`;
const asking = (asks: readonly string[]): string => `${path}?${new URLSearchParams(asks.map(ask => ['ask', ask]))}`;

interface Line {
  ask: number;
  status: number;
  body: unknown;
}
const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
    .sort((a, b) => a.ask - b.ask);

test('each question gets the same answer as when asked alone', async () => {
  const asks = [
    'stats?range=7d',
    'stats',
    'series?range=7d&path=%2F',
    'breakdown?range=7d&dimension=country&country!=DE&limit=1',
    'breakdown?range=7d&dimension=title&title=Blog%2C+%22news%22',
    'events?range=all',
    'realtime?range=7d',
    'stats?contry=DE',
    'series?range=3d',
    'stats?range=7d&limit=1',
  ];
  const { status, headers, text } = await api.get(asking(asks));
  assert.is(status, 200);
  assert.is(headers['content-type'], 'application/x-ndjson; charset=utf-8');
  assert.is(headers['cache-control'], 'no-store');
  const lines = linesOf(text);
  assert.equal(
    lines.map(({ ask }) => ask),
    asks.map((_, i) => i),
  );
  for (const [i, ask] of asks.entries()) {
    const alone = await api.get(`/api/v1/sites/${shop.uuid}/${ask}`);
    assert.equal([lines[i]!.status, lines[i]!.body], [alone.status, alone.body], ask);
  }
});

test('every endpoint about a site can be asked so', async () => {
  const [{ id: visit, visitor }] = (await api.get(`/api/ext/sites/${shop.uuid}/visits?range=7d`)).body.data;
  const needed: Record<string, string> = {
    'ext/hits': `?visit=${visit}`,
    'ext/visitor': `?visitor=${visitor}`,
    'ext/funnel': '?step=path%3D%2F',
  };
  const names = apiRoutes.flatMap(({ method, path }) => {
    const [, group, name] = /^\/api\/(v1|ext)\/sites\/:id\/([\w-]+)$/.exec(path) ?? [];
    return method !== 'GET' || group === undefined || ['answers', 'alerts', 'reports'].includes(name!)
      ? []
      : [group === 'v1' ? name! : `ext/${name}`];
  });
  assert.ok(names.length > 20);
  for (const asks of [names.map(name => name + (needed[name] ?? '')), names.map(name => `${name}?range=x`), names]) {
    const lines = [...linesOf((await api.get(asking(asks.slice(0, 20)))).text)];
    lines.push(...linesOf((await api.get(asking(asks.slice(20)))).text).map(line => ({ ...line, ask: line.ask + 20 })));
    for (const [i, ask] of asks.entries()) {
      const path = ask.startsWith('ext/')
        ? `/api/ext/sites/${shop.uuid}/${ask.slice(4)}`
        : `/api/v1/sites/${shop.uuid}/${ask}`;
      const alone = await api.get(path);
      assert.equal([lines[i]!.ask, lines[i]!.status, lines[i]!.body], [i, alone.status, alone.body], ask);
    }
  }
});

test('a question that is none about a site is answered with 404', async () => {
  const asks = [
    'visits',
    'ext/answers',
    'ext/stats',
    'nothing',
    'constructor',
    '',
    '/stats',
    '../stats',
    'stats/',
    ' stats',
    '?range=7d',
  ];
  const { status, text } = await api.get(asking(asks));
  assert.is(status, 200);
  for (const line of linesOf(text))
    assert.equal([line.status, line.body], [404, { error: 'not found' }], asks[line.ask]);
});

test('other parameters and too many questions are refused', async () => {
  const unknown = await api.get(`${asking(['stats'])}&range=7d`);
  assert.is(unknown.status, 400);
  assert.equal(unknown.body, { error: 'unknown parameter', parameter: 'range', allowed: ['ask'] });
  assert.is((await api.get(asking(Array(20).fill('stats')))).status, 200);
  const many = await api.get(asking(Array(21).fill('stats')));
  assert.is(many.status, 400);
  assert.equal(many.body, { error: 'too many parameters', parameter: 'ask' });
});

test('HEAD runs no query', async () => {
  const { status, headers, text } = await api.get(asking(['stats']), { method: 'HEAD' });
  assert.is(status, 200);
  assert.is(headers['content-type'], 'application/x-ndjson; charset=utf-8');
  assert.is(text, '');
});

const slice = (from: number, ...keys: string[]): Slice => ({
  from,
  to: 10,
  filters: [],
  questions: keys.map(key => ({ kind: 'propertyValues', key, limit: 1, bins: 0 })),
});
/** Tells which question an answer is the answer to, and in which query. */
const answerOn = (query: number, { from, questions }: Slice): Answer[] =>
  questions.map(question => ({ kind: 'lastHit', at: query, about: `${from} ${JSON.stringify(question)}` }) as Answer);

/** Lines about steps, each an endpoint of its own; what was asked, query by query; and the steps that fail. */
const stage = (
  steps: Record<string, QueryStep<object> | Error>,
  fail?: Error,
  fails: (slices: Slice[]) => boolean = () => true,
) => {
  const asked: Slice[][] = [];
  const endpoint = (step: QueryStep<object> | Error): Pick<Endpoint, 'plan'> => ({
    plan() {
      if (step instanceof Error) throw step;
      return step;
    },
  });
  const { body } = answersTo(new URLSearchParams(Object.keys(steps).map(name => ['ask', name])), {
    view: {} as ReadableSite,
    async run(slices) {
      asked.push(slices);
      if (fail !== undefined && fails(slices)) throw fail;
      return slices.map(one => answerOn(asked.length, one));
    },
    endpoints: Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, endpoint(step) as Endpoint])),
    replyTo: error => json(503, { error: (error as Error).message }),
  });
  return { pieces: body as AsyncIterable<string>, asked };
};
const piecesOf = async (pieces: AsyncIterable<string>): Promise<string[]> => {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
};
const echo = (slices: Slice[]): QueryStep<object> => ({ slices, render: report => ({ report }) });

test('all questions run as one query, each slice once, and each gets its own answers', async () => {
  const steps = {
    a: echo([slice(1, 'x', 'y'), slice(2, 'x')]),
    b: echo([slice(2, 'z', 'x')]),
    c: echo([slice(1, 'y'), slice(1, 'x')]),
  };
  const { pieces, asked } = stage(steps);
  const lines = linesOf((await piecesOf(pieces)).join(''));
  assert.equal(asked, [[slice(1, 'x', 'y', 'y', 'x'), slice(2, 'x', 'z', 'x')]]);
  Object.values(steps).forEach(({ slices }, i) => {
    assert.equal(lines[i]!.body, JSON.parse(JSON.stringify({ report: slices.map(one => answerOn(1, one)) })));
  });
});

test('a refused question leaves the others alone, and its line goes out before any query runs', async () => {
  const { pieces, asked } = stage({ a: echo([slice(1, 'x')]), b: new Error('bad') });
  const lines = pieces[Symbol.asyncIterator]();
  assert.is((await lines.next()).value, '{"ask":1,"status":503,"body":{"error":"bad"}}\n');
  assert.equal(asked, []);
  const [second, ...others] = linesOf((await lines.next()).value);
  assert.equal([second!.ask, second!.status, others], [0, 200, []]);
  assert.is((await lines.next()).done, true);
});

test('follow-up queries run together and keep no other answer waiting', async () => {
  const twice = (key: string): QueryStep<object> => ({
    slices: [slice(1, key)],
    render: () => echo([slice(2, `${key} again`)]),
  });
  const { pieces, asked } = stage({ a: twice('x'), b: echo([slice(1, 'y')]), c: twice('y') });
  const lines = pieces[Symbol.asyncIterator]();
  assert.equal(
    linesOf((await lines.next()).value).map(({ ask }) => ask),
    [1],
  );
  assert.is(asked.length, 1);
  assert.equal(
    linesOf((await lines.next()).value).map(({ ask }) => ask),
    [0, 2],
  );
  assert.equal(asked, [[slice(1, 'x', 'y', 'y')], [slice(2, 'x again', 'y again')]]);
});

test('a failed query fails every question that needed it', async () => {
  const { pieces } = stage({ a: echo([slice(1, 'x')]), b: echo([slice(2, 'x')]) }, new Error('too long'));
  assert.equal(
    linesOf((await piecesOf(pieces)).join('')),
    [0, 1].map(ask => ({ ask, status: 503, body: { error: 'too long' } })),
  );
});

test('a question that meets damaged data fails alone', async () => {
  const damaged = (slices: Slice[]): boolean => slices.some(({ from }) => from === 2);
  const steps = { a: echo([slice(1, 'x')]), b: echo([slice(2, 'x')]), c: echo([slice(3, 'x')]) };
  const lines = linesOf((await piecesOf(stage(steps, new QueryFailed('damaged'), damaged).pieces)).join(''));
  assert.equal(
    lines.map(({ ask, status }) => [ask, status]),
    [
      [0, 200],
      [1, 503],
      [2, 200],
    ],
  );
});

test('long answers are sent in several pieces', async () => {
  const long = 'x'.repeat(20_000);
  const steps = Object.fromEntries(['a', 'b', 'c'].map(name => [name, { slices: [], render: () => ({ long }) }]));
  const pieces = await piecesOf(stage(steps).pieces);
  assert.is(pieces.length, 3);
  assert.is(linesOf(pieces.join('')).length, 3);
});

test.after(() => api.close());
test.run();
