import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answersTo } from '../../src/api/answers.ts';
import type { Endpoint, Reader } from '../../src/api/endpoint.ts';
import { json } from '../../src/api/reply.ts';
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

test('each question gets the answer that it would get by itself', async () => {
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

test('what is no question to the API about a site is not found', async () => {
  const asks = ['visits', 'nothing', 'constructor', '', '/stats', '../stats', 'stats/', ' stats', '?range=7d'];
  const { status, text } = await api.get(asking(asks));
  assert.is(status, 200);
  for (const line of linesOf(text))
    assert.equal([line.status, line.body], [404, { error: 'not found' }], asks[line.ask]);
});

test('nothing is asked, nothing is answered', async () => {
  for (const url of [path, `${path}?_=1`]) {
    const { status, text } = await api.get(url);
    assert.is(status, 200);
    assert.is(text, '');
  }
});

test('it knows no other parameter, and answers no more questions than a page has', async () => {
  const unknown = await api.get(`${asking(['stats'])}&range=7d`);
  assert.is(unknown.status, 400);
  assert.equal(unknown.body, { error: 'unknown parameter', parameter: 'range', allowed: ['ask'] });
  assert.is((await api.get(asking(Array(20).fill('stats')))).status, 200);
  const many = await api.get(asking(Array(21).fill('stats')));
  assert.is(many.status, 400);
  assert.equal(many.body, { error: 'too many parameters' });
});

test('HEAD asks nothing', async () => {
  const { status, headers, text } = await api.get(asking(['stats']), { method: 'HEAD' });
  assert.is(status, 200);
  assert.is(headers['content-type'], 'application/x-ndjson; charset=utf-8');
  assert.is(text, '');
});

/** Endpoints that answer when a test says so, each under its own name. */
const openStage = (...names: string[]) => {
  const answers = new Map<string, (answer: object | Error) => void>();
  const endpoint = (name: string): Pick<Endpoint, 'answer'> => ({
    answer: () =>
      new Promise((resolve, reject) =>
        answers.set(name, answer => (answer instanceof Error ? reject(answer) : resolve(answer))),
      ),
  });
  const { body } = answersTo(new URLSearchParams(names.map(name => ['ask', name])), {
    reader: {} as Reader,
    endpoints: Object.fromEntries(names.map(name => [name, endpoint(name) as Endpoint])),
    refusal: error => json(503, { error: (error as Error).message }),
  });
  return {
    pieces: (body as AsyncIterable<string>)[Symbol.asyncIterator](),
    tell: (name: string, answer: object | Error) => answers.get(name)!(answer),
  };
};
const nextTurn = () => new Promise(resolve => setImmediate(resolve));

test('answers go out as they come, and those that come at once together', async () => {
  const { pieces, tell } = openStage('a', 'b', 'c');
  const first = pieces.next();
  await nextTurn();
  tell('c', { n: 3 });
  assert.is((await first).value, '{"ask":2,"status":200,"body":{"n":3}}\n');
  const second = pieces.next();
  tell('a', { n: 1 });
  tell('b', new Error('too long'));
  assert.equal(linesOf((await second).value), [
    { ask: 0, status: 200, body: { n: 1 } },
    { ask: 1, status: 503, body: { error: 'too long' } },
  ]);
  assert.is((await pieces.next()).done, true);
});

test('what comes while nobody reads is not lost', async () => {
  const { pieces, tell } = openStage('a', 'b');
  const first = pieces.next();
  await nextTurn();
  tell('a', { n: 1 });
  assert.is((await first).value, '{"ask":0,"status":200,"body":{"n":1}}\n');
  tell('b', { n: 2 });
  await nextTurn();
  assert.is((await pieces.next()).value, '{"ask":1,"status":200,"body":{"n":2}}\n');
  assert.is((await pieces.next()).done, true);
});

test.after(() => api.close());
test.run();
